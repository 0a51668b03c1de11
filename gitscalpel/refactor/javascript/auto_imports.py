"""Add the JavaScript imports that an edit needs, and remove those that it makes unused.

A name is imported if one file of the tree exports it, as other files import it if they all do it alike,
or else as all others import it from elsewhere. If a file uses the name without an import, the name is
global.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import NamedTuple

from gitscalpel.changesets.answers import quoted
from gitscalpel.names.entities import Binding, Module
from gitscalpel.names.files import Files
from gitscalpel.names.language_registry import dialect
from gitscalpel.names.languages.javascript import exports, modules
from gitscalpel.names.languages.javascript.values import GLOBALS
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.resolver import Resolver
from gitscalpel.refactor.javascript import (
    evaluation_order,
    export_edits,
    import_edits,
    import_statements,
    module_specifiers,
)
from gitscalpel.refactor.javascript.import_statements import (
    DEFAULT,
    GIVEN,
    ImportedName,
    ImportStatement,
    WantedImport,
)
from gitscalpel.text import splice

_MOST = 150
"""Files with a name that are asked for it; where there are more, nobody can tell how many ways there are."""


class ImportSource(NamedTuple):
    """How a name may be brought.

    Attributes:
        module: the file that has it; else what is outside of the tree, as it is imported.
        is_file: which of the two.
        name: there.
        is_type: it is brought as a type.
    """

    module: str
    is_file: bool
    name: str
    is_type: bool = False


def complete_imports(before: Files, files: Files, path: str) -> tuple[bytes, list[str]]:
    """The text of a file with its imports, and what could not be brought, in words."""
    resolver = Resolver(files, dialect)
    known = set(_unbound(Resolver(before, dialect), path)) if before.lexical(path) is not None else set()
    wanted: list[WantedImport] = []
    left: list[str] = []
    for name in _unbound(resolver, path):
        if name not in known:
            ways, why = _ways(resolver, path, name)
            if len(ways) == 1:
                wanted.append(_wanted(resolver, path, name, ways[0]))
            elif ways or why:
                said = ", ".join(sorted(quoted(each.module) for each in ways)[:3])
                left.append(
                    f"{quoted(path)}: {name} is not imported: {why or f'several files give it ({said})'}"
                )
    files = files.with_text(path, _without_unused(before, resolver, path))
    for each in wanted:
        lexical = import_statements.open_file(files, path)
        splices = import_edits.add_name(
            lexical,
            import_statements.read_statements(lexical),
            each,
            import_statements.style_of(lexical, *_near(resolver, path)),
        )
        files = files.with_text(path, splice.apply(lexical.text, splices))
    return import_statements.open_file(files, path).text, left


def _unbound(resolver: Resolver, path: str) -> Iterator[str]:
    """The names that nothing binds where they are used, in order, but those that the language has."""
    lexical = resolver.lexical(path)
    for name in evaluation_order.find_unbound_names(resolver, path, [(0, len(lexical.text))]):
        if name in GLOBALS:
            continue
        uses = (m for m in lexical.of(name) if m.role == "use" and lexical.scope_of(m) is None)
        meant = (each for mention in uses for each in resolver.meanings(path, mention))
        if not any(isinstance(each, Binding) for each in meant):
            yield name


def _without_unused(before: Files, resolver: Resolver, path: str) -> bytes:
    """The text without the imports that the file does not use, but those that it did not use before."""
    useless = set()
    if before.lexical(path) is not None:
        useless = {_key(*each) for each in _unused(Resolver(before, dialect), path)}
    gone = [each for each in _unused(resolver, path) if _key(*each) not in useless]
    text = resolver.lexical(path).text
    return splice.apply(text, import_edits.remove_names(text, gone))


def _unused(resolver: Resolver, path: str) -> Iterator[tuple[ImportStatement, ImportedName]]:
    found = [
        each for each in import_statements.read_statements(resolver.lexical(path)) if each.form != "common"
    ]
    yield from import_edits.find_unused_names(resolver, path, found)


def _key(statement: ImportStatement, name: ImportedName) -> tuple[str, str, str]:
    return statement.module, name.name, name.alias


def _ways(resolver: Resolver, path: str, name: str) -> tuple[list[ImportSource], str]:
    """All ways to bring a name, and why there is none."""
    holding = [each for each in resolver.files.holding(name) if each != path]
    if len(holding) > _MOST:
        return [], f"the word stands in {len(holding)} files"
    given: dict[str, ImportSource] = {}
    brought: dict[ImportSource, None] = {}
    for each in holding:
        lexical = resolver.files.lexical(each)
        if lexical is None or lexical.syntax.language.name not in modules.LANGUAGES:
            continue
        said = _exported(lexical, name)
        if said is not None and "node_modules" not in each.split("/"):
            given[each] = ImportSource(each, True, said)
        brought |= dict.fromkeys(_brought(resolver, each, name))
        if name in evaluation_order.find_unbound_names(
            resolver, each, [(m.start, m.end) for m in lexical.of(name) if m.role == "use"]
        ):
            return [], f"{quoted(each)} has it without an import"
    ways = _joined(resolver, path, name, list(given.values()), list(brought))
    return ways, "" if ways else "nothing in the tree brings it"


def _joined(
    resolver: Resolver, path: str, name: str, given: list[ImportSource], brought: list[ImportSource]
) -> list[ImportSource]:
    """What exports a name, through what others take it from."""
    apart = {each._replace(is_type=False): None for each in brought}
    is_type = bool(brought) and all(each.is_type for each in brought)
    if len(given) != 1:
        return given or [each._replace(is_type=is_type) for each in apart]
    (own,) = given
    foreign = [each for each in apart if not _leads_to(resolver, each, own, name)]
    if foreign:
        return [own, *foreign]
    through = [each for each in apart if not _is_within(path, each.module)]
    way = through[0] if len(apart) == 1 and through else own
    return [way._replace(is_type=is_type)]


def _leads_to(resolver: Resolver, way: ImportSource, own: ImportSource, name: str) -> bool:
    """Whether a file gives what another one defines."""
    if not way.is_file or way.module == own.module:
        return way.is_file
    language = resolver.lexical(way.module).syntax.language.name
    meant = list(exports.module_member(resolver, Module(way.module, language), way.name))
    for each in meant:
        for place in resolver.binders(each) if isinstance(each, Binding) else ():
            meant += (
                resolver.dialect(place.path).brings(resolver, place.path, place.mention)
                if len(meant) < 9
                else ()
            )
    return any(isinstance(each, Binding) and (each.path, each.name) == (own.module, name) for each in meant)


def _is_within(path: str, module: str) -> bool:
    """Whether a file is one of those that another gathers."""
    folder = posixpath.dirname(module)
    return posixpath.basename(module).startswith("index.") and (not folder or path.startswith(folder + "/"))


def _exported(lexical: Lexical, name: str) -> str | None:
    """As what a file exports its own definition of a name; None: it does not."""
    if not export_edits.defining_statements(lexical, name):
        return None
    is_whole = any(value.text == name.encode() for value in export_edits.assigned_modules(lexical))
    return GIVEN if is_whole else export_edits.exported_name(lexical, name)


def _brought(resolver: Resolver, path: str, name: str) -> Iterator[ImportSource]:
    for statement in import_statements.read_statements(resolver.lexical(path)):
        for each in statement.names:
            if each.alias != name:
                continue
            module = modules.find_module(resolver, path, statement.module)
            if isinstance(module, Module):
                yield ImportSource(module.path, True, each.name, each.is_type)
            elif not statement.module.startswith("."):
                yield ImportSource(statement.module, False, each.name, each.is_type)


def _wanted(resolver: Resolver, path: str, name: str, way: ImportSource) -> WantedImport:
    lexical = resolver.lexical(path)
    others = [resolver.lexical(way.module)] if way.is_file else []
    is_common = import_statements.style_of(lexical, *others, *_near(resolver, path)).common
    module = (
        module_specifiers.specifier_for(resolver.files, path, way.module, *_samples(resolver, path))
        if way.is_file
        else way.module
    )
    uses = [each for each in lexical.of(name) if each.role == "use"]
    found = import_statements.read_statements(lexical)
    is_usual = any(n.is_type for each in found for n in each.names) or (way.is_type and not found)
    is_type = is_usual and not is_common and all(each.kind == "type" for each in uses)
    said = (
        DEFAULT
        if way.name == GIVEN and not is_common
        else GIVEN
        if way.name == DEFAULT and is_common
        else way.name
    )
    return WantedImport(module, said, name, "common" if is_common else "import", is_type)


def _samples(resolver: Resolver, path: str) -> list[tuple[str, str]]:
    """How a file names others of the tree, if it names none by its place."""
    said = [each.said for each in modules.find_specifiers(resolver, path)]
    if any(each.startswith(".") for each in said):
        return []
    return [(path, each) for each in said if isinstance(modules.find_module(resolver, path, each), Module)]


def _near(resolver: Resolver, path: str) -> Iterator[Lexical]:
    """The files beside one."""
    for each in list(resolver.files.overlay.under(posixpath.dirname(path)))[:_MOST]:
        is_beside = each != path and posixpath.dirname(each) == posixpath.dirname(path)
        lexical = resolver.files.lexical(each) if is_beside else None
        if lexical is not None and lexical.syntax.language.name in modules.LANGUAGES:
            yield lexical
            return
