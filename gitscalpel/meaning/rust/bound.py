"""Names that what a macro is given may bind anew: those in patterns, of items, of arguments of closures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.rust import words

_ENDS = {"let": ("=", ";"), "for": ("in",), "use": (";",), "|": ("|",)}
"""What ends the pattern, or the names, that a word begins."""
_ITEMS = frozenset({"fn", "const", "static", "struct", "enum", "union", "trait", "type", "mod"})
_ARMS = frozenset({",", ";"})


def names(resolver: Resolver, path: str, tree: tree_sitter.Node) -> frozenset[str]:
    """The names that may be bound somewhere in a token tree."""
    key = ("bound in", path, tree.start_byte, tree.end_byte)
    found: tuple[str, ...] = resolver.once(key, lambda: _names(resolver, path, tree), ())
    return frozenset(found)


def _names(resolver: Resolver, path: str, tree: tree_sitter.Node) -> Iterator[str]:
    until: tuple[str, ...] = ()
    arm: list[tree_sitter.Node] = []
    for each in tree.children:
        if each.type == "token_tree":
            yield from _names(resolver, path, each)
        if until:
            yield from _words(resolver, path, (each,))
            until = () if each.type in until else until
        elif each.type in _ENDS:
            until = _ENDS[each.type]
        elif each.type in _ITEMS and each.next_sibling is not None:
            yield from _words(resolver, path, (each.next_sibling,))
        elif each.type in ("=>", "in"):
            yield from _words(resolver, path, arm)
        is_end = each.type in _ARMS or (each.type == "token_tree" and each.children[0].type == "{")
        arm = [] if is_end else [*arm, each]


def _words(resolver: Resolver, path: str, of: Iterable[tree_sitter.Node]) -> Iterator[str]:
    for each in of:
        if each.type == "identifier":
            yield words.text(resolver, path, each).removeprefix("r#")
        yield from _words(resolver, path, each.children)
