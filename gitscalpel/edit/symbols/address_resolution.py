"""Find the definition that an operation addresses, in the current file or the caller's version (``base``).

An address in the file that the caller saw is mapped by comparing lines without trailing white space. A target
with unchanged lines is followed to their new position, even if other definitions have its name. A target that
was moved as a whole is found by its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import tree_sitter

from gitscalpel.changesets.file_tree import Oid, Overlay
from gitscalpel.changesets.operations import AddressedOperation, Insert, Lines, Operation
from gitscalpel.edit import preconditions
from gitscalpel.edit.source import Source
from gitscalpel.edit.symbols import block_members
from gitscalpel.errors import BadCall, DoesNotFit, ScalpelError, WorldMoved
from gitscalpel.errors.messages import arg
from gitscalpel.syntax import addresses, libcst_nodes
from gitscalpel.syntax.libcst_nodes import pointed_at
from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.selectors import module_of, select
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text.document import Document
from gitscalpel.text.line_diff import find_line_shift
from gitscalpel.text.line_refs import NodeRef

if TYPE_CHECKING:
    from gitscalpel.syntax.selectors import Found


def locate(op: AddressedOperation, source: Source) -> Symbol:
    """Return the only definition, or other node, that ``op`` addresses.

    Raises ``BadCall`` for a malformed address or selector, and ``DoesNotFit`` unless one definition of the
    kind fits.
    """
    symbols = source.outline
    if op.symbol is not None:
        return addresses.resolve_address(symbols, op.symbol, op.kind)
    if isinstance(op, Insert) and op.is_of_file:
        return block_members.file_target(op.position, source)
    if op.node_ref is not None:
        return _resolve_node(op.node_ref, op, source)
    matches = _select_targets(op, source)
    if op.kind is not None:
        matches = [s for s in matches if addresses.is_kind(s, op.kind)]
    if not matches:
        raise DoesNotFit(
            "query_no_match",
            f"{op.query} matches nothing in {source.path}",
            "test the selector with find, or make it less specific",
        )
    if op.match is not None:
        if not -len(matches) <= op.match < len(matches):
            raise DoesNotFit(
                "index_out_of_range",
                f"match {op.match} is out of range: {op.query} has {len(matches)} matches",
                f"{arg('match')} counts from 0 to {len(matches) - 1}",
                candidates=addresses.describe_candidates(matches),
            )
        return matches[op.match]
    if len(matches) > 1:
        candidates = addresses.describe_candidates(matches)
        raise DoesNotFit(
            "query_ambiguous",
            f"{op.query} matches {len(matches)} places: "
            + ", ".join(f"{c['symbol']} (line {c['line']})" for c in candidates),
            f"make the selector more specific, or give {arg('match')} (counted from 0)",
            candidates=candidates,
        )
    return matches[0]


def _select_targets(op: AddressedOperation, source: Source) -> list[Symbol]:
    symbols = source.outline
    places = select(symbols, op.query or "", module_of(source.path))
    is_module = [place.node for place in places] == [symbols.syntax.root]
    if is_module and isinstance(op, Insert) and op.position in ("first", "last"):
        return [block_members.file_target(op.position, source)]
    return [_convert_to_symbol(place, symbols) for place in places]


def _convert_to_symbol(place: Found, symbols: Outline) -> Symbol:
    if place.symbol is not None:
        return place.symbol
    if isinstance(place.node, tree_sitter.Node):
        return symbols.pointed_at(place.node)
    return pointed_at(symbols, place.node)


def node_at(symbols: Outline, ref: NodeRef) -> Symbol | None:
    """Return the definition or other node of a reference to a grammar or LibCST node, or None."""
    symbol = symbols.at(ref)
    if symbol is not None or ref.type[:1].islower():
        return symbol
    return libcst_nodes.node_at(symbols, ref)


def _resolve_node(ref: NodeRef, op: AddressedOperation, source: Source) -> Symbol:
    node = node_at(source.outline, NodeRef(ref.type, *source.track.forward(ref.start, ref.end)))
    if node is None and source.track.rounds:
        raise DoesNotFit(
            "nested_conflict",
            f"an earlier operation of this changeset has changed the node {ref} of {source.path}",
            "combine both in one operation, or send them as two changesets",
        )
    if node is None:
        raise BadCall(
            "invalid_ref",
            f"node {ref} not found in {source.path} as of {arg('base')}",
            f"copy node_id and blob from one answer of find (as {arg('node')} and {arg('base')})",
        )
    if op.kind is not None and not addresses.is_kind(node, op.kind):
        raise DoesNotFit(
            "kind_mismatch",
            f"{ref} is a {node.kind}, not a {op.kind}",
            f"leave {arg('kind')} out, or give {arg('kind', node.kind)}",
        )
    return node


def base_source(op: Operation, source: Source, overlay: Overlay) -> Source | None:
    """Return the file as the caller saw it, or None if that is the file before the changeset.

    Raises ``invalid_ref`` if the blob does not exist.
    """
    entry = overlay.below.entry(source.path)
    if op.base is None or (entry is not None and entry.oid == op.base):
        return None
    try:
        return Source.read(source.path, overlay.read(Oid(op.base)))
    except KeyError:
        raise BadCall(
            "invalid_ref", f"no such blob: {op.base}", "copy the blob id from the output of show"
        ) from None


def resolve_target(op: AddressedOperation, source: Source, overlay: Overlay) -> Symbol:
    """Return the definition or node that ``op`` addresses in its ``base`` or in the current file.

    Raises like :func:`locate` and :func:`relocate_symbol`.
    """
    base = base_source(op, source, overlay)
    return locate(op, source) if base is None else relocate_symbol(op, base, source)


def relocate_lines(op: Lines, base: Source, source: Source) -> Lines:
    """Return the operation with current line numbers, or raise ``stale`` if one of the lines changed."""
    first, last = op.lines.first.number, op.lines.last.number
    old_document, new_document = base.document, source.original
    if last > old_document.line_count:
        return op
    shift = _find_shift(old_document, new_document, first, last)
    if shift is not None:
        return msgspec.structs.replace(op, start=first + shift, end=last + shift)
    raise _changed_error(f"lines {first}-{last} have changed since {arg('base')}", new_document, first, last)


def relocate_symbol(op: AddressedOperation, base: Source, source: Source) -> Symbol:
    """Return the current definition or node that ``op`` addresses in ``base``.

    Raises ``stale`` if the target changed, or another error if it is in neither file.
    """
    try:
        old_target = locate(op, base)
    except (DoesNotFit, BadCall):
        if op.node is not None:
            raise
        return locate(op, source)  # it was not there then: what the caller means is what is there now
    target = _follow_target(old_target, base, source)
    if target is not None:
        return target
    if op.node is not None:
        first, last = (
            base.document.line_at(at) for at in (old_target.start, max(old_target.start, old_target.end - 1))
        )
        raise _changed_error(
            f"the {old_target.kind} has changed since {arg('base')}", source.original, first, last
        )
    _require_unchanged(op, old_target, base, source)
    return locate(op, source)


def _find_shift(old_document: Document, new_document: Document, first: int, last: int) -> int | None:
    """Return the distance by which lines ``first`` to ``last`` moved, or None if they changed."""
    return find_line_shift(_stripped_lines(old_document), _stripped_lines(new_document), first - 1, last)


def _changed_error(message: str, document: Document, first: int, last: int) -> WorldMoved:
    count = document.line_count
    start_line = max(1, min(first, count))
    span = document.span(start_line, max(start_line, min(last, count))) if count else (0, 0)
    return preconditions.stale_error(message, document.text[slice(*span)], start_line)


def _stripped_lines(document: Document) -> list[bytes]:
    return [line.rstrip() for line in document.text.split(b"\n")]


def _follow_target(old_target: Symbol, base: Source, source: Source) -> Symbol | None:
    """Return the target at the current place of its lines, or None if they changed."""
    old_document, new_document = base.document, source.original
    shift = _find_shift(
        old_document,
        new_document,
        old_document.line_at(old_target.full_start),
        old_document.line_at(max(old_target.full_start, old_target.end - 1)),
    )
    if shift is None:
        return None

    def relocate(at: int) -> int:
        line = old_document.line_at(at)
        return new_document.starts[line - 1 + shift] + at - old_document.starts[line - 1]

    first = relocate(old_target.full_start)
    last = relocate(old_target.end - 1) + 1 if old_target.end > old_target.full_start else first
    start, end = source.track.forward(first, last)
    symbols = source.outline
    if not old_target.named:
        return node_at(symbols, NodeRef(old_target.kind, start, end))
    return next((s for s in symbols.walk() if s.full_start == start and s.path == old_target.path), None)


def _require_unchanged(op: AddressedOperation, old_target: Symbol, base: Source, source: Source) -> None:
    """Raise if the target is not found by its name, or its text differs."""
    original = source.before
    try:
        new_target = locate(op, original)
    except ScalpelError as error:
        raise WorldMoved(
            "stale",
            f"{old_target.qualname} was in the file when you read it, but no longer is: {error.message}",
            "look at the file again with outline",
        ) from None
    old_lines = base.text[old_target.full_start : old_target.end].split(b"\n")
    new_lines = original.text[new_target.full_start : new_target.end].split(b"\n")
    if [line.rstrip() for line in old_lines] != [line.rstrip() for line in new_lines]:
        line = original.document.line_at(new_target.full_start)
        raise preconditions.stale_error(
            f"{new_target.qualname} has changed since {arg('base')}",
            original.text[new_target.full_start : new_target.end],
            line,
        )
