"""Changes of the past, with what was known of each when it was made, and whether it was taken back since."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gitscalpel.git import oplog
from gitscalpel.risk import churn, owners, reverts, size
from gitscalpel.risk.history import CHURN_DAYS, DAY, DAYS, Commit, commits
from gitscalpel.risk.owners import Owners
from gitscalpel.snapshot import Oid
from gitscalpel.workspace import TreeTarget, Workspace

LEARNT = (size.NAME, churn.NAME, reverts.NAME, owners.NAME)
"""The factors that git's log tells of a commit; the others would have to be computed in its tree."""
_MOST = 20_000
"""Commits, the newest."""
_FILES = 500
"""Of a commit with more files (a format, a licence) nobody asks how risky it is."""


class Example(NamedTuple):
    """A commit of the past.

    Attributes:
        oid, time: which, and when it was made.
        row: what each factor of :data:`LEARNT` came to, scaled.
        taken_back: it was reverted, or undone.
    """

    oid: str
    time: int
    row: tuple[float, ...]
    taken_back: bool


def examples(ws: Workspace, target: TreeTarget) -> list[Example]:
    """The commits of a branch, the oldest first, with those that were undone so that it has them no more."""
    if target.tip is None:
        return []
    found = list(commits(ws, "--no-merges", f"--max-count={_MOST}", target.tip))
    known = {each.oid for each in found}
    undone = _undone(ws)
    gone = [oid for oid in undone if oid not in known and ws.holds(Oid(oid))]
    found += commits(ws, "--no-walk", *gone) if gone else ()
    back = {oid: undone.get(oid, 0) for oid in known & undone.keys() | set(gone)}
    for each in found:
        for name in each.takes_back:
            back.update(dict.fromkeys(_named(name, known), each.time))
    return list(_told(sorted(found, key=lambda each: each.time), back, Owners.of(target.snapshot)))


def _undone(ws: Workspace) -> dict[str, int]:
    """The commits whose landing was undone, and when."""
    undone: dict[str, int] = {}
    commits: dict[str, int] = {}
    for entry in oplog.read(ws.repo):
        record = entry.record
        if record.kind == "undo" and record.undoes:
            undone[record.undoes] = record.time
        elif entry.oid in undone and record.kind == "land" and record.after:
            commits[record.after] = undone[entry.oid]
    return commits


def _named(name: str, known: set[str]) -> list[str]:
    """The commit with an id, which may be shortened."""
    if name in known:
        return [name]
    return [oid for oid in known if oid.startswith(name)] if len(name) < 40 else []


def _told(found: Iterable[Commit], back: dict[str, int], owned: Owners | None) -> Iterator[Example]:
    """Each with what came before it, and nothing of what came after."""
    changed: dict[str, deque[int]] = defaultdict(deque)
    taken: dict[str, deque[int]] = defaultdict(deque)
    waiting = sorted((time, oid) for oid, time in back.items())
    lines = {each.oid: each.lines for each in found}
    for each in found:
        while waiting and waiting[0][0] < each.time:
            time, oid = waiting.pop(0)
            for path in lines.get(oid, ()):
                taken[path].append(time)
        if not each.takes_back and each.lines and len(each.lines) <= _FILES:
            counts = [_since(changed, path, each.time - CHURN_DAYS * DAY) for path in each.lines]
            events = [_since(taken, path, each.time - DAYS * DAY) for path in each.lines]
            others = owned.of_others(each.lines, frozenset({each.mail})) if owned else []
            row = (
                size.scaled(sum(each.lines.values())),
                churn.scaled(max(counts)),
                reverts.scaled(max(events)),
                len(others) / len(each.lines),
            )
            yield Example(each.oid, each.time, row, each.oid in back)
        for path in each.lines:
            changed[path].append(each.time)


def _since(times: dict[str, deque[int]], path: str, first: int) -> int:
    known = times.get(path)
    while known and known[0] < first:
        known.popleft()
    return len(known) if known else 0
