"""A worktree of the pool: moved from tree to tree, and checked for changes since it was left.

Nothing that git does not contain is overwritten: manual changes are kept as a commit.

To find what changed since a gate left the worktree, the ctimes of files are compared with git's index:
every change moves a file's ctime, which cannot be set back. Programs may write over that index too, so a
copy is compared, whose own times are in the slot's sealed record.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import ScalpelError, TryAgain
from gitscalpel.git import checkout, commits, index, ref_transaction, refs
from gitscalpel.git.checkout import Planned
from gitscalpel.git.git_config import canonical
from gitscalpel.git.object_store import Store
from gitscalpel.git.pool.slots import LeftState, RecentWrites, Slot, SlotState, read_state, write_state
from gitscalpel.git.process import Git, listing, paths
from gitscalpel.git.refs import OPERATION_FILES, RefUpdate
from gitscalpel.git.repository import Repository
from gitscalpel.system import private_files, repo_lock, serialization
from gitscalpel.system.failpoint import step

_COPY = "scalpel-index"
_RECENT = 2 * 10**9
"""Nanoseconds: most builds of git compare times by the second."""
_TICK = getattr(time, "CLOCK_REALTIME_COARSE", time.CLOCK_REALTIME)
"""The clock that the kernel takes a file's times from: it stands still for some milliseconds at a time."""


def change_time() -> int:
    """What the kernel would note as the time of a change, in nanoseconds."""
    return time.clock_gettime_ns(_TICK)


def change_stamp(status: os.stat_result) -> str:
    """Another one after every change."""
    return f"{status.st_ino} {status.st_mode} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"


def note_left(git_dir: Path, tree: Oid, written: Sequence[str] | None, before: LeftState | None) -> LeftState:
    """Note that the files are those of ``tree``, and the index says so.

    Args:
        git_dir: of the worktree.
        tree: what it was brought to.
        written: the files that were written for that; None: any.
        before: how it was left before.
    """
    here, copy = git_dir / "index", git_dir / _COPY
    index.copied(here, copy)
    moment = copy.lstat().st_ctime_ns
    names = None if written is None else tuple(sorted({*map(serialization.spelt, written)}))
    fresh = [each for each in (before.fresh if before else ()) if moment - each.time < _RECENT]
    return LeftState(
        tree=tree,
        index=change_stamp(here.lstat()),
        copy=change_stamp(copy.lstat()),
        time=moment,
        fresh=(*fresh, RecentWrites(time=moment, names=names)),
    )


def wait_for_later_time(left: LeftState) -> None:
    """Wait until what is changed from now on has a later time than anything that is noted."""
    # A clock that was set back by more is not waited for.
    while left.time - _RECENT < change_time() <= left.time:
        time.sleep(0.0005)


def has_own_index(git_dir: Path, left: LeftState) -> bool:
    """Whether nobody has written over the index."""
    return _has_stamp(git_dir / "index", left.index)


def find_touched(
    git: Git, git_dir: Path, root: Path, left: LeftState, *, submodules: bool = False
) -> list[str] | None:
    """The tree's files that somebody may have changed, with or without their bytes; None: nobody knows."""
    copy = git_dir / _COPY
    if not _has_stamp(copy, left.copy):
        return None
    how = ("--name-only", "-z", f"--ignore-submodules={'none' if submodules else 'all'}")
    found = paths(git("diff-files", *how, env={"GIT_INDEX_FILE": str(copy)}))
    fresh: set[str] = set()
    for each in left.fresh:  # git does not tell a time from another one of the same second
        if each.names is None:
            fresh.update(paths(git("ls-files", "-z", env={"GIT_INDEX_FILE": str(copy)})))
        else:
            fresh.update(map(serialization.read, each.names))
    return [*found, *sorted({name for name in fresh if _is_later(root / name, left.time)}.difference(found))]


def restore_touched(git: Git, git_dir: Path, root: Path, left: LeftState, names: Sequence[str]) -> None:
    """Put back the index, and write the files ``names`` anew, whatever stands there."""
    if not has_own_index(git_dir, left):
        index.copied(git_dir / _COPY, git_dir / "index.new")
        (git_dir / "index.new").rename(git_dir / "index")
    for name in names:  # also what git would take for unchanged, and what says how files are written
        if _leads_to(root, name):
            (root / name).unlink(missing_ok=True)
    if names:
        git("checkout-index", "-f", "-u", "-z", "--stdin", stdin=listing(names))


def _is_later(file: Path, moment: int) -> bool:
    try:
        status = file.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False  # git has said so
    return status.st_ctime_ns > moment and not stat.S_ISDIR(status.st_mode)  # that of a submodule


def _leads_to(root: Path, name: str) -> bool:
    """Whether a file, or a link, of that name stands below the root, behind no link."""
    above = os.path.realpath((root / name).parent)
    inside = above == os.path.join(os.path.realpath(root), os.path.dirname(name)).rstrip("/")  # noqa: PTH118, PTH120
    return inside and not os.path.isdir(root / name)  # noqa: PTH112


def _has_stamp(file: Path, noted: str) -> bool:
    try:
        return change_stamp(file.lstat()) == noted
    except FileNotFoundError:
        return False


_TOKEN = "slot"  # noqa: S105
"""Marks temporary files and the index lock of whoever brings a slot along: there is only one at a time."""

_FEW = 100
"""Files that are written one by one."""
_SPARSE = "core.sparseCheckout"
_LOOKS = ("core.trustctime=true", "core.checkStat=default", "submodule.recurse=false")
"""A file that was changed and given its old time is a changed one; submodules are their users' affair."""


class Worktree:
    """A slot that this process holds.

    Attributes:
        root: of its files.
        repo: the repository, seen from it.
        state: what it is for.
        held: the lock; children that work there inherit it.
        store: its objects.
    """

    _seen: Oid | None = None
    """The tree that it has been seen to be at, since when nobody has had reason to change it."""
    _written: list[str] | None = None
    """The files that were written when it was brought to its tree; None: any."""

    def __init__(self, repo: Repository, slot: Slot, store: Store, held: repo_lock.Lock) -> None:
        self.root = slot.root
        # Programs judge what is to land, also those of its files that the checkout leaves out.
        sparse = not slot.judges and repo.flag(_SPARSE)
        self.repo = _looking(repo.seen_from(slot.root), sparse=sparse)
        if not self.repo.git_dir.samefile(slot.git_dir):
            raise TryAgain("busy", f"{slot.root} has just been taken away", "try again")
        self.state = read_state(slot.git_dir)
        self.held = held
        self.store = store

    def unlock(self) -> None:
        """Remove the index lock of one who was killed here while he brought it along."""
        index.unlock(self.repo.git_dir, _TOKEN)

    def folder(self, prefix: str) -> Path:
        """The folder below its root where the caller stands; git may know of nothing in it."""
        folder = self.root / prefix
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def contents(self) -> Oid:
        """The tree of everything in it but ignored files.

        Raises:
            DoesNotFit: ``conflicted``, or ``not_a_file``: there is another repository in it.
        """
        from gitscalpel.git import uncommitted  # most worktrees hold nothing of their own

        self._unhide(absent=False)  # what is left out of a checkout is not deleted
        return uncommitted.contents(self.repo, without=self.state.shared if self.state else ())

    def changed(self, tree: Oid) -> list[str]:
        """The paths that are not as ``tree`` has them; what is only in the index, or committed, counts."""
        if not self.root.is_dir():
            return ["."]
        if self._is_untouched():
            return []
        self._unhide()
        if self._is_at(tree, submodules=True):
            return []
        return paths(self.repo.git("diff", "--name-only", "-z", "--ignore-submodules=none", tree, "--"))

    def _is_untouched(self) -> bool:
        """Whether certainly no program that judges has changed anything of the tree's."""
        how, here = self.state.left if self.state else None, self.repo.git_dir
        if how is None or not has_own_index(here, how):
            return False
        return find_touched(self.repo.git, here, self.root, how, submodules=True) == []

    def staged(self) -> Oid:
        """The tree of what is in its index."""
        return Oid(self.repo.git("write-tree").decode("ascii").strip())

    def is_edited(self) -> bool:
        """Whether somebody has changed something since it was brought to its tree."""
        tree = self.state.tree if self.state else None
        self._unhide(absent=False)
        return tree is None or not (self._is_at(tree) or self.contents() == tree)

    def claim(self, wanted: SlotState) -> None:
        """Let it be for what is wanted; what it has been made ready with stays."""
        before = self.state or wanted
        how = before.left if wanted.judges else None
        self._write(msgspec.structs.replace(wanted, setup=before.setup, shared=before.shared, left=how))

    def share(self, names: tuple[str, ...]) -> None:
        """Note which folders in it are shared."""
        if self.state is not None and self.state.shared != names:
            self._write(msgspec.structs.replace(self.state, shared=names))

    @property
    def shared(self) -> dict[str, Path]:
        """The folders that it shares, by name, and where they lie."""
        if self.state is None:
            return {}
        home = self.state.folder(self.repo.common_dir)
        return {name: home / name for name in self.state.shared}

    def is_set_up(self, command: str) -> bool:
        """Whether ``command`` has made it ready."""
        return self.state is not None and self.state.setup == command

    def set_up(self, command: str) -> None:
        """Note that ``command`` has."""
        assert self.state is not None  # noqa: S101 - it has been claimed
        self._write(msgspec.structs.replace(self.state, setup=command))

    def bring(self, commit: Oid, tree: Oid) -> None:
        """Make it ``tree`` on top of ``commit``; ignored files stay (caches, installed packages)."""
        assert self.state is not None  # noqa: S101 - it has been claimed
        git = self.repo.git.inheriting(self.held)
        self.root.mkdir(exist_ok=True)  # a program may have removed what it ran in
        before, self._written = self.state.left, None
        seen = self._seen or self._returned(git)
        self.unsettle()
        self._end_operations()
        if seen is None:
            self._unhide()
        moved = seen == tree or (self._moved(git, seen, tree) if seen else self._is_at(tree))
        if not moved:
            # With one tree and --reset, every file that differs from it is written anew, and no other.
            step()
            git("read-tree", "--reset", "-u", tree)
            step()
            if seen is None:
                git("clean", "-f", "-f", "-d", "-q")
        self._seen = tree
        self._put_on(commit)
        written = self._written if moved else None
        how = note_left(self.repo.git_dir, tree, written, before) if self.state.judges else None
        self._write(msgspec.structs.replace(self.state, tree=tree, base=commit, left=how))

    def _returned(self, git: Git) -> Oid | None:
        """Undo what the last to judge may have done to the tree's files; the tree, if that can be told."""
        assert self.state is not None  # noqa: S101 - it has been claimed
        how, here = self.state.left, self.repo.git_dir
        if how is None:
            return None
        names = find_touched(git, here, self.root, how)
        step()
        if names is None:  # nothing that the index says of the disk is believed
            private_files.remove(here / "index")
            return None
        restore_touched(git, here, self.root, how, names)
        self._written = names
        return how.tree

    def _moved(self, git: Git, seen: Oid, tree: Oid) -> bool:
        """Whether it could be brought from one tree, at which it is, to another by what differs."""
        deltas = self.store.difference(seen, tree)
        if len(deltas) > _FEW:
            return False  # git does not wait for the disk after each file
        try:
            plan, _ = checkout.planned(self.repo, self.store, deltas, tree)
            checkout.follow(git, self.repo, self.store, plan, _TOKEN)
        except ScalpelError:  # an ignored file is in the way, say
            return False
        self._written = [*(self._written or ()), *(delta.path for delta in deltas)]
        return True

    def follow(self, commit: Oid, tree: Oid) -> None:
        """Make it ``tree`` on top of ``commit``; what was edited in it by hand stays on top, unstaged.

        Raises:
            WorldMoved: ``dirty_overlap``: both changed the same lines; nothing has changed.
        """
        assert self.state is not None  # noqa: S101 - it has been claimed
        # Until it is written what it was brought to, whoever leases it next does all of this again:
        # a file that has its new content already is in nobody's way.
        checkout.follow(self.repo.git.inheriting(self.held), self.repo, self.store, self._plan(tree), _TOKEN)
        step()
        self._put_on(commit)
        self._write(msgspec.structs.replace(self.state, tree=tree, base=commit))

    def unsettle(self) -> None:
        """Note that it is about to change, in case somebody is killed."""
        self._seen = None
        assert self.state is not None  # noqa: S101 - it has been claimed
        self._write(msgspec.structs.replace(self.state, tree=None, left=None))

    def hand_over(self) -> None:
        """Leave it to programs that judge: each file that they touch from now on is found out."""
        self._seen = None
        if self.state is not None and self.state.left is not None:
            wait_for_later_time(self.state.left)

    def take_back(self, commit: Oid) -> None:
        """Let no branch be in use there any more; the files are looked at by whoever needs it next."""
        if self.repo.git_dir.is_dir():  # a program may have removed even that
            self.root.mkdir(exist_ok=True)
            self._end_operations()
            self._put_on(commit)

    def settle(self, commit: Oid, tree: Oid) -> None:
        """Note that ``tree``, which its files are, is what belongs there; no file is touched.

        What is written there meanwhile stays, as an edit that is not staged.
        """
        assert self.state is not None  # noqa: S101 - it has been claimed
        before = self.state
        self.unsettle()
        try:
            self._end_operations()
            step()
            self.repo.git("read-tree", "--reset", tree)  # keeps what a sparse checkout leaves out
            step()
            self.repo.git("update-index", "-q", "--refresh", ok=(0, 1))
            self._put_on(commit)
        except ScalpelError:
            self._write(before)  # nobody was killed: a lock in there is somebody else's
            raise
        self._write(msgspec.structs.replace(before, tree=tree, base=commit))

    def refuse_to_follow(self, tree: Oid) -> None:
        """Refuse now what :meth:`follow` would refuse."""
        self._plan(tree)

    def keep(self, known: Oid | None = None) -> str | None:
        """Hold what somebody left in it with a ref; the ref, if there was more than ``known``."""
        tree = self.state.tree if self.state else None
        if self.state is not None and self.state.judges:
            return None  # nobody was handed it
        self._unhide(absent=False)
        has_commits = self._has_commits()
        if tree is not None and not has_commits and self._is_at(tree):
            return None
        contents = self.contents()
        if contents in (known, tree) and not has_commits:
            return None
        return keep(self.repo, self.store, self.root, contents)

    def commits(self, branch: Oid | None = None) -> list[str]:
        """Return the subjects of the commits that were made in it by hand, the oldest first; none of a merge.

        Args:
            branch: the tip of the branch, whose commits are left out: a merge may have been a fast-forward.
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
        """Whether its index and its files are ``tree``, and nothing else is there but ignored files.

        What is checked out in ``submodules`` counts, or says nothing. A yes is certain, and comes without
        reading a file that git has seen; a no need not be one.
        """
        if self.repo.git.run("diff-index", "--cached", "--quiet", tree).status:
            return False
        shared = {os.fsencode(name) for name in (self.state.shared if self.state else ())}
        ignored = f"--ignore-submodules={'none' if submodules else 'all'}"
        how = ("--untracked-files=normal", "--no-renames", ignored)
        listed = self.repo.git("status", "--porcelain", "-z", *how)
        # Of the two letters before a name the first tells the index from HEAD, which is of no matter here.
        return all(row[1:2] == b" " or row[3:] in shared for row in listed.split(b"\0")[:-1])

    def _put_on(self, commit: Oid) -> None:
        """Let HEAD be ``commit``; where it is already, git would lock it for nothing."""
        if self._is_on(commit):
            return
        head = self.repo.git_dir / "HEAD"
        if self.state is not None and self.state.judges and _is_commit(head.read_bytes(), commit):
            new = head.with_name("HEAD.new")  # it is nobody's but ours, and its log says nothing to anybody
            private_files.write(new, commit.encode() + b"\n")
            new.rename(head)
            return
        self.repo.git.inheriting(self.held)("update-ref", "--no-deref", "HEAD", commit)

    def _has_commits(self) -> bool:
        base = self.state.base if self.state else None
        return base is not None and not self._is_on(base) and self.repo.resolve("HEAD") != base

    def _is_on(self, commit: Oid) -> bool:
        """Whether HEAD is detached there, which no git need be asked for."""
        return (self.repo.git_dir / "HEAD").read_bytes().strip() == commit.encode()

    def _end_operations(self) -> None:
        for name in OPERATION_FILES:
            private_files.remove(self.repo.git_dir / name)

    def _plan(self, tree: Oid) -> list[Planned]:
        deltas = self.store.difference(self.state.tree if self.state else None, tree)
        return checkout.planned(self.repo, self.store, deltas, tree)[0]

    def _write(self, state: SlotState) -> None:
        self.state = write_state(self.repo.git_dir, state)


def _is_commit(head: bytes, other: Oid) -> bool:
    """Whether a HEAD names a commit, in a file of its own."""
    name = head.rstrip(b"\n")
    return len(name) == len(other) and name.isalnum()


def _looking(repo: Repository, *, sparse: bool) -> Repository:
    """The same with settings that were made in a slot, and that hide files of it, without effect."""
    settings, config = (*repo.git.settings, *_LOOKS), dict(repo.config)
    if not sparse:
        settings, config = (*settings, f"{_SPARSE}=false"), {**config, canonical(_SPARSE): "false"}
    git = msgspec.structs.replace(repo.git, settings=settings)
    return msgspec.structs.replace(repo, git=git, config=config)


def keep(repo: Repository, store: Store, root: Path, contents: Oid) -> str:
    """Hold ``contents``, found at ``root``, with a ref, on top of the commits that were made there.

    Args:
        repo: the repository, seen from there.
        store: where to write.
        root: the folder, for the message.
        contents: a tree.

    Returns:
        the ref.
    """
    ref = f"{refs.KEEP}worktree-{refs.new_id()}"
    head = repo.resolve("HEAD")
    # Its date is its age, whatever date the environment has commits say; nobody need be there to sign it.
    who = f"git-scalpel <> {int(time.time())} +0000"
    words = f"Left in {os.fsencode(root).decode(errors='backslashreplace')}"
    commit = store.write_raw_commit(commits.serialize(contents, [head] if head else [], words, who))
    with store.lasting():
        ref_transaction.update(
            repo, [RefUpdate(ref, None, commit)], "scalpel: keep what was left in a worktree"
        )
    return ref
