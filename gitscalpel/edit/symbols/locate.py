"""From an operation's address to the definition it means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import tree_sitter

from gitscalpel.changesets.operations import Insert, Placed
from gitscalpel.edit.source import Source
from gitscalpel.edit.symbols import heads
from gitscalpel.errors import BadCall, DoesNotFit
from gitscalpel.errors.messages import arg
from gitscalpel.syntax import addresses
from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text.anchors import NodeRef

if TYPE_CHECKING:
    from gitscalpel.syntax.selector.select import Found


def locate(op: Placed, source: Source) -> Symbol:
    """The one definition, or other node, that ``op`` addresses.

    Raises:
        BadCall: a malformed address or selector.
        DoesNotFit: no, several or another kind of definition.
    """
    symbols = source.outline
    if op.symbol is not None:
        return addresses.resolve(symbols, op.symbol, op.kind)
    if isinstance(op, Insert) and op.is_of_file:
        return heads.whole(op.position, source)
    if op.node_ref is not None:
        return _pointed_at(op.node_ref, op, source)
    found = _selected(op, source)
    if op.kind is not None:
        found = [s for s in found if addresses.is_kind(s, op.kind)]
    if not found:
        raise DoesNotFit(
            "query_no_match", f"{op.query} matches nothing in {source.path}", "try it with find, or widen it"
        )
    if op.match is not None:
        if not -len(found) <= op.match < len(found):
            raise DoesNotFit(
                "index_out_of_range",
                f"{op.query} has {len(found)} matches",
                f"{arg('match')} counts from 0 to {len(found) - 1}",
                candidates=addresses.candidates(found),
            )
        return found[op.match]
    if len(found) > 1:
        listed = addresses.candidates(found)
        raise DoesNotFit(
            "query_ambiguous",
            f"{op.query} matches {len(found)} places: "
            + ", ".join(f"{c['symbol']} (line {c['line']})" for c in listed),
            f"narrow the selector, or give {arg('match')} (from 0)",
            candidates=listed,
        )
    return found[0]


def _selected(op: Placed, source: Source) -> list[Symbol]:
    """What a query matches: definitions, and other nodes as places."""
    from gitscalpel.syntax.selector.select import module_of, select

    symbols = source.outline
    places = select(symbols, op.query or "", module_of(source.path))
    is_module = [place.node for place in places] == [symbols.syntax.root]
    if is_module and isinstance(op, Insert) and op.position in ("first", "last"):
        return [heads.whole(op.position, source)]
    return [_as_symbol(place, symbols) for place in places]


def _as_symbol(place: Found, symbols: Outline) -> Symbol:
    if place.symbol is not None:
        return place.symbol
    if isinstance(place.node, tree_sitter.Node):
        return symbols.pointed_at(place.node)
    from gitscalpel.syntax.selector.libcst_nodes import pointed_at

    return pointed_at(symbols, place.node)


def node_at(symbols: Outline, ref: NodeRef) -> Symbol | None:
    """Return the definition or other node of a reference, of the grammar or of LibCST. None without one."""
    found = symbols.at(ref)
    if found is not None or ref.type[:1].islower():
        return found
    from gitscalpel.syntax.selector import libcst_nodes

    return libcst_nodes.node_at(symbols, ref)


def _pointed_at(ref: NodeRef, op: Placed, source: Source) -> Symbol:
    """The node of the file before the changeset, as the operations so far have left it."""
    found = node_at(source.outline, NodeRef(ref.type, *source.track.forward(ref.start, ref.end)))
    if found is None and source.track.rounds:
        raise DoesNotFit(
            "nested_conflict",
            f"an earlier operation of this changeset has changed the node {ref} of {source.path}",
            "put both into one operation, or send them as two changesets",
        )
    if found is None:
        raise BadCall(
            "invalid_ref",
            f"there is no node {ref} in {source.path} as {arg('base')} has it",
            f"copy node_id and blob from one answer of find (as {arg('node')} and {arg('base')})",
        )
    if op.kind is not None and not addresses.is_kind(found, op.kind):
        raise DoesNotFit(
            "kind_mismatch",
            f"{ref} is a {found.kind}, not a {op.kind}",
            f"leave {arg('kind')} out, or give {arg('kind', found.kind)}",
        )
    return found
