"""Promises that are more than that (``{ … } & Promise<T>``): what awaiting them gives is of another type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.meaning.javascript import types, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Instance, Value

_CHAIN = ("member_expression", "call_expression", "subscript_expression", "non_null_expression")
_NAMES = frozenset({"Promise", "PromiseLike"})


def kept(resolver: Resolver, path: str, node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The type of what a promise gives; None: the type is no promise."""
    name, given = node.child_by_field_name("name"), node.child_by_field_name("type_arguments")
    is_promise = node.type == "generic_type" and words.text(resolver, path, name) in _NAMES
    return given.named_children[0] if is_promise and given is not None and given.named_children else None


def awaited(resolver: Resolver, values: Iterable[Value]) -> Iterator[Value]:
    """What such values give when they are awaited; others give themselves."""
    for value in values:
        inner = list(_kept_by(resolver, value))
        for path, node in inner:
            yield from types.objects(resolver, path, node)
        yield from () if inner else (value,)


def is_awaited(call: tree_sitter.Node) -> bool:
    """Whether ``await`` in front means this call: the grammar reads ``await f<T>().g()`` from the left."""
    above = call.parent
    if above is not None and above.type in _CHAIN and above.children[0].id == call.id:
        return False
    node = call.children[0]
    while node.type in _CHAIN:
        node = node.children[0]
    return node.type == "await_expression"


def _kept_by(resolver: Resolver, value: Value) -> Iterator[tuple[str, tree_sitter.Node]]:
    known = resolver.ancestry(value.of) if isinstance(value, Instance) else ()
    for each in (one for one in known if isinstance(one, Class)):
        for part in _parts(each):
            inner = kept(resolver, each.path, part)
            if inner is not None:
                yield each.path, inner


def _parts(of: Class) -> list[tree_sitter.Node]:
    """The types that a type names as what it is as well."""
    if of.node.type == "intersection_type":
        return of.node.named_children
    above = of.node.parent if of.node.type == "interface_body" else None
    clauses = above.named_children if above is not None else []
    return [node for each in clauses if each.type == "extends_type_clause" for node in each.named_children]
