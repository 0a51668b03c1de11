"""Moves of source files, drawn from a seed, executed as a user would, and checked by compilers."""

from __future__ import annotations

import os
import posixpath
import random
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gitscalpel import Repository, ScalpelError
from gitscalpel.changesets.answers import CHECKOUT
from tests.renames.checks import Check, Problem
from tests.renames.judge import Outcome, new_problems
from tests.renames.project import Project

_FIXED = re.compile(r"(^|/)(__init__|__main__|conftest|setup|index|package-info|module-info)\.|\.config\.")
"""Files with a name that the language requires: they keep it in another directory, or stay."""


_PACKAGES = re.compile(r"\(([^()\s]+\.py)\)")
"""Path in the message of an import error."""


class FileMove(NamedTuple):
    """A file or directory, and its new path."""

    path: str
    to: str

    def __str__(self) -> str:
        return f"{self.path} -> {self.to}"


def draw_move(project: Project, language: str, seed: int) -> FileMove | None:
    """Return a file of the project and a free path for it, the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - the draw is repeated by its seed
    sources = sorted(project.sources(language))
    if not sources:
        return None
    path = chance.choice(sources)
    folder, name = posixpath.split(path)
    if chance.random() < 0.15 and folder.count("/") >= 1:  # a directory, renamed in place
        return FileMove(folder, folder + chance.choice(("_zq", "zq")))
    stem, dot, suffix = name.partition(".")
    renamed = (
        name
        if _FIXED.search(path)
        else f"{stem}Zq{dot}{suffix}"
        if stem[0].isupper()
        else f"{stem}_zq{dot}{suffix}"
    )
    if language == "go" and stem.endswith("_test"):
        renamed = f"{stem.removesuffix('_test')}_zq_test{dot}{suffix}"
    others = sorted({posixpath.dirname(each) for each in sources} - {folder})
    kind = chance.random()
    if kind < 0.45 and renamed != name:
        target = folder, renamed
    elif kind < 0.85 and others:
        target = chance.choice(others), chance.choice((name, renamed))
    else:
        target = posixpath.join(folder, "zq"), name
    to = posixpath.join(*target)
    return FileMove(path, to) if to not in project.paths else None


def judge_move(project: Project, move: FileMove, check: Check | None, known: Sequence[Problem]) -> Outcome:
    """Move files, check the project, and restore the files."""
    before = project.texts()
    pairs = list(_pairs(project, move))
    try:
        with Repository(os.fspath(project.root)) as repo:
            ops = [{"op": "move_file", "path": path, "to": to} for path, to in pairs]
            done = repo.edit(*ops, onto=CHECKOUT)
        project.list_paths()
        notes = [*(done.facts.unchecked or ()), *done.warnings]
        places = sum(each.references for each in done.facts.affected or ())
        found = new_problems(
            [] if check is None else check(project), known, lambda each: _with_old_path(each, pairs)
        )
        untold = [each for each in found if not _is_reported(each, pairs, notes)]
        if untold:
            return Outcome(verdict="FAILED", why="; ".join(map(str, untold))[:600], places=places)
        unlisted = [each for each in _named_paths(project, pairs) if not _is_listed(each, notes)]
        if unlisted:
            return Outcome(verdict="FAILED", why=f"named, and not listed: {unlisted}"[:600], places=places)
        verdict, why = ("listed", str(found[0])) if found else ("done", "")
        return Outcome(verdict=verdict, why=why, places=places, left=len(notes))
    except ScalpelError as error:
        project.list_paths()
        is_wrong = error.code == "internal" or project.texts() != before
        return Outcome(verdict="FAILED" if is_wrong else "refused", why=f"{error.code}: {error.message}")
    except Exception as error:  # any exception is a finding
        return Outcome(verdict="FAILED", why=f"{type(error).__name__}: {error}")
    finally:
        project.reset()


def _pairs(project: Project, move: FileMove) -> Iterator[tuple[str, str]]:
    if move.path in project.paths:
        yield move.path, move.to
    for path in project.paths:
        if path.startswith(move.path + "/"):
            yield path, move.to + path[len(move.path) :]


def _dotted_name(path: str) -> str:
    stem = re.sub(r"(/__init__)?\.pyi?$", "", path)
    return stem.removeprefix("src/").replace("/", ".")


def _with_old_path(problem: Problem, pairs: Sequence[tuple[str, str]]) -> Problem:
    """Return a problem with the paths from before the move."""
    path, words = problem.path, problem.words
    for old, new in pairs:
        path = old if path == new else path
        words = words.replace(new, old).replace(_dotted_name(new), _dotted_name(old))
        words = re.sub(rf"\b{re.escape(_stem(new))}\b", re.escape(_stem(old)), words)
    return Problem(path, problem.line, words)


def _stem(path: str) -> str:
    return posixpath.basename(path).partition(".")[0]


def _is_reported(problem: Problem, pairs: Sequence[tuple[str, str]], notes: Sequence[str]) -> bool:
    """Return True if the answer lists the file of a problem, or describes the problem."""
    names = {problem.path, *(old for old, new in pairs if new == problem.path)}
    listed = any(each.startswith((f"{name}:", f'"{name}')) for each in notes for name in names)
    return (
        listed
        or _is_consequence(problem, notes)
        or any(posixpath.dirname(problem.path) == "" and problem.path in each for each in notes)
    )


def _is_consequence(problem: Problem, notes: Sequence[str]) -> bool:
    """Return True if an import fails because of another file that the answer reports."""
    missing = re.search(r"No module named '(\w+)", problem.words)
    if missing is not None:
        return any(f": {missing[1]}" in each and "is not found from there" in each for each in notes)
    around = [each for each in _PACKAGES.findall(problem.words) if "circular import" in problem.words]
    return any(each.startswith(path) and "import each other" in each for each in notes for path in around)


def _twins(path: str) -> set[str]:
    """Return the stub of a module, or the module of a stub; while it exists, the name means that file."""
    return {path + "i"} if path.endswith(".py") else {path[:-1]} if path.endswith(".pyi") else set()


def _named_paths(project: Project, pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[str, int, str]]:
    """Yield lines that name a moved file by its old path, or a module by its old dotted name."""
    gone = [old for old, _ in pairs if old not in project.paths and "/" in old]
    modules = [each for each in gone if not _twins(each) & set(project.paths)]
    words = {*gone, *(each for each in map(_dotted_name, modules) if "." in each and "/" not in each)}
    if not words or len(words) > 40:
        return
    pattern = re.compile("|".join(rf"(?<![\w./-]){re.escape(each)}(?![\w-])" for each in sorted(words)))
    for path, text in project.texts().items():
        for number, line in enumerate(text.decode("utf-8", "replace").splitlines(), 1):
            found = pattern.search(line)
            if found:
                yield path, number, found[0]


def _is_listed(place: tuple[str, int, str], notes: Sequence[str]) -> bool:
    path, line, _ = place
    rows = [each for each in notes if each.startswith(f"{path}:")]
    return any(
        str(line) in re.findall(r"\d+", each[len(path) :].partition(": ")[0]) or " more " in each
        for each in rows
    )
