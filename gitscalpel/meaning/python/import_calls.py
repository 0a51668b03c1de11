"""Functions that may be called while modules are imported, by their names alone.

The simulation of an import follows a call only where it knows what is called. This module errs on the
other side: whatever has a name that is called, or given to a call, at the top level of a module that is
loaded may be called, and so may all that such a function calls. Imports in these functions come sooner
than they seem to.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import NamedTuple

import tree_sitter

from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python.import_run import find_module
from gitscalpel.meaning.python.import_scopes import is_main_guard, is_type_checking
from gitscalpel.meaning.python.importing import statements
from gitscalpel.meaning.python.importing.statements import Name, Place, Statement
from gitscalpel.syntax.parse import Syntax

_MADE_BY = ("__init__", "__new__", "__post_init__", "__attrs_post_init__")
"""Methods that are run where a class is called: they have its name here, and only that."""
_LITERALS = ("string", "concatenated_string", "list", "tuple", "dictionary", "set")
_IMPORTS = ("import_statement", "import_from_statement")
_DEFINITIONS = ("function_definition", "class_definition")


_CALLS_NOTHING = frozenset(b"isinstance issubclass cast TypeVar NewType getattr hasattr repr".split())
"""Functions that do not call what they are given."""
_OF_BUILTINS = frozenset(name for kind in (dict, list, set, str) for name in dir(kind))
"""Methods that are taken as those of built-in types; ``__init__`` is taken as called with its class."""
_STANDARD = sys.stdlib_module_names | {"t"}
"""Names of modules whose functions are none of the tree; ``t`` is what many call ``typing``."""


class LocalImport(NamedTuple):
    """An import in a function.

    Attributes:
        path: of the file.
        line: of the import, from 1.
        functions: names by which the functions around it are called, outermost first, those of members
            with a dot before them.
        name: brought by the import, as it is written.
        module: named by the import.
    """

    path: str
    line: int
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
                statement = statements.of(node, lexical.text)
                for each in statement.names:
                    module = statement.module or each.name
                    yield LocalImport(path, node.start_point[0] + 1, around, each.said, module)


def iter_module_uses(files: Files, path: str, dotted: Set[str]) -> Iterator[LocalImport]:
    """Yield where functions of a file take something from modules, by the names of these."""
    lexical = files.lexical(path) if files.is_file(path) and dotted else None
    for node in lexical.syntax.of_type("attribute") if lexical is not None else ():
        of = node.child_by_field_name("object")
        around = tuple(_functions_around(node))
        if of is not None and around and (said := _text(of)) in dotted:
            yield LocalImport(path, node.start_point[0] + 1, around, said, said)


class _FileCalls(NamedTuple):
    """Names that a file calls.

    Attributes:
        at_once: by statement of the top level, the byte at its end, and the names.
        later: by function, the name by which it is called, and the names; of a class, its bases.
    """

    at_once: list[tuple[int, set[str]]]
    later: list[tuple[str, set[str]]]


def _read_calls(syntax: Syntax) -> _FileCalls:
    functions = syntax.of_type("function_definition")
    later = [(_called_as(node), _called_in(node, is_inside=True)) for node in functions]
    classes = syntax.of_type("class_definition")
    later += [(_call_name(node, _name(node)), _base_names(node)) for node in classes]
    statements_ = syntax.root.named_children
    return _FileCalls([(each.end_byte, _called_in(each, is_inside=False)) for each in statements_], later)


class CalledNames:
    """Names of what may be called while modules are imported, in whatever order.

    A name is that of any function, of a member (``.name``), or of one file (``path:name``), as far as the
    file of the call says so.

    Args:
        files: the tree.
        paths: of the modules.
        ends: by path of a module, the byte from which on its statements do not count.
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
                for key in _keys(path, name):
                    calls[key].update(map(owners.qualify, names))
        self._names = set[str]()
        while waiting:
            name = waiting.pop()
            if name not in self._names:
                self._names.add(name)
                waiting += calls.get(name, ())

    def may_call(self, path: str, names: Iterable[str]) -> bool:
        """Return True if a function of a file may be called that has one of some names."""
        return any(key in self._names for name in names for key in _keys(path, name))


def _keys(path: str, name: str) -> set[str]:
    """Return what a call may say of a function or class of a file; a dot is before a member's name."""
    last = name.removeprefix(".")
    return {name, last, f"{path}:{last}"}


class _Owners:
    """The files whose functions the names of a file mean, as far as that file says so."""

    def __init__(self, files: Files, path: str) -> None:
        self._files, self._path = files, path
        self._place = Place.of(files, path)
        self._modules: dict[str, str | None] = {}

    def qualify(self, name: str) -> str:
        """Return a name or ``of.name`` as one of the file that defines it, as a member's, or as any."""
        of, dot, last = name.rpartition(".")
        if dot and not self._is_imported(of.partition(".")[0]):
            return f".{last}"
        path = self._module(of) if dot else self._path
        return f"{path}:{last}" if path is not None and self._defines(path, last) else last

    def _is_imported(self, name: str) -> bool:
        lexical = self._files.lexical(self._path)
        bound = lexical.bound(name).values() if lexical is not None and name else ()
        return any(each.kind == "import" for mentions in bound for each in mentions)

    def _defines(self, path: str, name: str) -> bool:
        lexical = self._files.lexical(path)
        bound = lexical.bound(name).get(lexical.syntax.root.id, ()) if lexical is not None else ()
        above = [each.node.parent for each in bound]
        return bool(above) and all(each is not None and each.type in _DEFINITIONS for each in above)

    def _module(self, name: str) -> str | None:
        """Return the file of the module that a name is at the top level; None if it may be something else."""
        if name not in self._modules:
            lexical = self._files.lexical(self._path)
            bound = lexical.bound(name) if lexical is not None else {}
            is_plain = lexical is not None and set(bound) == {lexical.syntax.root.id}
            found = statements.read(self._place.root, self._place.text) if is_plain else []
            said = [_dotted(one, each) for one in found for each in one.names if each.bound == name]
            is_one = len(said) == 1 and len(bound[self._place.root.id]) == 1 and said[0] != ""
            self._modules[name] = find_module(self._files, self._path, said[0]) if is_one else None
        return self._modules[name]


def _dotted(statement: Statement, name: Name) -> str:
    """Return the name of the module that an import may bind; an empty string for ``import a.b``."""
    if statement.module is None:
        return name.name if name.alias is not None or "." not in name.name else ""
    return f"{statement.module}{'' if statement.module.endswith('.') else '.'}{name.name}"


def _called_as(function: tree_sitter.Node) -> str:
    """Return the name that is called where a function is run: its own, or its class's."""
    own = _name(function)
    around = next((each for each in _above(function) if each.type == "class_definition"), None)
    is_maker = around is not None and own in _MADE_BY
    return _call_name(around, _name(around)) if around is not None and is_maker else _call_name(function, own)


def _call_name(node: tree_sitter.Node, name: str) -> str:
    """Return the name of a function or class, with a dot before that of one in another."""
    is_inside = any(each.type in _DEFINITIONS for each in _above(node))
    return f".{name}" if is_inside else name


def _base_names(node: tree_sitter.Node) -> set[str]:
    """Return the names of the classes from which one inherits."""
    given = node.child_by_field_name("superclasses")
    return (
        {name for each in given.named_children for name in _last_names(each)} if given is not None else set()
    )


def _functions_around(node: tree_sitter.Node) -> list[str]:
    found: list[str] = []
    for each in _above(node):
        if each.type == "function_definition":
            found.insert(0, _called_as(each))
    return found


def _above(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    above = node.parent
    while above is not None:
        yield above
        above = above.parent


def _called_in(node: tree_sitter.Node, *, is_inside: bool) -> set[str]:
    """Return the names that are called where a node is run; with the bodies of functions or without."""
    found = set[str]()
    variables = _variables(node) if is_inside else set[str]()
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


def _variables(function: tree_sitter.Node) -> set[str]:
    """Return the names to which a function assigns, which are none of functions elsewhere."""
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
    """Return True if the first branch of an ``if`` is not run by an import."""
    condition = node.child_by_field_name("condition")
    said = (condition.text or b"").decode("utf-8", "replace") if condition is not None else ""
    return is_type_checking(said) or is_main_guard(said)


def _last_names(node: tree_sitter.Node | None, variables: Set[str] = frozenset()) -> Iterator[str]:
    """Yield the name of a function that is no variable, or of a member, with what it is a member of."""
    of = node.child_by_field_name("object") if node is not None and node.type == "attribute" else None
    if node is None or of is None:
        if node is not None and node.type == "identifier" and (name := _text(node)) not in variables:
            yield name
        return
    last = node.child_by_field_name("attribute")
    name = "" if last is None else _text(last)
    if _text(of) in _STANDARD or of.type in _LITERALS or name in _OF_BUILTINS:
        return
    said = _text(of) if of.type in ("identifier", "attribute") else ""
    yield f".{name}" if said.partition(".")[0] in variables else f"{said}.{name}"


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "surrogateescape")


def _name(node: tree_sitter.Node) -> str:
    named = node.child_by_field_name("name")
    return "" if named is None else _text(named)
