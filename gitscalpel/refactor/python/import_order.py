"""Place the new imports of a move or an edit so that no name is used before it is bound.

The import simulation follows a call only if it knows the function. `CalledNames` overestimates instead: each
name that the top level of a loaded module calls, or passes to a call, counts as called.
"""

from __future__ import annotations

import builtins
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

import tree_sitter

from gitscalpel.changesets.answers import quote_path
from gitscalpel.changesets.operations import Imports
from gitscalpel.errors import DoesNotFit
from gitscalpel.names.files import Files
from gitscalpel.names.languages.python import modules
from gitscalpel.names.languages.python.modules import ImportedName, ImportStatement, ModuleFile, WantedImport
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.refactor.python import import_cycles, import_edits, module_names
from gitscalpel.refactor.python.import_cycles import CycleRepair, MovedDefinition
from gitscalpel.refactor.python.import_edits import edit_imports
from gitscalpel.refactor.python.import_simulation import (
    ImportFailure,
    ImportRun,
    LoadedModule,
    find_module_file,
    is_main_guard,
    is_type_checking,
)
from gitscalpel.syntax.parse import Syntax
from gitscalpel.text import splice

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
    """An import in a function.

    Attributes:
        functions: call names of the functions around the import, outermost first, with a leading dot for
            members.
    """

    path: str
    line: int  # line of the import, from 1
    functions: tuple[str, ...]
    name: str
    module: str


def iter_local_imports(files: Files, path: str) -> Iterator[LocalImport]:
    """Yield the imports in functions of a file."""
    lexical = files.lexical(path) if files.is_file(path) else None
    for kind in _IMPORTS if lexical is not None else ():
        for node in lexical.syntax.of_type(kind) if lexical is not None else ():
            around = tuple(_functions_around(node))
            if around and lexical is not None:
                statement = modules.parse_statement(node, lexical.text)
                for each in statement.names:
                    module = statement.module or each.name
                    yield LocalImport(path, node.start_point[0] + 1, around, each.said, module)


def iter_module_uses(files: Files, path: str, dotted: Set[str]) -> Iterator[LocalImport]:
    """Yield the uses of the named modules in functions of a file."""
    lexical = files.lexical(path) if files.is_file(path) and dotted else None
    for node in lexical.syntax.of_type("attribute") if lexical is not None else ():
        of = node.child_by_field_name("object")
        around = tuple(_functions_around(node))
        if of is not None and around and (said := _node_text(of)) in dotted:
            yield LocalImport(path, node.start_point[0] + 1, around, said, said)


class _FileCalls(NamedTuple):
    """Names that a file calls.

    Attributes:
        later: call name of each function or class, with the names that it calls or inherits from.
    """

    at_once: list[tuple[int, set[str]]]  # end byte and called names of each top-level statement
    later: list[tuple[str, set[str]]]


def _read_calls(syntax: Syntax) -> _FileCalls:
    functions = syntax.of_type("function_definition")
    later = [(_callable_name(node), _names_called_in(node, is_inside=True)) for node in functions]
    classes = syntax.of_type("class_definition")
    later += [(_call_name(node, _node_name(node)), _base_names(node)) for node in classes]
    statements_ = syntax.root.named_children
    return _FileCalls(
        [(each.end_byte, _names_called_in(each, is_inside=False)) for each in statements_], later
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
            owners, found = _Owners(files, path), lexical.syntax.once(_read_calls)
            last = ends.get(path, lexical.syntax.root.end_byte)
            waiting += [owners.qualify(name) for end, names in found.at_once if end <= last for name in names]
            for name, names in found.later:
                for key in _call_keys(path, name):
                    calls[key].update(map(owners.qualify, names))
        self._iter_identifiers = set[str]()
        while waiting:
            name = waiting.pop()
            if name not in self._iter_identifiers:
                self._iter_identifiers.add(name)
                waiting += calls.get(name, ())

    def may_call(self, path: str, names: Iterable[str]) -> bool:
        """Return True if a function of the file with one of the names may be called."""
        return any(key in self._iter_identifiers for name in names for key in _call_keys(path, name))


def _call_keys(path: str, name: str) -> set[str]:
    """Return the forms in which a call may name a function or class of a file; members have a leading dot."""
    last = name.removeprefix(".")
    return {name, last, f"{path}:{last}"}


class _Owners:
    """Resolves called names of a file to the files that define them."""

    def __init__(self, files: Files, path: str) -> None:
        self._files, self._path = files, path
        self._place = ModuleFile.read_file(files, path)
        self._modules: dict[str, str | None] = {}

    def qualify(self, name: str) -> str:
        """Return a called name as ``path:name``, as ``.name`` for a member, or else its last part."""
        of, dot, last = name.rpartition(".")
        if dot and not self._is_imported(of.partition(".")[0]):
            return f".{last}"
        path = self._find_module(of) if dot else self._path
        return f"{path}:{last}" if path is not None and self._defines(path, last) else last

    def _is_imported(self, name: str) -> bool:
        lexical = self._files.lexical(self._path)
        bound = lexical.bindings_by_scope(name).values() if lexical is not None and name else ()
        return any(each.kind == "import" for mentions in bound for each in mentions)

    def _defines(self, path: str, name: str) -> bool:
        lexical = self._files.lexical(path)
        bound = lexical.top_bindings(name) if lexical is not None else ()
        above = [each.node.parent for each in bound]
        return bool(above) and all(each is not None and each.type in _DEFINITIONS for each in above)

    def _find_module(self, name: str) -> str | None:
        """Return the file of the module that a top-level name is bound to, or None if uncertain."""
        if name not in self._modules:
            lexical = self._files.lexical(self._path)
            bound = lexical.bindings_by_scope(name) if lexical is not None else {}
            is_plain = lexical is not None and set(bound) == {lexical.syntax.root.id}
            found = modules.read_statements(self._place.root, self._place.text) if is_plain else []
            said = [_dotted_name(one, each) for one in found for each in one.names if each.bound == name]
            is_one = len(said) == 1 and len(bound[self._place.root.id]) == 1 and said[0] != ""
            self._modules[name] = find_module_file(self._files, self._path, said[0]) if is_one else None
        return self._modules[name]


def _dotted_name(statement: ImportStatement, name: ImportedName) -> str:
    """Return the name of the module that an import may bind, or an empty string for ``import a.b``."""
    if statement.module is None:
        return name.name if name.alias is not None or "." not in name.name else ""
    return f"{statement.module}{'' if statement.module.endswith('.') else '.'}{name.name}"


def _callable_name(function: tree_sitter.Node) -> str:
    """Return the name by which a function is called: its own, or the class name for a constructor."""
    own = _node_name(function)
    around = next((each for each in _ancestors(function) if each.type == "class_definition"), None)
    is_maker = around is not None and own in _CONSTRUCTORS
    return (
        _call_name(around, _node_name(around))
        if around is not None and is_maker
        else _call_name(function, own)
    )


def _call_name(node: tree_sitter.Node, name: str) -> str:
    """Return the name of a function or class, with a leading dot if it is nested."""
    is_inside = any(each.type in _DEFINITIONS for each in _ancestors(node))
    return f".{name}" if is_inside else name


def _base_names(node: tree_sitter.Node) -> set[str]:
    given = node.child_by_field_name("superclasses")
    return (
        {name for each in given.named_children for name in _last_names(each)} if given is not None else set()
    )


def _functions_around(node: tree_sitter.Node) -> list[str]:
    found: list[str] = []
    for each in _ancestors(node):
        if each.type == "function_definition":
            found.insert(0, _callable_name(each))
    return found


def _ancestors(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    above = node.parent
    while above is not None:
        yield above
        above = above.parent


def _names_called_in(node: tree_sitter.Node, *, is_inside: bool) -> set[str]:
    """Return the names called when a node runs, with or without the bodies of functions inside it."""
    found = set[str]()
    variables = _assigned_names(node) if is_inside else set[str]()
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if each.type == "if_statement" and not is_inside and _is_skipped(each):
            waiting += each.children_by_field_name("alternative")
            continue
        if each.type == "call":
            found.update(_last_names(each.child_by_field_name("function"), variables))
            given = each.child_by_field_name("arguments")
            called = each.child_by_field_name("function")
            if called is not None and (called.text or b"").rpartition(b".")[2] in _CALLS_NOTHING:
                given = None
            for one in given.named_children if given is not None else ():
                value = one.child_by_field_name("value") if one.type == "keyword_argument" else one
                found.update(_last_names(value, variables))
        elif each.type == "decorator" and each.named_children:
            found.update(_last_names(each.named_children[0]))
        elif each.type == "class_definition":
            given = each.child_by_field_name("superclasses")
            found.add("__init_subclass__")
            for one in given.named_children if given is not None else ():
                found.update(_last_names(one.child_by_field_name("value")))  # metaclass=…
        body = each.child_by_field_name("body") if each.type in ("function_definition", "lambda") else None
        if body is None or is_inside:
            waiting += each.named_children
        else:
            waiting += [child for child in each.named_children if child.id != body.id]
    return found


def _assigned_names(function: tree_sitter.Node) -> set[str]:
    found, waiting = set[str](), [function]
    while waiting:
        node = waiting.pop()
        left = node.child_by_field_name("left") if node.type in ("assignment", "for_statement") else None
        if left is not None and node.child_by_field_name("right") is not None:
            found.update(_identifiers(left))
        waiting += node.named_children
    return found


def _identifiers(target: tree_sitter.Node) -> Iterator[str]:
    if target.type == "identifier":
        yield (target.text or b"").decode("utf-8", "surrogateescape")
    elif target.type not in ("attribute", "subscript"):
        for each in target.named_children:
            yield from _identifiers(each)


def _is_skipped(node: tree_sitter.Node) -> bool:
    """Return True if an import does not run the first branch of an ``if``."""
    condition = node.child_by_field_name("condition")
    said = (condition.text or b"").decode("utf-8", "replace") if condition is not None else ""
    return is_type_checking(said) or is_main_guard(said)


def _last_names(node: tree_sitter.Node | None, variables: Set[str] = frozenset()) -> Iterator[str]:
    """Yield the called name, with its qualifier for a member, unless it is a local variable."""
    of = node.child_by_field_name("object") if node is not None and node.type == "attribute" else None
    if node is None or of is None:
        if node is not None and node.type == "identifier" and (name := _node_text(node)) not in variables:
            yield name
        return
    last = node.child_by_field_name("attribute")
    name = "" if last is None else _node_text(last)
    if _node_text(of) in _STANDARD_MODULES or of.type in _LITERALS or name in _BUILTIN_METHODS:
        return
    said = _node_text(of) if of.type in ("identifier", "attribute") else ""
    yield f".{name}" if said.partition(".")[0] in variables else f"{said}.{name}"


def _node_text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "surrogateescape")


def _node_name(node: tree_sitter.Node) -> str:
    named = node.child_by_field_name("name")
    return "" if named is None else _node_text(named)


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
        failures = failures or self._early_calls(found)
        if failures and may_search:
            told = set(self.list_lost(after))

            def loses(files: Files) -> bool:
                return not told.issuperset(self.list_lost(files))

            repaired = CycleRepair(self._before, self._moved, self.all_failures, loses).search(after)
            if repaired is not None:
                return repaired, []
        return found, failures

    def _defer_imports(self, after: Files) -> tuple[Files, list[ImportFailure]]:
        failures = self.failures(after)
        if not failures:
            return after, []
        new = list(self._new_imports(after))
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
            found, ways = self._place_imports(after, new, first)
            least = self.failures(found)
            if not least:
                break
        else:
            return after, least
        for at in [at for at, way in enumerate(ways) if way is not None][:_MAX_RETRIES]:
            tried = [*ways[:at], None, *ways[at + 1 :]]
            other, _ = self._place_imports(after, new, tried)
            if not self.failures(other):
                found, ways = other, tried
        return found, []

    def failures(self, after: Files) -> list[ImportFailure]:
        """Return the new failures, whichever module is imported first."""
        self._paths = sorted(path for path in after.touched if path.endswith(".py"))
        found = self._failures_by_entry(after)
        if not any(found.values()):
            return []
        if self._known is None:
            self._known = self._failures_by_entry(self._before)
        known = {key for each in self._known.values() for key in each}
        return [failure for each in found.values() for key, failure in each.items() if key not in known]

    def all_failures(self, after: Files) -> list[ImportFailure]:
        """Return the `failures`, or else the names that calls at import time may need too early."""
        return self.failures(after) or self._early_calls(after)

    def _early_calls(self, after: Files) -> list[ImportFailure]:
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
        for path, wanted in self._new_imports(after):
            if wanted.module is None and find_module_file(after, path, wanted.name) is not None:
                by_path[path].add(wanted.bound if wanted.alias else wanted.name)
        new += [each for path in by_path for each in iter_module_uses(after, path, by_path[path])]
        if not new:
            return []
        near = {outermost_file(after, path) for path in (self._path, self._moved.path)}
        mine = [
            path
            for path in sorted(after.touched)
            if after.is_file(path) and outermost_file(after, path) in near
        ]
        loaded = {each for path in mine for each in self._loaded_with(after, path)}
        source = after.source(self._moved.path)
        symbols = source.outline.symbols if source is not None else ()
        end = max((each.end for each in symbols if each.name == self._moved.name), default=0)
        called = CalledNames(after, loaded, {self._moved.path: end})
        return [
            ImportFailure(each.path, each.line, each.name, each.path, is_partial=True)
            for each in new
            if each.path in loaded and called.may_call(each.path, each.functions)
        ]

    def _loaded_with(self, after: Files, path: str) -> set[str]:
        return {*self.run(after, outermost_file(after, path)).loaded, *self.run(after, path).loaded}

    def list_lost(self, after: Files) -> Iterator[str]:
        """Yield notes about names and modules that the packages around the old module lose."""
        path, name = self._path, self._moved.name
        first = outermost_file(after, path)
        was, now = self.run(self._before, first).loaded, self.run(after, first).loaded
        for package, module in was.items():
            if not package.endswith("/__init__.py") or package not in now:
                continue
            kept = {*now[package].names, *([name] if package == path else [])}
            for each, value in module.names.items():
                if each not in kept and not each.startswith("_") and not isinstance(value, LoadedModule):
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
        self, files: Files, new: Sequence[NewImport], ways: Sequence[_Placement | None]
    ) -> tuple[Files, list[_Placement | None]]:
        """Apply a placement to each import, or delay it to its first use if it cannot be deferred."""
        done: list[_Placement | None] = []
        for each, way in zip(new, ways, strict=True):
            options = [way, import_cycles.delay_import] if way is import_cycles.defer_import else [way]
            chosen = None
            for option in options:
                moved = None if option is None else option(files, *each)
                if moved is not None:
                    files, chosen = moved, option
                    break
            done.append(chosen)
        return files, done

    def _new_imports(self, after: Files) -> Iterator[NewImport]:
        for path in self._paths:
            old = {key for _, key in _iter_imports(self._before, path)}
            for statement, key in _iter_imports(after, path):
                if key not in old and statement != "__future__" and key.name != "*":
                    yield NewImport(path, key)

    def _failures_by_entry(self, files: Files) -> dict[str, _FailuresByKey]:
        found: dict[str, _FailuresByKey] = {}
        whole: dict[str, set[str]] = {}
        waiting = [path for path in self._paths if files.is_file(path)]
        for entry in waiting:
            first = outermost_file(files, entry)
            if first not in whole:
                run = self.run(files, first)
                whole[first] = set(run.loaded)
                found[first] = _failure_keys(first, run)
                new = [each for each in run.loaded if each.endswith(".py") and each not in waiting]
                waiting += new[: max(0, _MAX_ENTRIES - len(waiting))]
            if entry not in whole[first]:
                run = self.run(files, entry)
                found[entry] = _failure_keys(entry, run)
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
    statements_left = lexical.syntax.root.named_children if lexical is not None else ()
    return any(each.type in _DEFINING_TYPES for each in statements_left)


def _failure_keys(entry: str, run: ImportRun) -> _FailuresByKey:
    return {(entry, each.path, each.name, each.source): each for each in run.failures}


def _iter_imports(files: Files, path: str) -> Iterator[tuple[str | None, WantedImport]]:
    if not files.is_file(path) or files.lexical(path) is None:
        return
    place = ModuleFile.read_file(files, path)
    for statement in place.statements:
        for name in statement.names:
            yield statement.module, WantedImport(statement.module, name.name, name.alias)


_ALWAYS_BOUND = frozenset({*dir(builtins), "__file__", "__name__", "__doc__", "__path__", "__class__"})
_MAX_SEARCHED_FILES = 50
"""Largest number of files that contain a name to search for its import."""


def complete_imports(before: Files, files: Files, path: str) -> tuple[bytes, list[str]]:
    """Return the text of a file with its imports completed, and messages about names that remain unbound."""
    now, was = files.lexical(path), before.lexical(path)
    assert now is not None  # noqa: S101 - it is a Python file
    known = set(_iter_unbound(was)) if was is not None else set()
    wanted: list[WantedImport] = []
    left: list[str] = []
    for name in _iter_unbound(now):
        if name in known:
            continue
        ways = _find_imports_of(files, path, name)
        if len(ways) == 1:
            wanted += ways
        else:
            how = ", ".join(way.statement for way in ways[:3])
            why = f"there are several ways to import it ({how})" if ways else "nothing in the tree brings it"
            left.append(f"{quote_path(path)}: {name} is not imported: {why}")
    text = _remove_newly_unused(before, files, path)
    was_needed = {name for name, _ in import_edits.iter_needed_at_run_time(was)} if was is not None else set()
    typed = [way for name, way in import_edits.iter_needed_at_run_time(now) if name not in was_needed]
    for way in (*wanted, *typed):
        op = Imports(path=path, add=[way.statement])
        there = files.with_text(path, text)
        try:
            new = edit_imports(op, path, there)
        except DoesNotFit as error:
            left.append(f"{quote_path(path)}: {way.bound} is not imported: {error.message}")
            continue
        closed = next(import_cycles.find_closed_cycles(there, there.with_text(path, new), [path]), "")
        why = ""
        if closed and way in typed:
            why = f"only type checkers import it, and with an import at run time {closed}"
        elif closed:
            new, why = _import_in_time(there, path, new)
        if why:
            left.append(f"{quote_path(path)}: {way.bound} is not imported: {why}")
        else:
            text = new
    return text, left


def _import_in_time(before: Files, path: str, text: bytes) -> tuple[bytes, str]:
    """Return the text with a new import placed in time, and a message if that is impossible."""
    order = ImportOrder(before, path, MovedDefinition("", ""))
    after, failures = order.settle(before.with_text(path, text), may_search=False)
    if failures:
        first = failures[0]
        where = f"{quote_path(first.path)}:{first.line}"
        return text, f"{where} would need {first.name} of {quote_path(first.source)} before it exists"
    lexical = after.lexical(path)
    return (text if lexical is None else lexical.text), ""


def _remove_newly_unused(before: Files, files: Files, path: str) -> bytes:
    useless = set[tuple[str | None, str]]()
    if before.lexical(path) is not None:
        was = import_edits.find_unused_names(ModuleFile.read_file(before, path))
        useless = {(statement.module, name.said) for statement, name in was}
    place = ModuleFile.read_file(files, path)
    gone = [
        (statement, name)
        for statement, name in import_edits.find_unused_names(place)
        if (statement.module, name.said) not in useless
    ]
    return splice.apply(place.text, import_edits.remove_names(place.text, gone, keep_blank=True))


def _iter_unbound(lexical: Lexical) -> Iterator[str]:
    """Yield the names without a binding, in order, or nothing if a star import may bind any name."""
    root = lexical.syntax.root
    if any(each.is_star for each in modules.read_statements(root, lexical.text)):
        return
    for name in dict.fromkeys(_iter_identifiers(root)):
        if name in _ALWAYS_BOUND:
            continue
        uses = (mention for mention in lexical.occurrences_of(name) if mention.role == "use")
        if any(lexical.scope_of(mention) is None for mention in uses):
            yield name


def _iter_identifiers(root: tree_sitter.Node) -> Iterator[str]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type == "identifier":
            yield (node.text or b"").decode("utf-8", "surrogateescape")
        waiting += reversed(node.children)


def _find_imports_of(files: Files, path: str, name: str) -> list[WantedImport]:
    """Return the imports that other files use for a name, or else imports from the files that define it."""
    holding = [each for each in files.holding(name) if each != path and each.endswith(".py")][
        :_MAX_SEARCHED_FILES
    ]
    brought = list(
        dict.fromkeys(way for each in holding for way in _iter_absolute_imports(files, each, name))
    )
    if brought:
        return brought
    defined = [each for each in holding if _defines(files, each, name)]
    ways = [WantedImport(module_names.name_module(files, path, each), name, None) for each in defined]
    if not ways and name in sys.stdlib_module_names:
        ways = [WantedImport(None, name, None)]
    return list(dict.fromkeys(ways))


def _iter_absolute_imports(files: Files, path: str, name: str) -> Iterator[WantedImport]:
    lexical = files.lexical(path)
    if lexical is None:
        return
    for statement in modules.read_statements(lexical.syntax.root, lexical.text):
        for each in statement.names:
            is_relative = (statement.module or "").startswith(".")
            if each.bound == name and statement.module != "__future__" and not is_relative:
                yield WantedImport(statement.module, each.name, each.alias)


def _defines(files: Files, path: str, name: str) -> bool:
    lexical = files.lexical(path)
    own = lexical.top_bindings(name) if lexical is not None else ()
    return any(mention.kind != "import" for mention in own)
