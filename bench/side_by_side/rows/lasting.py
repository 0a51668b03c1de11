"""A thousand transactions one after the other: the last of them, against those of a young repository."""

from __future__ import annotations

from collections.abc import Iterator

from bench import growth
from bench.side_by_side.bench import Bench
from bench.side_by_side.values import Row

_TRANSACTIONS = 1_000


def rows(bench: Bench) -> Iterator[Row]:
    """Land them, with undos and drops in between, as ``python -m bench.growth`` does."""
    transactions = min(_TRANSACTIONS, max(bench.files))
    grown = growth.measure(bench.fresh(), transactions)
    young, old = (seconds * 1000 for seconds in grown.medians)
    yield Row(
        row="lasting",
        what=f"the last tenth of {transactions} transactions",
        way="gitscalpel, in a process that stays",
        against="as many in a young repository",
        files=growth.FILES,
        value=old,
        other=young,
        ratio=grown.old / grown.young,
        budget=1.2,
    )
