"""A definition in a file of 5,000 lines, in a process that stays."""

from __future__ import annotations

from collections.abc import Iterator

from bench.repos import BODIES, content, copied, made
from bench.side_by_side.bench import Bench
from bench.side_by_side.pairs import paired
from bench.side_by_side.values import Row
from bench.side_by_side.ways.git import GIT
from bench.side_by_side.ways.scalpel import IN_PROCESS
from bench.side_by_side.ways.way import turn

FILE, _LINES_EACH = "big.py", 4


def big(lines: int) -> str:
    """A file of so many lines that has ``target`` at its top."""
    return content(BODIES[0], lines // _LINES_EACH)


def rows(bench: Bench) -> Iterator[Row]:
    """Measure it against git."""
    place = bench.fresh()
    subject = made(place / "repo", {FILE: big(5_000)})
    floor = copied(subject, place / "floor")
    with IN_PROCESS.opened(subject) as doing, GIT.opened(floor) as git:
        value, other, ratio = paired(turn(subject, doing, FILE), turn(floor, git, FILE), bench.rounds)
    yield Row(
        row="large",
        what="a definition in a file of 5,000 lines replaced and landed",
        way=IN_PROCESS.name,
        against=GIT.name,
        files=1,
        value=value,
        other=other,
        ratio=ratio,
        budget=100.0,
        on="value",
    )
