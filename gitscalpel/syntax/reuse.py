"""A tree made from that of nearly the same text: only what changed is parsed.

The result is that of a parse from the beginning, or there is none: where a text does not parse, how a parser
finds back into it depends on where it began, and so it does with some scanners.
"""

from __future__ import annotations

from collections.abc import Callable

import tree_sitter

from gitscalpel.text.common import alike

_FROM_THE_BEGINNING = frozenset({"rst"})
"""Grammars whose scanners do not remember all that they have seen."""
Parse = Callable[[tree_sitter.Tree | None], tree_sitter.Tree]


def reparsed(
    grammar: str, old: tuple[bytes, tree_sitter.Tree], new: bytes, parse: Parse
) -> tree_sitter.Tree | None:
    """The tree of ``new``, of the same grammar, if that is the one that a parse from the beginning gives.

    Args:
        grammar: its name.
        old: a text and its tree.
        new: what has become of the text.
        parse: makes the tree of ``new``, with the help of an old one.
    """
    text, tree = old
    if grammar in _FROM_THE_BEGINNING or tree.root_node.has_error:
        return None
    found = parse(_edited(tree, text, new))
    return None if found.root_node.has_error else found


def _edited(tree: tree_sitter.Tree, old: bytes, new: bytes) -> tree_sitter.Tree:
    """The tree of ``old`` with its nodes where they are in ``new``; what differs lies in one stretch."""
    start = alike(old, new)
    rest = alike(old[start:][::-1], new[start:][::-1])
    old_end, new_end = len(old) - rest, len(new) - rest
    moved = tree.copy()
    moved.edit(start, old_end, new_end, _point(old, start), _point(old, old_end), _point(new, new_end))
    return moved


def _point(text: bytes, at: int) -> tuple[int, int]:
    """Row and column of a byte, from 0."""
    return text.count(b"\n", 0, at), at - (text.rfind(b"\n", 0, at) + 1)
