"""Where commands run: in a worktree of the pool, or on the machines of a cluster."""

from __future__ import annotations

from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import Protocol

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.changesets.rules import Command
from gitscalpel.gates.commands.ran import Ran


class Running(Protocol):
    """What runs commands on a tree."""

    def start(self, gate: Command, line: str) -> Future[Ran]:
        """Run a gate's command line."""

    def look(self) -> None:
        """Show what they have printed since the last time, if somebody wants to see it."""

    def changed(self) -> list[str]:
        """The files that are not as the tree has them, now that all have ended."""


class Grounds(Protocol):
    """A place where commands see a tree as it is to land."""

    def at(self, tree: Oid) -> AbstractContextManager[Running]:
        """What runs commands on ``tree``."""
