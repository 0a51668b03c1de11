"""Definitions that went from one file to another: one that vanishes and one like it that appears."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from gitscalpel.changesets.answers import IntentRow, quoted
from gitscalpel.changesets.operations import Move
from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import ScalpelError
from gitscalpel.syntax.addresses import resolve


def together(outcome: Outcome, rows: Sequence[IntentRow]) -> Iterator[IntentRow]:
    """The intents, with each pair of a deletion and an addition that is a move as one.

    Args:
        outcome: what was done.
        rows: what it did to the symbols of each file.
    """
    came = [row for row in rows if row.kind == "add"]
    moves: dict[int, IntentRow] = {}
    for row in rows:
        found = next((each for each in came if row.kind == "delete" and _is_move(outcome, row, each)), None)
        if found is not None:
            came.remove(found)
            moves[id(found)] = row
            moves[id(row)] = found
    for row in rows:
        other = moves.get(id(row))
        if other is None:
            yield row
        elif row.kind == "delete":
            yield msgspec.structs.replace(row, kind="move", to=f"{other.path}::{other.symbol}")


def _is_move(outcome: Outcome, gone: IntentRow, new: IntentRow) -> bool:
    if gone.path == new.path:
        return False
    asked = (each.op for each in outcome.done if isinstance(each.op, Move))
    if any(
        (quoted(op.path), op.symbol, quoted(op.to_path or op.path)) == (gone.path, gone.symbol, new.path)
        and new.symbol == (op.to or op.symbol)
        for op in asked
    ):
        return True
    if gone.symbol.rpartition(".")[2] != new.symbol.rpartition(".")[2]:
        return False
    was, now = _text(outcome, gone, before=True), _text(outcome, new, before=False)
    return was is not None and was == now


def _text(outcome: Outcome, row: IntentRow, *, before: bool) -> tuple[str, list[bytes]] | None:
    """The kind of a definition and its text, whatever its layout; None where nobody can tell."""
    raw = (outcome.overlay.before if before else outcome.overlay.content)(row.path)
    source = None if raw is None else outcome.read(row.path, raw).judged
    if source is None:
        return None
    try:
        symbol = resolve(source, f"/{row.symbol}")
    except ScalpelError:
        return None
    return symbol.kind, source.syntax.text[symbol.start : symbol.end].split()
