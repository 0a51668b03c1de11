"""Removes what has had its day in our folder of the git directory, and no recovery clears away."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from gitscalpel.git import surroundings
from gitscalpel.git.upkeep.item import DAY, Item, size
from gitscalpel.system import private_files
from gitscalpel.system.failpoint import step

QUARANTINE_DAYS = 30
_AGED = (
    # Of branches that nothing lands on any more; whoever has it open just now lands all the same.
    ("turns", 1, "nothing lands on that branch"),
    ("verdicts", 30, "an old verdict of a command"),
    ("refused", 90, "an old refusal"),
)
"""Folders of files that go by their age, in days."""


def sweep(scalpel_dir: Path, *, quarantine: bool = False, dry_run: bool = False) -> Iterator[Item]:
    """Remove what is a day old; hold the lock.

    Args:
        scalpel_dir: where they lie.
        quarantine: remove what recovery set aside and nobody fetched for 30 days; else it is only named.
        dry_run: remove nothing.
    """
    now = time.time()
    for path in private_files.entries(scalpel_dir, f"{surroundings.TRIED}*"):
        if _age(path, now) > DAY:
            yield _removed(
                Item("file", str(path), "left by an interrupted command", bytes=size(path)), dry_run
            )
    for folder, days, why in _AGED:
        for path in private_files.entries(scalpel_dir / folder):
            if path.is_file() and _age(path, now) > days * DAY:
                yield _removed(Item("file", str(path), why, bytes=size(path)), dry_run)
    for path in private_files.entries(scalpel_dir / "quarantine"):
        if _age(path, now) < QUARANTINE_DAYS * DAY:
            continue
        why = f"set aside {int(_age(path, now) / DAY)} days ago"
        item = Item("quarantine", str(path), why, quarantine, size(path))
        yield _removed(item, dry_run) if quarantine else item


def _removed(item: Item, dry_run: bool) -> Item:
    if not dry_run:
        step()
        private_files.remove(Path(item.name))
    return item


def _age(path: Path, now: float) -> float:
    try:
        return now - path.lstat().st_mtime
    except OSError:
        return 0  # it has just gone
