"""What an edit's time may grow with, by the name that ``--curves`` takes: a file for each group."""

from __future__ import annotations

from collections.abc import Callable

from bench.side_by_side.bench import Bench
from bench.side_by_side.curves import sizes, stock, writers
from bench.side_by_side.values import Curve

CURVES: dict[str, Callable[[Bench], Curve]] = {
    "files": sizes.files,
    "lines": sizes.lines,
    "symbols": sizes.symbols,
    "operations": sizes.operations,
    "transactions": stock.transactions,
    "refs": stock.refs,
    "writers": writers.writers,
}
