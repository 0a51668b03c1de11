"""Refs and branches: names, the commits they point at, and checks that a branch may move.

Git moves a branch that another worktree has checked out without a warning, and leaves that worktree with the
reverse change staged. So a branch in use elsewhere, or in a merge or rebase, is not moved.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from gitscalpel.changesets.answers import short_branch_name
from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import BadCall, Damaged, DoesNotFit, WorldMoved
from gitscalpel.errors.messages import arg, call
from gitscalpel.git.repository import Repository, linked_root, read_head
from gitscalpel.system.failpoint import step

SCALPEL_REFS = "refs/scalpel/"
TX = "refs/scalpel/tx/"
META = "refs/scalpel/meta/"
KEEP = "refs/scalpel/keep/"
OPS = "refs/scalpel/ops"
SNAPSHOT = "refs/scalpel/snapshot/"
# Prefix, by transaction: disk bytes in no commit, from before and after its last movement.
DISK = "refs/scalpel/disk/"
# Prefix, by worktree: the disk at its last comparison with the operation log.
ACCOUNT = "refs/scalpel/account/"
SAVED = "refs/scalpel/saved"  # the user's uncommitted bytes found by the last landing on top of them
KEPT = (KEEP, DISK, SNAPSHOT, ACCOUNT, SAVED)  # refs that only keep objects for a while
_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
MIN_ID_LENGTH = 4  # minimum length of an abbreviated transaction id


class RefUpdate(msgspec.Struct, frozen=True):
    """Update of a ref from ``old`` to ``new``. None if it does not exist."""

    ref: str
    old: Oid | None
    new: Oid | None

    @property
    def command(self) -> str:
        """Return the lines for ``update-ref --stdin``. A symbolic ref itself moves, not its target."""
        if self.old is None:
            line = f"create {self.ref} {self.new}"
        elif self.new is None:
            line = f"delete {self.ref} {self.old}"
        else:
            line = f"update {self.ref} {self.new} {self.old}"
        return f"option no-deref\n{line}\n"


def read_refs(repo: Repository, names: Iterable[str]) -> dict[str, Oid]:
    """Return the ids of existing refs by name. A prefix ends in a slash.

    Raises ``corrupt`` if one of our refs is symbolic, which we never make. One that only keeps objects is
    left out.
    """
    out = repo.git("for-each-ref", "--format=%(objectname) %(refname) %(symref)", *names)
    oids: dict[str, Oid] = {}
    for line in os.fsdecode(out).splitlines():
        oid, name, stands_for = line.split(" ", 2)
        if stands_for and name.startswith(KEPT):
            continue
        if stands_for and name.startswith(SCALPEL_REFS):
            raise Damaged(
                "corrupt",
                f"{name} is a symbolic ref to {stands_for}, but gitscalpel never creates one",
                f"find out what created it, then run `git symbolic-ref --delete {name}`",
                ref=name,
            )
        oids[name] = Oid(oid)
    return oids


def require_readable_ref(repo: Repository, ref: str) -> Oid | None:
    """Return None if a ref does not exist, as for an unborn branch, or its commit if it was just created.

    Raises ``corrupt`` if the ref cannot be read, or its object is missing.
    """
    result = repo.git.run("for-each-ref", "--format=%(refname) %(objectname)", ref)
    rows = [row for row in os.fsdecode(result.out).splitlines() if row.startswith(ref + " ")]
    if not rows and not result.err:
        return None
    target = rows[0].rpartition(" ")[2] if rows else ""
    commit = repo.git.run("rev-parse", "--verify", "-q", f"{target}^{{commit}}")
    if target and not commit.status:
        return Oid(commit.out.decode("ascii").strip())
    raise Damaged(
        "corrupt",
        f"{ref} points to {target}, which is missing or is not a commit"
        if target
        else f"{ref} cannot be read",
        f"`git reflog {ref}` lists its earlier commits and `git fsck --full` the missing objects; "
        f"restore it with `git update-ref {ref} COMMIT`, or fetch it again",
        ref=ref,
    )


def remove_broken_ref(repo: Repository, ref: str) -> None:
    """Remove a ref of ours that cannot be read or whose object is missing. Any other ref stays."""
    try:
        is_broken = require_readable_ref(repo, ref) is None and is_symbolic_ref(repo, ref)
    except Damaged:
        is_broken = True
    if is_broken:
        discard_ref(repo, ref)


def is_symbolic_ref(repo: Repository, ref: str) -> bool:
    """Return True for a symbolic ref, also one that points at itself, which git does not read."""
    try:
        return (repo.common_dir / ref).read_bytes().startswith(b"ref:")
    except OSError:
        return False


def discard_ref(repo: Repository, ref: str) -> None:
    """Remove a ref, even if it cannot be read."""
    step()
    result = repo.git.run("update-ref", "--no-deref", "-d", ref)
    if result.status:  # git does not remove a file without an object id
        (repo.common_dir / ref).unlink(missing_ok=True)


def new_id() -> str:
    """Return a random transaction id of 8 characters, 40 bits."""
    return "".join(_ALPHABET[byte % 32] for byte in os.urandom(8))


def bare_id(text: str) -> str:
    """Return a transaction id or its beginning without the ref prefix."""
    return text.removeprefix("refs/").removeprefix("scalpel/tx/").lower()


def find_open_transactions(repo: Repository) -> dict[str, Oid]:
    """Return the commits of all open transactions by id."""
    return {name.removeprefix(TX): oid for name, oid in read_refs(repo, [TX]).items()}


def find_transaction(repo: Repository, prefix: str) -> tuple[str, Oid]:
    """Return the open transaction with an id, a beginning of one, or a ref, and its commit.

    Raises ``tx_not_found``.
    """
    wanted = bare_id(prefix)
    if len(wanted) < MIN_ID_LENGTH:
        raise _not_found_error(f"{prefix!r} is too short for a transaction id", [])
    matches = {name: oid for name, oid in find_open_transactions(repo).items() if name.startswith(wanted)}
    if wanted in matches:
        return wanted, matches[wanted]
    if len(matches) != 1:
        problem = "several open transactions begin" if matches else "no open transaction begins"
        raise _not_found_error(f"{problem} with {wanted!r}", sorted(matches))
    return matches.popitem()


def _not_found_error(message: str, candidates: list[str]) -> DoesNotFit:
    hint = f"give at least {MIN_ID_LENGTH} characters of one id; {call('status')} shows them"
    return DoesNotFit("tx_not_found", message, hint, candidates=candidates)


SLOT_FILE = "scalpel.json"  # file that marks a pool worktree
_OPERATION_MARKS = (
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("rebase-merge", "rebase"),
    ("rebase-apply/applying", "am"),
    ("rebase-apply", "rebase"),
    ("sequencer", "cherry-pick"),
)
# Files and directories of operations in progress in a git directory.
OPERATION_FILES = tuple(dict.fromkeys(name.partition("/")[0] for name, _ in _OPERATION_MARKS))
# While these are under way the head is detached, and the branch is named in a file.
_DETACHED_OPERATIONS = (
    ("rebase-merge/head-name", "rebase"),
    ("rebase-apply/head-name", "rebase"),
    ("BISECT_START", "bisect"),
)


def require_movable(repo: Repository, branch: str) -> None:
    """Raise ``branch_in_use`` or ``operation_in_progress`` if ``branch`` is in use."""
    operation = find_operation(repo, branch)
    if operation is not None:
        abort = "reset" if operation == "bisect" else "--abort"
        raise WorldMoved(
            "operation_in_progress",
            f"a {operation} is in progress on {short_branch_name(branch)}",
            f"finish it or abort it (`git {operation} {abort}`), then try again; "
            f"an edit with {arg('checkout')} changes the files on the disk meanwhile",
            operation=operation,
        )
    elsewhere = find_worktree(repo, branch)
    if elsewhere is not None:
        git_dir, place = elsewhere
        leave_hint = (
            f"leave it in that worktree of a transaction: `git -C {shlex.quote(str(place))} switch --detach`"
        )
        edit_hint = (
            f"edit in that worktree (`{call('open', path=str(place))}`), or another branch ({arg('onto')})"
        )
        raise WorldMoved(
            "branch_in_use",
            f"{short_branch_name(branch)} is checked out in another worktree, {place}",
            leave_hint if (git_dir / SLOT_FILE).exists() else edit_hint,
            worktree=str(place),
        )


def find_operation(repo: Repository, branch: str) -> str | None:
    """Return the merge, rebase or other operation in progress on ``branch`` in this worktree, or None."""
    for name, word in _DETACHED_OPERATIONS:
        if _is_named_in(repo.git_dir / name, branch):
            return word
    if read_head(repo.git, repo.git_dir) == branch:
        for name, word in _OPERATION_MARKS:
            if (repo.git_dir / name).exists():
                return word
    return None


def find_worktree(repo: Repository, branch: str) -> tuple[Path, Path] | None:
    """Return git directory and root of another worktree that uses ``branch``, or rebases or bisects it."""
    for git_dir, work_tree in _iter_other_worktrees(repo):
        is_checked_out = read_head(repo.git.with_env(GIT_DIR=str(git_dir)), git_dir) == branch
        if is_checked_out or any(_is_named_in(git_dir / name, branch) for name, _ in _DETACHED_OPERATIONS):
            return git_dir, work_tree
    return None


def _iter_other_worktrees(repo: Repository) -> Iterator[tuple[Path, Path]]:
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


def _is_named_in(file: Path, branch: str) -> bool:
    try:
        return file.read_text("utf-8", "surrogateescape").strip() in (branch, short_branch_name(branch))
    except OSError:
        return False


def missing_branch_error(repo: Repository, name: str) -> BadCall:
    return BadCall("invalid_args", f"no such branch: {name}", _make_missing_branch_hint(repo, name))


def _make_missing_branch_hint(repo: Repository, name: str) -> str:
    command = ("rev-parse", "--symbolic-full-name", "--verify", "--quiet", "--end-of-options", name)
    ref = repo.git.run(*command).out.decode("utf-8", "surrogateescape").strip()
    if ref.startswith("refs/remotes/"):
        local_name = name.removeprefix("remotes/").partition("/")[2]
        exists = repo.resolve(f"refs/heads/{local_name}") is not None
        creation = f"; `git branch {shlex.quote(local_name)} {shlex.quote(name)}` creates it" * (not exists)
        return f"it is a remote branch; name a local one, {local_name}{creation}"
    if repo.resolve(f"{name}^{{commit}}"):
        kind = "a tag" if ref.startswith("refs/tags/") else "a commit"
        return f"it is {kind}, not a branch; `git branch NEW {shlex.quote(name)}` creates a branch there"
    similar = _find_similar(repo, name)
    return (f"did you mean {similar}? " if similar else "") + f"`git branch {shlex.quote(name)}` creates it"


def _find_similar(repo: Repository, name: str) -> str:
    import difflib

    rows = repo.git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/")
    branches = rows.decode("utf-8", "surrogateescape").split("\n")
    return next(iter(difflib.get_close_matches(name, branches, 1, 0.7)), "")
