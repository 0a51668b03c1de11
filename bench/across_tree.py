"""Time calls that look at many files, beside other tools: ``python -m bench.across_tree REPOSITORY``.

Each row is the median of ``--rounds`` pairs, whose two sides run one after the other in random order. Cold
rows begin without the cache of answers. ``ast-grep`` and ``ctags`` must be on PATH, or ``--ast-grep`` names
the program; a row without its other tool says so.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.side_by_side.bars import drawn
from bench.side_by_side.values import Row
from gitscalpel.git.blob_cache import cache_files
from gitscalpel.git.repository import discover

SCALPEL = Path(sys.executable).with_name("git-scalpel")


class Comparison(NamedTuple):
    """One row: our call, the call of another tool, and the bar.

    Attributes:
        ours, theirs: command lines; ``theirs`` is empty for a bar in seconds.
        bar: largest ratio to the other tool, or largest time in seconds.
        is_cold: True to begin each round without the cache.
    """

    name: str
    ours: Sequence[str]
    theirs: Sequence[str]
    bar: float
    is_cold: bool = False


def list_comparisons(directory: str, symbol: str, word: str, ast_grep: str) -> list[Comparison]:
    """Return the comparisons for one directory and a symbol ``PATH::NAME`` in it."""
    path, _, name = symbol.partition("::")
    other = f"{path.rpartition('.')[0]}_moved.{path.rpartition('.')[2]}"
    by_name = [ast_grep, "run", "-p", f"{name}($$$)", directory]
    calls = [ast_grep, "run", "-p", "return $A", directory]
    tags = ["ctags", "-R", "-f", os.devnull, directory]
    find, outline = ["find", f"call[name={name}]", directory], ["outline", directory]
    rows = [
        Comparison("find by name, cold", find, by_name, 3, is_cold=True),
        Comparison("find by name, warm", find, by_name, 1),
        Comparison("find without a word, cold", ["find", word, directory], calls, 3, is_cold=True),
        Comparison("find without a word, warm", ["find", word, directory], calls, 3),
        Comparison("outline, cold", outline, tags, 3, is_cold=True),
        Comparison("outline, warm", outline, tags, 0.6),
    ]
    edits = {
        "rename": ["rename", symbol, f"{name}_renamed"],
        "move": ["move", symbol, other],
        "mv": ["mv", path, other],
        "delete --safe": ["delete", symbol, "--safe"],
    }
    return rows + [Comparison(each, [*words, "--dry-run"], (), 0.5) for each, words in edits.items()]


def measure(repository: Path, row: Comparison, rounds: int) -> Row:
    """Return the medians of a comparison."""
    forget = _forgetting(repository) if row.is_cold else lambda: None
    ours, theirs = [str(SCALPEL), *row.ours], list(row.theirs)
    program = theirs[0] if theirs else ""
    if theirs and shutil.which(program) is None:
        return Row(
            row=row.name, what=row.name, way="served", against=program, missing=f"no {program} on PATH"
        )
    own: list[float] = []
    other: list[float] = []
    for number in range(rounds + 1):
        sides = [(ours, own), (theirs, other)][: 2 if theirs else 1]
        random.shuffle(sides)
        for command, times in sides:
            if command is ours:
                forget()
            began = time.perf_counter()
            subprocess.run(command, cwd=repository, capture_output=True, check=False)
            if number:  # the first round fills the file cache
                times.append(time.perf_counter() - began)
    value = 1000 * statistics.median(own)
    against = 1000 * statistics.median(other) if theirs else 1000.0
    ratio = statistics.median(a / b for a, b in zip(own, other, strict=True)) if theirs else value / 1000
    files = sum(1 for _ in (repository / row.ours[-1]).rglob("*")) if theirs else 0
    return Row(
        row=row.name,
        what=row.name,
        way="served",
        against=Path(program).name or "1 s",
        files=files,
        value=value,
        other=against,
        ratio=ratio,
        budget=row.bar,
    )


def _forgetting(repository: Path) -> Callable[[], None]:
    found = discover(repository, dict(os.environ))

    def forget() -> None:
        for file in cache_files(found):
            file.unlink(missing_ok=True)

    return forget


def main(words: Sequence[str]) -> int:
    """Print the table; the number of rows over their bar is the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--directory", default=".")
    parser.add_argument("--symbol", required=True, metavar="PATH::NAME")
    parser.add_argument("--word", default="return_statement", help="selector without a name")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--ast-grep", default="ast-grep")
    parser.add_argument("--picture", type=Path)
    asked = parser.parse_args(words)
    comparisons = list_comparisons(asked.directory, asked.symbol, asked.word, asked.ast_grep)
    rows = [measure(asked.repository, row, asked.rounds) for row in comparisons]
    print("| call | gitscalpel | other | | ratio | bar |\n|---|--:|---|--:|--:|--:|")
    for row in rows:
        print(
            f"| {row.what} | {row.value:.0f} ms | {row.against} | {row.other:.0f} ms "
            f"| {row.ratio:.2f} | {row.budget} {'' if row.holds else '**over**'} | {row.missing}"
        )
    if asked.picture:
        bars, height = drawn(tuple(rows), 24)
        size = f'width="760" height="{height}" viewBox="0 0 760 {height}"'
        asked.picture.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(bars)}</svg>\n')
    return sum(row.holds is False for row in rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
