"""Which paths patterns mean, as in ``.gitignore``: ``*.pem`` at any depth, ``/a`` at the root, ``src/**``."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from gitscalpel.snapshot import SUBMODULE, SYMLINK, Change, Snapshot

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


class Globs:
    """Patterns that a path matches or not.

    Args:
        patterns: as in ``.gitignore``; of those that match, the last one counts, and ``!`` takes back.
        folded: names that some file systems take for the same count as the same: case, Unicode forms.
    """

    def __init__(self, patterns: Iterable[str], *, folded: bool = False) -> None:
        self._folded = folded
        self._spec = _compiled(tuple(map(self._spelt, patterns)))

    def match(self, path: str) -> bool:
        """Whether they mean ``path``, relative to the root."""
        return self._spec.match_file(self._spelt(path))

    def concern(self, change: Change, before: Snapshot) -> bool:
        """Whether they mean what changes, or what lies in it: a link and a submodule stand for a folder."""
        if self.match(change.path):
            return True
        old = before.entry(change.path)
        folder = not {change.mode, old.mode if old else ""}.isdisjoint((SYMLINK, SUBMODULE))
        return folder and self.match(f"{change.path}/.")

    def among(self, paths: Iterable[str]) -> Iterator[str]:
        """Those of ``paths`` that they mean."""
        return (path for path in paths if self.match(path))

    def _spelt(self, name: str) -> str:
        return unicodedata.normalize("NFC", name).casefold() if self._folded else name


@cache
def _compiled(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec  # half as much as the whole start: only where there are patterns

    return GitIgnoreSpec.from_lines(patterns)
