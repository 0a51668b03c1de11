"""One definition as a symbol: where its lead, its header, its body and all of it begin and end."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.syntax import clauses, ends, lead
from gitscalpel.syntax.definition import Definition
from gitscalpel.syntax.marks import Marks
from gitscalpel.syntax.symbols import ANONYMOUS, BINDINGS, Lead, Span, Symbol


def symbol(definition: Definition, marks: Marks) -> Symbol:
    """A definition that has a name."""
    found = marks.captures
    node, outermost = lead.extent(definition.node, marks)
    name = definition.name.segments[-1]
    begun = lead.find(node, outermost, marks, clauses.above(outermost, name, found, marks.siblings))
    tails = [*definition.more]
    tails += ends.tails(tails[-1] if tails else outermost, name, marks)
    end = ends.end(tails[-1] if tails else outermost, definition.kind, marks)
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
            [begun.start, lead.beginning(outermost, marks), *(span.start for span in begun.lead if span)]
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
