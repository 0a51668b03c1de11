"""Bounds the answers that are kept in the user's cache: what nobody has written anew for long goes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress

from gitscalpel.git import answers
from gitscalpel.git.repository import Repository
from gitscalpel.git.upkeep.item import DAY, Item, size
from gitscalpel.system import private_files
from gitscalpel.system.failpoint import step

_DAYS = 30


def sweep(repo: Repository, *, dry_run: bool = False) -> Iterator[Item]:
    """Remove old ones, and the oldest of too many; no lock is needed, since each may be lost."""
    own, now = answers.folder(repo), time.time()
    surplus = {*answers.surplus(own)}
    for path in private_files.entries(own):
        with suppress(OSError):  # it has just gone
            if path in surplus or now - path.lstat().st_mtime > _DAYS * DAY:
                item = Item("file", str(path), "an old answer", bytes=size(path))
                if not dry_run:
                    step()
                    private_files.remove(path)
                yield item
