"""Where a definition ends: with what goes on with it, its terminator, and a comment behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from gitscalpel.syntax import clauses
from gitscalpel.syntax.marks import Marks

_BLANKS = re.compile(rb"[ \t]*")
_REST_OF_LINE = re.compile(rb"[^\r\n]*")


def ink(node: tree_sitter.Node, aside: bytes = b" \t\r\n\f") -> int:
    """Where the last of a node ends that is neither ``aside`` nor a comment that belongs to what follows.

    Some grammars count line endings to a node, and the comments above the next one; those are not indented
    more than it.
    """
    column, last = node.start_point.column, node
    inner: tree_sitter.Node | None = node
    while inner is not None:
        last = inner
        kept = (c for c in reversed(last.children) if not c.is_extra or c.start_point.column > column)
        inner = next((child for child in kept if (child.text or b"").strip(aside)), None)
    return last.start_byte + len((last.text or b"").rstrip(aside))


def tails(node: tree_sitter.Node, name: str, marks: Marks) -> Iterator[tree_sitter.Node]:
    """What goes on with a definition behind its node, comments in between aside."""
    after = node.next_sibling if marks.captures.has("tail") or marks.captures.has("about") else None
    while after is not None:
        if marks.captures.holds("tail", after) or clauses.is_about(after, name, marks.captures):
            yield after
        elif after.id not in marks.comments:
            return
        after = after.next_sibling


def end(node: tree_sitter.Node, kind: str, marks: Marks) -> int:
    """The definition's end with a terminator, and with a trailing comment that ends the line.

    What ends the members of an enum is no member's own.
    """
    text = marks.syntax.text
    own, after = _own_end(node, marks), _behind(node, marks)
    grouped = bool(marks.groups) and node.parent is not None and node.parent.id in marks.groups
    ends = not grouped and kind != "member"
    if after is not None and after.type == ";" and ends and _ends(after, own, text):
        own = max(own, after.end_byte)
        after = after.next_sibling
    begin = _matched(_BLANKS, text, own)
    if text[begin : begin + 1] in (b"", b"\r", b"\n"):
        return begin
    comment = after if after is not None and after.id in marks.comments else None
    mark = marks.syntax.language.line_comment
    said = bool(mark) and text.startswith(mark, begin)
    if said or (comment is not None and comment.start_byte == begin):
        stop = _matched(_REST_OF_LINE, text, begin)
        if said or (comment is not None and comment.end_byte == stop):
            return stop
    return own


def _behind(node: tree_sitter.Node, marks: Marks) -> tree_sitter.Node | None:
    """What stands behind a node; some grammars have nodes for the blanks between."""
    after = node.next_sibling
    is_blank = after is not None and marks.captures.holds("filler", after) and not (after.text or b"").strip()
    return after.next_sibling if after is not None and is_blank else after


def _own_end(node: tree_sitter.Node, marks: Marks) -> int:
    """The end of a node with what the grammar was not shown of it, and without what some count to it.

    That is the line ending, the blanks of the line below, and comments that are not indented more
    than the node, which belong to what follows.
    """
    text = marks.syntax.text
    if last := marks.captures.among("last", node):
        return last[0].end_byte
    own = node.start_byte + len(text[node.start_byte : node.end_byte].rstrip())
    while (comment := marks.comment_of_line(own - 1)) is not None:
        if not node.start_byte < comment.start_byte < own <= comment.end_byte:
            break
        if comment.start_point.column > node.start_point.column:
            break
        own = node.start_byte + len(text[node.start_byte : comment.start_byte].rstrip())
    return max([own, *(part.end for part in marks.syntax.masked.behind(own))])


def _ends(terminator: tree_sitter.Node, end: int, text: bytes) -> bool:
    """Whether it is one: in a line below it stands alone, else it begins what follows."""
    if b"\n" not in text[end : terminator.start_byte]:
        return True
    line_end = text.find(b"\n", terminator.end_byte)
    rest = text[terminator.start_byte : len(text) if line_end < 0 else line_end]
    return rest.strip() == b";"


def _matched(pattern: re.Pattern[bytes], text: bytes, at: int) -> int:
    """Where what matches the pattern at ``at`` ends."""
    found = pattern.match(text, at)
    return found.end() if found else at
