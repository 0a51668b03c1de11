"""History of files from git's log and the operation log: changes, reverts and undos.

A commit counts as reverted if another one says "This reverts commit …", as git writes it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.git import oplog
from gitscalpel.workspace import Workspace

DAY = 86_400
CHURN_DAYS, DAYS = 90, 365
"""How far back commits count that changed a file, and those that took something back."""
_STEPS = 1_000
"""Of the operation log."""
_MOST_PATHS = 200
"""Files that git is asked about at once."""
_FORMAT = "--format=%x01%H%x1f%ct%x1f%ae%x1f%B%x02"
_PLAIN = ("--no-renames", "--no-ext-diff", "--no-textconv", "--numstat")
REVERTS = re.compile(r"This reverts commit ([0-9a-f]{7,64})")


class Commit(NamedTuple):
    """A commit of the past.

    Attributes:
        oid, time, mail: its id, when it was committed, and its author.
        takes_back: the ids of commits that it reverts, which may be shortened.
        lines: how many lines it adds and removes, by file.
    """

    oid: str
    time: int
    mail: str
    takes_back: tuple[str, ...]
    lines: dict[str, int]


class Past(NamedTuple):
    """What has become of some files before a change.

    Attributes:
        changed: commits of the last :data:`CHURN_DAYS`, by file.
        reverted: commits of the last :data:`DAYS` that took another one back.
        undone: the same of the operation log: the definitions (file and path) that each undo was about.
    """

    changed: Counter[str]
    reverted: int
    undone: list[set[tuple[str, str]]]


def past(ws: Workspace, base: Oid | None, paths: list[str]) -> Past:
    """What has become of files before a commit that starts from ``base``; renames are not followed."""
    undone = list(_undone(ws, set(paths)))
    if base is None or not paths:
        return Past(Counter(), 0, undone)
    now = int(ws.repo.git("show", "-s", "--format=%ct", base))
    asked = [f":(top,literal){path}" for path in paths[:_MOST_PATHS]]
    since = f"--since={now - DAYS * DAY}"
    found = list(commits(ws, "--no-merges", since, base, "--", *asked))
    lately = (each for each in found if each.time >= now - CHURN_DAYS * DAY)
    changed = Counter(path for each in lately for path in each.lines)
    return Past(changed, sum(bool(each.takes_back) for each in found), undone)


def commits(ws: Workspace, *words: str) -> Iterator[Commit]:
    """Commits with what they change, as ``git log`` lists them; ``words`` are its arguments."""
    raw = ws.repo.git("-c", "core.quotePath=false", "log", _FORMAT, *_PLAIN, *words)
    for part in raw.split(b"\x01")[1:]:
        head, end, rows = part.decode("utf-8", "surrogateescape").partition("\x02")
        fields = head.split("\x1f", 3)
        if end and len(fields) == 4 and fields[1].isdecimal():  # else its message holds one of the signs
            oid, time, mail, body = fields
            yield Commit(oid, int(time), mail.lower(), tuple(REVERTS.findall(body)), dict(_rows(rows)))


def _rows(rows: str) -> Iterable[tuple[str, int]]:
    for row in rows.splitlines():
        added, tab, rest = row.partition("\t")
        removed, _, path = rest.partition("\t")
        if tab and path:
            yield path, sum(int(number) for number in (added, removed) if number.isdecimal())


def _undone(ws: Workspace, paths: set[str]) -> Iterator[set[tuple[str, str]]]:
    landed: set[str] = set()
    for entry in oplog.read(ws.repo, _STEPS):
        record = entry.record
        if record.kind == "undo" and record.undoes and paths.intersection(record.paths):
            landed.add(record.undoes)
        elif entry.oid in landed:
            rows = record.note.get("intents", ())
            yield {(str(row.get("path")), str(row.get("symbol"))) for row in rows if isinstance(row, dict)}
