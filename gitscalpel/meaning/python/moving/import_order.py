"""The order in which modules run after a move: new imports are put where no name is asked for too early."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from gitscalpel.changesets.answers import quoted
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python import import_calls
from gitscalpel.meaning.python.import_run import Failure, ImportRun, find_module
from gitscalpel.meaning.python.import_scopes import LoadedModule
from gitscalpel.meaning.python.importing import statements
from gitscalpel.meaning.python.importing.asked import Wanted
from gitscalpel.meaning.python.importing.statements import Place
from gitscalpel.meaning.python.moving import deferral
from gitscalpel.meaning.python.moving.cycle_repair import CycleRepair, MovedDefinition

_MOST = 250
"""Modules that are tried as the first one."""
_MOST_TRIED = 12
"""Imports that are put back to the top one by one, where all of them together come too early."""


_DEFINITIONS = ("function_definition", "class_definition", "decorated_definition", "assignment")


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
        path: of the file in which the definition was.
        moved: the definition.
    """

    def __init__(self, before: Files, path: str, moved: MovedDefinition) -> None:
        self._before, self._path, self._moved = before, path, moved
        self._paths: list[str] = []
        self._found: dict[tuple[str, str], str | None] = {}
        self._known: dict[str, _Keys] | None = None
        self._runs: dict[tuple[int, str], tuple[Files, ImportRun]] = {}

    def settle(self, after: Files, *, may_search: bool = True) -> tuple[Files, list[Failure]]:
        """Return the files with imports where each name is there in time, and what fails nevertheless.

        Args:
            after: the tree with every import at the top.
            may_search: True if known imports and the definition may find other places, which takes a while.
        """
        found, failures = self._put_all_off(after)
        failures = failures or self._early_calls(found)
        if failures and may_search:
            told = set(self.list_lost(after))

            def loses(files: Files) -> bool:
                return not told.issuperset(self.list_lost(files))

            repaired = CycleRepair(self._before, self._moved, self.all_failures, loses).search(after)
            if repaired is not None:
                return repaired, []
        return found, failures

    def _put_all_off(self, after: Files) -> tuple[Files, list[Failure]]:
        """Return the files with as many new imports put off as needed, and what fails nevertheless."""
        failures = self.failures(after)
        if not failures:
            return after, []
        new = list(self._new_imports(after))
        # A name of a package stays one if that is possible.
        for is_kept in (True, False) if any(map(self._is_offered, new)) else (False,):
            late = deferral.put_off if is_kept else deferral.defer
            first: list[_Way | None] = [
                None if self._is_library(after, each) else late if self._is_offered(each) else deferral.defer
                for each in new
            ]
            found, ways = self._put(after, new, first)
            least = self.failures(found)
            if not least:
                break
        else:
            return after, least
        for at in [at for at, way in enumerate(ways) if way is not None][:_MOST_TRIED]:
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

    def all_failures(self, after: Files) -> list[Failure]:
        """Return what `failures` does; where nothing fails, what a call may need too early."""
        return self.failures(after) or self._early_calls(after)

    def _early_calls(self, after: Files) -> list[Failure]:
        """Return what functions newly import, or take from modules, that an import of modules may call."""
        known = {
            (each.path, each.functions, each.name)
            for path in {*after.touched, self._path}
            for each in import_calls.iter_local_imports(self._before, path)
        }
        new = [
            each
            for path in sorted(after.touched)
            for each in import_calls.iter_local_imports(after, path)
            if (path, each.functions, each.name) not in known
            and (path != self._moved.path or (self._path, each.functions, each.name) not in known)
            and find_module(after, path, each.module) is not None
        ]
        by_path: dict[str, set[str]] = defaultdict(set)
        for path, wanted in self._new_imports(after):
            if wanted.module is None and find_module(after, path, wanted.name) is not None:
                by_path[path].add(wanted.bound if wanted.alias else wanted.name)
        new += [
            each for path in by_path for each in import_calls.iter_module_uses(after, path, by_path[path])
        ]
        if not new:
            return []
        near = {outermost(after, path) for path in (self._path, self._moved.path)}
        mine = [
            path for path in sorted(after.touched) if after.is_file(path) and outermost(after, path) in near
        ]
        loaded = {each for path in mine for each in self._loaded_with(after, path)}
        source = after.source(self._moved.path)
        symbols = source.outline.symbols if source is not None else ()
        end = max((each.end for each in symbols if each.name == self._moved.name), default=0)
        called = import_calls.CalledNames(after, loaded, {self._moved.path: end})
        return [
            Failure(each.path, each.line, each.name, each.path, is_partial=True)
            for each in new
            if each.path in loaded and called.may_call(each.path, each.functions)
        ]

    def _loaded_with(self, after: Files, path: str) -> set[str]:
        return {*self.run(after, outermost(after, path)).loaded, *self.run(after, path).loaded}

    def list_lost(self, after: Files) -> Iterator[str]:
        """Yield what the packages around the old module no longer offer or import, in words."""
        path, name = self._path, self._moved.name
        first = outermost(after, path)
        was, now = self.run(self._before, first).loaded, self.run(after, first).loaded
        for package, module in was.items():
            if not package.endswith("/__init__.py") or package not in now:
                continue
            kept = {*now[package].names, *([name] if package == path else [])}
            for each, value in module.names.items():
                if each not in kept and not each.startswith("_") and not isinstance(value, LoadedModule):
                    yield f"{quoted(package)}: {each} is not a name of the package any more"
        inside = first.removesuffix("__init__.py")
        for each in was if inside != first else ():
            is_told = each.startswith(inside) and _is_public(each) and _has_definitions(after, each)
            if each not in now and is_told:
                yield f"{quoted(first)}: importing it does not import {quoted(each)} any more"

    def _is_library(self, files: Files, new: NewImport) -> bool:
        """Return True if an import brings nothing of the tree, and so may stay at the top."""
        return find_module(files, new.path, new.wanted.module or new.wanted.name) is None

    def _is_offered(self, new: NewImport) -> bool:
        """Return True if a package has a name that only a new import at its top still gives it."""
        name = new.wanted.bound
        lexical = self._before.lexical(new.path) if new.path.endswith("/__init__.py") else None
        return (
            lexical is not None and not name.startswith("_") and lexical.syntax.root.id in lexical.bound(name)
        )

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
        key = id(files), entry
        if key not in self._runs:
            run = ImportRun(files, self._found)
            run.load(entry)
            self._runs[key] = files, run  # the files stay alive, so that no others get their id
        return self._runs[key][1]


def outermost(files: Files, path: str) -> str:
    """Return the file of the outermost package around a module, or the module: what is run first."""
    folder, found = path.rpartition("/")[0], path
    while folder:
        if files.is_file(f"{folder}/__init__.py"):
            found = f"{folder}/__init__.py"
        folder = folder.rpartition("/")[0]
    return found


def _is_public(path: str) -> bool:
    """Return True if no part of a module's name says that it is private."""
    return not any(part.startswith("_") for part in path.removesuffix("/__init__.py").split("/"))


def _has_definitions(files: Files, path: str) -> bool:
    """Return True if a file defines something, and does not just import."""
    lexical = files.lexical(path) if files.is_file(path) else None
    statements_left = lexical.syntax.root.named_children if lexical is not None else ()
    return any(each.type in _DEFINITIONS for each in statements_left)


def _keys(entry: str, run: ImportRun) -> _Keys:
    return {(entry, each.path, each.name, each.source): each for each in run.failures}


def _imports(files: Files, path: str) -> Iterator[tuple[str | None, Wanted]]:
    if not files.is_file(path) or files.lexical(path) is None:
        return
    place = Place.of(files, path)
    for statement in statements.read(place.root, place.text):
        for name in statement.names:
            yield statement.module, Wanted(statement.module, name.name, name.alias)
