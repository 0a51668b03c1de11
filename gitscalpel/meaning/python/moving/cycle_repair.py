"""Ways out of a circle of imports: few of them are put off, or the definition comes earlier.

A circle fails because of a chain of import statements that are being run. Each of them that is in a changed
file may go to the functions that use its names, or, if it is new, to its first use. A file may also define
before such an import what the others take from it. The search tries the cheapest ways first and simulates
each of them.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from itertools import count
from typing import NamedTuple

from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python import modules
from gitscalpel.meaning.python.import_run import Failure, ImportLink
from gitscalpel.meaning.python.importing import statements, unused
from gitscalpel.meaning.python.importing.asked import Wanted
from gitscalpel.meaning.python.importing.statements import Place, Statement
from gitscalpel.meaning.python.moving import deferral, early
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.syntax.occurrences import Mention

_MOST = 24
"""Trees that are simulated at most."""
_LATE, _KNOWN, _EARLY, _LOST = 2, 2, 4, 6
"""Costs of a new import at its first use, of a known import in functions, of a definition above an import,
and of a name that a private package no longer has.

An import costs 1 more for each function that has it, and for the file if that is not the new one.
"""
_READERS = ("get_type_hints", "resolve_types")
"""Functions that evaluate annotations, and then need what these name."""


class MovedDefinition(NamedTuple):
    """The definition that has moved.

    Attributes:
        path: of its new file.
        name: of the definition.
    """

    path: str
    name: str


class CycleRepair:
    """A search for the files of a move in which no name is asked for too early.

    Args:
        before: the tree before the move.
        moved: the definition.
        failures: returns what is asked for too early in a tree.
        loses: returns True if a package of a tree loses a name.
    """

    def __init__(
        self,
        before: Files,
        moved: MovedDefinition,
        failures: Callable[[Files], list[Failure]],
        loses: Callable[[Files], bool],
    ) -> None:
        self._before, self._moved, self._failures, self._loses = before, moved, failures, loses
        self._private: dict[tuple[str, str], bool] = {}

    def search(self, files: Files) -> Files | None:
        """Return the files in which nothing fails with the cheapest changes; None if there are none."""
        numbers = count()
        waiting = [(0, next(numbers), 0, files, self._failures(files))]
        second_best = None
        tried = {_texts(files)}
        while waiting:
            _, _, cost, files, failures = heapq.heappop(waiting)
            if not failures:
                if not self._loses(files):
                    return files
                second_best = second_best or files
                continue
            for price, option in self._options(files, failures[0]):
                if len(tried) < _MOST and (key := _texts(option)) not in tried:
                    tried.add(key)
                    left = self._failures(option)
                    entry = cost + price + len(left), next(numbers), cost + price, option, left
                    heapq.heappush(waiting, entry)
        return second_best

    def _options(self, files: Files, failure: Failure) -> Iterator[tuple[int, Files]]:
        """Yield trees in which one import of the chain of a failure is not run there, with their costs."""
        if not failure.chain:
            above = self._define_first(files)
            if above is not None:
                yield _EARLY, above
        for link in failure.chain:
            statement = _statement_at(files, link)
            if statement is None or statement.is_star:
                continue
            yield from self._ways_of(files, link.path, statement)
            if link.path == self._moved.path == failure.source:
                above = early.define_above(files, self._moved.path, self._moved.name, statement)
                if above is not None:
                    yield _EARLY, above

    def _ways_of(self, files: Files, path: str, statement: Statement) -> Iterator[tuple[int, Files]]:
        """Yield trees in which one import of a file is run later or not at all, with their costs."""
        names = [Wanted(statement.module, each.name, each.alias) for each in statement.names]
        is_new = all(self._is_new(path, each) for each in names)
        if is_new or all(self._is_private(files, path, each) for each in names):
            deferred = _apply_all(deferral.defer_unlisted, files, path, names)
            if deferred is not None:
                price = _count_functions(deferred, path, names) + (path != self._moved.path)
                yield price + (0 if is_new else _KNOWN), deferred
        if not is_new:
            return
        if not deferral.is_put_off(Place.of(files, path), statement):
            late = _apply_all(deferral.put_off, files, path, names)
            if late is not None:
                yield _LATE, late
        if path.endswith("/__init__.py") and "/_" in f"/{path.removesuffix('/__init__.py')}":
            dropped = _apply_all(deferral.drop, files, path, names)
            if dropped is not None:
                yield _LOST, dropped

    def _define_first(self, files: Files) -> Files | None:
        """Return the files with the definition above the first import of a module of the tree."""
        place = Place.of(files, self._moved.path)
        for each in statements.read(place.root, place.text):
            names = [each.module] if each.module is not None else [one.name for one in each.names]
            if any(modules.file(files, self._moved.path, name) is not None for name in names):
                return early.define_above(files, self._moved.path, self._moved.name, each)
        return None

    def _is_new(self, path: str, wanted: Wanted) -> bool:
        if not self._before.is_file(path):
            return True
        place = Place.of(self._before, path)
        return not any(each.brings(*wanted) for each in statements.read(place.root, place.text))

    def _is_private(self, files: Files, path: str, wanted: Wanted) -> bool:
        """Return True if nothing outside of a file takes from it what an import brings."""
        if path.endswith("/__init__.py"):
            return False
        key = path, wanted.bound
        if key not in self._private:
            self._private[key] = not self._is_taken(path, wanted.bound) and not (
                any(each.endswith(".py") for word in _READERS for each in files.holding(word))
            )
        return self._private[key]

    def _is_taken(self, path: str, name: str) -> bool:
        if unused.is_taken_by_others(Resolver(self._before, dialect), path, name):
            return True
        module = path.rpartition("/")[2].removesuffix(".py")
        return any(_names_attribute(self._before, each, name, module) for each in self._before.holding(name))


def _texts(files: Files) -> tuple[bytes, ...]:
    sources = (files.source(path) for path in sorted(files.touched))
    return tuple(each.text for each in sources if each is not None)


def _statement_at(files: Files, link: ImportLink) -> Statement | None:
    """Return an import at the top level of a changed file."""
    if link.path not in files.touched:
        return None
    place = Place.of(files, link.path)
    found = statements.read(place.root, place.text)
    return next((each for each in found if each.node.start_byte == link.start), None)


def _count_functions(files: Files, path: str, names: list[Wanted]) -> int:
    """Return the number of imports below the top level that bring one of some names."""
    text = Place.of(files, path).text
    return max(text.count(b"    " + each.statement.encode("utf-8", "surrogateescape")) for each in names)


def _apply_all(
    change: Callable[[Files, str, Wanted], Files | None], files: Files, path: str, names: list[Wanted]
) -> Files | None:
    found: Files | None = files
    for each in names:
        found = None if found is None else change(found, path, each)
    return found


def _names_attribute(files: Files, path: str, name: str, module: str) -> bool:
    """Return True if a file names an attribute of a module in a string: ``patch("a.b", …)``, ``(b, "x")``."""
    lexical = files.lexical(path)
    for mention in lexical.of(name) if lexical is not None else ():
        if mention.role == "string" and _is_beside(mention, module.encode()):
            return True
    return False


def _is_beside(mention: Mention, module: bytes) -> bool:
    above = mention.node
    while above is not None and above.type != "argument_list":
        if above.type in ("block", "module") or above.parent is None:
            return False
        above = above.parent
    return module in (above.text or b"")
