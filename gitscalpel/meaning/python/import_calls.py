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
from gitscalpel.meaning.python.import_scopes import is_main_guard, is_type_checking
from gitscalpel.meaning.python.importing import statements

_MADE_BY = ("__init__", "__new__", "__post_init__", "__attrs_post_init__")
"""Methods that are run where a class is called: they have its name here, and only that."""
_LITERALS = ("string", "concatenated_string", "list", "tuple", "dictionary", "set")
_IMPORTS = ("import_statement", "import_from_statement")


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
        functions: names by which the functions around it are called, outermost first.
        name: brought by the import, as it is written.
    """

    path: str
    line: int
    functions: tuple[str, ...]
    name: str


def iter_local_imports(files: Files, path: str) -> Iterator[LocalImport]:
    """Yield the imports in functions of a file."""
    lexical = files.lexical(path) if files.is_file(path) else None
    for kind in _IMPORTS if lexical is not None else ():
        for node in lexical.syntax.of_type(kind) if lexical is not None else ():
            around = tuple(_functions_around(node))
            if around and lexical is not None:
                for each in statements.of(node, lexical.text).names:
                    yield LocalImport(path, node.start_point[0] + 1, around, each.said)


def called_names(files: Files, paths: Iterable[str], ends: Mapping[str, int]) -> set[str]:
    """Return the names of what may be called while modules are imported, in whatever order.

    Args:
        files: the tree.
        paths: of the modules.
        ends: by path of a module, the byte from which on its statements do not count.
    """
    calls: dict[str, set[str]] = defaultdict(set)
    waiting: list[str] = []
    for path in paths:
        lexical = files.lexical(path) if path.endswith(".py") else None
        if lexical is not None:
            root = lexical.syntax.root
            counted = [each for each in root.named_children if each.end_byte <= ends.get(path, root.end_byte)]
            waiting += [name for each in counted for name in _called_in(each, is_inside=False)]
            for node in lexical.syntax.of_type("function_definition"):
                calls[_called_as(node)].update(_called_in(node, is_inside=True))
            for node in lexical.syntax.of_type("class_definition"):
                calls[_name(node)].update(_base_names(node))
    found = set[str]()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += calls.get(name, ())
    return found


def _called_as(function: tree_sitter.Node) -> str:
    """Return the name that is called where a function is run: its own, or its class's."""
    own = _name(function)
    around = next((each for each in _above(function) if each.type == "class_definition"), None)
    return _name(around) if around is not None and own in _MADE_BY else own


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
    """Yield the name of a function that is no variable, or of a member, as it is called."""
    if node is not None and node.type == "attribute":
        of = node.child_by_field_name("object")
        said = (of.text or b"").decode("utf-8", "replace") if of is not None else ""
        if said in _STANDARD or (of is not None and of.type in _LITERALS):
            return
        node = node.child_by_field_name("attribute")
        if node is not None and (node.text or b"").decode("utf-8", "replace") in _OF_BUILTINS:
            return
        variables = frozenset()
    if node is not None and (node.text or b"").decode("utf-8", "surrogateescape") in variables:
        return
    if node is not None and node.type == "identifier":
        yield (node.text or b"").decode("utf-8", "surrogateescape")


def _name(node: tree_sitter.Node) -> str:
    named = node.child_by_field_name("name")
    return "" if named is None else (named.text or b"").decode("utf-8", "surrogateescape")
