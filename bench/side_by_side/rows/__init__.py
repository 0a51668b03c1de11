"""What is measured, by the name that ``--rows`` takes: a file for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bench.side_by_side.bench import Bench
from bench.side_by_side.rows import (
    gate,
    landing,
    large,
    lasting,
    memory,
    merged,
    process,
    show,
    together,
    writers,
)
from bench.side_by_side.values import Row

ROWS: dict[str, Callable[[Bench], Iterator[Row]]] = {
    "landing": landing.rows,
    "show": show.rows,
    "writers": writers.rows,
    "process": process.rows,
    "large": large.rows,
    "together": together.rows,
    "lasting": lasting.rows,
    "gate": gate.rows,
    "merged": merged.rows,
    "memory": memory.rows,
}
