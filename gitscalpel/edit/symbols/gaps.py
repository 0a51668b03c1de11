"""Where new code goes beside a definition or in its body, and what white space parts it."""

from __future__ import annotations

from typing import NamedTuple

import tree_sitter

from gitscalpel.edit.source import Source
from gitscalpel.edit.symbols import spacing
from gitscalpel.edit.symbols.locate import symbols_of
from gitscalpel.edit.symbols.replace import indent_at
from gitscalpel.errors import BadCall
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text.indent import unit


class Gap(NamedTuple):
    """Code goes instead of ``[start, end)`` (white space at most), between ``before`` and ``after``."""

    start: int
    end: int
    indent: bytes
    before: bytes
    after: bytes


def gap(position: str, target: Symbol, plain: bool, source: Source) -> Gap:
    """The place for code at ``position`` of ``target``; ``plain``: a statement on one line.

    Raises:
        BadCall: ``invalid_position``, for a child of what has no body.
    """
    indent = _indent(target.node, source)
    if position == "before":
        return _above(target.outer, indent, spacing.gap_beside(target, "before", plain, source), source)
    if position == "after":
        return _below(target.end, indent, spacing.gap_beside(target, "after", plain, source), source)
    if target.body_node is None:
        raise BadCall(
            "invalid_position",
            f"{target.qualname} is a {target.kind} without a body, so it has no {position} child",
            "use before or after",
        )
    children = _children(target.body_node, source)
    if not children:
        return _inside(target.body_node, source)
    blank = spacing.gap_in_block(children, position == "first", plain, source)
    if position == "first":
        return _above(_outer(children[0], source), _indent(children[0], source), blank, source)
    return _below(_end(children[-1], source), _indent(children[-1], source), blank, source)


def _above(at: int, indent: bytes, blank: int, source: Source) -> Gap:
    line_start = source.text.rfind(b"\n", 0, at) + 1
    own_line = not source.text[line_start:at].strip()
    after = b"\n" * (1 + blank)
    if own_line:
        return Gap(line_start, line_start, indent, indent, after)
    start = len(source.text[:at].rstrip(b" \t"))
    return Gap(start, at, indent, b"\n" + indent, after + indent)


def _below(at: int, indent: bytes, blank: int, source: Source) -> Gap:
    before = b"\n" * (1 + blank) + indent
    rest = source.text[at:].split(b"\n", 1)[0].rstrip(b"\r")
    if not rest.strip():
        return Gap(at, at, indent, before, b"")
    end = at + len(rest) - len(rest.lstrip(b" \t"))
    closes = rest.lstrip(b" \t")[:1] in (b"}", b")", b"]")
    return Gap(at, end, indent, before, b"\n" + (indent_at(source.text, at) if closes else indent))


def _inside(body: tree_sitter.Node, source: Source) -> Gap:
    """The inside of an empty block in brackets, opened to its own lines."""
    outside = indent_at(source.text, body.start_byte)
    indent = outside + unit(source.text)
    return Gap(body.start_byte + 1, body.end_byte - 1, indent, b"\n" + indent, b"\n" + outside)


def _indent(node: tree_sitter.Node, source: Source) -> bytes:
    """The indentation of a statement's line, one level more where its block opens on that line."""
    own = indent_at(source.text, node.start_byte)
    block = node.parent
    nested = block is not None and block.parent is not None
    if nested and block is not None and block.start_point.row == node.start_point.row:
        line = source.text[source.text.rfind(b"\n", 0, node.start_byte) + 1 : node.start_byte]
        return own + unit(source.text) if line.strip() else own
    return own


def _children(body: tree_sitter.Node, source: Source) -> list[tree_sitter.Node]:
    """The statements of a block; a documentation string belongs to the block as long as it has others."""
    docstrings = symbols_of(source).docstrings
    return [n for n in body.named_children if n.id not in docstrings] or list(body.named_children)


def _outer(node: tree_sitter.Node, source: Source) -> int:
    return min([node.start_byte, *(s.outer for s in symbols_of(source).walk() if s.node.id == node.id)])


def _end(node: tree_sitter.Node, source: Source) -> int:
    """The end of a child with its terminator."""
    own = [s.end for s in symbols_of(source).walk() if s.node.id == node.id]
    after = node.next_sibling
    end = after.end_byte if after is not None and after.type in (";", ",") else node.end_byte
    return max([end, *own])
