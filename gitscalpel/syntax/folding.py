"""Line ranges that editors fold: definitions, blocks, imports, comments and marked regions.

A definition begins with its own text, without the comments above it, and a block with the line that
opens it. Of ranges with the same lines, the most specific kind is kept.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

import msgspec
import tree_sitter

from gitscalpel.syntax.captures import is_import
from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.symbols import Symbol

Kind: TypeAlias = Literal["definition", "import", "comment", "region", "block"]

_RANK = {"definition": 0, "region": 1, "import": 2, "comment": 3, "block": 4}
_BRACKETS = {b"(": b")", b"[": b"]", b"{": b"}"}
_MARK = re.compile(
    rb"[ \t]*(?:(?:#|//+|/\*+|<!--|--+|;+|%+|\(\*|'|\")[ \t]*#?|#pragma[ \t]+)"
    rb"(?P<end>end[ \t]?)?region\b[ \t:]*(?P<name>[^\r\n]*)",
)
_CLOSING = re.compile(rb"[ \t]*(?:\*/|-->|\*\))[ \t]*\Z")


class FoldingRange(msgspec.Struct, frozen=True):
    """Lines that may be folded, from 1; at least two."""

    first: int
    last: int
    kind: Kind
    symbol: Symbol | None = None  # the definition, or None for other kinds
    name: str = ""  # name of a region


def list_folding_ranges(outline: Outline) -> list[FoldingRange]:
    """Return the folding ranges of a file, outer before inner ones."""
    nodes = list(_iter_nodes(outline.syntax.root))
    found = [
        *_iter_definitions(outline),
        *_iter_blocks(nodes, outline),
        *_iter_runs((node for node in nodes if is_import(node)), "import", outline.syntax.text),
        *_iter_runs(_iter_comments(outline), "comment", outline.syntax.text),
        *_iter_regions(outline),
    ]
    best: dict[tuple[int, int], FoldingRange] = {}
    for each in sorted(found, key=lambda each: _RANK[each.kind]):
        if each.last > each.first:
            best.setdefault((each.first, each.last), each)
    return sorted(best.values(), key=lambda each: (each.first, -each.last))


def _iter_nodes(root: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield the named nodes, except those inside imports."""
    waiting = list(reversed(root.named_children))
    while waiting:
        node = waiting.pop()
        yield node
        if not is_import(node):
            waiting += reversed(node.named_children)


def _iter_definitions(outline: Outline) -> Iterator[FoldingRange]:
    lines = _Lines(outline.syntax.text)
    for symbol in outline.walk():
        yield FoldingRange(lines.line_at(symbol.start), lines.last(symbol.end), "definition", symbol)


def _iter_blocks(nodes: Iterable[tree_sitter.Node], outline: Outline) -> Iterator[FoldingRange]:
    """Yield statement blocks that are not the body of a definition, and lists between brackets."""
    text, lines = outline.syntax.text, _Lines(outline.syntax.text)
    blocks = {node.id for node in outline.nodes("block")}
    bodies = {symbol.body_node.id for symbol in outline.walk() if symbol.body_node is not None}
    for node in nodes:
        closing = _BRACKETS.get(text[node.start_byte : node.start_byte + 1])
        is_bracketed = closing is not None and text[node.end_byte - 1 : node.end_byte] == closing
        if node.id not in bodies and is_bracketed:
            yield FoldingRange(lines.line_at(node.start_byte), lines.last(node.end_byte), "block")
        elif node.id not in bodies and node.id in blocks and not _is_between_brackets(node, text):
            yield FoldingRange(lines.last(node.start_byte), lines.last(node.end_byte), "block")


def _is_between_brackets(node: tree_sitter.Node, text: bytes) -> bool:
    """Return True for a node that is all between two brackets, which already form a range."""
    before = node.prev_sibling
    return before is not None and text[before.start_byte : before.end_byte] in _BRACKETS


def _iter_comments(outline: Outline) -> Iterator[tree_sitter.Node]:
    """Yield comments on lines of their own, and documentation strings."""
    text = outline.syntax.text
    for node in (*outline.nodes("comment"), *outline.nodes("doc")):
        begin = text.rfind(b"\n", 0, node.start_byte) + 1
        if _MARK.match(text, begin):
            continue
        if not text[begin : node.start_byte].strip() or b"\n" in text[node.start_byte : node.end_byte]:
            yield node


def _iter_runs(nodes: Iterable[tree_sitter.Node], kind: Kind, text: bytes) -> Iterator[FoldingRange]:
    """Yield consecutive nodes on lines of their own as one range."""
    lines = _Lines(text)
    start = last = 0
    for node in sorted(nodes, key=lambda node: node.start_byte):
        first, end = lines.line_at(node.start_byte), lines.last(node.end_byte)
        is_next = last and not text[lines.end_of(last) : node.start_byte].strip()
        is_near = first <= last + 1 or kind == "import"  # blank lines part groups of imports
        if not (is_next and is_near):
            if last:
                yield FoldingRange(start, last, kind)
            start = first
        last = max(last, end) if is_next and is_near else end
    if last:
        yield FoldingRange(start, last, kind)


def _iter_regions(outline: Outline) -> Iterator[FoldingRange]:
    """Yield the regions between ``#region`` and ``#endregion``, in comments or as directives."""
    text, open_ones = outline.syntax.text, list[tuple[int, str]]()
    comments = sorted((node.start_byte, node.end_byte) for node in outline.nodes("comment"))
    at = 0
    for number, line in enumerate(text.split(b"\n"), 1):
        found = _MARK.match(line)
        if found is not None and _is_mark(line, at, comments):
            name = _CLOSING.sub(b"", found["name"]).strip().decode("utf-8", "replace")
            if not found["end"]:
                open_ones.append((number, name))
            elif open_ones:
                first, name = open_ones.pop()
                yield FoldingRange(first, number, "region", name=name)
        at += len(line) + 1


def _is_mark(line: bytes, at: int, comments: list[tuple[int, int]]) -> bool:
    """Return True if the line at an offset is a comment or a directive."""
    start = at + len(line) - len(line.lstrip())
    index = bisect_right(comments, (start, len(line) + start)) - 1
    is_comment = index >= 0 and comments[index][0] <= start < comments[index][1]
    return is_comment or line.lstrip().startswith((b"#region", b"#endregion", b"#pragma"))


class _Lines:
    """Mapping from byte offsets to line numbers, from 1."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._starts = [0]
        at = text.find(b"\n")
        while at >= 0:
            self._starts.append(at + 1)
            at = text.find(b"\n", at + 1)

    def line_at(self, at: int) -> int:
        return bisect_right(self._starts, at)

    def last(self, end: int) -> int:
        """Return the line of the last byte before ``end`` that is not white space."""
        while end > 1 and self._text[end - 1 : end].isspace():
            end -= 1
        return self.line_at(max(end - 1, 0))

    def end_of(self, line: int) -> int:
        return self._starts[line] if line < len(self._starts) else len(self._text)
