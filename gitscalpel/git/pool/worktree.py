"""A worktree of the pool: moved from tree to tree, and checked for changes since it was left.

What changed since a gate left it is found by the ctimes in git's index, since a ctime cannot be set back.
Programs may write over that index too, so a copy is compared, whose own times are in the slot's record.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import ScalpelError, TryAgain
from gitscalpel.git import checkout, commits, index, ref_transaction, refs, uncommitted
from gitscalpel.git.checkout import PlannedChange
from gitscalpel.git.git_config import canonical_key
from gitscalpel.git.object_store import Store
from gitscalpel.git.pool.slots import LeftState, RecentWrites, Slot, SlotState, read_state, write_state
from gitscalpel.git.process import Git, join_listing, split_listing
from gitscalpel.git.refs import OPERATION_FILES, RefUpdate
from gitscalpel.git.repository import Repository
from gitscalpel.system import private_files, repo_lock, serialization
from gitscalpel.system.failpoint import step

_COPY = "scalpel-index"
# Nanoseconds within which times may be equal: most builds of git compare times by the second.
_RECENT = 2 * 10**9
# Clock of the kernel's file times, which advances every few milliseconds.
_TICK = getattr(time, "CLOCK_REALTIME_COARSE", time.CLOCK_REALTIME)


def change_time() -> int:
    """Return the time that the kernel would record for a change now, in nanoseconds."""
    return time.clock_gettime_ns(_TICK)


def change_stamp(status: os.stat_result) -> str:
    """Return a value that differs after every change of a file."""
    return f"{status.st_ino} {status.st_mode} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"


def note_left(git_dir: Path, tree: Oid, written: Sequence[str] | None, before: LeftState | None) -> LeftState:
    """Copy the index, and return the state of a worktree whose files are those of ``tree``.

    ``written`` are the files written for it, or None if any may have been. ``before`` is the earlier state.
    """
    index_file, copy = git_dir / "index", git_dir / _COPY
    index.copy_index(index_file, copy)
    moment = copy.lstat().st_ctime_ns
    names = None if written is None else tuple(sorted({*map(serialization.encode_path, written)}))
    fresh = [each for each in (before.fresh if before else ()) if moment - each.time < _RECENT]
    return LeftState(
        tree=tree,
        index=change_stamp(index_file.lstat()),
        copy=change_stamp(copy.lstat()),
        time=moment,
        fresh=(*fresh, RecentWrites(time=moment, names=names)),
    )


def wait_for_later_time(left: LeftState) -> None:
    """Wait until later changes get a later time than anything recorded."""
    # If the clock was set back by more, do not wait.
    while left.time - _RECENT < change_time() <= left.time:
        time.sleep(0.0005)


def has_own_index(git_dir: Path, left: LeftState) -> bool:
    """Return True if no program has written over the index."""
    return _has_stamp(git_dir / "index", left.index)


def find_touched(
    git: Git, git_dir: Path, root: Path, left: LeftState, *, submodules: bool = False
) -> list[str] | None:
    """Return the tree's files that a program may have touched. None if that is not known."""
    copy = git_dir / _COPY
    if not _has_stamp(copy, left.copy):
        return None
    options = ("--name-only", "-z", f"--ignore-submodules={'none' if submodules else 'all'}")
    touched = split_listing(git("diff-files", *options, env={"GIT_INDEX_FILE": str(copy)}))
    fresh: set[str] = set()
    for writes in left.fresh:  # git does not distinguish times within a second
        if writes.names is None:
            fresh.update(split_listing(git("ls-files", "-z", env={"GIT_INDEX_FILE": str(copy)})))
        else:
            fresh.update(map(serialization.decode_path, writes.names))
    return [
        *touched,
        *sorted({name for name in fresh if _has_later_change(root / name, left.time)}.difference(touched)),
    ]


def restore_touched(git: Git, git_dir: Path, root: Path, left: LeftState, names: Sequence[str]) -> None:
    if not has_own_index(git_dir, left):
        index.copy_index(git_dir / _COPY, git_dir / "index.new")
        (git_dir / "index.new").rename(git_dir / "index")
    for name in names:  # including files that git would take for unchanged, and attribute files
        if _is_file_below(root, name):
            (root / name).unlink(missing_ok=True)
    if names:
        git("checkout-index", "-f", "-u", "-z", "--stdin", stdin=join_listing(names))


def _has_later_change(file: Path, moment: int) -> bool:
    try:
        status = file.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False  # git has reported it
    return status.st_ctime_ns > moment and not stat.S_ISDIR(status.st_mode)  # a directory is a submodule


def _is_file_below(root: Path, name: str) -> bool:
    parent = os.path.realpath((root / name).parent)
    inside = parent == os.path.join(os.path.realpath(root), os.path.dirname(name)).rstrip("/")  # noqa: PTH118, PTH120
    return inside and not os.path.isdir(root / name)  # noqa: PTH112


def _has_stamp(file: Path, noted: str) -> bool:
    try:
        return change_stamp(file.lstat()) == noted
    except FileNotFoundError:
        return False


# Token of temporary files and of the index lock. Only one process updates a slot at a time.
_TOKEN = "slot"  # noqa: S105

_FEW = 100  # maximum number of files written one by one
_SPARSE = "core.sparseCheckout"
# Settings with which git detects a changed file that got its old time, and ignores submodules.
_DETECTION_SETTINGS = ("core.trustctime=true", "core.checkStat=default", "submodule.recurse=false")


class Worktree:
    """A slot that this process holds. Children that work in it inherit the lock ``held``."""

    # Tree that the files are known to have, since no other process had reason to change them.
    _known_tree: Oid | None = None
    _written: list[str] | None = None  # files written for the current tree. None if any may have been.

    def __init__(self, repo: Repository, slot: Slot, store: Store, held: repo_lock.Lock) -> None:
        self.root = slot.root
        # Gates check everything that lands, including files outside of the sparse checkout.
        sparse = not slot.judges and repo.flag(_SPARSE)
        self.repo = _override_settings(repo.open_worktree(slot.root), sparse=sparse)
        if not self.repo.git_dir.samefile(slot.git_dir):
            raise TryAgain("busy", f"{slot.root} has just been removed", "try again")
        self.state = read_state(slot.git_dir)
        self.held = held
        self.store = store

    def unlock(self) -> None:
        """Remove the index lock of a process that was killed while it updated the slot."""
        index.remove_own_index_lock(self.repo.git_dir, _TOKEN)

    def folder(self, prefix: str) -> Path:
        folder = self.root / prefix
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def contents(self) -> Oid:
        """Return the tree of all files except ignored ones.

        Raises ``conflicted``, or ``not_a_file`` if it contains another repository.
        """
        self._unhide(absent=False)  # files outside of the sparse checkout are not deleted
        return uncommitted.write_contents(self.repo, without=self.state.shared if self.state else ())

    def find_changed(self, tree: Oid) -> list[str]:
        """Return the paths that differ from ``tree`` on disk, in the index or in a commit."""
        if not self.root.is_dir():
            return ["."]
        if self._is_untouched():
            return []
        self._unhide()
        if self._is_at(tree, submodules=True):
            return []
        return split_listing(
            self.repo.git("diff", "--name-only", "-z", "--ignore-submodules=none", tree, "--")
        )

    def _is_untouched(self) -> bool:
        left, git_dir = self.state.left if self.state else None, self.repo.git_dir
        if left is None or not has_own_index(git_dir, left):
            return False
        return find_touched(self.repo.git, git_dir, self.root, left, submodules=True) == []

    def write_index_tree(self) -> Oid:
        return Oid(self.repo.git("write-tree").decode("ascii").strip())

    def is_edited(self) -> bool:
        """Return True if files have changed since the worktree was moved to its tree."""
        tree = self.state.tree if self.state else None
        self._unhide(absent=False)
        return tree is None or not (self._is_at(tree) or self.contents() == tree)

    def claim(self, wanted: SlotState) -> None:
        """Assign the slot to ``wanted``. Its setup stays."""
        state = self.state or wanted
        left = state.left if wanted.judges else None
        self._save_state(msgspec.structs.replace(wanted, setup=state.setup, shared=state.shared, left=left))

    def share(self, names: tuple[str, ...]) -> None:
        if self.state is not None and self.state.shared != names:
            self._update_state(shared=names)

    @property
    def shared(self) -> dict[str, Path]:
        if self.state is None:
            return {}
        home = self.state.folder(self.repo.common_dir)
        return {name: home / name for name in self.state.shared}

    def is_set_up(self, command: str) -> bool:
        return self.state is not None and self.state.setup == command

    def set_up(self, command: str) -> None:
        self._update_state(setup=command)

    def bring(self, commit: Oid, tree: Oid) -> None:
        """Move the worktree to ``tree`` on top of ``commit``. Ignored files stay (caches, packages)."""
        git = self.repo.git.inheriting(self.held)
        self.root.mkdir(exist_ok=True)  # a program may have removed its directory
        old_left, self._written = self._claimed.left, None
        known_tree = self._known_tree or self._undo_gate_changes(git)
        self.unsettle()
        self._end_operations()
        if known_tree is None:
            self._unhide()
        moved = known_tree == tree or (
            self._move_by_files(git, known_tree, tree) if known_tree else self._is_at(tree)
        )
        if not moved:
            # With one tree and --reset, git writes exactly the files that differ from it.
            step()
            git("read-tree", "--reset", "-u", tree)
            step()
            if known_tree is None:
                git("clean", "-f", "-f", "-d", "-q")
        self._known_tree = tree
        self._set_head(commit)
        written = self._written if moved else None
        left = note_left(self.repo.git_dir, tree, written, old_left) if self._claimed.judges else None
        self._update_state(tree=tree, base=commit, left=left)

    def _undo_gate_changes(self, git: Git) -> Oid | None:
        """Undo the last gate's changes of the tree's files. Return the tree, or None if it is not known."""
        left, git_dir = self._claimed.left, self.repo.git_dir
        if left is None:
            return None
        names = find_touched(git, git_dir, self.root, left)
        step()
        if names is None:  # the index cannot be trusted about the disk
            private_files.remove_path(git_dir / "index")
            return None
        restore_touched(git, git_dir, self.root, left, names)
        self._written = names
        return left.tree

    def _move_by_files(self, git: Git, known_tree: Oid, tree: Oid) -> bool:
        """Move the worktree to another tree by writing what differs. Return False if git has to do it."""
        deltas = self.store.difference(known_tree, tree)
        if len(deltas) > _FEW:
            return False  # git is faster, as it does not sync each file
        try:
            plan, _ = checkout.plan_checkout(self.repo, self.store, deltas, tree)
            checkout.plan_follower_update(git, self.repo, self.store, plan, _TOKEN)
        except ScalpelError:  # for example, an ignored file is in the way
            return False
        self._written = [*(self._written or ()), *(delta.path for delta in deltas)]
        return True

    def follow(self, commit: Oid, tree: Oid) -> None:
        """Move the worktree to ``tree`` on top of ``commit``. Manual edits stay on top, unstaged.

        Raises ``dirty_overlap``, and changes nothing, if both changed the same lines.
        """
        # Until the new state is saved, the next lease repeats all of this. A file with its new
        # content does not block that.
        checkout.plan_follower_update(
            self.repo.git.inheriting(self.held), self.repo, self.store, self._plan(tree), _TOKEN
        )
        step()
        self._set_head(commit)
        self._update_state(tree=tree, base=commit)

    def unsettle(self) -> None:
        """Record that the files are about to change, in case the process is killed."""
        self._known_tree = None
        self._update_state(tree=None, left=None)

    def leave_to_gate(self) -> None:
        """Prepare the worktree for a gate, so that every file that the gate changes is detected."""
        self._known_tree = None
        if self.state is not None and self.state.left is not None:
            wait_for_later_time(self.state.left)

    def detach(self, commit: Oid) -> None:
        """Detach the worktree from its branch; the next lease resets the files."""
        if self.repo.git_dir.is_dir():  # a program may have removed it
            self.root.mkdir(exist_ok=True)
            self._end_operations()
            self._set_head(commit)

    def settle(self, commit: Oid, tree: Oid) -> None:
        """Record that the files are ``tree``, without touching them. Concurrent changes stay, unstaged."""
        before = self._claimed
        self.unsettle()
        try:
            self._end_operations()
            step()
            self.repo.git("read-tree", "--reset", tree)  # keeps files outside of the sparse checkout
            step()
            self.repo.git("update-index", "-q", "--refresh", ok=(0, 1))
            self._set_head(commit)
        except ScalpelError:
            self._save_state(before)  # no process was killed: a lock in there belongs to another one
            raise
        self._save_state(msgspec.structs.replace(before, tree=tree, base=commit))

    def require_followable(self, tree: Oid) -> None:
        """Raise if :meth:`follow` would."""
        self._plan(tree)

    def keep(self, known: Oid | None = None) -> str | None:
        """Keep its contents under a ref. Return the ref, or None if they are ``known`` or unchanged."""
        tree = self.state.tree if self.state else None
        if self.state is not None and self.state.judges:
            return None  # no user got it
        self._unhide(absent=False)
        has_commits = self._has_commits()
        if tree is not None and not has_commits and self._is_at(tree):
            return None
        contents = self.contents()
        if contents in (known, tree) and not has_commits:
            return None
        return keep_contents(self.repo, self.store, self.root, contents)

    def commits(self, branch: Oid | None = None) -> list[str]:
        """Return the subjects of the commits made in it by hand, without merges, the oldest first.

        Commits of ``branch`` are left out: a merge may have been a fast-forward.
        """
        base = self.state.base if self.state else None
        without = [f"^{branch}"] if branch else []
        out = self.repo.git(
            "log", "--reverse", "--first-parent", "--no-merges", "--format=%s", f"{base}..HEAD", *without
        )
        return out.decode("utf-8", "replace").splitlines()

    def _unhide(self, *, absent: bool = True) -> None:
        git, sparse = self.repo.git.inheriting(self.held), self.repo.flag(_SPARSE)
        index.unhide(git, self.root, sparse=sparse, absent=absent)

    def _is_at(self, tree: Oid, *, submodules: bool = False) -> bool:
        """Return True if index and files are ``tree``, with no other files except ignored ones.

        ``submodules`` includes their contents. True is certain, and git reads no file that it knows.
        """
        if self.repo.git.run("diff-index", "--cached", "--quiet", tree).status:
            return False
        shared = {os.fsencode(name) for name in (self.state.shared if self.state else ())}
        ignored = f"--ignore-submodules={'none' if submodules else 'all'}"
        options = ("--untracked-files=normal", "--no-renames", ignored)
        listed = self.repo.git("status", "--porcelain", "-z", *options)
        # The first letter of a row compares the index with HEAD, which does not matter here.
        return all(row[1:2] == b" " or row[3:] in shared for row in listed.split(b"\0")[:-1])

    def _set_head(self, commit: Oid) -> None:
        if self._is_detached_at(commit):
            return
        head = self.repo.git_dir / "HEAD"
        if self.state is not None and self.state.judges and _is_commit(head.read_bytes(), commit):
            new = head.with_name("HEAD.new")  # only we use this HEAD, and its reflog is never read
            private_files.write(new, commit.encode() + b"\n")
            new.rename(head)
            return
        self.repo.git.inheriting(self.held)("update-ref", "--no-deref", "HEAD", commit)

    def _has_commits(self) -> bool:
        base = self.state.base if self.state else None
        return base is not None and not self._is_detached_at(base) and self.repo.resolve("HEAD") != base

    def _is_detached_at(self, commit: Oid) -> bool:
        return (self.repo.git_dir / "HEAD").read_bytes().strip() == commit.encode()

    def _end_operations(self) -> None:
        for name in OPERATION_FILES:
            private_files.remove_path(self.repo.git_dir / name)

    def _plan(self, tree: Oid) -> list[PlannedChange]:
        deltas = self.store.difference(self.state.tree if self.state else None, tree)
        return checkout.plan_checkout(self.repo, self.store, deltas, tree)[0]

    @property
    def _claimed(self) -> SlotState:
        assert self.state is not None  # noqa: S101 - claim() was called
        return self.state

    def _update_state(self, **changes: Any) -> None:
        self._save_state(msgspec.structs.replace(self._claimed, **changes))

    def _save_state(self, state: SlotState) -> None:
        self.state = write_state(self.repo.git_dir, state)


def _is_commit(head: bytes, commit: Oid) -> bool:
    name = head.rstrip(b"\n")
    return len(name) == len(commit) and name.isalnum()


def _override_settings(repo: Repository, *, sparse: bool) -> Repository:
    """Override settings made in a slot that would hide its files."""
    settings, config = (*repo.git.settings, *_DETECTION_SETTINGS), dict(repo.config)
    if not sparse:
        settings, config = (*settings, f"{_SPARSE}=false"), {**config, canonical_key(_SPARSE): "false"}
    git = msgspec.structs.replace(repo.git, settings=settings)
    return msgspec.structs.replace(repo, git=git, config=config)


def keep_contents(repo: Repository, store: Store, root: Path, contents: Oid) -> str:
    """Keep ``contents`` under a ref, on top of the commits made in the worktree at ``root``. Return it."""
    ref = f"{refs.KEEP}worktree-{refs.new_id()}"
    head = repo.resolve("HEAD")
    # Its date is its age, despite dates in the environment, and it needs no signature.
    person = f"git-scalpel <> {int(time.time())} +0000"
    subject = f"Left in {os.fsencode(root).decode(errors='backslashreplace')}"
    commit = store.write_raw_commit(
        commits.serialize_commit(contents, [head] if head else [], subject, person)
    )
    with store.lasting():
        ref_transaction.update_refs(
            repo, [RefUpdate(ref, None, commit)], "scalpel: keep what was left in a worktree"
        )
    return ref
