"""Extent of a definition: leading trivia, header, body, end, and nodes outside that belong to it.

Comments are found by rows, not by the tree, since grammars attach them to any nearby node. The siblings of a
node are read once for each parent: tree-sitter's ``prev_sibling`` counts from the first child on each time,
and finds the parent from the root.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set

import msgspec
import tree_sitter

from gitscalpel.syntax.captures import Captures, Definition
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.symbols import ANONYMOUS, BINDINGS, LeadingTrivia, Span, Symbol, find_opening


class Siblings:
    """The children of nodes of one tree, each list read once."""

    def __init__(self) -> None:
        self._children_by_parent: dict[int, tuple[list[tree_sitter.Node], dict[int, int]]] = {}
        self._parent_ids: dict[int, int] = {}

    def before(self, node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
        """Yield the siblings before a node, the nearest first."""
        children, at = self._outermost_of(node)
        for place in range(at - 1, -1, -1):
            yield children[place]

    def are(self, one: tree_sitter.Node, other: tree_sitter.Node) -> bool:
        self._outermost_of(one)
        self._outermost_of(other)
        return self._parent_ids.get(one.id) == self._parent_ids.get(other.id)

    def _outermost_of(self, node: tree_sitter.Node) -> tuple[list[tree_sitter.Node], int]:
        parent = self._parent_ids.get(node.id)
        if parent is None:
            parent_node = node.parent
            if parent_node is None:
                return [], 0
            parent, children = parent_node.id, parent_node.children
            places = {child.id: place for place, child in enumerate(children)}
            self._children_by_parent[parent] = children, places
            self._parent_ids |= dict.fromkeys(places, parent)
        children, places = self._children_by_parent[parent]
        return children, places[node.id]


class TriviaIndex:
    """The nodes of one tree that may be leading trivia, indexed."""

    def __init__(self, syntax: Syntax, captures: Captures) -> None:
        nodes, none = captures.nodes, set[int]()
        self.syntax = syntax
        self.captures = captures
        self.siblings = Siblings()
        self.decorators = captures.ids.get("decorator", none)
        self.exports = captures.ids.get("export", none)
        self.heads = captures.ids.get("head", none)
        self.modifiers = captures.ids.get("modifiers", none)
        self.wrappers = captures.ids.get("wrapper", none).union(*map(_find_wrapper_pairs, nodes["wrapped"]))
        self.wholes = captures.ids.get("whole", none) - captures.ids.get("group", none)
        self.groups: Set[int] = frozenset()
        self.lines = [0, *(found.end() for found in re.finditer(rb"\n", syntax.text))]
        self.comments = captures.ids.get("comment", none)
        self.comment_ends = {node.start_byte: node.end_byte for node in nodes["comment"]}
        self.comments_by_last_row = {
            self._last_row(node): node for node in nodes["comment"] if self._is_first_in_line(node)
        }
        self._openings: dict[int, int] = {}
        self.anchors = sorted((node.start_byte, node.text or b"") for node in nodes["anchor"])

    def anchor_in(self, start: int, end: int) -> str | None:
        """Return the anchor in a definition's header (``#id``), or None."""
        at = bisect(self.anchors, (start,))
        if at == len(self.anchors) or self.anchors[at][0] >= end:
            return None
        return "#" + self.anchors[at][1].decode("utf-8", "replace").strip("\"' ")

    def opening(self, block: tree_sitter.Node) -> int:
        if self.syntax.language.has_aligned_blocks:  # there is none
            return block.start_byte
        if block.id not in self._openings:
            self._openings[block.id] = find_opening(block)
        return self._openings[block.id]

    def keep_single_wholes(self, definitions: list[tree_sitter.Node]) -> None:
        """Ignore statements with several definitions (``int a, b;``), which are the extent of none."""
        definition_counts: Counter[int] = Counter()
        for node in {node.id: node for node in definitions}.values():
            outer = node.parent
            while outer is not None and outer.id in self.wholes:
                definition_counts[outer.id] += 1
                outer = outer.parent
        self.wholes = {whole for whole, count in definition_counts.items() if count == 1}
        self.groups = definition_counts.keys() - self.wholes

    def comment_of_line(self, at: int) -> tree_sitter.Node | None:
        """Return the comment that ends in the line of ``at`` and begins its own line, or None."""
        return self.comments_by_last_row.get(bisect(self.lines, at) - 1)

    def _last_row(self, comment: tree_sitter.Node) -> int:
        """Return the row of a comment's last character; some grammars include white space below."""
        comment_text = self.syntax.text[comment.start_byte : comment.end_byte].rstrip()
        return bisect(self.lines, comment.start_byte + len(comment_text) - 1) - 1

    def _is_first_in_line(self, node: tree_sitter.Node) -> bool:
        """Return True if only white space precedes the node in its line."""
        start = self.syntax.text.rfind(b"\n", 0, node.start_byte) + 1
        return not self.syntax.text[start : node.start_byte].strip()


def _find_wrapper_pairs(node: tree_sitter.Node) -> set[int]:
    """Return the ids of a node and its wrapper, and of the pairs around them (``a b def f``)."""
    found: set[int] = set()
    kind, inner = node.type, node
    while inner.type == kind and inner.parent is not None:
        found |= {inner.id, inner.parent.id}
        inner = inner.parent.parent or inner.parent
    return found


_BLANKS = re.compile(rb"[ \t]*")
_FILE_HEADER = re.compile(rb"copyright|licen[cs]e|spdx-", re.IGNORECASE)
_FIRST_LINES = re.compile(rb"#!|.*coding[:=]|.*-\*-|#\s*frozen_string_literal:")


def _outermost_of(node: tree_sitter.Node, candidates: Set[int]) -> tree_sitter.Node:
    """Return the outermost of ``candidates`` nodes that directly enclose each other around ``node``."""
    while candidates and (parent := node.parent) is not None and parent.id in candidates:
        node = parent
    return node


def find_start(node: tree_sitter.Node, marks: TriviaIndex) -> int:
    """Return the start of a node without leading blanks, which some grammars include."""
    text, start = marks.syntax.text, node.start_byte
    if text[start : start + 1] not in (b" ", b"\t"):
        return start
    blanks = _BLANKS.match(text, start, node.end_byte)
    return blanks.end() if blanks else start


class Beginning(msgspec.Struct, frozen=True):
    """The beginning of a definition."""

    lead: LeadingTrivia  # leading trivia
    start: int  # start of its own text, with its modifiers
    inner_decorators: tuple[Span, ...]  # decorators among the modifiers


def find_beginning(
    node: tree_sitter.Node,
    outermost: tree_sitter.Node,
    marks: TriviaIndex,
    about: Iterable[tree_sitter.Node] = (),
) -> Beginning:
    """Return the beginning of the definition ``node``, whose pragmas above it are ``about``."""
    decorators = sorted(about, key=lambda own_decorators: own_decorators.start_byte)
    first = _find_head(outermost, marks)
    own_decorators, own, mixed = _split_beginning(node, marks)
    start = min(own, first.start_byte) if first.id != outermost.id else own
    decorators += own_decorators
    decorators[:0] = reversed(_find_decorators(first, marks))
    exports: list[Span] = []
    for word in _iter_wrapper_words(node, outermost, marks, decorators):
        if word.id in marks.exports:
            exports.append(Span(word.start_byte, word.end_byte))
        else:
            start = min(start, word.start_byte)
    start = min(
        [start, *(span.start for span in _iter_masked_above(start, marks.syntax.masked.modifiers, marks))]
    )
    spans = [Span(each.start_byte, _end_with_comment(each.end_byte, marks)) for each in decorators]
    # Some grammars begin a definition with the comments above it.
    begin = own if outermost.id == node.id else outermost.start_byte
    top = min([s.start for s in (*spans, *exports)] + [start, begin])
    spans += _iter_masked_above(top, marks.syntax.masked.attributes, marks)
    top = min([s.start for s in spans] + [top])
    lead = LeadingTrivia(
        _comments_above(top, outermost, marks), _covering_span(spans), _covering_span(exports)
    )
    return Beginning(lead, start, mixed)


def _find_decorators(node: tree_sitter.Node, marks: TriviaIndex) -> list[tree_sitter.Node]:
    """Return the decorators before a node, the nearest first, with the comments among them."""
    found: list[tree_sitter.Node] = []
    among: list[tree_sitter.Node] = []
    for sibling in marks.siblings.before(node) if marks.decorators else ():
        if sibling.id in marks.comments:
            among.append(sibling)
        elif sibling.id in marks.decorators:
            found += [*among, sibling]
            among.clear()
        else:
            break
    return found


def _split_beginning(
    node: tree_sitter.Node, marks: TriviaIndex
) -> tuple[list[tree_sitter.Node], int, tuple[Span, ...]]:
    """Return the leading decorators of a node, the start of its own text, and the decorators after it."""
    decorators: list[tree_sitter.Node] = []
    mixed: list[Span] = []
    start: int | None = None
    for child in _iter_beginning(node, marks):
        if child.id in marks.decorators and start is None:
            decorators.append(child)
        elif child.id in marks.decorators:
            mixed.append(Span(child.start_byte, child.end_byte))
        elif child.id not in marks.comments:
            start = child.start_byte if start is None else start
    return decorators, max(start or 0, find_start(node, marks)), tuple(mixed)


def _find_head(node: tree_sitter.Node, marks: TriviaIndex) -> tree_sitter.Node:
    for before in marks.siblings.before(node) if marks.heads else ():
        if before.id not in marks.heads:
            break
        node = before
    return node


def _end_with_comment(end: int, marks: TriviaIndex) -> int:
    text = marks.syntax.text
    stop = text.find(b"\n", end)
    line = text[end : len(text) if stop < 0 else stop].rstrip()
    comment_end = marks.comment_ends.get(end + len(line) - len(line.lstrip()))
    return (
        end + len(line)
        if comment_end is not None and line.strip() and comment_end >= end + len(line)
        else end
    )


def _iter_masked_above(top: int, hidden: Sequence[Span], marks: TriviaIndex) -> Iterator[Span]:
    """Yield the masked spans directly before ``top`` or in the lines above it."""
    for at in range(bisect(hidden, (top,)) - 1, -1, -1):
        between = marks.syntax.text[hidden[at].end : top]
        if between.strip() or between.count(b"\n") > 1:
            return
        yield hidden[at]
        top = hidden[at].start


def _iter_beginning(node: tree_sitter.Node, marks: TriviaIndex) -> Iterator[tree_sitter.Node]:
    """Yield the children of a definition up to the first of its header, with its modifiers."""
    for child in map(node.child, range(node.child_count)):  # of its many children, few are looked at
        if child is not None and child.id in marks.modifiers:
            yield from child.children
        elif child is not None:
            yield child
            if child.id not in marks.decorators and child.id not in marks.comments:
                return


def _iter_wrapper_words(
    node: tree_sitter.Node,
    outermost: tree_sitter.Node,
    marks: TriviaIndex,
    decorators: list[tree_sitter.Node],
) -> Iterator[tree_sitter.Node]:
    """Yield the words between a definition and its outermost wrapper, and prepend decorators there."""
    inner = node
    while inner.id != outermost.id and inner.parent is not None:
        before = [child for child in inner.parent.children if child.end_byte <= inner.start_byte]
        decorators[:0] = [child for child in before if child.id in marks.decorators]
        yield from (
            each for each in before if each.id not in marks.decorators and each.id not in marks.comments
        )
        inner = inner.parent


def _comments_above(top: int, node: tree_sitter.Node, marks: TriviaIndex) -> Span | None:
    """Return the comment block directly above ``top``, the start of ``node``, or None.

    No blank line may be between, and the block must not be a file header. A comment that is indented deeper
    and is part of the node above belongs to that node.
    """
    text, language = marks.syntax.text, marks.syntax.language
    line_start = text.rfind(b"\n", 0, top) + 1
    if text[line_start:top].strip():
        return None
    row = bisect(marks.lines, line_start) - 1
    column = top - line_start
    first: tree_sitter.Node | None = None
    while (comment := marks.comments_by_last_row.get(row - 1)) is not None:
        is_aside = language.blocks == "indent" or not marks.siblings.are(comment, node)
        if is_aside and comment.start_point.column > column:
            break
        if _is_first_line(comment, text) or marks.captures.holds("first", comment):
            break
        first, row = comment, comment.start_point.row
    if first is None or (_is_at_top(first, marks.syntax) and _FILE_HEADER.search(text[:line_start])):
        return None
    return Span(first.start_byte, len(text[:line_start].rstrip(b"\r\n")))


def _is_at_top(comment: tree_sitter.Node, syntax: Syntax) -> bool:
    """Return True if only the opening tag of the language precedes the comment."""
    return syntax.text[: comment.start_byte].strip() in (b"", syntax.language.prologue.strip())


def _is_first_line(comment: tree_sitter.Node, text: bytes) -> bool:
    """Return True if it is a ``#!``, encoding or mode line, which belongs to the file."""
    return comment.start_point.row < 2 and bool(
        _FIRST_LINES.match(text[comment.start_byte : comment.end_byte])
    )


def is_of_file(comment: tree_sitter.Node, text: bytes) -> bool:
    """Return True if a comment at the top is a ``#!``, encoding or mode line, or a licence."""
    comment_text = text[comment.start_byte : comment.end_byte]
    return _is_first_line(comment, text) or bool(_FILE_HEADER.search(comment_text))


def _covering_span(spans: list[Span]) -> Span | None:
    return Span(min(s.start for s in spans), max(s.end for s in spans)) if spans else None


_NAMES = re.compile(r"[\w']+|[^\w\s'\"(),;\[\]{}]+")


def join_clauses(definitions: Iterable[Definition], captures: Captures) -> list[Definition]:
    """Return the definitions in order, with clauses joined to the definitions that they continue."""
    found: list[Definition] = []
    last: dict[int, int] = {}
    for definition in definitions:
        block = definition.node.parent.id if definition.node.parent else 0
        at = last.get(block)
        if at is not None and captures.holds("clause", definition.node) and _continues(definition, found[at]):
            kind = definition.kind if found[at].kind in BINDINGS else found[at].kind
            found[at] = msgspec.structs.replace(found[at], kind=kind, more=(*found[at].more, definition.node))
            continue
        last[block] = len(found)
        found.append(definition)
    return found


def _continues(clause: Definition, before: Definition) -> bool:
    return clause.name.segments == before.name.segments and clause.node.id != before.node.id


def is_about(node: tree_sitter.Node, name: str, captures: Captures) -> bool:
    """Return True if ``node`` is a pragma or similar for the definition ``name``."""
    if not captures.holds("about", node):
        return False
    return name in _NAMES.findall((node.text or b"").decode("utf-8", "surrogateescape"))


def iter_pragmas_above(
    node: tree_sitter.Node, name: str, captures: Captures, siblings: Siblings
) -> Iterator[tree_sitter.Node]:
    """Yield the nodes before a definition that are about it, the nearest first, ignoring comments."""
    if not captures.has("about"):
        return
    outer = node.parent
    opens = outer is not None and outer.parent is not None and outer.start_byte == node.start_byte
    for before in siblings.before(outer if opens and outer is not None else node):
        if is_about(before, name, captures):
            yield before
        elif not captures.holds("comment", before):
            return


_REST_OF_LINE = re.compile(rb"[^\r\n]*")


def find_content_end(node: tree_sitter.Node, aside: bytes = b" \t\r\n\f") -> int:
    """Return the end of the last part of a node that is neither ``aside`` nor a comment about the next node.

    Some grammars include line endings in a node, and the comments above the next one; those are not indented
    deeper than it.
    """
    column, last = node.start_point.column, node
    inner: tree_sitter.Node | None = node
    while inner is not None:
        last = inner
        parts = (
            each for each in reversed(last.children) if not each.is_extra or each.start_point.column > column
        )
        inner = next((child for child in parts if (child.text or b"").strip(aside)), None)
    return last.start_byte + len((last.text or b"").rstrip(aside))


def iter_tails(node: tree_sitter.Node, name: str, marks: TriviaIndex) -> Iterator[tree_sitter.Node]:
    """Yield the nodes after a definition that continue it, ignoring comments."""
    after = node.next_sibling if marks.captures.has("tail") or marks.captures.has("about") else None
    while after is not None:
        if marks.captures.holds("tail", after) or is_about(after, name, marks.captures):
            yield after
        elif after.id not in marks.comments:
            return
        after = after.next_sibling


def find_definition_end(node: tree_sitter.Node, kind: str, marks: TriviaIndex) -> int:
    """Return the definition's end with a terminator and a trailing comment.

    A terminator of all members of an enum does not belong to the last one.
    """
    text = marks.syntax.text
    own, after = _own_end(node, marks), _next_node(node, marks)
    grouped = bool(marks.groups) and node.parent is not None and node.parent.id in marks.groups
    ends = not grouped and kind != "member"
    if after is not None and after.type == ";" and ends and _is_terminator(after, own, text):
        own = max(own, after.end_byte)
        after = after.next_sibling
    begin = _match_end(_BLANKS, text, own)
    if text[begin : begin + 1] in (b"", b"\r", b"\n"):
        return begin
    comment = after if after is not None and after.id in marks.comments else None
    mark = marks.syntax.language.line_comment
    is_line_comment = bool(mark) and text.startswith(mark, begin)
    if is_line_comment or (comment is not None and comment.start_byte == begin):
        stop = _match_end(_REST_OF_LINE, text, begin)
        if is_line_comment or (comment is not None and comment.end_byte == stop):
            return stop
    return own


def _next_node(node: tree_sitter.Node, marks: TriviaIndex) -> tree_sitter.Node | None:
    """Return the node after a node, skipping nodes for white space."""
    after = node.next_sibling
    is_blank = after is not None and marks.captures.holds("filler", after) and not (after.text or b"").strip()
    return after.next_sibling if after is not None and is_blank else after


def _own_end(node: tree_sitter.Node, marks: TriviaIndex) -> int:
    """Return the end of a node with its masked text, and without text that some grammars include.

    That is the line ending, the blanks of the line below, and comments that are not indented deeper than the
    node, which belong to the next one.
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


def _is_terminator(terminator: tree_sitter.Node, end: int, text: bytes) -> bool:
    """Return True for a terminator; in a line below it must be alone, else it begins the next node."""
    if b"\n" not in text[end : terminator.start_byte]:
        return True
    line_end = text.find(b"\n", terminator.end_byte)
    rest = text[terminator.start_byte : len(text) if line_end < 0 else line_end]
    return rest.strip() == b";"


def _match_end(pattern: re.Pattern[bytes], text: bytes, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def make_symbol(definition: Definition, marks: TriviaIndex) -> Symbol:
    found = marks.captures
    node = _outermost_of(definition.node, marks.wholes)
    outermost = _outermost_of(node, marks.wrappers)
    name = definition.name.segments[-1]
    begun = find_beginning(node, outermost, marks, iter_pragmas_above(outermost, name, found, marks.siblings))
    tails = [*definition.more]
    tails += iter_tails(tails[-1] if tails else outermost, name, marks)
    end = find_definition_end(tails[-1] if tails else outermost, definition.kind, marks)
    inner = [*_iter_header_ends(definition, tails, marks)]
    block = next((n for n in (definition.body, *tails) if n and found.holds("block", n)), None)
    body = Span(marks.opening(block), block.end_byte) if block else None
    data = marks.syntax.language.data
    if not inner and not data and definition.kind not in BINDINGS:
        body = _hollow_body(definition.node, marks)
        inner = [body.start] if body else []
    header_end = min(inner, default=end)
    declared = definition.declared or bool(found.among("announces", definition.node))
    return Symbol(
        segments=definition.name.segments,
        kind=definition.kind,
        full_start=min(
            [
                begun.start,
                find_start(outermost, marks),
                *(span.start for span in begun.lead if span),
            ]
        ),
        start=begun.start,
        end=end,
        header_end=header_end,
        body=body,
        lead=begun.lead,
        inner_decorators=begun.inner_decorators,
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


def _iter_header_ends(
    definition: Definition, tails: list[tree_sitter.Node], marks: TriviaIndex
) -> Iterator[int]:
    """Yield the possible ends of the header: start of the body, value and tails, masked or not."""
    node = definition.node
    rest = [child.start_byte for child in marks.captures.among("rest", node)]
    rest += [child.end_byte for child in marks.captures.among("header", node)]
    parts_below = [
        part for part in (definition.body, definition.value) if part and _is_below(part, node, rest, marks)
    ]
    yield from rest
    yield from (_after_header(part, marks) for part in (*parts_below, *tails))
    hidden = marks.syntax.masked
    yield from (part.start for part in hidden.behind(node.end_byte) if part.start in hidden.bodies)


def _is_below(part: tree_sitter.Node, node: tree_sitter.Node, rest: list[int], marks: TriviaIndex) -> bool:
    """Return True if a body has its own start; a body that is the whole definition needs brackets."""
    return part != node or not (rest or marks.opening(part) == part.start_byte)


def _after_header(inner: tree_sitter.Node, marks: TriviaIndex) -> int:
    """Return the start of a body or value, including comments that some grammars leave outside."""
    start = marks.opening(inner) if marks.captures.holds("block", inner) else inner.start_byte
    for before in marks.siblings.before(inner):
        if before.id not in marks.comments:
            break
        start = before.start_byte
    return start


def _hollow_body(node: tree_sitter.Node, marks: TriviaIndex) -> Span | None:
    """Return the span in place of a body between a header and a closing keyword (``def f; end``)."""
    closer = node.children[-1] if node.child_count > 1 else None
    if closer is None or closer.is_named or not (closer.text or b"").endswith(b"end"):
        return None
    header = next((child for child in reversed(node.named_children) if child.id not in marks.comments), None)
    return Span(header.end_byte, closer.start_byte) if header else None


def make_anonymous_class(node: tree_sitter.Node) -> Symbol:
    """Return the symbol of a class that is not bound to a name."""
    body = node.child_by_field_name("body") or node
    span = Span(body.start_byte, body.end_byte)
    start, end = node.start_byte, node.end_byte
    return Symbol(
        (ANONYMOUS,), "class", start, start, end, body.start_byte, span, LeadingTrivia(), node, node, body
    )
