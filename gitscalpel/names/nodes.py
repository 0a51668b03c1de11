"""Read syntax nodes: their text, their ancestors, and the places where values are passed on.

A value is passed on if it is an argument, is returned, is put into a list, or is assigned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import tree_sitter

from gitscalpel.names.entities import Meaning
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import Mention


def text(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> str:
    """Return the source text of a node; empty without a node."""
    if node is None:
        return ""
    return resolver.lexical(path).text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")


def node_text(node: tree_sitter.Node | None) -> str:
    """Return the text of a node of a tree that keeps its source; empty without a node."""
    return "" if node is None or node.text is None else node.text.decode("utf-8", "surrogateescape")


def mention(resolver: Resolver, path: str, node: tree_sitter.Node) -> Mention:
    return resolver.lexical(path).mentions.at(text(resolver, path, node), node.start_byte)


def meanings_of(resolver: Resolver, path: str, name: tree_sitter.Node | None) -> tuple[Meaning, ...]:
    """Return the meanings of the name at a node; none without a node."""
    return () if name is None else resolver.meanings(path, mention(resolver, path, name))


def find_part(node: tree_sitter.Node | None, *parts: str | int) -> tree_sitter.Node | None:
    """Return the first existing part of a node, by field name or by index among the named children."""
    for each in parts if node is not None else ():
        if isinstance(each, str):
            part = node.child_by_field_name(each) if node is not None else None
        else:
            part = node.named_children[each] if node is not None and node.named_children else None
        if part is not None:
            return part
    return None


def child_of_type(node: tree_sitter.Node | None, *types: str) -> tree_sitter.Node | None:
    """Return the first named child of one of these types."""
    return next((each for each in children_of(node) if each.type in types), None)


def children_of(node: tree_sitter.Node | None) -> list[tree_sitter.Node]:
    return [] if node is None else node.named_children


def parent_of(node: tree_sitter.Node | None, *types: str) -> tree_sitter.Node | None:
    """Return the node around another if it is of one of these types; of any type if none is given."""
    above = node.parent if node is not None else None
    return above if above is not None and (not types or above.type in types) else None


def is_part(node: tree_sitter.Node, *fields: str) -> bool:
    return any(find_part(node.parent, field) == node for field in fields)


def has_child(node: tree_sitter.Node | None, *types: str) -> bool:
    """Return True if a node has a child of one of these types, such as a keyword or operator."""
    return node is not None and any(each.type in types for each in node.children)


def type_of(node: tree_sitter.Node | None) -> str:
    """Return the type of a node; empty without a node."""
    return "" if node is None else node.type


def without_comments(node: tree_sitter.Node | None) -> list[tree_sitter.Node]:
    return [each for each in children_of(node) if each.type != "comment"]


def arguments_of(call: tree_sitter.Node | None) -> list[tree_sitter.Node]:
    return without_comments(find_part(call, "arguments"))


def span_of(node: tree_sitter.Node) -> tuple[int, int]:
    return node.start_byte, node.end_byte


def covers(node: tree_sitter.Node | None, start: int) -> bool:
    return node is not None and node.start_byte <= start < node.end_byte


def ancestor(node: tree_sitter.Node | None, *types: str) -> tree_sitter.Node | None:
    """Return the innermost node of these types around another; None without a node."""
    above = node.parent if node is not None else None
    while above is not None and above.type not in types:
        above = above.parent
    return above


def iter_ancestors(node: tree_sitter.Node, *types: str) -> Iterator[tree_sitter.Node]:
    """Yield the nodes around another, innermost first; only those of some types, if any are given."""
    above = node.parent
    while above is not None:
        if not types or above.type in types:
            yield above
        above = above.parent


def walk(root: tree_sitter.Node, *spans: tuple[int, int]) -> Iterator[tree_sitter.Node]:
    """Yield a node and all nodes inside it, in document order; with spans, only nodes that overlap one."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if not spans or any(start < node.end_byte and node.start_byte < end for start, end in spans):
            yield node
            waiting += reversed(node.children)


def strip_wrapping(node: tree_sitter.Node, *types: str) -> tree_sitter.Node:
    """Return a node, or the outermost of the nodes of these types that are directly around it."""
    while node.parent is not None and node.parent.type in types:
        node = node.parent
    return node


def top_statement(node: tree_sitter.Node) -> tree_sitter.Node:
    while node.parent is not None and node.parent.parent is not None:
        node = node.parent
    return node


def skip_types(node: tree_sitter.Node | None, *types: str) -> tree_sitter.Node | None:
    """Return a node, or the innermost node around it that has none of these types."""
    while node is not None and node.type in types:
        node = node.parent
    return node


def has_modifier(name: tree_sitter.Node, word: str) -> bool:
    above = name.parent
    if above is not None and above.type == "variable_declaration":
        above = above.parent
    for each in above.children if above is not None else ():
        if each.type in ("modifier", "modifiers") and word.encode() in (each.text or b"").split():
            return True
    return False


class ValuePositions(NamedTuple):
    """Node types through which the values of a language are passed on."""

    dotted: str  # type of member accesses, with the member last
    holding: frozenset[str]  # node types that pass on any value in them
    given: Mapping[str, str]  # by node type, the field whose value is passed on


def value_holder(node: tree_sitter.Node, values: ValuePositions) -> tree_sitter.Node | None:
    """Return the node that passes on the value of a name or of the dotted name that ends with it."""
    above = node.parent
    while above is not None and above.type == values.dotted and above.named_children[-1].id == node.id:
        node, above = above, above.parent
    if above is None or above.type in values.holding:
        return above
    value = above.child_by_field_name(values.given[above.type]) if above.type in values.given else None
    return above if value is not None and value.id == node.id else None
