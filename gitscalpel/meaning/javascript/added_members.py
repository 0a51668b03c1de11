"""Members that an object does not show, as something else adds them: ``mixin(app, proto)``, ``app[key] = x``.

An object or function that is given to a call, or filled by computed keys, may have any member afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable

import tree_sitter

from gitscalpel.meaning.javascript import constructors, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Elsewhere, Function, Instance, Meaning, Unknown, Value

_OWN = frozenset(
    {"apply", "arguments", "bind", "call", "caller", "length", "name", "prototype"}
    | {"constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString"}
    | {"toString", "valueOf", "__proto__"}
)
"""Members of every function and object (ECMA-262)."""
_HARMLESS = frozenset(
    {f"Object.{does}" for does in ("keys", "values", "entries", "freeze", "seal", "isFrozen", "is")}
    | {f"JSON.{does}" for does in ("stringify", "parse")}
    | {f"console.{does}" for does in ("log", "error", "warn", "info", "debug", "dir", "table")}
    | {"require", "String", "Boolean", "Array.isArray", "structuredClone", "clearTimeout", "clearInterval"}
)
"""Calls that add nothing to what they are given."""
_ADDED = Unknown("what it is given to may add it")


def of(resolver: Resolver, value: Value, name: str) -> Iterable[Meaning]:
    """Return what a value may have under a name that nothing declares.

    Args:
        resolver: of the tree.
        value: a function, or an instance of a class.
        name: of the member.
    """
    if isinstance(value, Function):
        return (Elsewhere("a function") if name in _OWN else _ADDED,)
    if isinstance(value, Instance) and name not in _OWN and _is_filled(resolver, value.of):
        return (_ADDED,)
    return ()


def _is_filled(resolver: Resolver, of: Class) -> bool:
    """Return True if something of the file may add members to the objects of a class."""
    if resolver.lexical(of.path).syntax.language.name != "javascript":
        return False  # types would have to say so
    key = ("filled", of.path, of.scope)
    return bool(resolver.once(key, lambda: ("filled",) if _fills(resolver, of) else (), ()))


def _fills(resolver: Resolver, of: Class) -> bool:
    node, above = of.node, of.node.parent
    if node.type == "object":
        return _has_prototype(resolver, of) or any(
            _adds(resolver, of.path, each) for each in _names(resolver, of.path, node)
        )
    if node.type != "class_body" or above is None:
        return False
    handle = above.child_by_field_name("name")
    uses = constructors.uses(resolver, of.path, handle) if handle is not None else ()
    prototypes = (each.parent for each in uses if _is_prototype(resolver, of.path, each.parent))
    return any(_adds(resolver, of.path, each) for each in prototypes if each is not None)


def _is_prototype(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> bool:
    return (
        node is not None and words.text(resolver, path, node.child_by_field_name("property")) == "prototype"
    )


def _has_prototype(resolver: Resolver, of: Class) -> bool:
    """Return True for ``{ __proto__: x }``."""
    keys = (each.child_by_field_name("key") for each in of.node.named_children if each.type == "pair")
    return any(words.text(resolver, of.path, each).strip("\"'") == "__proto__" for each in keys)


def _names(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[tree_sitter.Node]:
    """Yield the object itself, and the expressions by which its file calls it."""
    yield node
    above = node.parent
    while above is not None and above.type == "assignment_expression":
        left = above.child_by_field_name("left")
        if left is not None:
            yield from constructors.uses(resolver, path, left)
        above = above.parent
    if above is not None and above.type == "variable_declarator":
        name = above.child_by_field_name("name")
        if name is not None and name.type == "identifier":
            yield from constructors.uses(resolver, path, name)


def _adds(resolver: Resolver, path: str, node: tree_sitter.Node) -> bool:
    """Return True if an object gets members where an expression stands for it."""
    above = node.parent
    if above is None:
        return False
    if above.type == "arguments":
        call = above.parent
        called = call.child_by_field_name("function") if call is not None else None
        return words.text(resolver, path, called) not in _HARMLESS
    if above.type == "subscript_expression" and above.child_by_field_name("object") == node:
        index = above.child_by_field_name("index")
        is_set = above.parent is not None and above.parent.child_by_field_name("left") == above
        return is_set and index is not None and index.type != "string"
    if above.type == "member_expression" and above.child_by_field_name("object") == node:
        return words.text(resolver, path, above.child_by_field_name("property")) == "__proto__"
    return False
