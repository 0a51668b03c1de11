"""Which git this tool is built on: an older one is found out by what it does not know, without a process."""

from __future__ import annotations

from gitscalpel.errors import Misconfigured
from gitscalpel.git.run import Git

MINIMUM = (2, 38)
_USAGE = 129
"""How git ends that has been given an option that it does not know."""


def check(git: Git) -> None:
    """Refuse a git that lacks what this tool is built on.

    Raises:
        Misconfigured: ``git_too_old``.
    """
    words = git.run("version").out.decode("ascii", "replace").split()
    numbers = [int(part) for part in words[2].split(".")[:2] if part.isdigit()] if len(words) > 2 else []
    if numbers and tuple(numbers) < MINIMUM:
        raise Misconfigured(
            "git_too_old",
            f"this is git {words[2]}; git scalpel needs 2.38, which brought `merge-tree --write-tree`",
            "install a newer git",
            version=words[2],
        )


def refuse_old(git: Git, status: int) -> None:
    """The same, where it has ended with a status as one does that is too old."""
    if status == _USAGE:
        check(git)
