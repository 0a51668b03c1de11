"""How new code is set in at a place: on lines of its own, and what white space parts it from the rest."""

from __future__ import annotations

import tree_sitter

from gitscalpel.edit.source import Source
from gitscalpel.edit.symbols import frame, members, spacing
from gitscalpel.edit.symbols.layout import Gap, Layout, Leading
from gitscalpel.syntax.symbols import Span, opening
from gitscalpel.text.indent import indent_at

_OPEN = ("{", "[", "(")
_ENDS = (b"{", b";", b"}")
"""Signs behind which a statement may begin in the same line."""


def led(leading: Leading) -> Gap:
    """The place for a member that brings the separator before it, or, as the first, the next one's."""
    sign, white, at = leading.sign, leading.white, leading.at
    before, after = (b"", white + sign + b" ") if leading.first else (white + sign + b" ", b"")
    return Gap(at, at, white.lstrip(b"\n"), before, after)


def above(at: int, node: tree_sitter.Node, blank: int, layout: Layout) -> Gap:
    """The place before what begins at ``at``."""
    text = layout.source.text
    indent = _indent(node, layout)
    line_start = text.rfind(b"\n", 0, at) + 1
    after = (b"" if layout.closed else layout.separator) + b"\n" * (1 + blank)
    if not text[line_start:at].strip():
        return Gap(line_start, line_start, indent, indent, after)
    if members.marked(at, layout.source) is not None:
        return Gap(at, at, indent, b"", after + indent)
    if _is_inline(layout):
        return Gap(at, at, indent, b"", b"")
    if _may_share_line(at, layout):
        return Gap(at, at, indent, b"", b" ")
    start = len(text[:at].rstrip(b" \t"))
    return Gap(start, at, indent, b"\n" + indent, after + indent)


def below(at: int, node: tree_sitter.Node, blank: int, layout: Layout, through: int = 0) -> Gap:
    """The place behind what ends at ``at``, and behind the comments up to ``through``."""
    text = layout.source.text
    indent = _indent(node, layout)
    held = spacing.kept(max(at, through), layout.source)
    if held is not None and text.endswith(b"\n", 0, held.end):
        return Gap(held.end, held.end, indent, indent, b"\n")
    blank = 0 if held is not None else blank
    if layout.separator:
        at, through = members.end_of(node, layout.source), max(at, through)
    separated = text[at:].lstrip(b" \t").startswith(layout.separator)
    missing = b"" if separated else layout.separator
    if layout.separator and separated:
        at = text.index(layout.separator, at) + len(layout.separator)
    after = layout.separator if separated and not layout.closed else b""
    stop = max(at, through)
    rest = text[stop:].split(b"\n", 1)[0].rstrip(b"\r")
    if _ends_line(rest, layout):
        return _below_line(Gap(at, stop + len(rest), indent, missing, after), blank, text)
    if _is_inline(layout):
        return Gap(at, at, indent, b"", b"")
    if _may_share_line(at, layout):
        return Gap(at, at, indent, b" ", b"")
    before = missing + b"\n" * (1 + blank) + indent
    end = at + len(text[at:]) - len(text[at:].lstrip(b" \t"))
    if text[end : end + 1] == b";":  # of the whole list, not of its last member
        return Gap(at, end, indent, before, after)
    closes = text[end : end + 1] in (b"}", b")", b"]")
    return Gap(at, end, indent, before, after + b"\n" + (indent_at(text, at) if closes else indent))


def _below_line(rest: Gap, blank: int, text: bytes) -> Gap:
    """The place under a line whose ``rest`` holds no code; the line keeps its own ending.

    Only a missing separator is set before that rest, which may be a comment.
    """
    feed = text.find(b"\n", rest.end)
    end = feed + 1 or len(text)
    start, line = (rest.start, rest.before + text[rest.start : end]) if rest.before else (end, b"")
    if feed < 0:
        return Gap(start, end, rest.indent, line + b"\n" * (1 + blank) + rest.indent, rest.after)
    return Gap(start, end, rest.indent, line + b"\n" * blank + rest.indent, rest.after + b"\n")


def _ends_line(rest: bytes, layout: Layout) -> bool:
    """Whether nothing follows in the line but a comment."""
    return not rest.strip() or is_remark(rest, layout.source)


def is_remark(rest: bytes, source: Source) -> bool:
    """Whether the rest of a line is a comment."""
    mark, said = source.rules.line_comment, rest.strip()
    closed = mark == b"//" and said.startswith(b"/*") and said.find(b"*/", 2) == len(said) - 2
    return closed or (bool(mark) and said.startswith(mark))


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


def inside(span: Span, layout: Layout) -> Gap:
    """The inside of an empty block, between its brackets or tags, opened to its own lines."""
    language = layout.source.rules
    if language.flow and layout.single:
        return Gap(span.start, span.end, b"", b"", b"")
    outside = indent_at(layout.source.text, span.end)
    indent = outside + layout.level
    return Gap(span.start, span.end, indent, b"\n" + indent, b"\n" + outside)


def beside_text(position: str, span: Span, layout: Layout) -> Gap:
    """The place before or behind text, on a line of its own where the text has its own."""
    text, at = layout.source.text, span.start if position == "first" else span.end
    indent = indent_at(text, span.start)
    before, after = text[:at].rpartition(b"\n")[2], text[at:].partition(b"\n")[0]
    if position == "first" and not before.strip():
        return Gap(at, at, indent, b"", b"\n" + indent)
    if position == "last" and not after.strip():
        return Gap(at, at, indent, b"\n" + indent, b"")
    return Gap(at, at, indent, b"", b"")


def hollow(span: Span, layout: Layout) -> Gap:
    """The place before a closing word, behind the comments that stand instead of a body."""
    text = layout.source.text
    outside = indent_at(text, span.start)
    held = text[span.start : span.end].rstrip(b"; \t\r\n")
    return Gap(
        span.start + len(held),
        span.end,
        outside + layout.level,
        (b"\n\n" if held else b"\n") + outside + layout.level,
        b"\n" + outside,
    )


def _is_inline(layout: Layout) -> bool:
    language = layout.source.rules
    return language.inline and layout.single


def _may_share_line(at: int, layout: Layout) -> bool:
    """Whether code on one line may stand in the line of its neighbours: what it stands between is ended."""
    before = layout.source.text[:at].rstrip()[-1:]
    return layout.single and layout.terminated and not layout.separator and before in _ENDS


def _indent(node: tree_sitter.Node, layout: Layout) -> bytes:
    """The indentation of a statement's line, one level more where its block opens on that line."""
    text = layout.source.text
    while _is_flush(node, layout) and node.prev_named_sibling is not None:
        node = node.prev_named_sibling
    marked = members.marked(node.start_byte, layout.source)
    if marked is not None:
        return marked
    own = frame.margin(node.start_byte, layout.source)
    if own != indent_at(text, node.start_byte):
        return own
    block = node.parent
    if block is not None and block.parent is not None and block.start_point.row == node.start_point.row:
        header = text[text.rfind(b"\n", 0, block.start_byte) + 1 : block.start_byte]
        return own + layout.level if header.strip() else own
    return own


def _is_flush(node: tree_sitter.Node, layout: Layout) -> bool:
    """Whether it stands at the margin whatever is around it."""
    language, text = layout.source.rules, layout.source.text
    return bool(language.margin) and text.startswith(language.margin, node.start_byte)
