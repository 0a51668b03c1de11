"""What a command that is asked for a suggestion is told of the transaction, in JSON."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from gitscalpel.changesets.answers import SCHEMA, Affected, IntentRow, clean, quoted, short
from gitscalpel.errors import ScalpelError
from gitscalpel.names.files import Files
from gitscalpel.names.language_registry import dialect
from gitscalpel.names.resolver import Resolver
from gitscalpel.refactor import definition_uses
from gitscalpel.transaction import result
from gitscalpel.transaction.check import reading
from gitscalpel.transaction.shadow import OpenTransaction
from gitscalpel.workspace import Workspace

_MOST, _MOST_FILES = 8, 150
"""Definitions whose callers are looked for, and files that are looked through for one."""


class Caller(msgspec.Struct, frozen=True):
    """A place that uses what changes: ``line`` counts from 1, in the file as the transaction leaves it."""

    symbol: str
    path: str
    line: int


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """What it is told.

    Attributes:
        tx, target, message, base, head: as in the answer of an edit.
        diff: as one unified diff.
        paths: the files that change.
        intents: what became of which symbols.
        affected: what had to follow names.
        callers: the places that use the definitions that have changed.
        findings: what gates have found, each with its gate.
        unchecked: what is left to look at, in words.
    """

    schema: str = SCHEMA
    tx: str
    target: str
    message: str
    base: str | None
    head: str
    diff: str
    paths: tuple[str, ...]
    intents: tuple[IntentRow, ...]
    affected: tuple[Affected, ...]
    callers: tuple[Caller, ...]
    findings: tuple[dict[str, object], ...]
    unchecked: tuple[str, ...]


def told(ws: Workspace, staged: OpenTransaction) -> bytes:
    """All of it, of a transaction as it is."""
    known = result.of(staged)
    facts = known.facts
    rows = Told(
        tx=staged.id,
        target=short(staged.meta.branch),
        message=staged.meta.message,
        base=staged.meta.base,
        head=staged.head,
        diff=known.patch.diff,
        paths=tuple(row.path for row in known.patch.rows),
        intents=facts.intents,
        affected=facts.affected or (),
        callers=tuple(_callers(ws, staged, facts.intents)),
        findings=tuple(
            {"gate": gate.name, **msgspec.structs.asdict(found)}
            for gate in facts.gates
            for found in gate.findings
        ),
        unchecked=facts.unchecked,
    )
    return msgspec.json.encode(clean(msgspec.to_builtins(rows)))


def _callers(ws: Workspace, staged: OpenTransaction, intents: tuple[IntentRow, ...]) -> Iterator[Caller]:
    """Where names are followed: of what has changed and is still there."""
    outcome = reading.between(ws.snapshot(staged.meta.base), staged.files)
    resolver = Resolver(Files(outcome.overlay, outcome.read), dialect)
    there = [row for row in intents if row.kind not in ("add", "delete")]
    for row in there[:_MOST]:
        symbol = row.to or row.symbol
        if len(list(resolver.files.holding(symbol.rpartition(".")[2]))) > _MOST_FILES:
            continue
        try:
            _, uses = definition_uses.find_uses(resolver, row.path, symbol)
        except (ScalpelError, RecursionError):
            continue
        for each in uses:
            yield Caller(symbol, quoted(each.path), resolver.line(each.path, each.mention.start))
