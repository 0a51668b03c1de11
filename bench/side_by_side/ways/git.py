"""``git apply --index`` and ``git commit``: the floor, against which every other way is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.repos import run
from bench.side_by_side.ways.way import Doing, Edit, Way


@contextmanager
def _opened(root: Path) -> Iterator[Doing]:
    def doing(edit: Edit) -> Callable[[], object]:
        diff = edit.diff(root)

        def act() -> None:
            run(root, "git", "apply", "--index", stdin=diff)
            run(root, "git", "commit", "-q", "-m", "edit")

        return act

    yield doing


GIT = Way("git apply --index + git commit", _opened)
