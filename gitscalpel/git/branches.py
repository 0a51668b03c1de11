"""Checks that a branch may move, and the error for a missing branch with close names.

Git moves a branch that is checked out in another worktree without a warning, and leaves that worktree
with the reverse change staged. A branch is therefore refused while another worktree has it checked out,
or while a merge, rebase or the like is under way on it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from gitscalpel.changesets.answers import short
from gitscalpel.errors import BadCall, WorldMoved
from gitscalpel.errors.messages import arg, call
from gitscalpel.git.repository import Repository, linked_root, read_head

SLOT_FILE = "scalpel.json"
"""The file that tells a worktree of the pool from the user's own."""
_MARKS = (
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("rebase-merge", "rebase"),
    ("rebase-apply/applying", "am"),
    ("rebase-apply", "rebase"),
    ("sequencer", "cherry-pick"),
)
OPERATION_FILES = tuple(dict.fromkeys(name.partition("/")[0] for name, _ in _MARKS))
"""What git leaves in a git directory while an operation is under way."""
# While these are under way the head is detached, and the branch is named in a file.
_DETACHED = (
    ("rebase-merge/head-name", "rebase"),
    ("rebase-apply/head-name", "rebase"),
    ("BISECT_START", "bisect"),
)


def require_movable(repo: Repository, branch: str) -> None:
    """Refuse to move ``branch`` where somebody stands on it.

    Raises:
        WorldMoved: ``branch_in_use`` or ``operation_in_progress``.
    """
    here = find_operation(repo, branch)
    if here is not None:
        abort = "reset" if here == "bisect" else "--abort"
        raise WorldMoved(
            "operation_in_progress",
            f"a {here} is under way on {_short(branch)}",
            f"finish it or abort it (`git {here} {abort}`), then try again; "
            f"an edit with {arg('checkout')} changes the files on the disk meanwhile",
            operation=here,
        )
    elsewhere = find_worktree(repo, branch)
    if elsewhere is not None:
        git_dir, place = elsewhere
        leave = (
            f"leave it in that worktree of a transaction: `git -C {shlex.quote(str(place))} switch --detach`"
        )
        there = (
            f"edit in that worktree (`{call('open', path=str(place))}`), or another branch ({arg('onto')})"
        )
        raise WorldMoved(
            "branch_in_use",
            f"{_short(branch)} is checked out in another worktree, {place}",
            leave if (git_dir / SLOT_FILE).exists() else there,
            worktree=str(place),
        )


def find_operation(repo: Repository, branch: str) -> str | None:
    """The merge, rebase, … that is under way on ``branch`` in this worktree."""
    for name, word in _DETACHED:
        if _names(repo.git_dir / name, branch):
            return word
    if read_head(repo.git, repo.git_dir) == branch:
        for name, word in _MARKS:
            if (repo.git_dir / name).exists():
                return word
    return None


def find_worktree(repo: Repository, branch: str) -> tuple[Path, Path] | None:
    """Another worktree (git directory and root) that has ``branch`` checked out, or rebases or bisects it."""
    for git_dir, work_tree in _others(repo):
        stands = read_head(repo.git.with_env(GIT_DIR=str(git_dir)), git_dir) == branch
        if stands or any(_names(git_dir / name, branch) for name, _ in _DETACHED):
            return git_dir, work_tree
    return None


def _others(repo: Repository) -> Iterator[tuple[Path, Path]]:
    main = repo.common_dir
    if repo.git_dir != main and not repo.flag("core.bare"):
        yield main, main.parent
    linked = main / "worktrees"
    for git_dir in sorted(linked.iterdir()) if linked.is_dir() else ():
        try:
            work_tree = linked_root(git_dir)
        except OSError:
            continue
        if git_dir != repo.git_dir and (work_tree.exists() or (git_dir / "locked").exists()):
            yield git_dir, work_tree


def _names(file: Path, branch: str) -> bool:
    try:
        return file.read_text("utf-8", "surrogateescape").strip() in (branch, _short(branch))
    except OSError:
        return False


def _short(branch: str) -> str:
    return short(branch)


def missing_branch_error(repo: Repository, name: str) -> BadCall:
    """That there is no branch ``name``, and how to come by one."""
    return BadCall("invalid_args", f"there is no branch {name}", _hint(repo, name))


def _hint(repo: Repository, name: str) -> str:
    ask = ("rev-parse", "--symbolic-full-name", "--verify", "--quiet", "--end-of-options", name)
    ref = repo.git.run(*ask).out.decode("utf-8", "surrogateescape").strip()
    if ref.startswith("refs/remotes/"):
        own = name.removeprefix("remotes/").partition("/")[2]
        words = f"; `git branch {shlex.quote(own)} {shlex.quote(name)}` makes it"
        making = "" if repo.resolve(f"refs/heads/{own}") else words
        return f"it is a remote's: name your own, {own}{making}"
    if repo.resolve(f"{name}^{{commit}}"):
        what = "a tag" if ref.startswith("refs/tags/") else "a commit"
        make = f"`git branch NEW {shlex.quote(name)}`"
        return f"it is {what}, which does not move: {make} makes a branch that begins there"
    near = _nearest(repo, name)
    return (f"did you mean {near}? " if near else "") + f"`git branch {shlex.quote(name)}` makes it"


def _nearest(repo: Repository, name: str) -> str:
    import difflib

    rows = repo.git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/")
    known = rows.decode("utf-8", "surrogateescape").split("\n")
    return next(iter(difflib.get_close_matches(name, known, 1, 0.7)), "")
