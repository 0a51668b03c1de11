"""Looking at a definition, against ``git show`` of its file."""

from __future__ import annotations

from collections.abc import Iterator

from bench.repos import EDITED, NAME, run, timed
from bench.side_by_side.bench import Bench
from bench.side_by_side.pairs import paired
from bench.side_by_side.values import Row
from bench.side_by_side.ways.scalpel import SERVED, server


def rows(bench: Bench) -> Iterator[Row]:
    """Measure it in every size, cold and through the server."""
    for files in bench.files:
        yield _row(bench, files, "git scalpel show, cold", {}, None)
        with server(bench.sides(files).subject):
            yield _row(bench, files, "git scalpel show, through its server", SERVED, 4.0)


def _row(bench: Bench, files: int, way: str, env: dict[str, str], budget: float | None) -> Row:
    root = bench.sides(files).subject
    pair = paired(
        lambda _: timed(lambda: run(root, "git", "scalpel", "show", f"{EDITED}::{NAME}", **env)),
        lambda _: timed(lambda: run(root, "git", "show", f"HEAD:{EDITED}")),
        bench.rounds,
    )
    value, other, ratio = pair
    return Row(
        row="show",
        what="a definition shown",
        way=way,
        against="git show",
        files=files,
        value=value,
        other=other,
        ratio=ratio,
        budget=budget,
    )
