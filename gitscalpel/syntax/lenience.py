"""Indentation, commas and ends of texts: what some grammars let pass and the languages do not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import tree_sitter


def unaligned(blocks: list[tree_sitter.Node], text: bytes) -> Iterator[tuple[tree_sitter.Node, str]]:
    """Blocks without a statement, and statements that are not aligned with the first of their block.

    Args:
        blocks: every block of the tree, its root among them.
        text: the text of the tree.
    """
    for block in blocks:
        statements = [node for node in block.named_children if not node.is_extra]
        if not statements:
            if block.parent is not None:
                yield block, "expected a statement in the block"
            continue
        # Where the body stands in the header's line, no further line can belong to it.
        expected = _indent(statements[0], text) if block.parent is not None else b""
        odd = (node for node in statements if _indent(node, text) not in (None, expected))
        yield from ((node, "unexpected indent") for node in islice(odd, 1))


def unparted(members: list[tree_sitter.Node]) -> Iterator[tuple[tree_sitter.Node, str]]:
    """What stands where a comma must, behind one of ``members``."""
    for member in members:
        after = member.next_sibling
        while after is not None and after.is_extra:
            after = after.next_sibling
        if after is not None and after.type not in (",", "}"):
            yield after, "expected ',' before it"


def unended(ends: list[tree_sitter.Node]) -> Iterator[tuple[tree_sitter.Node, str]]:
    """Ends of texts that are nowhere: the text goes on to the end of the file."""
    yield from ((end, "expected the end of the text") for end in ends if end.start_byte == end.end_byte)


def _indent(node: tree_sitter.Node, text: bytes) -> bytes | None:
    """The white space before a node; None if something else stands before it in its line."""
    before = text[text.rfind(b"\n", 0, node.start_byte) + 1 : node.start_byte].lstrip(b"\f")
    return None if before.strip(b" \t") else before
