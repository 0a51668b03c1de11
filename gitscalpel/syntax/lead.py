"""Finds the lead of a definition: comments directly above, decorators, visibility words.

Comments are found by rows, not by the tree, since grammars hang them on
whatever node is near.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.syntax.marks import Marks
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.symbols import Lead, Span

_BLANKS = re.compile(rb"[ \t]*")
_FILE_HEADER = re.compile(rb"copyright|licen[cs]e|spdx-", re.IGNORECASE)
_FIRST_LINES = re.compile(rb"#!|.*coding[:=]|.*-\*-|#\s*frozen_string_literal:")


def extent(node: tree_sitter.Node, marks: Marks) -> tuple[tree_sitter.Node, tree_sitter.Node]:
    """The statement that is the definition, and the outermost wrapper around it."""
    while node.parent is not None and node.parent.id in marks.wholes:
        node = node.parent
    outermost = node
    while outermost.parent is not None and outermost.parent.id in marks.wrappers:
        outermost = outermost.parent
    return node, outermost


def beginning(node: tree_sitter.Node) -> int:
    """Where a node begins without the blanks before it that some grammars count to it."""
    text = node.text or b""
    blanks = _BLANKS.match(text)
    return node.start_byte + (blanks.end() if blanks else 0)


def find(
    node: tree_sitter.Node, outermost: tree_sitter.Node, marks: Marks, about: Iterable[tree_sitter.Node] = ()
) -> tuple[Lead, int]:
    """The lead of the definition ``node``, and where its own text begins.

    ``about`` are nodes above it that belong to it as decorators do.
    """
    words: list[Span] = []
    decorators = sorted(about, key=lambda above: above.start_byte)
    start = beginning(node)
    for child in _beginning(node, marks):
        if child.id in marks.decorators:
            decorators.append(child)
        elif child.id in marks.words:
            words.append(Span(child.start_byte, child.end_byte))
        elif child.id not in marks.comments:
            start = max(start, child.start_byte)
            break
    first = _headed(outermost, marks)
    start = min(start, first.start_byte) if first.id != outermost.id else start
    sibling = _spoken_before(first, marks, words)
    while sibling is not None and (sibling.id in marks.decorators or sibling.id in marks.comments):
        if sibling.id in marks.comments and not _decorated_above(sibling, marks):
            break
        decorators.insert(0, sibling)
        sibling = sibling.prev_sibling
    _collect_wrappers(node, outermost, marks, decorators, words)
    spoken = _cover([*words])
    spans = [Span(d.start_byte, _end_with_remark(d.end_byte, marks)) for d in decorators]
    # Some grammars begin a definition with the comments above it.
    begin = start if outermost.id == node.id else outermost.start_byte
    top = min([s.start for s in (*spans, *words)] + [start, begin])
    spans += _hidden_above(top, marks.syntax)
    decorated = _cover(spans)
    top = min([s.start for s in spans] + [top])
    return Lead(_comments_above(top, outermost, marks), decorated, spoken), start


def _headed(node: tree_sitter.Node, marks: Marks) -> tree_sitter.Node:
    """Where a definition begins whose beginning stands beside it, as nodes of their own."""
    while (before := node.prev_sibling) is not None and before.id in marks.heads:
        node = before
    return node


def _spoken_before(node: tree_sitter.Node, marks: Marks, words: list[Span]) -> tree_sitter.Node | None:
    """Collect the words that stand beside the node, before it; the sibling before those."""
    sibling = node.prev_sibling
    if node.parent is not None and node.parent.id in marks.groups:
        return sibling  # they are said of all that the statement defines
    while sibling is not None and sibling.id in marks.words:
        words.insert(0, Span(sibling.start_byte, sibling.end_byte))
        sibling = sibling.prev_sibling
    return sibling


def _end_with_remark(end: int, marks: Marks) -> int:
    """The end of a decorator that ends at ``end``, with a comment behind it that ends the line."""
    text = marks.syntax.text
    stop = text.find(b"\n", end)
    line = text[end : len(text) if stop < 0 else stop].rstrip()
    comment_end = marks.comment_ends.get(end + len(line) - len(line.lstrip()))
    return (
        end + len(line)
        if comment_end is not None and line.strip() and comment_end >= end + len(line)
        else end
    )


def _hidden_above(top: int, syntax: Syntax) -> Iterator[Span]:
    """The attributes that the grammar was not shown, directly before ``top`` or in the lines above it."""
    attributes = syntax.masked.attributes
    for at in range(bisect(attributes, (top,)) - 1, -1, -1):
        between = syntax.text[attributes[at].end : top]
        if between.strip() or between.count(b"\n") > 1:
            return
        yield attributes[at]
        top = attributes[at].start


def _beginning(node: tree_sitter.Node, marks: Marks) -> Iterator[tree_sitter.Node]:
    """The children of a definition, with those of a node that gathers its modifiers."""
    for child in node.children:
        if child.id in marks.modifiers:
            yield from child.children
        else:
            yield child


def _collect_wrappers(
    node: tree_sitter.Node,
    outermost: tree_sitter.Node,
    marks: Marks,
    decorators: list[tree_sitter.Node],
    words: list[Span],
) -> None:
    """Decorators and words in the nodes between the definition and its outermost wrapper."""
    inner = node
    while inner.id != outermost.id and inner.parent is not None:
        before = [child for child in inner.parent.children if child.end_byte <= inner.start_byte]
        decorators[:0] = [child for child in before if child.id in marks.decorators]
        plain = [c for c in before if c.id not in marks.decorators and c.id not in marks.comments]
        words[:0] = [Span(child.start_byte, child.end_byte) for child in plain]
        inner = inner.parent


def _decorated_above(comment: tree_sitter.Node, marks: Marks) -> bool:
    """Whether a comment stands between decorators and not above the first one."""
    above = comment.prev_sibling
    while above is not None and above.id in marks.comments:
        above = above.prev_sibling
    return above is not None and above.id in marks.decorators


def _comments_above(top: int, node: tree_sitter.Node, marks: Marks) -> Span | None:
    """The comment block directly above ``top``, where ``node`` begins: no blank line, no file header.

    A comment that is indented more and stands in what is above belongs there.
    """
    text, language = marks.syntax.text, marks.syntax.language
    line_start = text.rfind(b"\n", 0, top) + 1
    if text[line_start:top].strip():
        return None
    row = bisect(marks.lines, line_start) - 1
    column = top - line_start
    first: tree_sitter.Node | None = None
    while (comment := marks.comments_by_last_row.get(row - 1)) is not None:
        is_aside = language.blocks == "indent" or comment.parent != node.parent
        if is_aside and comment.start_point.column > column:
            break
        if _is_first_line(comment, text) or marks.captures.holds("first", comment):
            break
        first, row = comment, comment.start_point.row
    if first is None or (_is_at_top(first, marks.syntax) and _FILE_HEADER.search(text[:line_start])):
        return None
    return Span(first.start_byte, len(text[:line_start].rstrip(b"\r\n")))


def _is_at_top(comment: tree_sitter.Node, syntax: Syntax) -> bool:
    """Whether nothing stands before it but what opens every file of the language."""
    return syntax.text[: comment.start_byte].strip() in (b"", syntax.language.prologue.strip())


def _is_first_line(comment: tree_sitter.Node, text: bytes) -> bool:
    """Whether it is a ``#!``, encoding or mode line, which belongs to the file."""
    return comment.start_point.row < 2 and bool(
        _FIRST_LINES.match(text[comment.start_byte : comment.end_byte])
    )


def is_of_file(comment: tree_sitter.Node, text: bytes) -> bool:
    """Whether a comment at the top is a ``#!``, encoding or mode line, or says by which licence."""
    said = text[comment.start_byte : comment.end_byte]
    return _is_first_line(comment, text) or bool(_FILE_HEADER.search(said))


def _cover(spans: list[Span]) -> Span | None:
    return Span(min(s.start for s in spans), max(s.end for s in spans)) if spans else None
