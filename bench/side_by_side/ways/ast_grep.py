"""``ast-grep run --rewrite`` as a command, and ``git commit``; as a library it is in ``drivers/``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.repos import run
from bench.side_by_side.ways.library import committed
from bench.side_by_side.ways.way import Doing, Edit, Way


def way(program: Path) -> Way:
    """With this ``ast-grep``."""

    @contextmanager
    def opened(root: Path) -> Iterator[Doing]:
        def doing(edit: Edit) -> Callable[[], object]:
            pattern = f"def {edit.name}($$$A): $$$B"
            words = (str(program), "run", "-p", pattern, "-r", edit.new.rstrip("\n"), "-l", "python", "-U")

            def act() -> None:
                run(root, *words, edit.path)
                committed(root, edit)

            return act

        yield doing

    return Way("ast-grep run --rewrite + git commit", opened)
