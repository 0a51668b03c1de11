"""A test gate on the next transaction, beyond the test's own time, against ``git worktree add``."""

from __future__ import annotations

from collections.abc import Iterator

from bench import gates
from bench.side_by_side.bench import Bench
from bench.side_by_side.values import Row


def rows(bench: Bench) -> Iterator[Row]:
    """Measure it in every size, as ``python -m bench.gates`` does."""
    for files in bench.files:
        cost = gates.measure(files, bench.rounds)
        yield Row(
            row="gate",
            what="a test gate in a warm worktree, beyond the test and the edit",
            way="git scalpel, cold",
            against="git worktree add",
            files=files,
            value=cost.beyond(cost.warm) * cost.worktree * 1000,
            other=cost.worktree * 1000,
            ratio=cost.beyond(cost.warm),
            budget=1 / 20,
        )
