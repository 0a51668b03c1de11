"""A work tree as a tree: what is tracked and what is not, but for what git ignores; the index stays as it is.

Git adds it to an index of our own beside the user's, which it keeps: so only what has changed since the last
time is read, and all else is told by its status (https://git-scm.com/docs/racy-git).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gitscalpel import lock, private
from gitscalpel.failpoint import step
from gitscalpel.git import index, scratch
from gitscalpel.git.repository import Repository
from gitscalpel.git.run import Git, Result, failure
from gitscalpel.lock import Lock
from gitscalpel.snapshot import Oid

_INDEX, _LOCK = "captured.index", "captured.lock"
_QUIETLY = ("-c", "advice.addEmbeddedRepo=false", "-c", "core.fsyncMethod=batch")


@contextmanager
def capturing(repo: Repository) -> Iterator[Lock]:
    """Hold the index of our own, which one process at a time can use.

    Raises:
        TryAgain: ``busy``.
    """
    with lock.hold(_folder(repo), name=_LOCK) as held:
        yield held


def tree(repo: Repository, held: Lock) -> tuple[Oid, list[str]]:
    """The work tree as git would commit it if all of it were added.

    Returns:
        also, in words, what could not be read, and is left out as it was.
    """
    kept = _folder(repo) / _INDEX
    with scratch.made(repo.scalpel_dir) as folder:
        copy = folder.path / "index"
        git = repo.git.inheriting(held).inheriting(folder.lock).with_env(GIT_INDEX_FILE=str(copy))
        index.copied(kept, copy)
        if not copy.exists() or repo.flag("core.sparseCheckout"):
            _begin(repo, git, copy)
        added = _added(git)
        if added.status == 128:  # it is damaged, or of another kind than this git knows
            _begin(repo, git, copy)
            added = _added(git)
        if added.status not in (0, 1):
            raise failure("add", added.status, added.err)
        found = Oid(git("write-tree").decode("ascii").strip())
        step()
        copy.rename(kept)
    words = [line for line in added.err.splitlines() if line.startswith("error: ")] if added.status else []
    return found, [word.removeprefix("error: ") for word in words]


def _added(git: Git) -> Result:
    return git.run(*_QUIETLY, "add", "-A", "--sparse", "--ignore-errors", ":(top)")


def _begin(repo: Repository, git: Git, own: Path) -> None:
    """Begin with the user's own index, which knows most files by their status."""
    index.copied(repo.git_dir / "index", own)
    if own.exists():
        index.unhide(git, Path(str(repo.work_tree)), sparse=repo.flag("core.sparseCheckout"), absent=False)


def _folder(repo: Repository) -> Path:
    """Of this worktree alone, so that it goes with it."""
    return private.folder(repo.git_dir / "scalpel")
