"""A hundred files in one transaction, against one file in one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

import gitscalpel
from bench.repos import make, run, timed
from bench.side_by_side.bench import Bench
from bench.side_by_side.pairs import Turn, paired
from bench.side_by_side.values import Row
from bench.side_by_side.ways.way import back_or_forth
from gitscalpel import Replace

_MANY = 100
Edits = Callable[[list[Replace]], object]


def rows(bench: Bench) -> Iterator[Row]:
    """Measure it cold and in a process that stays."""
    many = min(_MANY, max(bench.files))
    root = make(bench.fresh() / "repo", 2 * many)

    def cold(edits: list[Replace]) -> object:
        sent = msgspec.json.encode({"ops": edits}).decode()
        return run(root, "git", "scalpel", "apply", "-", stdin=sent)

    yield _row(root, "git scalpel apply, cold", cold, many, bench.rounds)
    with gitscalpel.open(root) as repo:
        yield _row(
            root, "gitscalpel, in a process that stays", lambda edits: repo.edit(*edits), many, bench.rounds
        )


def _row(root: Path, way: str, edits: Edits, many: int, rounds: int) -> Row:
    value, other, ratio = paired(turn(root, edits, 0, many), turn(root, edits, many, 1), rounds)
    return Row(
        row="together",
        what=f"{many} files in one transaction",
        way=way,
        against="one file in one",
        files=2 * many,
        value=value,
        other=other,
        ratio=ratio,
        budget=20.0,
    )


def turn(root: Path, edits: Edits, first: int, count: int) -> Turn:
    """Edits of so many files, from that one on."""
    paths = [f"pkg{n // 50}/module{n % 50}.py" for n in range(first, first + count)]

    def once(_: int) -> float:
        each = [back_or_forth(root, path) for path in paths]
        asked = [Replace(path=edit.path, symbol=edit.name, code=edit.new) for edit in each]
        took = timed(lambda: edits(asked))
        for edit in each:
            if edit.new not in (root / edit.path).read_text():
                raise SystemExit(f"{root} does not hold the edit of {edit.path}")
        return took

    return once
