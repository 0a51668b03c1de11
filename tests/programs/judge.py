"""Rename names of a program, run each result, and compare the output with that of the original."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from gitscalpel import Repository, ScalpelError
from gitscalpel.changesets.answers import CHECKOUT
from tests.programs.program import Name, Program
from tests.programs.toolchains import Run, Toolchain

_WHO = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "core.hooksPath=/nonexistent")
VERDICTS = ("done", "refused", "listed", "BROKEN")


class Outcome(NamedTuple):
    """Result of one rename.

    Attributes:
        name: occurrence that was renamed.
        to: new name.
        verdict: ``done`` if the output is the same, ``refused``, ``listed`` if the output differs and the
            answer names a place that was left, else ``BROKEN``.
        reason: refusal, or first difference.
        left: rows that the answer lists.
    """

    name: Name
    to: str
    verdict: str
    reason: str
    left: tuple[str, ...]


class _Rename(NamedTuple):
    name: Name
    to: str
    refusal: str
    left: tuple[str, ...]
    directory: Path | None


def new_name(word: str) -> str:
    """Return another name in the style of a word."""
    tail = word.lstrip("$@_")
    return word + ("_ZQ" if tail.isupper() and len(tail) > 1 else "_zq" if tail.islower() else "Zq")


def judge_program(
    program: Program, names: Iterable[tuple[Name, str]], toolchain: Toolchain, scratch: Path, jobs: int = 2
) -> list[Outcome]:
    """Rename each of some names from the beginning and judge the results.

    Args:
        program: program in which the names are.
        names: occurrences and their new names.
        toolchain: toolchain of its language.
        scratch: empty directory.
        jobs: number of programs that run at the same time.

    Raises:
        RuntimeError: the program fails as it is.
    """
    root = scratch / "repository"
    _make_repository(program, root)
    original = scratch / "original"
    _write(program.files, original)
    expected = toolchain.run(original)
    if expected.status or not expected.output:
        raise RuntimeError(f"{program.title} fails as it is: {expected.error}")
    renames = [_rename(root, name, to, scratch) for name, to in names]
    directories = [*dict.fromkeys(each.directory for each in renames if each.directory)]
    runs = dict(zip(directories, toolchain.run_all(directories, jobs), strict=True))
    return [_judge(each, runs, expected) for each in renames]


def _judge(rename: _Rename, runs: dict[Path, Run], expected: Run) -> Outcome:
    name, to, refusal, left, directory = rename
    if directory is None:
        return Outcome(name, to, "BROKEN" if refusal.startswith("internal") else "refused", refusal, left)
    run = runs[directory]
    if (run.status, run.output) == (0, expected.output):
        return Outcome(name, to, "done", "", left)
    reason = _difference(run, expected)
    return Outcome(name, to, "listed" if left else "BROKEN", reason, left)


def _difference(run: Run, expected: Run) -> str:
    if run.status:
        lines = [line for line in run.error.splitlines() if "rror" in line] or run.error.splitlines()
        return " | ".join(lines[:3])[:400]
    pairs = zip(run.output.splitlines(), expected.output.splitlines(), strict=False)
    return next((f"prints {now!r}, not {was!r}" for now, was in pairs if now != was), "prints less or more")


def _make_repository(program: Program, root: Path) -> None:
    _write(program.files, root)
    for words in (("init", "-q", "-b", "main"), ("add", "-A", "-f"), (*_WHO, "commit", "-qm", "as it is")):
        _git(root, *words)
    _git(root, "config", "scalpel.witness", "off")


def _git(root: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=root, capture_output=True, check=True)


def _write(files: dict[str, str], root: Path) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8", newline="")


def _rename(root: Path, name: Name, to: str, scratch: Path) -> _Rename:
    op = {"op": "rename", "path": name.path, "start": name.line, "name": name.name, "to": to}
    try:
        with Repository(root) as repository:
            done = repository.edit(op, onto=CHECKOUT)
        left = tuple(_left(done.facts.unchecked or (), done.warnings))
        files = {str(each.relative_to(root)): each.read_text("utf-8") for each in _tracked(root)}
        digest = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:16]
        directory = scratch / digest
        _write(files, directory)
        return _Rename(name, to, "", left, directory)
    except ScalpelError as error:
        return _Rename(name, to, f"{error.code}: {error.message}", (), None)
    finally:
        _git(root, "reset", "-q", "--hard")
        _git(root, "clean", "-fdxq")


def _tracked(root: Path) -> Iterator[Path]:
    return (each for each in root.rglob("*") if each.is_file() and ".git" not in each.relative_to(root).parts)


def _left(unchecked: Sequence[str], warnings: Sequence[str]) -> Iterator[str]:
    """Yield the rows that name a place or a reason why the program may differ."""
    yield from dict.fromkeys((*unchecked, *(each for each in warnings if "is renamed" in each)))
