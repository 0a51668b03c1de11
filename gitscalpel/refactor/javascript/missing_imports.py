"""Find the imports that an edit of a JavaScript or TypeScript file needs, and those that it makes unused.

A name is imported if exactly one file of the tree exports it, reached as other files reach that file. If no
file exports it, the import of the other files is used if they agree.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import NamedTuple

from gitscalpel.changesets.answers import quote_path
from gitscalpel.names.entities import Binding, Module
from gitscalpel.names.files import Files
from gitscalpel.names.languages.javascript import imports, modules
from gitscalpel.names.languages.javascript.values import GLOBALS
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.resolver import Resolver, dialect
from gitscalpel.refactor.imports.engine import ImportCompleter
from gitscalpel.refactor.javascript import module_specifiers
from gitscalpel.refactor.javascript.evaluation_order import find_unbound_names
from gitscalpel.refactor.javascript.import_edits import add_name, iter_unused, remove_names
from gitscalpel.refactor.javascript.module_statements import (
    DEFAULT,
    GIVEN,
    WantedImport,
    exported_name,
    find_defining_statements,
    iter_assigned_modules,
    open_file,
    read_statements,
    style_of,
)
from gitscalpel.text.splice import Splice

_MAX_FILES = 150
"""Largest number of files that contain a name for which the search is complete."""


class ImportSource(NamedTuple):
    """A source from which a name can be imported."""

    module: str  # path of the exporting file, or specifier of a module outside the tree
    is_file: bool  # True for a file of the tree
    name: str
    is_type: bool = False  # True to import the name as a type


def _iter_unbound(resolver: Resolver, path: str) -> Iterator[str]:
    """Yield the names without a binding, in order, except for globals of the language."""
    lexical = resolver.lexical(path)
    for name in find_unbound_names(resolver, path, [(0, len(lexical.text))]):
        if name in GLOBALS:
            continue
        uses = (m for m in lexical.occurrences_of(name) if m.role == "use" and lexical.scope_of(m) is None)
        meanings = (each for mention in uses for each in resolver.meanings(path, mention))
        if not any(isinstance(each, Binding) for each in meanings):
            yield name


def _find_sources(resolver: Resolver, path: str, name: str) -> tuple[list[ImportSource], str]:
    holding = [each for each in resolver.files.holding(name) if each != path]
    if len(holding) > _MAX_FILES:
        return [], f"the word occurs in {len(holding)} files"
    exporting: dict[str, ImportSource] = {}
    imported: dict[ImportSource, None] = {}
    for each in holding:
        lexical = resolver.files.lexical(each)
        if lexical is None or lexical.syntax.language.name not in modules.LANGUAGES:
            continue
        exported = _find_exported_name(lexical, name)
        if exported is not None and "node_modules" not in each.split("/"):
            exporting[each] = ImportSource(each, True, exported)
        imported |= dict.fromkeys(_iter_imports_of(resolver, each, name))
        if name in find_unbound_names(
            resolver, each, [(m.start, m.end) for m in lexical.occurrences_of(name) if m.role == "use"]
        ):
            return [], f"{quote_path(each)} uses it without an import"
    sources = _merge_sources(resolver, path, name, list(exporting.values()), list(imported))
    return sources, "" if sources else "no file of the tree exports it"


def _merge_sources(
    resolver: Resolver, path: str, name: str, exporting: list[ImportSource], imported: list[ImportSource]
) -> list[ImportSource]:
    """Return the exporting files, reached through the module that other files import."""
    distinct = {each._replace(is_type=False): None for each in imported}
    is_type = bool(imported) and all(each.is_type for each in imported)
    if len(exporting) != 1:
        return exporting or [each._replace(is_type=is_type) for each in distinct]
    (own,) = exporting
    foreign = [each for each in distinct if not _leads_to(resolver, each, own, name)]
    if foreign:
        return [own, *foreign]
    through = [each for each in distinct if not _is_below_index(path, each.module)]
    source = through[0] if len(distinct) == 1 and through else own
    return [source._replace(is_type=is_type)]


def _leads_to(resolver: Resolver, source: ImportSource, own: ImportSource, name: str) -> bool:
    if not source.is_file or source.module == own.module:
        return source.is_file
    language = resolver.lexical(source.module).syntax.language.name
    meanings = list(imports.module_member(resolver, Module(source.module, language), source.name))
    for each in meanings:
        for place in resolver.binders(each) if isinstance(each, Binding) else ():
            meanings += (
                resolver.dialect(place.path).resolve_origin(resolver, place.path, place.mention)
                if len(meanings) < 9
                else ()
            )
    return any(
        isinstance(each, Binding) and (each.path, each.name) == (own.module, name) for each in meanings
    )


def _is_below_index(path: str, module: str) -> bool:
    folder = posixpath.dirname(module)
    return posixpath.basename(module).startswith("index.") and (not folder or path.startswith(folder + "/"))


def _find_exported_name(lexical: Lexical, name: str) -> str | None:
    if not find_defining_statements(lexical, name):
        return None
    is_whole = any(value.text == name.encode() for value in iter_assigned_modules(lexical))
    return GIVEN if is_whole else exported_name(lexical, name)


def _iter_imports_of(resolver: Resolver, path: str, name: str) -> Iterator[ImportSource]:
    for statement in read_statements(resolver.lexical(path)):
        for each in statement.names:
            if each.alias != name:
                continue
            module = modules.find_module(resolver, path, statement.module)
            if isinstance(module, Module):
                yield ImportSource(module.path, True, each.name, each.is_type)
            elif not statement.module.startswith("."):
                yield ImportSource(statement.module, False, each.name, each.is_type)


def _make_import(resolver: Resolver, path: str, name: str, source: ImportSource) -> WantedImport:
    lexical = resolver.lexical(path)
    others = [resolver.lexical(source.module)] if source.is_file else []
    is_common = style_of(lexical, *others, *_iter_neighbours(resolver, path)).common
    module = (
        module_specifiers.specifier_for(resolver.files, path, source.module, *_list_samples(resolver, path))
        if source.is_file
        else source.module
    )
    uses = [each for each in lexical.occurrences_of(name) if each.role == "use"]
    found = read_statements(lexical)
    is_usual = any(n.is_type for each in found for n in each.names) or (source.is_type and not found)
    is_type = is_usual and not is_common and all(each.kind == "type" for each in uses)
    exported = (
        DEFAULT
        if source.name == GIVEN and not is_common
        else GIVEN
        if source.name == DEFAULT and is_common
        else source.name
    )
    return WantedImport(module, exported, name, "common" if is_common else "import", is_type)


def _list_samples(resolver: Resolver, path: str) -> list[tuple[str, str]]:
    """Return specifiers of files of the tree in a file, or none if some are relative."""
    specifiers = [each.said for each in modules.find_specifiers(resolver, path)]
    if any(each.startswith(".") for each in specifiers):
        return []
    return [
        (path, each) for each in specifiers if isinstance(modules.find_module(resolver, path, each), Module)
    ]


def _iter_neighbours(resolver: Resolver, path: str) -> Iterator[Lexical]:
    for each in list(resolver.files.overlay.under(posixpath.dirname(path)))[:_MAX_FILES]:
        is_beside = each != path and posixpath.dirname(each) == posixpath.dirname(path)
        lexical = resolver.files.lexical(each) if is_beside else None
        if lexical is not None and lexical.syntax.language.name in modules.LANGUAGES:
            yield lexical
            return


def _find_import(resolver: Resolver, path: str, name: str) -> WantedImport | str:
    found, reason = _find_sources(resolver, path, name)
    if len(found) == 1:
        return _make_import(resolver, path, name, found[0])
    sources = ", ".join(sorted(quote_path(each.module) for each in found)[:3])
    return reason or (f"several files export it ({sources})" if found else "")


def _remove_new_unused(before: Files, files: Files, path: str) -> list[Splice]:
    unused = {}
    for tree in (files, before) if before.lexical(path) is not None else (files,):
        found = iter_unused(Resolver(tree, dialect), path)
        unused[tree is before] = {(s.module, n.name, n.alias): (s, n) for s, n in found}
    gone = [each for key, each in unused[False].items() if key not in unused.get(True, {})]
    return remove_names(open_file(files, path).text, gone)


def _add_import(files: Files, path: str, wanted: WantedImport) -> tuple[Files, str]:
    lexical = open_file(files, path)
    style = style_of(lexical, *_iter_neighbours(Resolver(files, dialect), path))
    return files.with_splices(path, add_name(lexical, wanted, style)), ""


COMPLETER = ImportCompleter(
    iter_unbound=_iter_unbound,
    find_import=_find_import,
    remove_new_unused=_remove_new_unused,
    add=_add_import,
    bound_name=lambda wanted: str(wanted.alias),
)
