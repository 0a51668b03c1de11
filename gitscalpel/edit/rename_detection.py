"""Find the previous paths of a change's files, from the trees alone.

The verdict on a change must not depend on how it was made. A moved file, a file that was written again at
another path, and a file that an editor has renamed are the same change. A copy is a new file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, Change, Entry, Oid
from gitscalpel.edit.outcome import Outcome
from gitscalpel.syntax.languages import Language, recognise

_ENOUGH = 0.5
"""The share of lines in common from which on a file is another one renamed, as for git (diff.renames)."""
_MOST = 10_000
"""Pairs that are compared by their lines; with more, only files that stayed the same are followed."""


class Renames:
    """Renamed files of a change.

    Each removed file is matched with one new file at most, in the same language.
    """

    def __init__(self, outcome: Outcome) -> None:
        self._overlay = outcome.overlay
        self._changes = outcome.changes

    def before(self, path: str) -> bytes | None:
        """Return the old content of a file, at its own or its former path, or None if it is new."""
        if _is_file(self._overlay.below.entry(path)):
            return self._overlay.before(path)
        origin = self.origins.get(path)
        return None if origin is None else self._overlay.before(origin)

    @cached_property
    def origins(self) -> dict[str, str]:
        """The old path of each renamed file."""
        gone = [each for each in self._changes if each.new is None and _is_file(each.old)]
        new = [each for each in self._changes if _is_file(each.new) and not _is_file(each.old)]
        found: dict[str, str] = {}
        for pairs in (self._iter_identical(gone, new), self._iter_similar(gone, new, found)):
            for _, old, path in sorted(pairs):
                if path not in found and old not in found.values():
                    found[path] = old
        return found

    def _iter_identical(self, gone: list[Change], new: list[Change]) -> Iterator[tuple[float, str, str]]:
        """Yield identical pairs of removed and new files."""
        by_id: dict[Oid | None, list[str]] = {}
        for each in gone if new else ():
            by_id.setdefault(_oid_of(each.old), []).append(each.path)
        for each in new:
            for old in by_id.get(_oid_of(each.new), ()):
                if self._language_of(old) == self._language_of(each.path):
                    yield 0, old, each.path

    def _iter_similar(
        self, gone: list[Change], new: list[Change], found: dict[str, str]
    ) -> Iterator[tuple[float, str, str]]:
        """Yield the other pairs with enough lines in common, the most similar first."""
        left = [each.path for each in gone if each.path not in found.values()]
        paths = [each.path for each in new if each.path not in found]
        if len(left) * len(paths) > _MOST:
            return
        olds = {old: _count_lines(self._overlay.before(old)) for old in left} if paths else {}
        for path in paths if left else ():
            mine = _count_lines(self._overlay.content(path))
            for old, lines in olds.items():
                share = (lines & mine).total() / max(lines.total(), mine.total(), 1)
                if share >= _ENOUGH and self._language_of(old) == self._language_of(path):
                    yield -share, old, path

    def _language_of(self, path: str) -> Language | None:
        text = self._overlay.content(path)
        return recognise(path, self._overlay.before(path) or b"" if text is None else text)


def _is_file(entry: Entry | None) -> bool:
    return entry is not None and entry.mode in (REGULAR, EXECUTABLE)


def _oid_of(entry: Entry | None) -> Oid | None:
    return entry.oid if entry else None


def _count_lines(text: bytes | None) -> Counter[bytes]:
    return Counter((text or b"").split(b"\n"))
