"""Place the new imports of a move or an edit so that no name is used before it is bound.

The import simulation follows a call only if it knows the function. `CalledNames` overestimates instead: each
name that the top level of a loaded module calls, or passes to a call, counts as called.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

import tree_sitter

from gitscalpel.changesets.answers import quote_path
from gitscalpel.names.files import Files
from gitscalpel.names.languages.python import modules
from gitscalpel.names.languages.python.modules import ImportedName, ImportStatement, ModuleFile, WantedImport
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.nodes import ancestor, children_of, find_part, iter_ancestors, node_text, walk
from gitscalpel.refactor.python import import_cycles
from gitscalpel.refactor.python.import_cycles import CycleRepair, MovedDefinition
from gitscalpel.refactor.python.import_simulation import ImportFailure, ImportRun, find_module_file
from gitscalpel.refactor.python.loaded_modules import LoadedModule, is_main_guard, is_type_checking
from gitscalpel.syntax.parse import Syntax

_CONSTRUCTORS = ("__init__", "__new__", "__post_init__", "__attrs_post_init__")
"""Methods that run when their class is called. Here they have the name of the class only."""
_LITERALS = ("string", "concatenated_string", "list", "tuple", "dictionary", "set")
_IMPORTS = ("import_statement", "import_from_statement")
_DEFINITIONS = ("function_definition", "class_definition")


_CALLS_NOTHING = frozenset(b"isinstance issubclass cast TypeVar NewType getattr hasattr repr".split())
"""Functions that do not call their arguments."""
_BUILTIN_METHODS = frozenset(name for kind in (dict, list, set, str) for name in dir(kind))
"""Methods that are assumed to be those of built-in types."""
_STANDARD_MODULES = sys.stdlib_module_names | {"t"}
"""Modules whose functions are not in the tree; ``t`` is a common alias of ``typing``."""


class LocalImport(NamedTuple):
    """An import in a function."""

    path: str
    line: int  # line of the import, from 1
    # Call names of the functions around the import, outermost first, with a leading dot for members.
    functions: tuple[str, ...]
    name: str
    module: str


def iter_local_imports(files: Files, path: str) -> Iterator[LocalImport]:
    """Yield the imports in functions of a file."""
    lexical = files.lexical(path) if files.is_file(path) else None
    if lexical is None:
        return
    for node in (*lexical.syntax.of_type(_IMPORTS[0]), *lexical.syntax.of_type(_IMPORTS[1])):
        around = tuple(_list_functions_around(node))
        statement = modules.parse_statement(node, lexical.text)
        for each in statement.names if around else ():
            module = statement.module or each.name
            yield LocalImport(path, node.start_point[0] + 1, around, each.said, module)


def iter_module_uses(files: Files, path: str, dotted: Set[str]) -> Iterator[LocalImport]:
    """Yield the uses of the named modules in functions of a file."""
    lexical = files.lexical(path) if files.is_file(path) and dotted else None
    for node in lexical.syntax.of_type("attribute") if lexical is not None else ():
        name, around = node_text(find_part(node, "object")), tuple(_list_functions_around(node))
        if around and name in dotted:
            yield LocalImport(path, node.start_point[0] + 1, around, name, name)


class _FileCalls(NamedTuple):
    """Names that a file calls."""

    at_once: list[tuple[int, set[str]]]  # end byte and called names of each top-level statement
    # Call name of each function or class, with the names that it calls or inherits from.
    later: list[tuple[str, set[str]]]


def _read_calls(syntax: Syntax) -> _FileCalls:
    functions = syntax.of_type("function_definition")
    later = [(_get_callable_name(node), _find_names_called_in(node, is_inside=True)) for node in functions]
    classes = syntax.of_type("class_definition")
    later += [(_get_call_name(node), _find_base_names(node)) for node in classes]
    statements_ = syntax.root.named_children
    return _FileCalls(
        [(each.end_byte, _find_names_called_in(each, is_inside=False)) for each in statements_], later
    )


class CalledNames:
    """Names of functions that may be called while modules are imported, in any order.

    A name is that of any function, of a member (``.name``), or of one file (``path:name``) if the calling
    file shows which. Statements after the byte in ``ends`` do not count.
    """

    def __init__(self, files: Files, paths: Iterable[str], ends: Mapping[str, int]) -> None:
        calls: dict[str, set[str]] = defaultdict(set)
        waiting: list[str] = []
        for path in paths:
            lexical = files.lexical(path) if path.endswith(".py") else None
            if lexical is None:
                continue
            owners, found = _Owners(files, path, lexical), lexical.syntax.compute_once(_read_calls)
            last = ends.get(path, lexical.syntax.root.end_byte)
            waiting += [owners.qualify(name) for end, names in found.at_once if end <= last for name in names]
            for name, names in found.later:
                for key in _list_call_keys(path, name):
                    calls[key].update(map(owners.qualify, names))
        self._called = set[str]()
        while waiting:
            name = waiting.pop()
            if name not in self._called:
                self._called.add(name)
                waiting += calls.get(name, ())

    def may_call(self, path: str, names: Iterable[str]) -> bool:
        """Return True if a function of the file with one of the names may be called."""
        return any(key in self._called for name in names for key in _list_call_keys(path, name))


def _list_call_keys(path: str, name: str) -> set[str]:
    """Return the forms in which a call may name a function or class of a file; members have a leading dot."""
    last = name.removeprefix(".")
    return {name, last, f"{path}:{last}"}


class _Owners:
    """Resolves called names of a file to the files that define them."""

    def __init__(self, files: Files, path: str, lexical: Lexical) -> None:
        self._files, self._path = files, path
        self._lexical = lexical
        self._modules: dict[str, str | None] = {}

    def qualify(self, name: str) -> str:
        """Return a called name as ``path:name``, as ``.name`` for a member, or else its last part."""
        qualifier, dot, last = name.rpartition(".")
        if dot and not self._is_imported(qualifier.partition(".")[0]):
            return f".{last}"
        path = self._find_module(qualifier) if dot else self._path
        return f"{path}:{last}" if path is not None and self._defines(path, last) else last

    def _is_imported(self, name: str) -> bool:
        bound = self._lexical.bindings_by_scope(name).values() if name else ()
        return any(each.kind == "import" for mentions in bound for each in mentions)

    def _defines(self, path: str, name: str) -> bool:
        above = [each.node.parent for each in self._files.top_bindings(path, name)]
        return bool(above) and all(each is not None and each.type in _DEFINITIONS for each in above)

    def _find_module(self, name: str) -> str | None:
        """Return the file of the module that a top-level name is bound to, or None if uncertain."""
        if name not in self._modules:
            bound, root = self._lexical.bindings_by_scope(name), self._lexical.syntax.root
            is_plain = set(bound) == {root.id} and len(bound[root.id]) == 1
            found = modules.read_statements(root, self._lexical.text) if is_plain else []
            dotted_names = [
                _get_dotted_name(one, each) for one in found for each in one.names if each.bound == name
            ]
            is_one = len(dotted_names) == 1 and dotted_names[0] != ""
            self._modules[name] = (
                find_module_file(self._files, self._path, dotted_names[0]) if is_one else None
            )
        return self._modules[name]


def _get_dotted_name(statement: ImportStatement, name: ImportedName) -> str:
    """Return the name of the module that an import may bind, or an empty string for ``import a.b``."""
    if statement.module is None:
        return name.name if name.alias is not None or "." not in name.name else ""
    return f"{statement.module}{'' if statement.module.endswith('.') else '.'}{name.name}"


def _get_callable_name(function: tree_sitter.Node) -> str:
    around = ancestor(function, "class_definition")
    is_maker = around is not None and node_text(find_part(function, "name")) in _CONSTRUCTORS
    return _get_call_name(around if around is not None and is_maker else function)


def _get_call_name(node: tree_sitter.Node) -> str:
    is_inside = any(each.type in _DEFINITIONS for each in iter_ancestors(node))
    return f"{'.' if is_inside else ''}{node_text(find_part(node, 'name'))}"


def _find_base_names(node: tree_sitter.Node) -> set[str]:
    return {name for each in children_of(find_part(node, "superclasses")) for name in _iter_last_names(each)}


def _list_functions_around(node: tree_sitter.Node) -> list[str]:
    around = [each for each in iter_ancestors(node) if each.type == "function_definition"]
    return [_get_callable_name(each) for each in reversed(around)]


def _find_names_called_in(node: tree_sitter.Node, *, is_inside: bool) -> set[str]:
    """Return the names called when a node runs, with or without the bodies of functions inside it."""
    found = set[str]()
    variables = _find_assigned_names(node) if is_inside else set[str]()
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if each.type == "if_statement" and not is_inside and _is_skipped(each):
            waiting += each.children_by_field_name("alternative")
            continue
        found.update(_iter_names_called_by(each, variables))
        body = find_part(each, "body") if each.type in ("function_definition", "lambda") else None
        waiting += [child for child in each.named_children if is_inside or child != body]
    return found


def _iter_names_called_by(node: tree_sitter.Node, variables: set[str]) -> Iterator[str]:
    """Yield the names that a call, a decorator or the header of a class calls."""
    if node.type == "call":
        called = find_part(node, "function")
        yield from _iter_last_names(called, variables)
        if (called.text or b"" if called else b"").rpartition(b".")[2] not in _CALLS_NOTHING:
            for each in children_of(find_part(node, "arguments")):
                value = find_part(each, "value") if each.type == "keyword_argument" else each
                yield from _iter_last_names(value, variables)
    elif node.type == "decorator":
        yield from _iter_last_names(find_part(node, 0))
    elif node.type == "class_definition":
        yield "__init_subclass__"
        for each in children_of(find_part(node, "superclasses")):
            yield from _iter_last_names(find_part(each, "value"))  # metaclass=…


def _find_assigned_names(function: tree_sitter.Node) -> set[str]:
    found = set[str]()
    for node in walk(function):
        left = find_part(node, "left") if node.type in ("assignment", "for_statement") else None
        if left is not None and node.child_by_field_name("right") is not None:
            found.update(_iter_identifiers(left))
    return found


def _iter_identifiers(target: tree_sitter.Node) -> Iterator[str]:
    if target.type == "identifier":
        yield node_text(target)
    elif target.type not in ("attribute", "subscript"):
        for each in target.named_children:
            yield from _iter_identifiers(each)


def _is_skipped(node: tree_sitter.Node) -> bool:
    """Return True if an import does not run the first branch of an ``if``."""
    condition = node_text(find_part(node, "condition"))
    return is_type_checking(condition) or is_main_guard(condition)


def _iter_last_names(node: tree_sitter.Node | None, variables: Set[str] = frozenset()) -> Iterator[str]:
    """Yield the called name, with its qualifier for a member, unless it is a local variable."""
    owner = find_part(node, "object") if node is not None and node.type == "attribute" else None
    if owner is None:
        if node is not None and node.type == "identifier" and (name := node_text(node)) not in variables:
            yield name
        return
    name = node_text(find_part(node, "attribute"))
    if node_text(owner) in _STANDARD_MODULES or owner.type in _LITERALS or name in _BUILTIN_METHODS:
        return
    qualifier = node_text(owner) if owner.type in ("identifier", "attribute") else ""
    yield f".{name}" if qualifier.partition(".")[0] in variables else f"{qualifier}.{name}"


_MAX_ENTRIES = 250
"""Largest number of modules to simulate as the first import."""
_MAX_RETRIES = 12
"""Largest number of deferred imports to try at the top again, one by one."""


_DEFINING_TYPES = ("function_definition", "class_definition", "decorated_definition", "assignment")


class NewImport(NamedTuple):
    """An import at the top of a file that it did not have before."""

    path: str
    wanted: WantedImport


_FailuresByKey = dict[tuple[str, str, str, str], ImportFailure]
_Placement = Callable[[Files, str, WantedImport], "Files | None"]


class ImportOrder:
    """Placement of the new imports of a move."""

    def __init__(self, before: Files, path: str, moved: MovedDefinition) -> None:
        self._before, self._path, self._moved = before, path, moved
        self._paths: list[str] = []
        self._found: dict[tuple[str, str], str | None] = {}
        self._known: dict[str, _FailuresByKey] | None = None
        self._runs: dict[tuple[int, str], tuple[Files, ImportRun]] = {}

    def settle(self, after: Files, *, may_search: bool = True) -> tuple[Files, list[ImportFailure]]:
        """Return the files with each import placed in time, and the failures that remain.

        ``may_search`` also moves known imports and the definition, which is slow.
        """
        found, failures = self._defer_imports(after)
        failures = failures or self._find_early_calls(found)
        if failures and may_search:
            known_losses = set(self.list_lost(after))

            def loses(files: Files) -> bool:
                return not known_losses.issuperset(self.list_lost(files))

            repaired = CycleRepair(self._before, self._moved, self.all_failures, loses).search(after)
            if repaired is not None:
                return repaired, []
        return found, failures

    def _defer_imports(self, after: Files) -> tuple[Files, list[ImportFailure]]:
        failures = self.failures(after)
        if not failures:
            return after, []
        new = list(self._iter_new_imports(after))
        # A name of a package stays available if possible.
        for is_kept in (True, False) if any(map(self._is_offered, new)) else (False,):
            late = import_cycles.delay_import if is_kept else import_cycles.defer_import
            first: list[_Placement | None] = [
                None
                if self._is_library(after, each)
                else late
                if self._is_offered(each)
                else import_cycles.defer_import
                for each in new
            ]
            found, placements = self._place_imports(after, new, first)
            least = self.failures(found)
            if not least:
                break
        else:
            return after, least
        for at in [at for at, placement in enumerate(placements) if placement is not None][:_MAX_RETRIES]:
            tried = [*placements[:at], None, *placements[at + 1 :]]
            other, _ = self._place_imports(after, new, tried)
            if not self.failures(other):
                found, placements = other, tried
        return found, []

    def failures(self, after: Files) -> list[ImportFailure]:
        """Return the new failures, whichever module is imported first."""
        self._paths = sorted(path for path in after.touched if path.endswith(".py"))
        found = self._find_failures_by_entry(after)
        if not any(found.values()):
            return []
        if self._known is None:
            self._known = self._find_failures_by_entry(self._before)
        known = {key for each in self._known.values() for key in each}
        return [failure for each in found.values() for key, failure in each.items() if key not in known]

    def all_failures(self, after: Files) -> list[ImportFailure]:
        """Return the `failures`, or else the names that calls at import time may need too early."""
        return self.failures(after) or self._find_early_calls(after)

    def _find_early_calls(self, after: Files) -> list[ImportFailure]:
        """Return new imports and module uses in functions that may run at import time."""
        known = {
            (each.path, each.functions, each.name)
            for path in {*after.touched, self._path}
            for each in iter_local_imports(self._before, path)
        }
        new = [
            each
            for path in sorted(after.touched)
            for each in iter_local_imports(after, path)
            if (path, each.functions, each.name) not in known
            and (path != self._moved.path or (self._path, each.functions, each.name) not in known)
            and find_module_file(after, path, each.module) is not None
        ]
        by_path: dict[str, set[str]] = defaultdict(set)
        for path, wanted in self._iter_new_imports(after):
            if wanted.module is None and find_module_file(after, path, wanted.name) is not None:
                by_path[path].add(wanted.bound if wanted.alias else wanted.name)
        new += [each for path in by_path for each in iter_module_uses(after, path, by_path[path])]
        if not new:
            return []
        packages = {outermost_file(after, path) for path in (self._path, self._moved.path)}
        changed = [
            path
            for path in sorted(after.touched)
            if after.is_file(path) and outermost_file(after, path) in packages
        ]
        loaded = {each for path in changed for each in self._find_loaded_with(after, path)}
        source = after.source(self._moved.path)
        symbols = source.outline.symbols if source is not None else ()
        end = max((each.end for each in symbols if each.name == self._moved.name), default=0)
        called = CalledNames(after, loaded, {self._moved.path: end})
        return [
            ImportFailure(each.path, each.line, each.name, each.path, is_partial=True)
            for each in new
            if each.path in loaded and called.may_call(each.path, each.functions)
        ]

    def _find_loaded_with(self, after: Files, path: str) -> set[str]:
        return {*self.run(after, outermost_file(after, path)).loaded, *self.run(after, path).loaded}

    def list_lost(self, after: Files) -> Iterator[str]:
        """Yield notes about names and modules that the packages around the old module lose."""
        path, name = self._path, self._moved.name
        first = outermost_file(after, path)
        was, now = self.run(self._before, first).loaded, self.run(after, first).loaded
        for package, module in was.items():
            if not package.endswith("/__init__.py") or package not in now:
                continue
            remaining = {*now[package].names, *([name] if package == path else [])}
            for each, value in module.names.items():
                if each not in remaining and not each.startswith("_") and not isinstance(value, LoadedModule):
                    yield f"{quote_path(package)}: {each} is no longer a name of the package"
        inside = first.removesuffix("__init__.py")
        for each in was if inside != first else ():
            is_told = each.startswith(inside) and _is_public(each) and _has_definitions(after, each)
            if each not in now and is_told:
                yield f"{quote_path(first)}: importing it no longer imports {quote_path(each)}"

    def _is_library(self, files: Files, new: NewImport) -> bool:
        """Return True if an import brings nothing from the tree, and so may stay at the top."""
        return find_module_file(files, new.path, new.wanted.module or new.wanted.name) is None

    def _is_offered(self, new: NewImport) -> bool:
        """Return True if a package keeps a public name only through a new import at its top."""
        name = new.wanted.bound
        lexical = self._before.lexical(new.path) if new.path.endswith("/__init__.py") else None
        return (
            lexical is not None
            and not name.startswith("_")
            and lexical.syntax.root.id in lexical.bindings_by_scope(name)
        )

    def _place_imports(
        self, files: Files, new: Sequence[NewImport], placements: Sequence[_Placement | None]
    ) -> tuple[Files, list[_Placement | None]]:
        applied: list[_Placement | None] = []
        for each, placement in zip(new, placements, strict=True):
            options = (
                [placement, import_cycles.delay_import]
                if placement is import_cycles.defer_import
                else [placement]
            )
            chosen = None
            for option in options:
                moved = None if option is None else option(files, *each)
                if moved is not None:
                    files, chosen = moved, option
                    break
            applied.append(chosen)
        return files, applied

    def _iter_new_imports(self, after: Files) -> Iterator[NewImport]:
        for path in self._paths:
            old = {key for _, key in _iter_imports(self._before, path)}
            for statement, key in _iter_imports(after, path):
                if key not in old and statement != "__future__" and key.name != "*":
                    yield NewImport(path, key)

    def _find_failures_by_entry(self, files: Files) -> dict[str, _FailuresByKey]:
        found: dict[str, _FailuresByKey] = {}
        whole: dict[str, set[str]] = {}
        waiting = [path for path in self._paths if files.is_file(path)]
        for entry in waiting:
            first = outermost_file(files, entry)
            if first not in whole:
                run = self.run(files, first)
                whole[first] = set(run.loaded)
                found[first] = _index_failures(first, run)
                new = [each for each in run.loaded if each.endswith(".py") and each not in waiting]
                waiting += new[: max(0, _MAX_ENTRIES - len(waiting))]
            if entry not in whole[first]:
                run = self.run(files, entry)
                found[entry] = _index_failures(entry, run)
        return found

    def run(self, files: Files, entry: str) -> ImportRun:
        """Return the simulation of importing a module first."""
        key = id(files), entry
        if key not in self._runs:
            run = ImportRun(files, self._found)
            run.load(entry)
            self._runs[key] = files, run  # the files stay alive, so that no others get their id
        return self._runs[key][1]


def outermost_file(files: Files, path: str) -> str:
    """Return the file of the outermost package around a module, which runs first, or the module itself."""
    folder, found = path.rpartition("/")[0], path
    while folder:
        if files.is_file(f"{folder}/__init__.py"):
            found = f"{folder}/__init__.py"
        folder = folder.rpartition("/")[0]
    return found


def _is_public(path: str) -> bool:
    return not any(part.startswith("_") for part in path.removesuffix("/__init__.py").split("/"))


def _has_definitions(files: Files, path: str) -> bool:
    lexical = files.lexical(path) if files.is_file(path) else None
    return lexical is not None and any(
        each.type in _DEFINING_TYPES for each in lexical.syntax.root.named_children
    )


def _index_failures(entry: str, run: ImportRun) -> _FailuresByKey:
    return {(entry, each.path, each.name, each.source): each for each in run.failures}


def _iter_imports(files: Files, path: str) -> Iterator[tuple[str | None, WantedImport]]:
    if not files.is_file(path) or files.lexical(path) is None:
        return
    place = ModuleFile.read_file(files, path)
    for statement in place.statements:
        for name in statement.names:
            yield statement.module, WantedImport(statement.module, name.name, name.alias)
