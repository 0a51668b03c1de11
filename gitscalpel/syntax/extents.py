"""Extent of a definition: its lead, header, body, end, and nodes outside that belong to it.

The end includes a terminator and a trailing comment. Clauses and pragmas that name the definition are
separate nodes that belong to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec
import tree_sitter

from gitscalpel.syntax import leading_trivia
from gitscalpel.syntax.captures import Captures, Definition
from gitscalpel.syntax.leading_trivia import Marks, Siblings
from gitscalpel.syntax.symbols import ANONYMOUS, BINDINGS, Lead, Span, Symbol

_NAMES = re.compile(r"[\w']+|[^\w\s'\"(),;\[\]{}]+")


def joined(definitions: Iterable[Definition], captures: Captures) -> list[Definition]:
    """The definitions in the order in which they came, clauses within what they go on with."""
    found: list[Definition] = []
    last: dict[int, int] = {}
    for one in definitions:
        block = one.node.parent.id if one.node.parent else 0
        at = last.get(block)
        if at is not None and captures.holds("clause", one.node) and _goes_on(one, found[at]):
            kind = one.kind if found[at].kind in BINDINGS else found[at].kind
            found[at] = msgspec.structs.replace(found[at], kind=kind, more=(*found[at].more, one.node))
            continue
        last[block] = len(found)
        found.append(one)
    return found


def _goes_on(one: Definition, before: Definition) -> bool:
    return one.name.segments == before.name.segments and one.node.id != before.node.id


def is_about(node: tree_sitter.Node, name: str, captures: Captures) -> bool:
    """Whether ``node`` says something about the definition ``name``."""
    if not captures.holds("about", node):
        return False
    return name in _NAMES.findall((node.text or b"").decode("utf-8", "surrogateescape"))


def above(
    node: tree_sitter.Node, name: str, captures: Captures, siblings: Siblings
) -> Iterator[tree_sitter.Node]:
    """What stands before a definition and is about it, comments in between aside, the nearest first."""
    if not captures.has("about"):
        return
    outer = node.parent
    opens = outer is not None and outer.parent is not None and outer.start_byte == node.start_byte
    for before in siblings.before(outer if opens and outer is not None else node):
        if is_about(before, name, captures):
            yield before
        elif not captures.holds("comment", before):
            return


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


def definition_tails(node: tree_sitter.Node, name: str, marks: Marks) -> Iterator[tree_sitter.Node]:
    """What goes on with a definition behind its node, comments in between aside."""
    after = node.next_sibling if marks.captures.has("tail") or marks.captures.has("about") else None
    while after is not None:
        if marks.captures.holds("tail", after) or is_about(after, name, marks.captures):
            yield after
        elif after.id not in marks.comments:
            return
        after = after.next_sibling


def definition_end(node: tree_sitter.Node, kind: str, marks: Marks) -> int:
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


def symbol(definition: Definition, marks: Marks) -> Symbol:
    """A definition that has a name."""
    found = marks.captures
    node, outermost = leading_trivia.extent(definition.node, marks)
    name = definition.name.segments[-1]
    begun = leading_trivia.find(node, outermost, marks, above(outermost, name, found, marks.siblings))
    tails = [*definition.more]
    tails += definition_tails(tails[-1] if tails else outermost, name, marks)
    end = definition_end(tails[-1] if tails else outermost, definition.kind, marks)
    inner = [*_inner(definition, tails, marks)]
    block = next((n for n in (definition.body, *tails) if n and found.holds("block", n)), None)
    body = Span(marks.opening(block), block.end_byte) if block else None
    data = marks.syntax.language.data
    if not inner and not data and definition.kind not in BINDINGS:
        body = _hollow(definition.node, marks)
        inner = [body.start] if body else []
    header_end = min(inner, default=end)
    declared = definition.declared or bool(found.among("announces", definition.node))
    return Symbol(
        segments=definition.name.segments,
        kind=definition.kind,
        outer=min(
            [
                begun.start,
                leading_trivia.beginning(outermost, marks),
                *(span.start for span in begun.lead if span),
            ]
        ),
        start=begun.start,
        end=end,
        header_end=header_end,
        body=body,
        lead=begun.lead,
        mixed=begun.mixed,
        node=outermost,
        own=node,
        body_node=block,
        shared=declared
        or found.holds("shared", definition.node)
        or bool(found.among("shared", definition.node)),
        declared=declared,
        defines=not data,
        anchor=marks.anchor_in(definition.node.start_byte, header_end),
        level=definition.level,
    )


def _inner(definition: Definition, tails: list[tree_sitter.Node], marks: Marks) -> Iterator[int]:
    """Where what follows the header may begin: its body, value and tails, shown to the grammar or not."""
    node = definition.node
    rest = [child.start_byte for child in marks.captures.among("rest", node)]
    rest += [child.end_byte for child in marks.captures.among("header", node)]
    below = [
        part for part in (definition.body, definition.value) if part and _is_below(part, node, rest, marks)
    ]
    yield from rest
    yield from (_after_header(part, marks) for part in (*below, *tails))
    hidden = marks.syntax.masked
    yield from (part.start for part in hidden.behind(node.end_byte) if part.start in hidden.bodies)


def _is_below(part: tree_sitter.Node, node: tree_sitter.Node, rest: list[int], marks: Marks) -> bool:
    """Whether a body has a beginning of its own, as one that is the whole definition only has in brackets."""
    return part != node or not (rest or marks.opening(part) == part.start_byte)


def _after_header(inner: tree_sitter.Node, marks: Marks) -> int:
    """Where a body or value begins, with the comments that some grammars leave outside of it."""
    start = marks.opening(inner) if marks.captures.holds("block", inner) else inner.start_byte
    for before in marks.siblings.before(inner):
        if before.id not in marks.comments:
            break
        start = before.start_byte
    return start


def _hollow(node: tree_sitter.Node, marks: Marks) -> Span | None:
    """What stands instead of a body between a header and a closing word (``def f; end``)."""
    close = node.children[-1] if node.child_count > 1 else None
    if close is None or close.is_named or not (close.text or b"").endswith(b"end"):
        return None
    header = next((c for c in reversed(node.named_children) if c.id not in marks.comments), None)
    return Span(header.end_byte, close.start_byte) if header else None


def anonymous(node: tree_sitter.Node) -> Symbol:
    """A class that no name is bound to."""
    body = node.child_by_field_name("body") or node
    span = Span(body.start_byte, body.end_byte)
    start, end = node.start_byte, node.end_byte
    return Symbol((ANONYMOUS,), "class", start, start, end, body.start_byte, span, Lead(), node, node, body)
