"""Lists in brackets: what parts their members, and what becomes of brackets around nothing."""

from __future__ import annotations

import tree_sitter

from gitscalpel.edit.source import Source
from gitscalpel.edit.symbols import members
from gitscalpel.edit.symbols.layout import Gap, Layout
from gitscalpel.syntax.symbols import Symbol, opening
from gitscalpel.text.splice import Splice

_OPEN, _CLOSED = ("{", "[", "("), ("}", "]", ")")


def beside(side: str, node: tree_sitter.Node, layout: Layout) -> Gap | None:
    """The place in a list that stands on one line, for code on one line; None elsewhere."""
    block = node.parent
    if not layout.separator or layout.closed or not layout.single or block is None or block.parent is None:
        return None
    is_bracketed = block.children[0].type in _OPEN or opening(block) > block.start_byte
    if block.start_point.row != block.end_point.row or not is_bracketed:
        return None
    parts = [c for c in block.children if c.type.encode() == layout.separator]
    after = parts[0].next_sibling if parts else None
    tight = after is not None and parts[0].end_byte == after.start_byte
    comma = layout.separator + (b"" if tight else b" ")
    if side == "before":
        return Gap(node.start_byte, node.start_byte, b"", b"", comma)
    return Gap(node.end_byte, node.end_byte, b"", comma, b"")


def emptied(target: Symbol, source: Source) -> Splice | None:
    """All between the brackets or tags of data, where nothing but the target stands there."""
    around = target.parent.body_node if target.parent else None
    span = members.between_brackets(around, source) if around is not None and not target.defines else None
    if span is None:
        return None
    rest = source.text[span.start : target.outer] + source.text[target.end : span.end]
    return Splice(*span, b"") if not rest.strip(b" \t\r\n,;") else None


def separator_before(target: Symbol, source: Source) -> tuple[Splice, ...]:
    """The comma before what is the last of several, as a splice that removes it."""
    if source.text[target.end :].lstrip().startswith(b","):
        return ()  # the grammar may not be shown a comma that trails
    before, after = target.node.prev_sibling, target.node.next_sibling
    while before is not None and before.is_extra:
        before = before.prev_sibling
    while after is not None and after.is_extra:
        after = after.next_sibling
    if before is None or before.type != "," or after is None or after.type not in _CLOSED:
        return ()
    if before.start_point.row == target.node.start_point.row:
        return ()
    return (Splice(before.start_byte, before.end_byte, b""),)
