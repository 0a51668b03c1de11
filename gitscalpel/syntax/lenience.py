"""Indentation, commas, ends of texts, anchors: what some grammars let pass and the languages do not."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice

import tree_sitter

UNANCHORED = "the alias"
"""The first words of what is said of an alias without an anchor."""
REBOUND = "would mean another anchor"
"""Words of what is said of an alias that an edit leaves as it is, and that has another value afterwards."""
_SEQUENCES = ("block_sequence", "flow_sequence")
_ITEMS = ("block_sequence_item", *_SEQUENCES)
ANCHOR_HINT = "keep the anchor, which the aliases need, or change these first"


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


def unanchored(
    documents: list[tree_sitter.Node], marks: list[tree_sitter.Node], text: bytes
) -> Iterator[tuple[tree_sitter.Node, str]]:
    """Yield aliases without an anchor above them in their document, and what else keeps YAML from loading.

    That is an anchor of a name that has one, and a merge key that names a scalar.

    Args:
        documents: every document of the text.
        marks: its anchors and aliases, in document order.
        text: the text of the tree.
    """
    starts = [document.start_byte for document in documents]
    known: dict[tuple[int, bytes], tree_sitter.Node] = {}
    for mark in marks:
        key = bisect_right(starts, mark.start_byte), text[mark.start_byte + 1 : mark.end_byte]
        name = key[1].decode("utf-8", "replace")
        if mark.type == "anchor":
            if key in known:
                yield mark, f"the anchor &{name} is there twice"
            known[key] = mark
        elif key not in known:
            yield mark, f"{UNANCHORED} *{name} has no anchor &{name} above it"
        elif _is_merged(mark, text) and any(map(_is_scalar, _merged(known[key].parent))):
            yield mark, f"the merge key << needs a mapping, which *{name} is not"


def unmerged(keys: list[tree_sitter.Node], text: bytes) -> Iterator[tuple[tree_sitter.Node, str]]:
    """Yield merge keys, ``<<``, whose value is a scalar, or a sequence with one in it."""
    for key in keys:
        value = key.next_named_sibling
        if text[key.start_byte : key.end_byte] == b"<<" and any(map(_is_scalar, _merged(value))):
            yield key, "the merge key << needs a mapping"


def _merged(value: tree_sitter.Node | None) -> Iterator[tree_sitter.Node]:
    """Yield what a merge key with this value merges: the value, or the items of a sequence."""
    inside = value.named_children if value is not None else []
    sequences = [node for node in inside if node.type in _SEQUENCES]
    for sequence in sequences:
        for item in sequence.named_children:
            yield from item.named_children[:1] if item.type == "block_sequence_item" else [item]
    if value is not None and not sequences:
        yield value


def _is_merged(alias: tree_sitter.Node, text: bytes) -> bool:
    """Return True if an alias is the value of a merge key."""
    value = alias.parent
    while value is not None and value.parent is not None and value.parent.type in _ITEMS:
        value = value.parent
    if value is not None and value.type in _SEQUENCES:
        value = value.parent
    key = value.prev_named_sibling if value else None
    return key is not None and text[key.start_byte : key.end_byte] == b"<<"


def _is_scalar(value: tree_sitter.Node | None) -> bool:
    return value is not None and any(child.type.endswith("_scalar") for child in value.children)


def _indent(node: tree_sitter.Node, text: bytes) -> bytes | None:
    """The white space before a node; None if something else stands before it in its line."""
    before = text[text.rfind(b"\n", 0, node.start_byte) + 1 : node.start_byte].lstrip(b"\f")
    return None if before.strip(b" \t") else before
