"""What is in a list: by the type of the list, or by what it is written with."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.javascript import typed, types, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Unknown, Value

_UNKNOWN = Unknown("nobody says what is in it")


def items(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> Iterator[Value]:
    """What may be in a list that an expression gives."""
    found = list(typed.items(resolver, typed.of(resolver, path, node)))
    for each in found:
        yield from types.objects(resolver, *each)
    if not found:
        written = list(_written(resolver, path, node)) if node is not None else []
        for at, one in written:
            yield from (_UNKNOWN,) if one.type == "spread_element" else resolver.values(at, one)
        if not written:
            yield _UNKNOWN


def of_pattern(resolver: Resolver, path: str, pattern: tree_sitter.Node, at: int) -> Iterator[Value]:
    """What an array pattern puts into its part of a number."""
    found = list(typed.items(resolver, tuple(typed.of_pattern(resolver, path, pattern))))
    for each in found:
        yield from types.objects(resolver, *each)
    above = pattern.parent
    given = (
        (above.child_by_field_name("value") or above.child_by_field_name("right"))
        if above is not None
        else None
    )
    if not found and given is not None and given.type == "array" and at < given.named_child_count:
        yield from resolver.values(path, given.named_children[at])
    elif not found:
        yield _UNKNOWN


def _written(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[tuple[str, tree_sitter.Node]]:
    """The parts of a list that is written down; of a name, where that says its type (in TypeScript)."""
    if node.type == "array":
        yield from ((path, each) for each in node.named_children)
    elif node.type == "identifier" and resolver.lexical(path).syntax.language.name != "javascript":
        for meaning in resolver.meanings(path, words.mention(resolver, path, node)):
            for place in resolver.binders(meaning) if isinstance(meaning, Binding) else ():
                above = place.mention.node.parent
                value = above.child_by_field_name("value") if above is not None else None
                if value is not None and value.type == "array":
                    yield from ((place.path, each) for each in value.named_children)
