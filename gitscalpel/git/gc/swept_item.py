"""An item that a sweep removed or left, its size, and the configured limits."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import msgspec

from gitscalpel.errors import Misconfigured
from gitscalpel.git.repository import Repository

DAY = 86_400
"""Seconds."""


class Item(msgspec.Struct, frozen=True):
    """Something that was removed, or that stays though it could have been.

    Attributes:
        kind: what it is.
        name: the ref or the path.
        why: it was removed, or stays.
        removed: whether it is gone (in a dry run: would go).
        bytes: what that frees on the disk, as far as it can be told.
        kept: the ref that holds what was in it.
    """

    kind: Literal["ref", "worktree", "file", "quarantine", "objects"]
    name: str
    why: str
    removed: bool = True
    bytes: int = 0
    kept: str | None = None


def disk_usage(path: Path) -> int:
    """What a file, or everything below a folder, takes on the disk; links are not followed."""
    total = _blocks(path)
    for here, folders, names in os.walk(path):
        total += sum(_blocks(Path(here) / name) for name in (*folders, *names))
    return total


def _blocks(path: Path) -> int:
    try:
        return path.lstat().st_blocks * 512
    except OSError:
        return 0  # it has just gone


def keep_days(repo: Repository) -> int:
    """For how many days undone and dropped commits are kept. Raises ``Misconfigured``."""
    return _number(repo, "keepDays", 14)


def pool_size(repo: Repository) -> int:
    """How many free worktrees stay warm. Raises ``Misconfigured``."""
    return _number(repo, "poolSize", 4)


def _number(repo: Repository, key: str, default: int) -> int:
    said = repo.config.get(f"scalpel.{key.lower()}", str(default))
    if not (said.isascii() and said.isdecimal()):
        raise Misconfigured("config_error", f"git config scalpel.{key} is {said!r}", "set it to a number")
    return int(said)
