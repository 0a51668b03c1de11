"""How one landed edit in a process that stays grows with what is edited."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import gitscalpel
from bench.repos import BODIES, code, made, make
from bench.side_by_side.bench import Bench
from bench.side_by_side.pairs import series
from bench.side_by_side.rows import together
from bench.side_by_side.rows.large import FILE, big
from bench.side_by_side.values import Curve, Point
from bench.side_by_side.ways.scalpel import IN_PROCESS
from bench.side_by_side.ways.way import turn

_LINES = (100, 1_000, 5_000, 20_000)
_SYMBOLS = (1, 10, 100, 1_000)
_OPERATIONS = (1, 10, 100, 1_000)
_PADDED = 4_000


def files(bench: Bench) -> Curve:
    """Of the repository."""
    roots = {count: bench.sides(count).subject for count in sorted(bench.files)}
    return Curve("files", "files in the repository", _edits(roots, bench.rounds))


def lines(bench: Bench) -> Curve:
    """Of the file, with a definition for every four."""
    return _of_one_file(bench, "lines", "lines in the file", {count: big(count) for count in _LINES})


def symbols(bench: Bench) -> Curve:
    """Of a file that is always as long."""
    texts = {count: _padded(count) for count in _SYMBOLS}
    return _of_one_file(bench, "symbols", f"definitions in a file of {_PADDED} lines", texts)


def _padded(count: int) -> str:
    each = (_PADDED - 6) // count
    body = "".join(f"    value += {n}\n" for n in range(each - 3))
    return code(BODIES[0]) + "".join(f"\n\ndef other{n}(value):\n{body}" for n in range(count))


def _of_one_file(bench: Bench, name: str, along: str, texts: Mapping[int, str]) -> Curve:
    roots = {count: made(bench.fresh() / "repo", {FILE: text}) for count, text in texts.items()}
    return Curve(name, along, _edits(roots, bench.rounds, FILE))


def _edits(roots: Mapping[int, Path], rounds: int, path: str = "pkg0/module0.py") -> tuple[Point, ...]:
    with ExitStack() as until:
        turns = {
            count: turn(root, until.enter_context(IN_PROCESS.opened(root)), path)
            for count, root in roots.items()
        }
        return series(turns, rounds)


def operations(bench: Bench) -> Curve:
    """Of a changeset, each in a file of its own."""
    root = make(bench.fresh() / "repo", max(_OPERATIONS))
    with gitscalpel.open(root) as repo:
        turns = {
            count: together.turn(root, lambda edits: repo.edit(*edits), 0, count) for count in _OPERATIONS
        }
        points = series(turns, bench.few)
    return Curve("operations", "files edited in one transaction", points)
