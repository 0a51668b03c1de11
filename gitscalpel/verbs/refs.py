"""Where a name is defined and used, with certainty and reason: over all files, none left out."""

from __future__ import annotations

from collections.abc import Iterable

from gitscalpel.changesets.answers import ReferenceRow, References, shown
from gitscalpel.verbs.asked import Line, Looking, NamePlace, Symbol, Trust, Word
from gitscalpel.verbs.reply import Caller, Reply, plain

Answer = References


class Request(Looking, frozen=True, kw_only=True):
    """Which name."""

    path: NamePlace
    symbol: Symbol = None
    start: Line = None
    name: Word = None
    trust: Trust = None


def perform(caller: Caller, asked: Request) -> Reply:
    """Find its places."""
    place = caller.place(asked)
    found = place.refs(asked.path, symbol=asked.symbol, start=asked.start, name=asked.name, trust=asked.trust)
    parts = [_listed(found.definitions), _listed(found.references), _listed(found.unsure)]
    return Reply(found, plain("\n".join(filter(None, parts)), page=True), found.unread)


def _listed(rows: Iterable[ReferenceRow]) -> str:
    return "\n".join(f"{shown(row.path)}:{row.line}:{row.column}  {row.kind}{_why(row)}" for row in rows)


def _why(row: ReferenceRow) -> str:
    return "" if row.certain else f"  unsure: {row.why}" if row.kind != "text" else f"  {row.why}"
