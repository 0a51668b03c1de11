"""Where new code goes beside a definition or in its body."""

from __future__ import annotations

import tree_sitter

from gitscalpel.edit.symbols import heads, members, seams, spacing
from gitscalpel.edit.symbols.layout import Gap, Layout
from gitscalpel.errors import BadCall
from gitscalpel.syntax.symbols import Span, Symbol


def gap(position: str, target: Symbol, layout: Layout) -> Gap:
    """The place for code at ``position`` of ``target``.

    Raises:
        BadCall: ``invalid_position``, for a child of what has no body.
    """
    if layout.leading is not None:
        return seams.led(layout.leading)
    if position in ("before", "after"):
        blank = spacing.gap_beside(target, position, layout.sort, layout.source)
        inline = seams.beside(position, target.node, layout)
        if position == "before":
            return inline or seams.above(target.outer, target.node, blank, layout)
        return inline or seams.below(target.end, target.node, blank, layout)
    if target.body is not None and target.body_node is not None:
        return _child(position, target, target.body_node, layout)
    if target.level is not None:
        return _in_section(position, target, layout)
    if target.body is not None:
        return seams.hollow(target.body, layout)
    raise BadCall(
        "invalid_position",
        f"{target.qualname} is a {target.kind} without a body, so it has no {position} child",
        "use before or after",
    )


def _child(position: str, target: Symbol, body: tree_sitter.Node, layout: Layout) -> Gap:
    """The place for the first or last child of a block."""
    source, span = layout.source, members.between_brackets(body, layout.source)
    if span is not None and (span.end < target.header_end or body.parent is None):
        span = None  # they are its header's, or its last statement's
    room = span or Span(target.header_end, target.end)
    inside = [node for node in members.of(body, source) if _stands_in(node, room)]
    children = [n for n in inside if source.text[n.start_byte : n.end_byte].strip()]
    if span is not None and (text := members.text_at(position, span, children, source)):
        return seams.beside_text(position, text, layout)
    if span is not None and children and all(members.is_label(node, source) for node in children):
        span, children = Span(members.label_end(children[-1]), span.end), []
    if not children and body.parent is None:
        return Gap(len(source.text), len(source.text), b"", b"", b"\n")
    if not children:
        return _below_header(target, body, layout) if span is None else seams.inside(span, layout)
    if position == "first":
        top = heads.of(body, layout.sort == spacing.IMPORT, source)
        children = [n for n in children if n.start_byte >= (top[-1].end_byte if top else 0)]
        if not children:
            blank = spacing.default_gap(top[-1], layout.sort, source)
            return seams.below(members.end(top[-1], source), top[-1], blank, layout)
    own = [n for n in children if not members.is_comment(n, source)] or children
    blank = spacing.gap_in_block(children, position == "first", layout.sort, source)
    if position == "first":
        inline = seams.beside("before", own[0], layout)
        return inline or seams.above(members.outer(children[0], source), children[0], blank, layout)
    if children[-1] not in own:
        blank = max(blank, 1)  # a comment of nothing, or of what is above, is not to become the code's
    # A separator goes behind the last member, not behind the comments that follow it.
    last = own[-1] if layout.separator else children[-1]
    behind = [n for n in members.statements(body, source) if not members.is_label(n, source)]
    through = [n for n in behind if _stands_in(n, room)][-1]
    inline = seams.beside("after", last, layout)
    end = members.end_of(through, source) if through.end_byte <= target.end else 0
    return inline or seams.below(members.end(last, source), last, blank, layout, end)


def _stands_in(node: tree_sitter.Node, room: Span) -> bool:
    return room.start <= node.start_byte < room.end


def _below_header(target: Symbol, body: tree_sitter.Node, layout: Layout) -> Gap:
    """The place in a block without brackets that holds nothing but its header."""
    return seams.below(target.end, body, 0, layout)


def _in_section(position: str, target: Symbol, layout: Layout) -> Gap:
    """The place below a heading: beside the sections there, not before the text above them."""
    children, source = target.children, layout.source
    if position == "first" and children:
        blank = spacing.gap_beside(children[0], "before", layout.sort, source)
        return seams.above(children[0].outer, children[0].node, blank, layout)
    blank = spacing.default_gap(target.node, layout.sort, source)
    if len(children) > 1:
        blank = spacing.gap_beside(children[-1], "before", layout.sort, source)
    return seams.below(target.end, target.node, blank, layout)
