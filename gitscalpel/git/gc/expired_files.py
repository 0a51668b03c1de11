"""Remove expired files from our directory in the git directory, and from the user's result cache.

Only files that no recovery needs or removes itself are swept from the git directory. The cache is
bounded by age and size.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from gitscalpel.git import result_cache
from gitscalpel.git.gc.swept_item import DAY, Item, disk_usage
from gitscalpel.git.repository import Repository
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


def sweep_scalpel_dir(
    scalpel_dir: Path, *, quarantine: bool = False, dry_run: bool = False
) -> Iterator[Item]:
    """Remove what is a day old; hold the lock.

    Args:
        scalpel_dir: where they lie.
        quarantine: remove what recovery set aside and nobody fetched for 30 days; else it is only named.
        dry_run: remove nothing.
    """
    now = time.time()
    for path in private_files.entries(scalpel_dir, f"{private_files.PROBE_PREFIX}*"):
        if _age(path, now) > DAY:
            yield _removed(
                Item("file", str(path), "left by an interrupted command", bytes=disk_usage(path)), dry_run
            )
    for folder, days, why in _AGED:
        for path in private_files.entries(scalpel_dir / folder):
            if path.is_file() and _age(path, now) > days * DAY:
                yield _removed(Item("file", str(path), why, bytes=disk_usage(path)), dry_run)
    for path in private_files.entries(scalpel_dir / "quarantine"):
        if _age(path, now) < QUARANTINE_DAYS * DAY:
            continue
        why = f"set aside {int(_age(path, now) / DAY)} days ago"
        item = Item("quarantine", str(path), why, quarantine, disk_usage(path))
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


_DAYS = 30


def sweep_result_cache(repo: Repository, *, dry_run: bool = False) -> Iterator[Item]:
    """Remove old ones, and the oldest of too many; no lock is needed, since each may be lost."""
    own, now = result_cache.cache_folder(repo), time.time()
    surplus = {*result_cache.find_surplus(own)}
    for path in private_files.entries(own):
        with suppress(OSError):  # it has just gone
            if path in surplus or now - path.lstat().st_mtime > _DAYS * DAY:
                item = Item("file", str(path), "an old answer", bytes=disk_usage(path))
                if not dry_run:
                    step()
                    private_files.remove(path)
                yield item
