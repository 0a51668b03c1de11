"""A worktree for each edit: what isolates an edit with git's own means."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.repos import run
from bench.side_by_side.ways.way import Doing, Edit, Way


@contextmanager
def _opened(root: Path) -> Iterator[Doing]:
    def doing(edit: Edit) -> Callable[[], object]:
        diff, place = edit.diff(root), root.with_name(f"{root.name}-linked")

        def act() -> None:
            run(root, "git", "worktree", "add", "-q", "--detach", str(place))
            try:
                run(place, "git", "apply", "--index", stdin=diff)
                run(place, "git", "commit", "-q", "-m", "edit")
                made = run(place, "git", "rev-parse", "HEAD").strip()
                run(root, "git", "merge", "-q", "--ff-only", made)
            finally:
                run(root, "git", "worktree", "remove", "--force", str(place))

        return act

    yield doing


WORKTREE = Way("worktree add, apply, commit, merge, remove", _opened, slow=True)
