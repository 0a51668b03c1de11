"""How much may stay, as the user's configuration says."""

from __future__ import annotations

from gitscalpel.errors import Misconfigured
from gitscalpel.git.repository import Repository


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
