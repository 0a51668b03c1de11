"""The blank lines between siblings: how many there are, and how many new code gets."""

from __future__ import annotations

import re

import tree_sitter

from gitscalpel.edit.source import Source
from gitscalpel.edit.symbols import members
from gitscalpel.syntax.import_nodes import is_import
from gitscalpel.syntax.symbols import FUNCTIONS, TYPES, Span, Symbol, opening

BLOCK, LINE, IMPORT, LEAD = "block", "line", "import", "lead"
"""Sorts of code: siblings of one sort stand together. ``LEAD`` is nothing but decorators."""
_BLANK_LINES = re.compile(rb"(?:[ \t]*\r?\n)*")


def blanks_after(text: bytes, at: int) -> tuple[int, int]:
    """Blank lines after the line that ends at ``at``, and where they end."""
    end_of_line = text.find(b"\n", at)
    if end_of_line < 0:
        return 0, len(text)
    found = _BLANK_LINES.match(text, end_of_line + 1)
    end = found.end() if found else end_of_line + 1
    return text.count(b"\n", end_of_line + 1, end), end


def blanks_before(text: bytes, at: int) -> tuple[int, int]:
    """Blank lines above the line that holds ``at``, and where they begin."""
    start = text.rfind(b"\n", 0, at) + 1
    count = 0
    while start > 0:
        above = text.rfind(b"\n", 0, start - 1) + 1
        if text[above:start].strip(b" \t\r\n"):
            break
        start, count = above, count + 1
    return count, start


def kept(at: int, source: Source) -> Span | None:
    """The blank lines, some or none, below what ends in the line of ``at``, where they are its content."""
    held = holder(at, source)
    if held is None or b"+" not in source.text[held.start_byte :].split(b"\n", 1)[0].split(b"#")[0]:
        return None
    end_of_line = source.text.find(b"\n", members.end_of(held, source))
    start = end_of_line + 1 or len(source.text)
    return Span(start, blanks_after(source.text, start - 1)[1] if start < len(source.text) else start)


def holder(at: int, source: Source) -> tree_sitter.Node | None:
    """The text without a closing sign that ends in the line of ``at``, or above with nothing in between."""
    end = len(source.text[:at].rstrip())
    return next((n for n in source.outline.nodes("keeps") if members.end_of(n, source) == end), None)


def has_previous(symbol: Symbol, source: Source) -> bool:
    """Whether a sibling or comment stands before it in its block, and no label between them."""
    if _is_prose(source):
        heads = symbol.parent is not None and symbol.parent.header_end == symbol.outer
        return not heads and bool(source.text[: symbol.outer].strip())
    sibling = symbol.node.prev_named_sibling
    while sibling is not None and (sibling.start_byte >= symbol.outer or _is(sibling, "filler", source)):
        sibling = sibling.prev_named_sibling
    if sibling is None or sibling.parent is None or sibling.start_byte < opening(sibling.parent):
        return False
    return not _is(sibling, "label", source)


def has_following(symbol: Symbol, source: Source) -> bool:
    """Whether a sibling or comment stands behind it in its block, and no label between them."""
    if _is_prose(source):
        return bool(source.text[symbol.end :].strip())
    sibling = symbol.node.next_named_sibling
    while sibling is not None and (sibling.start_byte < symbol.end or _is(sibling, "filler", source)):
        sibling = sibling.next_named_sibling
    return sibling is not None and not _is(sibling, "label", source)


def _is_prose(source: Source) -> bool:
    return source.rules.blocks == "prose"


def _is(node: tree_sitter.Node, capture: str, source: Source) -> bool:
    return source.outline.captures.holds(capture, node)


def gap_beside(symbol: Symbol, side: str, sort: str, source: Source) -> int:
    """Blank lines for code of a ``sort`` that goes before or after ``symbol``.

    The gap to the neighbour on that side, else the gap on the other side, else the default. Imports are a
    block: one that goes to an end of it keeps the distance of imports, and what follows keeps its own.
    """
    if sort == LEAD:
        return 0
    gaps = {
        "before": blanks_before(source.text, symbol.outer)[0] if has_previous(symbol, source) else None,
        "after": blanks_after(source.text, symbol.end)[0] if has_following(symbol, source) else None,
    }
    near, far = side, "after" if side == "before" else "before"
    if sort == sort_of(symbol.node, source) == IMPORT:
        beside = {side: _sort_beside(symbol.node, side, source) for side in gaps}
        gaps = {side: gap if beside[side] == IMPORT else None for side, gap in gaps.items()}
    chosen = gaps[far] if gaps[near] is None else gaps[near]
    return default_gap(symbol.node, sort, source) if chosen is None else chosen


def _sort_beside(node: tree_sitter.Node, side: str, source: Source) -> str | None:
    """The sort of the neighbour on a side, comments aside."""
    beside = node
    while True:
        found = beside.prev_named_sibling if side == "before" else beside.next_named_sibling
        if found is None or not members.is_comment(found, source):
            return None if found is None else sort_of(found, source)
        beside = found


def gap_in_block(children: list[tree_sitter.Node], first: bool, sort: str, source: Source) -> int:
    """Blank lines between a block's outermost child and code that becomes its first or last."""
    pair = children[:2] if first else children[-2:]
    if len(pair) == 2 and all(sort_of(node, source) == sort for node in pair):
        return blanks_after(source.text, members.end(pair[0], source))[0]
    return default_gap(children[0 if first else -1], sort, source)


def default_gap(neighbour: tree_sitter.Node, sort: str, source: Source) -> int:
    """The gap where no siblings show one."""
    if BLOCK not in (sort, sort_of(neighbour, source)) and not _is_prose(source):
        return 0
    top_level = neighbour.parent is None or neighbour.parent.parent is None
    return source.rules.top_gap if top_level else source.rules.gap


def sort_of(node: tree_sitter.Node, source: Source) -> str:
    """The sort of a statement: an import, a statement on one line that is no function or type, or others."""
    if is_import(node):
        return IMPORT
    own = source.outline.of_node(node)
    blocky = any(s.kind in FUNCTIONS | TYPES and s.header_end < s.end for s in own)
    above = [s.lead.comments.end + 1 for s in own if s.lead.comments]
    start, end = max([node.start_byte, *above]), max([node.end_byte, *(s.end for s in own)])
    return BLOCK if blocky or b"\n" in source.text[start:end].rstrip() else LINE
