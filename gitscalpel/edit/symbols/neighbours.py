"""What stands beside an edit must be there afterwards as it was.

Where nothing ends a statement but the next one, what an edit takes away or puts in can make one of two
(``f()`` above ``(g)()``), in words that all stay and all parse. The tree shows it, whatever the language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import tree_sitter

from gitscalpel.changesets.operations import Insert
from gitscalpel.edit.source import Source
from gitscalpel.edit.symbols import members
from gitscalpel.syntax import extents
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.symbols import Span, Symbol
from gitscalpel.text.splice import Round, Splice, Track

_PARTING = b" \t\r\n\f,;"


def stand(
    source: Source, nodes: Iterable[tree_sitter.Node], splices: Sequence[Splice], after: Syntax
) -> bool:
    """Whether ``nodes`` of the file are nodes of the same sort and extent after it has been edited.

    Args:
        source: the file.
        nodes: what stands beside the edit; those that it touches are not asked for.
        splices: the edit.
        after: the file as it leaves it.
    """
    if source.rules.blocks == "prose":
        return True  # a heading takes in what follows
    track = Track([Round(splices)])
    for node in (n for n in nodes if not source.outline.captures.holds("filler", n)):
        extent = Span(node.start_byte, end(node))
        touched = any(extent.start < s.end and s.start < extent.end for s in splices)
        if not touched and not _holds(after.root, node.type, Span(*track.forward(*extent))):
            return False
    return True


def around(source: Source, cut: Span) -> Iterator[tree_sitter.Node]:
    """The nodes right before and right behind a place, in all that is around it."""
    whole: tree_sitter.Node | None = source.outline.syntax.root
    while whole is not None:
        before = behind = inner = None
        for child in (c for c in whole.named_children if not c.is_extra):
            if child.start_byte >= cut.end:
                behind = child
                break
            if end(child) <= cut.start:
                before = child
            elif child.start_byte <= cut.start and cut.end <= child.end_byte:
                inner = child
        yield from (node for node in (before, behind) if node is not None)
        whole = inner


def cut(source: Source, at: Span, splices: Sequence[Splice], after: Syntax) -> tree_sitter.Node | None:
    """The statement around a place that the edit makes two of, where it binds several names; None if whole.

    ``readonly A=1 B=2`` with a line between is two statements that parse, and ``B`` no longer readonly.
    """
    track = Track([Round(splices)])
    node = source.outline.syntax.root.named_descendant_for_byte_range(*at)
    while node is not None:
        extent = Span(node.start_byte, extents.ink(node))
        is_one = source.outline.captures.holds("whole", node)
        if is_one and extent.start < at.start and at.end < extent.end:
            start, stop = track.forward(*extent)
            if not any(extents.ink(found) == stop for found in _from(after.root, node.type, start, stop)):
                return node
        node = node.parent
    return None


def anchors(op: Insert, target: Symbol, at: Span, source: Source) -> Iterator[tree_sitter.Node]:
    """The nodes that new code goes between: the target or what its body holds, and the next one."""
    if op.position in ("first", "last"):
        inside = members.statements(target.body_node, source) if target.body_node is not None else []
        said = [node for node in inside if not node.is_extra]
        yield from [node for node in said if end(node) <= at.start][-1:]
        yield from [node for node in said if node.start_byte >= at.end][:1]
        return
    node = target.node
    beside = node.prev_named_sibling if op.position == "before" else node.next_named_sibling
    yield node
    if beside is not None and not beside.is_extra:
        yield beside


def end(node: tree_sitter.Node) -> int:
    """Where a node ends, without what parts it from the next."""
    return extents.ink(node, _PARTING)


def _holds(root: tree_sitter.Node, kind: str, extent: Span) -> bool:
    """Whether there is a node of this type and extent."""
    return any(end(node) == extent.end for node in _from(root, kind, *extent))


def _from(root: tree_sitter.Node, kind: str, start: int, stop: int) -> Iterator[tree_sitter.Node]:
    """The nodes of this type that begin at a place and reach to another or further, the innermost first."""
    node = root.named_descendant_for_byte_range(start, stop)
    while node is not None and node.start_byte == start:
        if node.type == kind:
            yield node
        node = node.parent
