"""Judge the files of real repositories: ``python -m tests.syntax.corpus [--damage N] FOLDER…``.

Each folder is a repository, bare or not, or contains some. Every file of HEAD is judged as a new file. People
committed all of them, so a refused one is a false alarm, unless it is broken on purpose: those are in
``BROKEN_ON_PURPOSE``, and listed by name. With ``--damage``, N files of each language are damaged in several
ways, and judged as new files and as edits of the good file; ``caught`` counts those in which the grammar
finds a fault, ``kept`` those of them that the gate refuses. The exit status is 1 if more than 1 of 1,000
files is refused, more than 2 of 100 are unchecked, or less than 99 of 100 damaged files are kept in a
language.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import NamedTuple

from gitscalpel.changesets.file_tree import Oid, Overlay
from gitscalpel.edit.error_attribution import OverlayMacros
from gitscalpel.edit.source import Source
from gitscalpel.errors import ScalpelError
from gitscalpel.gates.syntax_gate import SyntaxResult, compare_syntax
from gitscalpel.git.object_store import MissingObject, open_store
from gitscalpel.git.repository import discover
from gitscalpel.git.snapshots import TreeSnapshot

BROKEN_ON_PURPOSE = (
    "spec/fixtures/invalid_say-1.3-1.rockspec",
    "test/cgi/assets/folder/test.js",
    "test/cgi/assets/javascripts/app.js",
    "test/cgi/assets/stylesheets/app.css",
    "tests/torture/input0.json",
    "Tests/Resources/Responses/JSON/invalid_data.json",
    "malformed-template/templates/bad.yaml",
    "chart-bad-requirements/Chart.yaml",
    "tests/Foundation/fixtures/bad-syntax-strategy.php",
    "dataloader/vars/invalid.json",
    *(f"uri/files/fail{number}.json" for number in range(31)),
)
"""Path suffixes of fixtures that every reader of their language refuses."""
_BATCH = 50
_SIZES = range(200, 60_000)
"""Sizes in bytes of the files to damage."""
_NO_PARSER = "no parser for this type of file"


class Judged(NamedTuple):
    """One file and the verdict on it.

    Attributes:
        refused: message of the first finding; empty if the file passes.
        unchecked: notes on unchecked parts.
    """

    repository: Path
    oid: str
    path: str
    language: str
    refused: str
    unchecked: tuple[str, ...]

    @property
    def outcome(self) -> str:
        """``ok``, ``refused``, ``fixture``, ``unchecked`` or ``no parser``."""
        if self.refused:
            return "fixture" if self.path.endswith(BROKEN_ON_PURPOSE) else "refused"
        if not self.unchecked:
            return "ok"
        return "no parser" if _NO_PARSER in self.unchecked[0] else "unchecked"


class Damaged(NamedTuple):
    """Verdicts of the grammar alone and of the gate on a damaged file."""

    path: str
    language: str
    damage: str
    is_edit: bool
    is_caught: bool
    is_kept: bool


class Tip:
    """The files of HEAD of a repository."""

    def __init__(self, folder: Path) -> None:
        repo = discover(folder, os.environ)
        tree = repo.git("rev-parse", "HEAD^{tree}").decode().strip()
        self._snapshot = TreeSnapshot(open_store(repo), repo.git, Oid(tree))
        self._macros = cache(lambda: OverlayMacros(Overlay(self._snapshot)))

    def read(self, oid: str) -> bytes:
        """Return the content of a file."""
        return self._snapshot.read(Oid(oid))

    def judge(self, old: Source | None, path: str, content: bytes) -> SyntaxResult:
        """Return the verdict of the gate on a file."""
        return compare_syntax(old, Source.read(path, content), self._macros)


@cache
def tip_of(folder: Path) -> Tip:
    """Return the tip of a repository, opened once in each process."""
    return Tip(folder)


def files_of(folder: Path) -> list[tuple[str, str]]:
    """Return object name and path of each regular file of HEAD."""
    listed = subprocess.run(
        ["git", "-C", folder, "ls-tree", "-r", "-z", "HEAD"], check=True, capture_output=True
    ).stdout
    rows = [row.partition(b"\t") for row in listed.split(b"\0") if row]
    return [
        (meta.split()[2].decode(), os.fsdecode(path)) for meta, _, path in rows if meta.startswith(b"100")
    ]


def judge_files(folder: Path, files: list[tuple[str, str]]) -> list[Judged]:
    """Return the verdict on each text file, judged as a new one."""
    return [judged for oid, path in files if (judged := _judge_file(folder, oid, path)) is not None]


def _judge_file(folder: Path, oid: str, path: str) -> Judged | None:
    try:
        content = tip_of(folder).read(oid)
    except MissingObject:  # a partial clone
        return None
    if b"\0" in content[:8_000]:
        return None
    try:
        source = Source.read(path, content)
        found = tip_of(folder).judge(None, path, content)
    except ScalpelError as error:
        return Judged(folder, oid, path, "-", "", (str(error),))
    name = source.language.name if source.language else "-"
    first = found.findings[0] if found.findings else None
    words = f"{first.line}:{first.column}: {first.message}" if first else ""
    return Judged(folder, oid, path, name, words, found.unchecked)


def damage(text: bytes, drawn: random.Random) -> Iterator[tuple[str, bytes]]:
    """Yield a text with each kind of damage that tools and agents cause."""
    lines = text.split(b"\n")
    at, size = drawn.randrange(len(lines)), drawn.randrange(2, 8)
    before, some, after = lines[:at], lines[at : at + size], lines[at + size :]
    brackets = [offset for offset, sign in enumerate(text) if sign in b"()[]{}"]
    marks = [offset for offset, sign in enumerate(text) if sign in b";,:\"'"]
    yield "truncated", b"\n".join(lines[: len(lines) * 2 // 3])[:-3]
    for kind, offsets in (("bracket", brackets), ("mark", marks)):
        if offsets:
            chosen = drawn.choice(offsets)
            yield f"{kind} dropped", text[:chosen] + text[chosen + 1 :]
            yield f"{kind} doubled", text[:chosen] + text[chosen : chosen + 1] + text[chosen:]
    hunk = [b"-" + line for line in some] + [b"+" + line for line in some]
    yield "half a hunk", b"\n".join([*before, *hunk, *after])
    yield "lines lost", b"\n".join([*before, *after])
    yield (
        "prose",
        b"\n".join([*before, b"Here is the updated version of the function with the fix:", *lines[at:]]),
    )
    yield "fence", b"\n".join([*before, b"```", *lines[at:]])
    yield "indentation lost", b"\n".join([*before, *(line.lstrip() for line in some), *after])


def judge_damage(good: Judged) -> list[Damaged]:
    """Return the verdicts on a file with each kind of damage, as a new file and as an edit.

    The list is empty if the grammar refuses the undamaged file.
    """
    found, tip = list[Damaged](), tip_of(good.repository)
    content = tip.read(good.oid)
    if compare_syntax(None, Source.read(good.path, content)).findings:
        return found
    for kind, text in damage(content, random.Random(good.oid)):  # noqa: S311 - not for secrets
        for old in (None, Source.read(good.path, content)):
            if text == content or text.startswith(b"\xef\xbb\xbf"):
                continue
            is_caught = bool(compare_syntax(old, Source.read(good.path, text)).findings)
            is_kept = is_caught and bool(tip.judge(old, good.path, text).findings)
            found.append(Damaged(good.path, good.language, kind, old is not None, is_caught, is_kept))
    return found


def main() -> int:
    """Judge the files, and print a row for each repository and each language."""
    parser = argparse.ArgumentParser(prog="python -m tests.syntax.corpus", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--damage", type=int, default=0, help="files of each language to damage (0)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--language", help="judge files of this language alone")
    options = parser.parse_args()
    with ProcessPoolExecutor(options.jobs) as pool:
        jobs = []
        for folder in _repositories(options.folders):
            files = files_of(folder)
            jobs += [
                pool.submit(judge_files, folder, files[at : at + _BATCH])
                for at in range(0, len(files), _BATCH)
            ]
        judged = [each for job in jobs for each in job.result()]
        judged = [each for each in judged if options.language in (None, each.language)]
        is_good = _print_judged(judged)
        if options.damage:
            chosen = _choose(judged, options.damage)
            results = pool.map(judge_damage, chosen, chunksize=4)
            is_good &= _print_damaged([each for some in results for each in some])
    return int(not is_good)


def _repositories(folders: list[Path]) -> Iterator[Path]:
    for folder in folders:
        for place in (folder, *sorted(folder.glob("*")), *sorted(folder.glob("*/repo"))):
            if (place / ".git").exists() or (place / "HEAD").is_file():
                yield place
                if place == folder:
                    break


def _print_judged(judged: list[Judged]) -> bool:
    for key in ("repository", "language"):
        rows: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for each in judged:
            rows[str(getattr(each, key))][each.outcome] += 1
        _print_rows(rows, ("ok", "refused", "fixture", "unchecked", "no parser"))
    for each in judged:
        if each.outcome in {"refused", "fixture"}:
            print(f"{each.outcome}: {each.repository} {each.path}:{each.refused}")
        elif each.outcome == "unchecked":
            print(f"unchecked: {each.repository} {each.unchecked[0]}")
    total = Counter(each.outcome for each in judged)
    print(f"{total.total()} files, {total['refused']} refused, {total['unchecked']} unchecked")
    return total["refused"] * 1_000 <= total.total() and total["unchecked"] * 50 <= total.total()


def _choose(judged: list[Judged], number: int) -> list[Judged]:
    """Return at most ``number`` judged and accepted files of each language."""
    by_language: defaultdict[str, list[Judged]] = defaultdict(list)
    for each in judged:
        if each.outcome == "ok" and each.language != "-":
            by_language[each.language].append(each)
    chosen: list[Judged] = []
    for some in by_language.values():
        drawn = sorted(some, key=lambda each: each.oid)  # a stable order unrelated to the contents
        fit = (each for each in drawn if len(tip_of(each.repository).read(each.oid)) in _SIZES)
        chosen += [each for each, _ in zip(fit, range(number), strict=False)]
    return chosen


def _print_damaged(damaged: list[Damaged]) -> bool:
    rows: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for each in damaged:
        row = rows[each.language]
        row["files"] += 1
        row["caught"] += each.is_caught
        row["kept"] += each.is_kept
        if each.is_caught and not each.is_kept:
            print(f"lost: {each.language} {each.path}: {each.damage}{', as an edit' * each.is_edit}")
    _print_rows(rows, ("files", "caught", "kept"))
    return all(row["kept"] * 100 >= row["caught"] * 99 for row in rows.values())


def _print_rows(rows: dict[str, Counter[str]], columns: tuple[str, ...]) -> None:
    print(f"{'':<40}" + "".join(f"{column:>12}" for column in columns))
    for name, row in sorted(rows.items()):
        print(f"{name:<40}" + "".join(f"{row[column]:>12}" for column in columns), flush=True)


if __name__ == "__main__":
    sys.exit(main())
