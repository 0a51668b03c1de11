"""The order in which modules run after a move: new imports are put where no name is asked for too early."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python.import_run import Failure, ImportRun
from gitscalpel.meaning.python.importing import statements
from gitscalpel.meaning.python.importing.asked import Wanted
from gitscalpel.meaning.python.importing.statements import Place
from gitscalpel.meaning.python.moving import deferral

_MOST = 250
"""Modules that are tried as the first one."""


class NewImport(NamedTuple):
    """An import at the top of a file that it did not have before."""

    path: str
    wanted: Wanted


_Keys = dict[tuple[str, str, str, str], Failure]
_Way = Callable[[Files, str, Wanted], "Files | None"]


class ImportOrder:
    """The ways to put the new imports of a move.

    Args:
        before: the tree.
    """

    def __init__(self, before: Files) -> None:
        self._before = before
        self._paths: list[str] = []
        self._found: dict[tuple[str, str], str | None] = {}
        self._known: dict[str, _Keys] | None = None

    def settle(self, after: Files) -> tuple[Files, list[Failure]]:
        """Return the files with imports where each name is there in time, and what fails nevertheless."""
        failures = self.failures(after)
        if not failures:
            return after, []
        new = list(self._new_imports(after))
        ways: list[_Way | None] = [deferral.defer] * len(new)
        found, ways = self._put(after, new, ways)
        least = self.failures(found)
        if least:
            return after, least
        for at in range(len(new)):
            if ways[at] is None:
                continue
            tried = [*ways[:at], None, *ways[at + 1 :]]
            other, _ = self._put(after, new, tried)
            if not self.failures(other):
                found, ways = other, tried
        return found, []

    def failures(self, after: Files) -> list[Failure]:
        """Return the names that are asked for too early, whichever module is imported first."""
        self._paths = sorted(path for path in after.touched if path.endswith(".py"))
        found = self._failures_by_entry(after)
        if not any(found.values()):
            return []
        if self._known is None:
            self._known = self._failures_by_entry(self._before)
        known = {key for each in self._known.values() for key in each}
        return [failure for each in found.values() for key, failure in each.items() if key not in known]

    def _put(
        self, files: Files, new: Sequence[NewImport], ways: Sequence[_Way | None]
    ) -> tuple[Files, list[_Way | None]]:
        """Put each import in its way, or right before its first use where that is no way."""
        done: list[_Way | None] = []
        for each, way in zip(new, ways, strict=True):
            options = [way, deferral.put_off] if way is deferral.defer else [way]
            chosen = None
            for option in options:
                moved = None if option is None else option(files, *each)
                if moved is not None:
                    files, chosen = moved, option
                    break
            done.append(chosen)
        return files, done

    def _new_imports(self, after: Files) -> Iterator[NewImport]:
        for path in self._paths:
            old = {key for _, key in _imports(self._before, path)}
            for statement, key in _imports(after, path):
                if key not in old and statement != "__future__" and key.name != "*":
                    yield NewImport(path, key)

    def _failures_by_entry(self, files: Files) -> dict[str, _Keys]:
        """Return by the module that is imported first what is asked for too early."""
        found: dict[str, _Keys] = {}
        whole: dict[str, set[str]] = {}
        waiting = [path for path in self._paths if files.is_file(path)]
        for entry in waiting:
            first = outermost(files, entry)
            if first not in whole:
                run = self.run(files, first)
                whole[first] = set(run.loaded)
                found[first] = _keys(first, run)
                new = [each for each in run.loaded if each.endswith(".py") and each not in waiting]
                waiting += new[: max(0, _MOST - len(waiting))]
            if entry not in whole[first]:
                run = self.run(files, entry)
                found[entry] = _keys(entry, run)
        return found

    def run(self, files: Files, entry: str) -> ImportRun:
        """Return what happens when a module is imported first."""
        run = ImportRun(files, self._found)
        run.load(entry)
        return run


def outermost(files: Files, path: str) -> str:
    """Return the file of the outermost package around a module, or the module: what is run first."""
    folder, found = path.rpartition("/")[0], path
    while folder:
        if files.is_file(f"{folder}/__init__.py"):
            found = f"{folder}/__init__.py"
        folder = folder.rpartition("/")[0]
    return found


def _keys(entry: str, run: ImportRun) -> _Keys:
    return {(entry, each.path, each.name, each.source): each for each in run.failures}


def _imports(files: Files, path: str) -> Iterator[tuple[str | None, Wanted]]:
    if not files.is_file(path) or files.lexical(path) is None:
        return
    place = Place.of(files, path)
    for statement in statements.read(place.root, place.text):
        for name in statement.names:
            yield statement.module, Wanted(statement.module, name.name, name.alias)
