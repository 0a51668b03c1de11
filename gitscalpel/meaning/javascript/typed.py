"""The types that are written down for what an expression or a pattern is, as nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

import tree_sitter

from gitscalpel.meaning.javascript import words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Function

_LISTS = frozenset(
    {
        *("Array", "ReadonlyArray", "Set", "ReadonlySet", "Iterable", "AsyncIterable", "Iterator"),
        *("IterableIterator", "AsyncIterableIterator", "Generator", "AsyncGenerator", "ArrayLike"),
    }
)
_PROMISES = frozenset({"Promise", "PromiseLike", "Awaited"})
_AROUND = ("type_annotation", "parenthesized_type", "readonly_type", "optional_type", "rest_type")


class Typed(NamedTuple):
    """A type: the path of the file in which it is written, and its node there."""

    path: str
    node: tree_sitter.Node


def of(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> tuple[Typed, ...]:
    """The types that say what an expression is; none where nothing says so."""
    read = _READ.get(node.type) if node is not None else None
    if node is None or read is None:
        return ()
    key = ("typed", path, node.start_byte, node.end_byte, node.type)
    return resolver.once(key, lambda: read(resolver, path, node), ())


def of_pattern(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Typed]:
    """The types of what a pattern or name is given where it is bound."""
    above = node.parent
    if above is None:
        return
    kind = above.child_by_field_name("type")
    if kind is not None:
        yield Typed(path, kind)
    elif above.type == "variable_declarator":
        yield from of(resolver, path, above.child_by_field_name("value"))
    elif above.type == "assignment_expression":
        yield from of(resolver, path, above.child_by_field_name("right"))
    elif above.type == "for_in_statement" and is_over_items(above):
        yield from items(resolver, of(resolver, path, above.child_by_field_name("right")))
    elif above.type == "array_pattern":
        yield from items(resolver, tuple(of_pattern(resolver, path, above)))
    elif above.type == "pair_pattern" and above.parent is not None:
        yield from _part(resolver, path, above.parent, above.child_by_field_name("key"))


def items(resolver: Resolver, types: tuple[Typed, ...]) -> Iterator[Typed]:
    """The types of what is in lists of these types."""
    for path, node in (each for one in types for each in spelled(resolver, *one)):
        name, given = node.child_by_field_name("name"), node.child_by_field_name("type_arguments")
        if node.type == "array_type":
            yield Typed(path, node.named_children[0])
        elif node.type == "tuple_type":
            yield from (Typed(path, each) for each in node.named_children)
        elif given is not None and words.text(resolver, path, name) in _LISTS:
            yield Typed(path, given.named_children[0])
        elif given is not None and words.text(resolver, path, name) == "Record":
            yield Typed(path, given.named_children[-1])


def spelled(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Typed]:
    """A type without what is around it; in the place of an alias, what that is."""
    while node.type in _AROUND and node.named_children:
        node = node.named_children[0]
    given = node.child_by_field_name("type_arguments")
    if given is not None and words.text(resolver, path, node.child_by_field_name("name")) in _PROMISES:
        yield from spelled(resolver, path, given.named_children[0])
        return
    aliases = list(_aliases(resolver, path, node)) if node.type == "type_identifier" else []
    yield from aliases or [Typed(path, node)]


def is_over_items(loop: tree_sitter.Node) -> bool:
    """Whether a loop goes over what is in something (``of``), and not over keys."""
    return any(child.type == "of" for child in loop.children)


def _aliases(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Typed]:
    for meaning in resolver.meanings(path, words.mention(resolver, path, node)):
        for place in resolver.binders(meaning) if isinstance(meaning, Binding) else ():
            above = place.mention.node.parent
            value = above.child_by_field_name("value") if above is not None else None
            if place.mention.kind == "alias" and value is not None:
                yield from resolver.once(
                    ("alias", place.path, value.start_byte),
                    lambda at=place.path, value=value: spelled(resolver, at, value),  # type: ignore[misc]
                    (),
                )
            elif place.mention.kind == "import" and isinstance(meaning, Binding):
                yield from _imported(resolver, meaning)


def _imported(resolver: Resolver, meaning: Binding) -> Iterator[Typed]:
    """An alias that another file declares."""
    for place in resolver.binders(meaning):
        for each in resolver.dialect(place.path).brings(resolver, place.path, place.mention):
            for other in resolver.binders(each) if isinstance(each, Binding) else ():
                above = other.mention.node.parent
                value = above.child_by_field_name("value") if above is not None else None
                if other.mention.kind == "alias" and value is not None:
                    yield from spelled(resolver, other.path, value)


def declared(resolver: Resolver, meanings: Iterable[object]) -> Iterator[Typed]:
    """The types with which names are declared."""
    for meaning in meanings:
        for place in resolver.binders(meaning) if isinstance(meaning, Binding) else ():
            above = words.owner(place.mention.node)
            kind = above.child_by_field_name("type") if above is not None else None
            if above is None:
                continue
            if kind is not None:
                yield Typed(place.path, kind)
            elif above.type.endswith(("_pattern", "for_in_statement")):
                yield from of_pattern(resolver, place.path, place.mention.node)
            else:
                yield from of(resolver, place.path, above.child_by_field_name("value"))


def _part(
    resolver: Resolver, path: str, pattern: tree_sitter.Node, key: tree_sitter.Node | None
) -> Iterator[Typed]:
    name = words.text(resolver, path, key).strip("\"'`")
    for value in resolver.values(path, pattern):
        yield from declared(resolver, resolver.members(value, name))


def _name(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Typed]:
    yield from declared(resolver, resolver.meanings(path, words.mention(resolver, path, node)))


def _member(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Typed]:
    named = node.child_by_field_name("property")
    yield from _name(resolver, path, named) if named is not None else ()


def _call(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Typed]:
    callee = node.child_by_field_name("function")
    if callee is not None and callee.type == "await_expression":  # as the grammar reads ``await f<T>()``
        callee = callee.named_children[0]
    for value in resolver.values(path, callee) if callee is not None else ():
        kind = value.node.child_by_field_name("return_type") if isinstance(value, Function) else None
        if isinstance(value, Function) and kind is not None:
            yield Typed(value.path, kind)


def _inner(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Typed]:
    for child in node.named_children[:1]:
        yield from of(resolver, path, child)


def _as(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Typed]:
    if len(node.named_children) > 1:
        yield Typed(path, node.named_children[1])


def _subscript(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Typed]:
    index = node.child_by_field_name("index")
    if index is not None and index.type == "string" and index.named_children:
        yield from _name(resolver, path, index.named_children[0])
    elif index is not None:
        yield from items(resolver, of(resolver, path, node.child_by_field_name("object")))


_READ: Mapping[str, Callable[[Resolver, str, tree_sitter.Node], Iterator[Typed]]] = {
    "identifier": _name,
    "member_expression": _member,
    "call_expression": _call,
    "subscript_expression": _subscript,
    **dict.fromkeys(("parenthesized_expression", "non_null_expression", "await_expression"), _inner),
    **dict.fromkeys(("as_expression", "satisfies_expression"), _as),
}
"""How a kind of expression is read."""
