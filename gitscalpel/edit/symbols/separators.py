"""What parts a member from its siblings: a comma, a semicolon, a bar; behind each, or before each."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import tree_sitter

from gitscalpel.edit.source import Source
from gitscalpel.edit.symbols import members
from gitscalpel.edit.symbols.layout import Leading
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text.indent import indent, indent_at
from gitscalpel.text.splice import Splice

_SIGNS = (b",", b";", b"|")


def leading(target: Symbol, position: str, source: Source) -> Leading | None:
    """The place for a new member beside ``target`` or in its body; None where separators end their lines."""
    node = target.node
    if position in ("first", "last"):
        inside = members.of(target.body_node, source) if target.body_node is not None else []
        if not inside or inside[0].parent != target.body_node:
            return None
        node = inside[0 if position == "first" else -1]
    before, after = _beside(node, "prev_sibling"), _beside(node, "next_sibling")
    sign = before or after
    if sign is None:
        return None
    if _is_first(sign, source.text):
        white = b"\n" + indent_at(source.text, sign.start_byte)
    elif sign.type == "|":
        white = b" "
    elif sign.type == "," and node.parent is not None and _is_on_one_line(node.parent):
        white = b""
    else:
        return None
    if position in ("after", "last"):
        return Leading(sign.type.encode(), white, members.end(node, source), False)
    if before is None:
        return Leading(sign.type.encode(), white, members.outer(node, source), True)
    start = before.start_byte
    return Leading(sign.type.encode(), white, len(source.text[:start].rstrip()), False)


def second(target: Symbol, position: str, source: Source) -> Leading | None:
    """The place beside what may be an only alternative, which has no bar yet."""
    node = target.node
    if target.kind != "member" or position not in ("before", "after"):
        return None
    last_line = source.text[source.text.rfind(b"\n", 0, node.end_byte) + 1 : node.end_byte]
    white = b" " if _is_on_one_line(node) else b"\n" + indent(last_line)
    if position == "after":
        return Leading(b"|", white, members.end(node, source), False)
    return Leading(b"|", white, members.outer(node, source), True)


def removals(
    target: Symbol, removal: Callable[[int], Splice], source: Source
) -> Iterator[tuple[Splice, ...]]:
    """The ways to remove a member with or without one of its separators, the likeliest first.

    Args:
        target: the member.
        removal: removes it with what stands before it from a place on.
        source: the file.
    """
    text, start, end = source.text, target.outer, target.end
    before, after = _beside(target.node, "prev_sibling"), _beside(target.node, "next_sibling")
    if before is not None and before.end_byte > start:
        before = None
    close = before is not None and not text[before.end_byte : start].strip()
    if before is not None and close and _is_first(before, text):
        yield (removal(before.start_byte),)
    behind: tuple[Splice, ...] = ()
    if after is not None and after.start_byte >= end:
        stop = after.end_byte
        behind = (Splice(start, stop + len(text[stop:]) - len(text[stop:].lstrip(b" \t")), b""),)
        if before is None and after.type == "|":
            yield behind
    plain = removal(start)
    follows = text[end:].lstrip()[:1] == b","
    last = before is not None and before.type == "," and after is None and not follows
    apart = before is not None and before.end_byte <= plain.start
    if last and apart and before is not None:  # no comma stands behind the last; nor shall one then
        yield Splice(before.start_byte, before.end_byte, b""), plain
    yield (plain,)
    if before is not None and close:
        yield (Splice(len(text[: before.start_byte].rstrip(b" \t")), end, b""),)
    if behind:
        yield behind


def _beside(node: tree_sitter.Node, side: str) -> tree_sitter.Node | None:
    sign: tree_sitter.Node | None = getattr(node, side)
    while sign is not None and sign.is_extra:
        sign = getattr(sign, side)
    return sign if sign is not None and sign.type.encode() in _SIGNS else None


def _is_on_one_line(node: tree_sitter.Node) -> bool:
    return node.start_point.row == node.end_point.row


def _is_first(sign: tree_sitter.Node, text: bytes) -> bool:
    """Whether nothing stands before it in its line."""
    return not text[text.rfind(b"\n", 0, sign.start_byte) + 1 : sign.start_byte].strip()
