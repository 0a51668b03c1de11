"""``base``: carries an address from the file as the caller saw it to the file as it is.

The two are compared line by line, trailing white space aside. A target whose lines are unchanged is
followed to where they are now, whatever else has the same name; one that was moved as a whole is
found by its name.
"""

from __future__ import annotations

import msgspec

from gitscalpel.changesets.file_tree import Oid, Overlay
from gitscalpel.changesets.operations import Lines, Operation, Placed
from gitscalpel.edit import stale
from gitscalpel.edit.source import Source
from gitscalpel.edit.symbols.locate import locate, node_at
from gitscalpel.errors import BadCall, DoesNotFit, ScalpelError, WorldMoved
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text.anchors import NodeRef
from gitscalpel.text.changes import shift
from gitscalpel.text.document import Document


def seen(op: Operation, source: Source, overlay: Overlay) -> Source | None:
    """The file as the caller saw it; None if that is what it was before the changeset.

    Raises:
        BadCall: ``invalid_ref``, if git has no such blob.
    """
    entry = overlay.below.entry(source.path)
    if op.base is None or (entry is not None and entry.oid == op.base):
        return None
    try:
        return Source.read(source.path, overlay.read(Oid(op.base)))
    except KeyError:
        raise BadCall(
            "invalid_ref", f"git holds no blob {op.base}", "copy the blob id that show printed"
        ) from None


def lines(op: Lines, base: Source, source: Source) -> Lines:
    """The operation with the numbers that its lines have now.

    Raises:
        WorldMoved: ``stale``, if one of them changed.
    """
    first, last = op.lines.first.number, op.lines.last.number
    then, now = base.document, source.original
    if last > then.line_count:
        return op
    moved = _moved(then, now, first, last)
    if moved is not None:
        return msgspec.structs.replace(op, start=first + moved, end=last + moved)
    raise _changed(f"lines {first}-{last} changed since", now, first, last)


def place(op: Placed, base: Source, source: Source) -> Symbol:
    """The definition or node that ``op`` addresses in ``base``, where it is now.

    Raises:
        BadCall, DoesNotFit: it is neither there nor here.
        WorldMoved: ``stale``, if it changed.
    """
    try:
        then = locate(op, base)
    except (DoesNotFit, BadCall):
        if op.node is not None:
            raise
        return locate(op, source)  # it was not there then: what the caller means is what is there now
    followed = _followed(then, base, source)
    if followed is not None:
        return followed
    if op.node is not None:
        first, last = (base.document.line_at(at) for at in (then.start, max(then.start, then.end - 1)))
        raise _changed(f"the {then.kind} changed since", source.original, first, last)
    _refuse_changed(op, then, base, source)
    return locate(op, source)


def _moved(then: Document, now: Document, first: int, last: int) -> int | None:
    """By how many lines ``first`` to ``last`` moved; None if they changed."""
    return shift(_bare(then), _bare(now), first - 1, last)


def _changed(message: str, now: Document, first: int, last: int) -> WorldMoved:
    """The refusal, with what stands where the target stood."""
    near = max(1, min(first, now.line_count))
    span = now.span(near, max(near, min(last, now.line_count))) if now.line_count else (0, 0)
    return stale.refusal(message, now.text[slice(*span)], near)


def _bare(document: Document) -> list[bytes]:
    return [line.rstrip() for line in document.text.split(b"\n")]


def _followed(then: Symbol, base: Source, source: Source) -> Symbol | None:
    """The same definition or node where its lines are now; None if they changed."""
    old, now = base.document, source.original
    moved = _moved(old, now, old.line_at(then.outer), old.line_at(max(then.outer, then.end - 1)))
    if moved is None:
        return None

    def carried(at: int) -> int:
        line = old.line_at(at)
        return now.starts[line - 1 + moved] + at - old.starts[line - 1]

    first = carried(then.outer)
    last = carried(then.end - 1) + 1 if then.end > then.outer else first
    start, end = source.track.forward(first, last)
    symbols = source.outline
    if not then.named:
        return node_at(symbols, NodeRef(then.kind, start, end))
    return next((s for s in symbols.walk() if s.outer == start and s.path == then.path), None)


def _refuse_changed(op: Placed, then: Symbol, base: Source, source: Source) -> None:
    """Refuse what is not found by its name, or has another text than it had."""
    original = source.before
    try:
        now = locate(op, original)
    except ScalpelError as error:
        raise WorldMoved(
            "stale",
            f"{then.qualname} was in the file that the caller saw, and is not there now: {error.message}",
            "look at the file again with outline",
        ) from None
    old = base.text[then.outer : then.end].split(b"\n")
    new = original.text[now.outer : now.end].split(b"\n")
    if [line.rstrip() for line in old] != [line.rstrip() for line in new]:
        line = original.document.line_at(now.outer)
        raise stale.refusal(f"{now.qualname} changed since", original.text[now.outer : now.end], line)
