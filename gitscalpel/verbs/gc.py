"""The disk use is bounded: what was kept expires, surplus worktrees go, objects and refs are packed."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from gitscalpel.api import Count, Item, Swept
from gitscalpel.verbs.asked import Asked, said
from gitscalpel.verbs.reply import Caller, Reply, plain


class Request(Asked, frozen=True, kw_only=True):
    """How far to go."""

    dry_run: Annotated[bool, said("Say what would be done; change nothing.")] = False
    quarantine: Annotated[bool, said("Remove what recovery set aside more than 30 days ago, too.")] = False


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A thing that was removed or left, and why; ``kept`` is where what was in it is kept."""

    kind: str
    name: str
    why: str
    bytes: int
    kept: str | UnsetType = UNSET


class Objects(msgspec.Struct, frozen=True, kw_only=True):
    """How many objects there are."""

    before: Count
    after: Count


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What was done, or would be; ``freed`` is in bytes."""

    dry_run: bool
    removed: tuple[Row, ...]
    left: tuple[Row, ...]
    objects: Objects
    freed: int


def perform(caller: Caller, asked: Request) -> Reply:
    """Do it."""
    swept = caller.repo.gc(dry_run=asked.dry_run, quarantine=asked.quarantine)
    answer = Answer(
        dry_run=swept.dry_run,
        removed=tuple(_row(item) for item in swept.items if item.removed),
        left=tuple(_row(item) for item in swept.items if not item.removed),
        objects=Objects(before=swept.before, after=swept.after),
        freed=swept.freed,
    )
    return Reply(answer, plain("\n".join(_lines(swept))))


def _row(item: Item) -> Row:
    return Row(kind=item.kind, name=item.name, why=item.why, bytes=item.bytes, kept=item.kept or UNSET)


def _lines(swept: Swept) -> list[str]:
    would = "would be " if swept.dry_run else ""
    lines = []
    for item in swept.items:
        what = f"{would}removed" if item.removed else "stays"
        kept = f"; what was left in it is kept as {item.kept}" if item.kept else ""
        lines.append(f"{what}: {item.kind} {item.name}: {item.why}{kept}")
    loose = f"{swept.before.loose} loose objects before, {swept.after.loose} now"
    return [*lines, f"{swept.before.loose} loose objects" if swept.dry_run else loose, _freed(swept)]


def _freed(swept: Swept) -> str:
    if swept.dry_run:
        return f"would free {swept.freed} bytes, and what packing saves"
    return f"freed {swept.freed} bytes" if swept.freed >= 0 else f"took {-swept.freed} bytes"
