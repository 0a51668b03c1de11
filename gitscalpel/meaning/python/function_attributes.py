"""Attributes that are set on functions: ``counter.calls = 0``."""

from __future__ import annotations

import tree_sitter

from gitscalpel.meaning.python import parameters
from gitscalpel.meaning.things import Class, Elsewhere, Function, Meaning, Unknown

_KEEPING = frozenset({b"wraps", b"final", b"override", b"staticmethod", b"abstractmethod", b"overload"})
"""Decorators that give back the function itself."""
_OF_LIBRARY = frozenset({"cache_info", "cache_clear", "cache_parameters", "register", "dispatch", "registry"})
"""Attributes that decorators of ``functools`` set."""


def find_class(function: Function) -> Class | None:
    """Return what holds the attributes of a function. None if a decorator may make another object of it."""
    node = function.node
    held = node.child_by_field_name("parameters")
    if held is None or node.type != "function_definition" or _is_replaced(node):
        return None
    return Class(function.path, held)


def find_missing(function: Function, name: str) -> Meaning:
    """Return what a function has under a name that nothing sets on it in its file."""
    if name in _OF_LIBRARY or (name.startswith("__") and name.endswith("__")):
        return Elsewhere("a function")
    if _is_replaced(function.node):
        return Unknown("a decorator may make something else of the function")
    return Unknown("nothing sets it on the function where that is defined")


def _is_replaced(node: tree_sitter.Node) -> bool:
    return any(_last_word(each) not in _KEEPING for each in parameters.decorators(node))


def _last_word(decorator: tree_sitter.Node) -> bytes:
    return (decorator.text or b"").rpartition(b".")[2]
