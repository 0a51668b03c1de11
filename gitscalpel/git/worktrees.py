"""The pool of linked worktrees: outside the repository, leased, moved by what differs.

Under ``.git`` test runners find nothing, so the pool lies in the cache folder. A slot
is held by whoever works in it: by a process through a file lock that dies with it (its
children inherit it), and by a transaction for as long as that is open. Nothing in a slot
is overwritten that git does not hold: what was left there by hand is kept as a commit.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from gitscalpel import lock
from gitscalpel.errors import TryAgain
from gitscalpel.git import checkout, refs
from gitscalpel.git.refs import RefUpdate
from gitscalpel.git.repository import Repository, discover
from gitscalpel.git.store import Store
from gitscalpel.snapshot import Oid

_STATE, _LOCK = "scalpel.json", "scalpel.lock"
_UNDER_WAY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "sequencer")


class State(msgspec.Struct, frozen=True, kw_only=True):
    """What a slot is for.

    Attributes:
        tx: the transaction that holds it; None: nobody's.
        tree: what it was brought to; None: it was being moved when somebody was killed.
        base: the commit that it was put on.
        home: the folder from which it was leased, where its transactions land.
    """

    tx: str | None
    tree: Oid | None
    base: Oid | None = None
    home: str


class Slot(msgspec.Struct, frozen=True):
    """A worktree of the pool: its git directory, and the root of its files."""

    git_dir: Path
    root: Path

    @property
    def state(self) -> State:
        """What it is for."""
        try:
            return msgspec.json.decode((self.git_dir / _STATE).read_bytes(), type=State)
        except (FileNotFoundError, msgspec.MsgspecError):
            return State(tx=None, tree=None, home="")


def slots(repo: Repository) -> list[Slot]:
    """The pool of a repository."""
    found = []
    for state in sorted((repo.common_dir / "worktrees").glob(f"*/{_STATE}")):
        with suppress(FileNotFoundError):
            linked = (state.parent / "gitdir").read_text("utf-8", "surrogateescape")
            found.append(Slot(state.parent, Path(linked.rstrip("\n")).parent))
    return found


def slot_of(repo: Repository, tx: str) -> Slot | None:
    """The slot that a transaction has leased, as long as its folder is there."""
    return next((slot for slot in slots(repo) if slot.state.tx == tx and slot.root.is_dir()), None)


def state_of(repo: Repository) -> State | None:
    """What the slot is for that ``repo`` was found from; None: it is no slot."""
    if repo.git_dir == repo.common_dir or not (repo.git_dir / _STATE).is_file():
        return None
    return Slot(repo.git_dir, repo.git_dir).state


class Worktree:
    """A slot that this process holds.

    Attributes:
        slot: which one.
        repo: the repository, seen from it.
        held: the lock; children that work there inherit it.
    """

    def __init__(self, slot: Slot, store: Store, held: lock.Lock, home: Repository) -> None:
        self.slot = slot
        self.held = held
        self.repo = discover(slot.root)
        self._store = store
        self._home = home

    def contents(self) -> Oid:
        """The tree of everything in it but ignored files.

        Raises:
            DoesNotFit: ``conflicted``.
        """
        from gitscalpel.git import uncommitted

        return uncommitted.contents(self.repo)

    def is_edited(self) -> bool:
        """Whether somebody has changed something since it was brought to its tree."""
        tree = self.slot.state.tree
        return tree is None or self.contents() != tree

    def bring(self, tx: str | None, commit: Oid, tree: Oid) -> None:
        """Make it ``tree`` on top of ``commit``; ignored files stay (caches, installed packages)."""
        git = self.repo.git.inheriting(self.held)
        self._write(State(tx=tx, tree=None, home=self._home_folder()))
        for name in _UNDER_WAY:
            left = self.slot.git_dir / name
            if left.is_dir():
                import shutil

                shutil.rmtree(left)
            else:
                left.unlink(missing_ok=True)
        # With one tree and --reset, every file that differs from it is written anew, and no other.
        git("read-tree", "--reset", "-u", tree)
        git("clean", "-f", "-d", "-q")
        git("update-ref", "--no-deref", "HEAD", commit)
        self._write(State(tx=tx, tree=tree, base=commit, home=self._home_folder()))

    def keep(self) -> str | None:
        """Hold what was left in it by hand with a ref; the ref, if there was something."""
        if not self.is_edited():
            return None
        tree = self.contents()
        ref = f"{refs.KEEP}worktree-{refs.new_id()}"
        commit = self._store.write_commit(tree, [self._head()], f"Left in {self.slot.root}")
        self._store.sync()
        refs.update(self._home, [RefUpdate(ref, None, commit)], "scalpel: keep what was left in a worktree")
        return ref

    def follow(self, commit: Oid, tree: Oid) -> None:
        """Make it ``tree`` on top of ``commit``, with what was edited in it by hand staying on top, unstaged.

        Raises:
            WorldMoved: ``dirty_overlap``: both changed the same lines; nothing has changed.
        """
        state = self.slot.state
        deltas = self._store.difference(state.tree, tree)
        checkout.follow(self.repo, self._store, deltas, tree, self.slot.git_dir)
        self.repo.git("update-ref", "--no-deref", "HEAD", commit)
        self._write(State(tx=state.tx, tree=tree, base=commit, home=state.home))

    def commits(self) -> list[str]:
        """The subjects of the commits that were made in it by hand, the oldest first."""
        out = self.repo.git("log", "--reverse", "--format=%s", f"{self.slot.state.base}..HEAD")
        return out.decode("utf-8", "replace").splitlines()

    def _head(self) -> Oid:
        return Oid(self.repo.git("rev-parse", "--verify", "HEAD").decode("ascii").strip())

    def _home_folder(self) -> str:
        return str(self._home.work_tree or self._home.git_dir)

    def _write(self, state: State) -> None:
        temporary = self.slot.git_dir / f"{_STATE}.new"
        temporary.write_bytes(msgspec.json.encode(state))
        temporary.rename(self.slot.git_dir / _STATE)


@contextmanager
def lease(
    repo: Repository,
    store: Store,
    tx: str,
    commit: Oid,
    *,
    is_open: Callable[[str], bool],
    announce: Callable[[str], None],
) -> Iterator[Worktree]:
    """Hold the slot of transaction ``tx``, a free one, or a new one.

    Args:
        repo: from where it is leased.
        store: where to keep what was left in a slot.
        tx: the transaction.
        commit: what a new one is made at.
        is_open: whether a transaction still is.
        announce: told when a new one is made, which takes a while in a large repository.

    Raises:
        TryAgain: ``busy``: another process works in the transaction's slot.
    """
    own = slot_of(repo, tx)
    if own is not None:
        with lock.attempt(own.git_dir / _LOCK) as held:
            if held is None:
                raise TryAgain("busy", f"another process works in {own.root}", "try again when it has ended")
            yield Worktree(own, store, held, repo)
            return
    for slot in slots(repo):
        with lock.attempt(slot.git_dir / _LOCK) as held:
            taken = slot.state.tx
            if held is not None and slot.root.is_dir() and not (taken and is_open(taken)):
                yield Worktree(slot, store, held, repo)
                return
    slot = _made(repo, commit, announce)
    with lock.attempt(slot.git_dir / _LOCK) as held:
        assert held is not None  # noqa: S101 - nobody knows of it yet
        yield Worktree(slot, store, held, repo)


def _made(repo: Repository, commit: Oid, announce: Callable[[str], None]) -> Slot:
    """A new slot, without files yet."""
    for slot in slots(repo):
        if not slot.root.is_dir():  # somebody has emptied the cache
            repo.git.run("worktree", "remove", "--force", str(slot.root))
    place = repo.work_tree or repo.common_dir
    folder = _pool(repo) / f"{place.name}-{hashlib.blake2b(os.fsencode(repo.common_dir)).hexdigest()[:8]}"
    number = 1
    while True:
        try:
            (folder / str(number)).mkdir(parents=True)
            break
        except FileExistsError:
            number += 1
    # The last folder has the repository's name: some tools take the name of a project from it.
    root = folder / str(number) / place.name
    announce(f"making a worktree in {root}; the first one of a large repository takes a while")
    repo.git("worktree", "add", "--detach", "--no-checkout", "-q", str(root), commit)
    return Slot(discover(root).git_dir, root)


def _pool(repo: Repository) -> Path:
    configured = repo.config.get("scalpel.worktreedir")
    if configured:
        return (repo.common_dir / Path(configured).expanduser()).resolve()
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "git-scalpel"
