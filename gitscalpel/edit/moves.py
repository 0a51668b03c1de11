"""Which files a changeset has moved, from where it found them to where it leaves them."""

from __future__ import annotations

from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.changesets.operations import Moved, MoveFile


class Moves:
    """The moves of a changeset so far.

    Attributes:
        last: the operation that moved a file last.
    """

    def __init__(self) -> None:
        self._came: dict[str, str] = {}
        self.last = 0

    def take(self, op: MoveFile, path: str, to: str, index: int) -> None:
        """A file has moved; one that was moved before comes from where it was at first."""
        came = self._came.pop(path, path)
        if not op.keep_imports:
            self._came[to] = came
            self.last = index

    def moved(self, overlay: Overlay) -> Moved | None:
        """All of them as one operation; those that are there no more are gone, and not moved."""
        pairs = [(came, to) for to, came in self._came.items() if came != to and overlay.entry(to)]
        return Moved(path=pairs[-1][1], pairs=tuple(sorted(pairs))) if pairs else None
