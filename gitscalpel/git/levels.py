"""Trees that were read, kept for the next question, so many and no more: a process may live for weeks."""

from __future__ import annotations

from collections import OrderedDict

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.git.trees import Level

ROWS = 100_000
"""Entries kept; one takes some 300 bytes."""
FEWEST = 4
"""Levels kept however large they are: the directories above a file are read again and again."""


class Levels:
    """The levels used last, by tree id; they never change, so nothing gets stale."""

    def __init__(self, rows: int = ROWS, fewest: int = FEWEST) -> None:
        self._limit = rows
        self._fewest = fewest
        self._rows = 0
        self._levels: OrderedDict[Oid, Level] = OrderedDict()

    def get(self, oid: Oid) -> Level | None:
        """The level, if it is kept."""
        level = self._levels.get(oid)
        if level is not None:
            self._levels.move_to_end(oid)
        return level

    def put(self, oid: Oid, level: Level) -> None:
        """Keep ``level``, and let go of those longest unused."""
        if oid not in self._levels:
            self._levels[oid] = level
            self._rows += len(level)
        while self._rows > self._limit and len(self._levels) > self._fewest:
            self._rows -= len(self._levels.popitem(last=False)[1])
