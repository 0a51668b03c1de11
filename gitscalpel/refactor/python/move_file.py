"""Update imports and qualified uses when modules move.

A use names a module by its own name or through its package. A file keeps the old name if the new one has
another meaning there.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import NamedTuple

import msgspec
import tree_sitter

from gitscalpel.changesets.answers import quote_path
from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.errors import DoesNotFit
from gitscalpel.names import unresolved_notes
from gitscalpel.names.entities import WHOLE, Binding, Module
from gitscalpel.names.files import FileMoves, Files, MoveEdits
from gitscalpel.names.languages.python import imports, modules, type_annotations
from gitscalpel.names.nodes import find_part, node_text
from gitscalpel.names.references import Reference, References, find_references
from gitscalpel.names.resolver import Resolver, dialect
from gitscalpel.refactor.python import import_cycles, import_edits, module_names
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice

_NAME_ROLES = ("bind", "early", "use", "global", "nonlocal")


def must_keep_name(
    resolver: Resolver, journey: FileMoves, path: str, name: str, *, now: str, target: str
) -> bool:
    """Return True if ``now``, the new name of the module ``target``, has another meaning in the file."""
    word, dot, _ = now.partition(".")
    if word == name:
        return False
    lexical = resolver.lexical(path)
    uses = lexical.occurrences_of(name)
    around = modules.path_parts(journey.target_after(target)) if dot else []
    for mention in lexical.occurrences_of(word):
        if mention.role not in _NAME_ROLES or _is_package(resolver, path, mention, around):
            continue
        scope = lexical.holder(mention) if mention.role == "bind" else lexical.scope_of(mention)
        if scope is None or scope.kind == "module":
            return True
        if any(scope.span[0] <= each.start < scope.span[1] for each in uses):
            return True
    return False


def _is_package(resolver: Resolver, path: str, mention: Mention, around: list[str]) -> bool:
    """Return True if a name means a package that will contain the module."""
    values = [value for each in resolver.meanings(path, mention) for value in resolver.values_of(each)]
    places = [modules.path_parts(each.path) for each in values if isinstance(each, Module)]
    return bool(values) and len(places) == len(values) and all(around[: len(p)] == p for p in places)


class TakenName(NamedTuple):
    """A name that an import takes from a module."""

    node: tree_sitter.Node  # node of the name with its alias
    named: tree_sitter.Node  # node without the alias
    module: str  # module that has the name after the move, or empty for a module without a package
    name: str  # name in that module after the move


def rewrite_statement(
    resolver: Resolver, journey: FileMoves, path: str, statement: tree_sitter.Node
) -> Iterator[Splice]:
    """Yield the splices for one import statement of a file."""
    if statement.type == "import_statement":
        yield from _rewrite_plain_import(resolver, journey, path, statement)
        return
    source = statement.child_by_field_name("module_name")
    if source is None:
        return
    name = type_annotations.text(resolver, path, source)
    module = module_names.find_named(journey, path, name)
    if module is None:
        return
    now = module_names.rename_module(journey, path, name, module.path)
    taken = list(_iter_taken_names(resolver, journey, path, statement, (name, now)))
    modules = {each.module for each in taken} or {now}
    if len(modules) == 1 and "" not in modules:
        (now,) = modules
        yield from _replace_node(resolver, path, source, now)
        for each in taken:
            yield from _replace_node(resolver, path, each.named, each.name)
    else:
        yield from _split_statement(resolver, path, statement, taken, now)


def _rewrite_plain_import(
    resolver: Resolver, journey: FileMoves, path: str, statement: tree_sitter.Node
) -> Iterator[Splice]:
    for child in statement.children_by_field_name("name"):
        named = child.child_by_field_name("name") or child
        name = type_annotations.text(resolver, path, named)
        module = module_names.find_named(journey, path, name)
        if module is not None:
            now = module_names.rename_module(journey, path, name, module.path)
            is_bare = named.id == child.id and "." not in name
            if is_bare and must_keep_name(resolver, journey, path, name, now=now, target=module.path):
                now = f"{now} as {name}"
            yield from _replace_node(resolver, path, named, now)


def _iter_taken_names(
    resolver: Resolver, journey: FileMoves, path: str, statement: tree_sitter.Node, source: tuple[str, str]
) -> Iterator[TakenName]:
    old_module, new_module = source
    for child in statement.children_by_field_name("name"):
        named = child.child_by_field_name("name") or child
        name = type_annotations.text(resolver, path, named)
        found = [
            m for m in imports.imported_members(resolver, path, statement, name) if isinstance(m, Binding)
        ]
        whole = next((m.path for m in found if m.scope == WHOLE), None)
        below = whole or _find_reexported(resolver, journey, found)
        if below is None:
            yield TakenName(child, named, new_module, name)
            continue
        dotted = old_module + name if old_module.endswith(".") else f"{old_module}.{name}"
        module, dot, last = module_names.rename_module(journey, path, dotted, below).rpartition(".")
        if dot and not module.strip("."):
            module += dot
        if named.id == child.id and must_keep_name(resolver, journey, path, name, now=last, target=below):
            last = f"{last} as {name}"
        # A module is found in its folder, even if the ``__init__.py`` of the package moves.
        is_moved = (
            whole is not None or journey.target_after(below) != below or journey.path_after(path) != path
        )
        yield TakenName(child, named, module if is_moved else new_module, last)


def _find_reexported(resolver: Resolver, journey: FileMoves, found: list[Binding]) -> str | None:
    """Return the path of the moved module that the names mean through a re-export, or None."""
    values = [value for each in found for value in resolver.values_of(each)]
    paths = {value.path for value in values if isinstance(value, Module)}
    return next((each for each in paths if len(paths) == 1 and journey.target_after(each) != each), None)


def _split_statement(
    resolver: Resolver, path: str, statement: tree_sitter.Node, taken: list[TakenName], now: str
) -> Iterator[Splice]:
    text = resolver.lexical(path).text
    gone = [each for each in taken if each.module != now]
    lines = [_format_import(resolver, path, each) for each in gone]
    begins = text.rfind(b"\n", 0, statement.start_byte) + 1
    before = text[begins : statement.start_byte]
    between = b"; " if before.strip() else b"\n" + before
    if len(gone) == len(taken):
        yield Splice(statement.start_byte, statement.end_byte, between.join(lines))
        return
    yield Splice(statement.start_byte, statement.start_byte, b"".join(line + between for line in lines))
    source = statement.child_by_field_name("module_name")
    assert source is not None  # noqa: S101 - it is a from-import
    yield from _replace_node(resolver, path, source, now)
    whole = modules.parse_statement(statement, text)
    names = {each.node.start_byte for each in gone}
    yield from import_edits.remove_names(text, [(whole, name) for name in whole.names if name.start in names])


def _format_import(resolver: Resolver, path: str, each: TakenName) -> bytes:
    alias = each.node.child_by_field_name("alias")
    name = each.name + (f" as {type_annotations.text(resolver, path, alias)}" if alias is not None else "")
    line = f"from {each.module} import {name}" if each.module else f"import {name}"
    return line.encode("utf-8", "surrogateescape")


def _replace_node(resolver: Resolver, path: str, node: tree_sitter.Node, new: str) -> Iterator[Splice]:
    if type_annotations.text(resolver, path, node) != new:
        yield _replace(node, new)


class ModuleUse(NamedTuple):
    """A use of a module with its edit."""

    splice: Splice  # edit of the use
    target: str  # old path of the module


def rewrite_use(
    resolver: Resolver, journey: FileMoves, each: Reference, target: str
) -> ModuleUse | str | None:
    """Return the edit of a use, None if the use does not change, or a message if it cannot be updated."""
    if each.mention.role == "member":
        return _rewrite_attribute(resolver, journey, each, target)
    name = each.mention.name
    if _is_unmoved_package(resolver, journey, each, target):
        return None
    now = modules.path_parts(journey.target_after(target))[-1]
    bindings = [one for one in resolver.meanings(each.path, each.mention) if isinstance(one, Binding)]
    binders = [place.mention.node for one in bindings for place in resolver.binders(one)]
    plain = [node for node in binders if _is_in_plain_import(node)]
    if each.mention.role == "use" and plain:
        now = module_names.rename_module(journey, each.path, name, target)
    # A star import leaves the name in its source file.
    binding_path = next((one.path for one in bindings if one.scope != WHOLE), each.path)
    is_whole = any(
        node.parent and node.parent.type == "dotted_name" and node.parent.named_child_count > 1
        for node in plain
    )
    if now == name or (
        not is_whole and must_keep_name(resolver, journey, binding_path, name, now=now, target=target)
    ):
        return None
    return ModuleUse(_replace(each.mention, now), target)


def _is_in_plain_import(node: tree_sitter.Node) -> bool:
    statement = imports.statement_of(node)
    return statement is not None and statement.type == "import_statement"


def _replace(place: Mention | tree_sitter.Node, new: str) -> Splice:
    start, end = (place.start, place.end) if isinstance(place, Mention) else place.byte_range
    return Splice(start, end, new.encode("utf-8", "surrogateescape"))


def _is_unmoved_package(resolver: Resolver, journey: FileMoves, each: Reference, target: str) -> bool:
    """Return True for ``package`` of ``package.module`` if only the package's ``__init__.py`` moves."""
    node = each.mention.node.parent
    if modules.is_package_file(journey.target_after(target)) or node is None or node.type != "attribute":
        return False
    found = module_names.find_named(journey, each.path, type_annotations.text(resolver, each.path, node))
    is_below = found is not None and modules.path_parts(found.path)[:-1] == modules.path_parts(target)
    return found is not None and is_below and journey.target_after(found.path) == found.path


def _rewrite_attribute(
    resolver: Resolver, journey: FileMoves, each: Reference, target: str
) -> ModuleUse | str | None:
    """Return the edit of ``package.module``: all of it, or its last word if the package stays the same."""
    node = each.mention.node.parent
    dotted = type_annotations.text(resolver, each.path, node) if node is not None else ""
    is_attribute = node is not None and node.type == "attribute"
    module = module_names.find_named(journey, each.path, dotted) if is_attribute else None
    if node is not None and module is not None and module.path == target:
        now = module_names.rename_module(journey, each.path, dotted, target)
        return None if now == dotted else ModuleUse(_replace(node, now), target)
    before, after = modules.path_parts(target), modules.path_parts(journey.target_after(target))
    if journey.path_after("/".join(before[:-1])).split("/") == after[:-1] or before[:-1] == after[:-1]:
        is_same = before[-1] == after[-1]
        return None if is_same else ModuleUse(_replace(each.mention, after[-1]), target)
    line = resolver.line(each.path, each.mention.start)
    return f"{quote_path(each.path)}:{line}: {dotted} is left: the module is now in another package"


def check_captures(
    journey: FileMoves, splices: Mapping[str, list[Splice]], used: Mapping[str, list[ModuleUse]]
) -> None:
    """Raise ``duplicate_symbol`` if a use would mean something other than the module after the move."""
    files = journey.after
    for path, edits in splices.items():
        text = splice.apply(journey.before.lexical(path).text, edits)  # type: ignore[union-attr]
        files = files.with_text(journey.path_after(path), text)
    resolver = Resolver(files, dialect)
    for path, uses in used.items():
        made = splice.SpliceRound(splices[path])
        for use in uses:
            _require_module(resolver, journey.path_after(path), made.forward(use.splice.end), use)


def _require_module(resolver: Resolver, path: str, end: int, use: ModuleUse) -> None:
    name = use.splice.new.rpartition(b".")[2]
    mention = resolver.lexical(path).mentions.at(name.decode("utf-8", "surrogateescape"), end - len(name))
    if mention.role == "string":  # an entry of ``__all__``
        return
    found = [each for each in resolver.meanings(path, mention) if isinstance(each, Binding)]
    if not any(getattr(value, "path", None) for each in found for value in resolver.values_of(each)):
        dotted = use.splice.new.decode("utf-8", "replace")
        raise DoesNotFit(
            "duplicate_symbol",
            f"{path}:{resolver.line(path, mention.start)}: {dotted} would not be the module there",
            "rename the other one first, or keep the imports (keep_imports) and edit them yourself",
            path=path,
        )


def follow_stub_aliases(
    resolver: Resolver, journey: FileMoves, target: str, splices: MutableMapping[str, list[Splice]]
) -> Iterator[str]:
    """Add the splices for stub aliases of a module, and yield a note for each alias that stays."""
    stub = posixpath.join(posixpath.dirname(target.removesuffix("/__init__.py")), "__init__.pyi")
    before, after = modules.path_parts(target), modules.path_parts(journey.target_after(target))
    is_followed = resolver.files.lexical(stub) is not None and stub not in journey.files
    if not is_followed or target.endswith(".pyi") or before == after:
        return
    bound = resolver.files.top_bindings(stub, before[-1])
    own = resolver.files.top_bindings(stub.removesuffix("i"), before[-1])
    if not bound or _means_module(resolver, stub, bound, target):
        return
    if own and not _means_module(resolver, stub.removesuffix("i"), own, target):
        return  # At run time, too, the package binds the name to something else.
    are_aliases = all(each.node.parent and each.node.parent.type == "aliased_import" for each in bound)
    if before[:-1] == after[:-1] and are_aliases:
        splices[stub] += [_replace(each, after[-1]) for each in bound]
        return
    for each in bound:
        line = resolver.line(stub, each.start)
        yield f"{quote_path(stub)}:{line}: {before[-1]} is left: the package's stub imports it from elsewhere"


def _means_module(resolver: Resolver, path: str, bound: Sequence[Mention], target: str) -> bool:
    """Return True if a name of a package means the module, so that the usual edits update it."""
    return any(
        getattr(value, "path", None) == target
        for mention in bound
        for found in resolver.meanings(path, mention)
        if isinstance(found, Binding)
        for value in resolver.values_of(found)
    )


_STATEMENTS = ("import_statement", "import_from_statement")


def list_unreached(journey: FileMoves, after: Files, paths: Iterable[str]) -> Iterator[str]:
    """Yield notes about absolute imports that the move changed or broke and that find no module."""
    for path in sorted(paths):
        to = journey.path_after(path)
        known = {name for name, _ in _iter_imported_names(journey.before, path)}
        reported = set[tuple[int, str]]()
        for name, line in _iter_imported_names(after, to):
            top = name.partition(".")[0]
            is_ours = name not in known or _is_findable(journey.before, path, name)
            if is_ours and (line, top) not in reported and not _is_findable(after, to, name):
                reported.add((line, top))
                yield (
                    f"{quote_path(to)}:{line}: {name} is not found from there: "
                    f"the directory that contains {top} must be on the import path"
                )


def _is_findable(files: Files, path: str, name: str) -> bool:
    if isinstance(modules.find_module(files, path, name, 0), Module):
        return True
    package, dot, _ = name.rpartition(".")
    found = modules.find_module(files, path, package, 0) if dot else None
    return isinstance(found, Module) and files.is_file(found.path)


def _iter_imported_names(files: Files, path: str) -> Iterator[tuple[str, int]]:
    lexical = files.lexical(path)
    found = [each for kind in _STATEMENTS for each in lexical.syntax.of_type(kind)] if lexical else []
    for statement in found:
        source = find_part(statement, "module_name")
        if source is None or source.type != "relative_import":
            head = f"{node_text(source)}." if source is not None else ""
            for child in statement.children_by_field_name("name"):
                name = node_text(find_part(child, "name") or child)
                yield "".join(f"{head}{name}".split()), statement.start_point.row + 1


_DYNAMIC_IMPORT = re.compile(rb"(?:import_module|__import__)\(\s*[\"']\Z")
_SUFFIXES = (".py", ".pyi")
_COMPUTED_IMPORT = re.compile(rb"(?:import_module|__import__)\(\s*(?:[^\W\d]|[fF][\"'])")
"""Pattern of an import of a module with a computed name."""
_ATTRIBUTE = re.compile(rb"\.([^\W\d]\w*)")


def follow(journey: FileMoves) -> MoveEdits:
    """Return the edits of moved modules and of all files that name them.

    Raises ``duplicate_symbol`` if a name would have another meaning, or ``kind_mismatch`` if a module would
    have no name.
    """
    resolver = Resolver(journey.before, dialect)
    named: dict[tuple[str, int], tree_sitter.Node] = {}
    used: dict[str, list[ModuleUse]] = defaultdict(list)
    splices: dict[str, list[Splice]] = defaultdict(list)
    notes: list[str] = []
    for module in _iter_moved_modules(journey):
        _require_name(journey, module.path)
        found = find_references(resolver, {module})
        user = next((each for each in found.certain if each.path != module.path), None)
        if user is not None:
            place = f"{quote_path(user.path)}:{resolver.line(user.path, user.mention.start)}"
            module_names.require_importable(journey, module.path, place)
        for each in found.certain:
            statement = imports.statement_of(each.mention.node)
            if statement is not None:
                named[each.path, statement.start_byte] = statement
            else:
                use = rewrite_use(resolver, journey, each, module.path)
                if isinstance(use, str):
                    notes.append(use)
                elif use is not None:
                    used[each.path].append(use)
        notes += follow_stub_aliases(resolver, journey, module.path, splices)
        telling = _omit_unrelated_text(resolver, found, module.path)
        notes += unresolved_notes.iter_unresolved(resolver, telling, text=telling.text)
    those_by_place = (*_iter_relative_imports(journey), *_iter_package_imports(resolver, journey))
    named.update(((path, node.start_byte), node) for path, node in those_by_place)
    for (path, _), statement in named.items():
        splices[path] += rewrite_statement(resolver, journey, path, statement)
    for path, edits in used.items():
        splices[path] += [use.splice for use in edits]
    sorted_splices = {path: sorted(set(edits)) for path, edits in splices.items() if edits}
    check_captures(journey, sorted_splices, used)
    concerned = {*sorted_splices, *(path for path in journey.files if path.endswith((".py", ".pyi")))}
    if any(path.rpartition("/")[0] != to.rpartition("/")[0] for path, to in journey.files.items()):
        after = _apply_edits(journey, sorted_splices)
        notes += import_cycles.find_closed_cycles(journey.before, after, concerned, journey.path_after)
        notes += list_unreached(journey, after, [path for path in concerned if path.endswith(_SUFFIXES)])
    notes += _list_outside_packages(journey, sorted_splices)
    notes += _list_hidden_directories(resolver, journey)
    return MoveEdits(sorted_splices, notes)


def _apply_edits(journey: FileMoves, edits: dict[str, list[Splice]]) -> Files:
    overlay = Overlay(journey.after.overlay)
    for path, splices in edits.items():
        source, entry = journey.before.source(path), overlay.entry(journey.path_after(path))
        if source is not None and entry is not None:
            text = splice.apply(source.text, splices)
            overlay.rewrite(journey.path_after(path), entry.mode, source.document.with_text(text).raw)
    return Files(overlay, journey.after.read)


def _iter_moved_modules(journey: FileMoves) -> Iterable[Binding]:
    """Yield the moved modules; a package at the root of the tree and a hidden file have no name."""
    for path in journey.subjects:
        found = modules.package_of(journey.before, path) if path in journey.folders else None
        module = path if path.endswith((".py", ".pyi")) else found.path if found is not None else ""
        is_unread = journey.before.is_file(module) and journey.before.lexical(module) is None
        if modules.name_of(module) and not is_unread:
            yield Binding(module, WHOLE, "python", modules.name_of(module))


def _iter_relative_imports(journey: FileMoves) -> Iterable[tuple[str, tree_sitter.Node]]:
    """Yield the relative imports of moved files, except those that the same change has written."""
    for path in journey.files:
        lexical = journey.before.lexical(path) if path.endswith((".py", ".pyi")) else None
        if lexical is None:
            continue
        first = journey.before.overlay.before(path) or b""
        for node in lexical.syntax.of_type("relative_import"):
            statement = imports.statement_of(node)
            if statement is not None and lexical.text[statement.start_byte : statement.end_byte] in first:
                yield path, statement


def _require_name(journey: FileMoves, path: str) -> None:
    """Raise if no import could name a module after the move, as for ``__init__.py`` at the root."""
    to = journey.target_after(path)
    if not modules.path_parts(to):
        raise DoesNotFit(
            "kind_mismatch",
            f"{quote_path(path)} would be {quote_path(to)} at the root, where no import can refer to it",
            "move it into a directory with the name of the package",
            path=path,
        )


def _list_outside_packages(journey: FileMoves, edits: Mapping[str, Sequence[Splice]]) -> Iterator[str]:
    """Yield notes about relative imports in files that leave the directories with an ``__init__.py``.

    An import that the edits make absolute works there as well.
    """
    for path, statement in _iter_relative_imports(journey):
        to = journey.path_after(path)
        old, new = (posixpath.join(posixpath.dirname(each), "__init__.py") for each in (path, to))
        if not _is_relative_after(journey, path, statement, edits.get(path, ())):
            continue
        if journey.before.overlay.entry(old) and not journey.after.overlay.entry(new):
            line = statement.start_point.row + 1
            yield (
                f"{quote_path(to)}:{line}: it has a relative import, "
                f"which fails where {quote_path(new)} is needed"
            )


def _is_relative_after(
    journey: FileMoves, path: str, statement: tree_sitter.Node, edits: Sequence[Splice]
) -> bool:
    """Return True if an import statement still is relative after the edits of its file."""
    source = journey.before.source(path)
    if source is None:
        return True
    start, end = statement.start_byte, statement.end_byte
    inside = [
        Splice(each.start - start, each.end - start, each.new)
        for each in edits
        if start <= each.start and each.end <= end
    ]
    return re.search(rb"\bfrom[\s\\]*\.", splice.apply(source.text[start:end], inside)) is not None


def _list_hidden_directories(resolver: Resolver, journey: FileMoves) -> Iterator[str]:
    """Yield notes about imports from a directory without ``__init__.py`` whose name a moved file takes."""
    for to in journey.files.values():
        folder = to.removesuffix(".py")
        if folder == to or modules.package_of(journey.after, folder) != Module(folder, "python"):
            continue
        name = modules.name_of(folder)
        for each in find_references(resolver, {Binding(folder, WHOLE, "python", name)}).certain:
            line = resolver.line(each.path, each.mention.start)
            place = f"{quote_path(journey.path_after(each.path))}:{line}"
            yield f"{place}: {name} is now {quote_path(to)} instead of the directory"


def _iter_package_imports(resolver: Resolver, journey: FileMoves) -> Iterable[tuple[str, tree_sitter.Node]]:
    """Yield statements of unmoved files that name a moved package by dots alone (``from . import f``)."""
    for package in journey.files:
        folder, _, last = package.rpartition("/")
        if not last.startswith("__init__.py") or journey.target_after(package) == package:
            continue
        for path in journey.before.overlay.under(folder):
            source = journey.before.source(path) if path.endswith((".py", ".pyi")) else None
            if source is None or path in journey.files or b"from ." not in source.text:
                continue
            lexical = resolver.lexical(path)
            for node in lexical.syntax.of_type("relative_import"):
                relative = lexical.text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")
                found = (
                    modules.find_by_name(journey.before, path, relative) if not relative.strip(".") else None
                )
                statement = imports.statement_of(node)
                if isinstance(found, Module) and found.path == package and statement is not None:
                    yield path, statement


def _omit_unrelated_text(resolver: Resolver, found: References, path: str) -> References:
    """Return the references without words in text that are probably unrelated."""
    head = path.removesuffix("/__init__.py").rpartition("/")[0].rpartition("/")[2]

    def is_related(each: Reference) -> bool:  # in other files, `path_references` decides
        return each.path.endswith(_SUFFIXES) and (
            _is_in_path(resolver, each, head) or _is_module_name(resolver, each, path)
        )

    places = tuple(each for each in found.places if each.kind != "text" or is_related(each))
    return msgspec.structs.replace(found, places=places, unread={})


def _is_in_path(resolver: Resolver, each: Reference, head: str) -> bool:
    """Return True if the name of the folder precedes the word, or ``.py`` follows it."""
    text, mention = resolver.lexical(each.path).text, each.mention
    before, behind = text[: mention.start], text[mention.end : mention.end + 4]
    folder = head.encode("utf-8", "surrogateescape")
    is_below = bool(folder) and before.endswith((folder + b".", folder + b"/"))
    return is_below or behind.startswith((b".py", b".py\n"))


def _is_all_of_string(text: bytes, mention: Mention) -> bool:
    """Return True if a string contains only the word, apart from the dot of a relative name."""
    before = text[max(0, mention.start - 2) : mention.start].removesuffix(b".")[-1:]
    is_whole = before in (b'"', b"'") and before == text[mention.end : mention.end + 1]
    return mention.role == "string" and is_whole


def _is_module_name(resolver: Resolver, each: Reference, path: str) -> bool:
    """Return True if code imports the word as a module, or a name of the module follows the word."""
    text, mention = resolver.lexical(each.path).text, each.mention
    if _DYNAMIC_IMPORT.search(text, max(0, mention.start - 99), mention.start):
        return True
    around = modules.package_of(resolver.files, posixpath.dirname(path))
    may_import = around == Module(each.path, "python") or _COMPUTED_IMPORT.search(text)
    if may_import and _is_all_of_string(text, mention):
        return True
    attribute = _ATTRIBUTE.match(text, mention.end)
    if attribute is None or text[: mention.start].endswith(b"."):
        return False
    part = attribute[1].decode("utf-8", "surrogateescape")
    folder = modules.folder_of(Module(path, "python"))
    if folder is not None and modules.find_below(resolver.files, folder, [part]) is not None:
        return True
    return bool(resolver.files.top_bindings(path, part))
