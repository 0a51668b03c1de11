"""Moves of definitions, drawn from a seed, done as a user would, and checked by compilers and imports.

A move that is impossible for everyone is not drawn: the other file defines the name already, or, as Python
says, cannot be imported here, or imports something else under that name. Such moves are counted by reason
(`Project.left_out`), and the next one of the same seed is drawn. Files that only type checkers read
(``typing_tests/``) are tests. Every other move is drawn, whatever comes of it.
"""

from __future__ import annotations

import os
import posixpath
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from gitscalpel import Repository, ScalpelError
from gitscalpel.changesets.answers import CHECKOUT
from gitscalpel.edit.source import Source
from tests.renames.checks import Check, Problem, read_obstacle, read_public_names
from tests.renames.judge import Outcome, new_problems
from tests.renames.project import Project

_OUTSIDE = re.compile(
    r"(^|/)((\w+_)?tests?|testing|__tests__|docs?|examples?|bench|scripts|__main__\.py|setup\.py|noxfile\.py)(/|$)"
    r"|\.(test|spec|config)\.|\.d\.ts$|\.pyi$"
)
"""Paths of scripts and of files outside of packages."""
_CONSTANTS = ("variable", "constant")
_KINDS = ("function", "class", "interface", "type", "enum", *_CONSTANTS)
_TRIES = 40
_HINTED = re.compile(r": companions ([\w, ]+)$")
"""End of a hint that names the definitions to move as well."""
_OF_TYPES = re.compile(r"(error|warning)\[(?!unresolved|invalid-syntax)(?!.*Module `)")
"""Reports of ty on types: an import that a move adds lets it look into modules that it has not known."""


class DefinitionMove(NamedTuple):
    """A top-level definition, its target file, and the definitions that move as well."""

    path: str
    name: str
    to: str
    companions: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.path}::{self.name} -> {self.to}"


def draw_definition(project: Project, language: str, seed: int) -> DefinitionMove | None:
    """Return a public definition and another file of its package, the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - the draw is repeated by its seed
    packages: dict[str, list[str]] = {}
    for path in sorted(project.sources(language)):
        package = _package_of(project, path, language)
        if package is not None:
            packages.setdefault(package, []).append(path)
    sources = sorted(path for paths in packages.values() if len(paths) > 1 for path in paths)
    for _ in range(_TRIES if sources else 0):
        path = chance.choice(sources)
        names = _public_names(project, path, is_constant=chance.random() < 0.2)
        package = _package_of(project, path, language)
        others = [each for each in packages[package or ""] if each != path]
        if not names:
            continue
        move = DefinitionMove(path, chance.choice(names), chance.choice(others))
        obstacle = _obstacle(project, language, move)
        if not obstacle:
            return move
        project.left_out[obstacle] += 1
    return None


def judge_definition(
    project: Project, move: DefinitionMove, check: Check | None, known: Sequence[Problem]
) -> Outcome:
    """Move a definition, check the project, and restore the files."""
    before, names = project.texts(), _names_before(project)
    op = {"op": "move", "path": move.path, "symbol": move.name, "to_path": move.to}
    verdict = "done"
    try:
        with Repository(os.fspath(project.root)) as repo:
            try:
                done = repo.edit(op, onto=CHECKOUT)
            except ScalpelError as error:
                hinted = _HINTED.search(error.hint or "")
                if hinted is None:
                    raise
                done = repo.edit({**op, "companions": hinted[1].split(", ")}, onto=CHECKOUT)
                verdict, move = "hinted", move._replace(companions=tuple(hinted[1].split(", ")))
        notes = [*(done.facts.unchecked or ()), *done.warnings]
        places = sum(each.references for each in done.facts.affected or ())
        problems = [_at_old_path(each, move) for each in check(project)] if check is not None else []
        problems = [each for each in problems if not _OF_TYPES.match(each.words)]
        found = new_problems(problems, [_at_old_path(each, move) for each in known], lambda each: each)
        wrong = [str(each) for each in found if not any(_names_file(row, each.path) for row in notes)]
        lost = [] if wrong else list(_lost_names(project, names, move))
        wrong += [each for each in lost if not any(_names_file(row, each.partition(":")[0]) for row in notes)]
        verdict = "FAILED" if wrong else "listed" if found or lost else verdict
        why = "; ".join(wrong or [*map(str, found), *lost, *move.companions])[:600]
        return Outcome(verdict=verdict, why=why, places=places, left=len(notes))
    except ScalpelError as error:
        is_wrong = error.code == "internal" or project.texts() != before
        return Outcome(verdict="FAILED" if is_wrong else "refused", why=f"{error.code}: {error.message}")
    except Exception as error:  # any exception is a finding
        return Outcome(verdict="FAILED", why=f"{type(error).__name__}: {error}")
    finally:
        project.reset()


def _package_of(project: Project, path: str, language: str) -> str | None:
    """Return the directory of the outermost package around a source file, or None for a script or a test."""
    if _OUTSIDE.search(path):
        return None
    if language != "python":
        return "" if language in ("typescript", "javascript") else posixpath.dirname(path)
    folder, package = posixpath.dirname(path), None
    while folder and f"{folder}/__init__.py" in project.paths:
        folder, package = posixpath.dirname(folder), folder
    return package


def _obstacle(project: Project, language: str, move: DefinitionMove) -> str:
    """Return why a move is impossible for everyone; an empty string if it is not."""
    if move.name in _defined_names(project, move.to):
        return "the other file defines the name already"
    return read_obstacle(project, move.path, move.name, move.to) if language == "python" else ""


def _defined_names(project: Project, path: str) -> set[str]:
    """Return the names that a file defines at its top level, without imported ones."""
    outline = Source.read(path, (project.root / path).read_bytes()).outline
    return {each.name for each in outline.symbols} if outline is not None else set()


def _public_names(project: Project, path: str, *, is_constant: bool) -> list[str]:
    outline = Source.read(path, (project.root / path).read_bytes()).outline
    known = outline.symbols if outline is not None else []
    symbols = [each for each in known if each.kind in _KINDS and _is_declared(each.qualname)]
    often = Counter(each.name for each in symbols)
    mine = [each for each in symbols if (each.kind in _CONSTANTS) == is_constant]
    return sorted(each.name for each in mine if often[each.name] == 1 and not each.name.startswith("_"))


def _is_declared(qualname: str) -> bool:
    """Return True for a name that a module declares, also in CommonJS style, but not for a member."""
    return "." not in qualname.removeprefix("module.").removeprefix("exports.")


def _at_old_path(problem: Problem, move: DefinitionMove) -> Problem:
    """Return a problem of either file as one of the old file, since problems move with a definition."""
    return problem._replace(path=move.path) if problem.path == move.to else problem


def _names_file(row: str, path: str) -> bool:
    """Return True if a row of an answer is about a file, or about names that files load too early."""
    return row.endswith("may not exist yet when this runs") or row.startswith(
        (f"{path}:", f'"{path}"', path + " ")
    )


@lru_cache(maxsize=1)
def _names_before(project: Project) -> dict[str, set[str]]:
    return read_public_names(project)


def _lost_names(project: Project, before: dict[str, set[str]], move: DefinitionMove) -> Iterator[str]:
    """Yield names that a package no longer offers, except for those that moved out of that file.

    A module that became empty is not a loss.
    """
    after = read_public_names(project)
    folder, _, module = move.path.removesuffix(".py").rpartition("/")
    emptied = set() if _defined_names(project, move.path) else {f"{folder}/__init__.py"}
    for path, names in sorted(before.items()):
        own = {move.name, *move.companions} if path == move.path else {module} if path in emptied else set()
        for name in sorted(names - after.get(path, set()) - own):
            yield f"{path}: {name} is no longer a name of the package"
