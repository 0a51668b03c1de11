"""The pool of linked worktrees: outside the repository, leased, moved by what differs.

Under ``.git`` test runners find nothing, so the pool lies in the cache folder. A slot is held by
the open transaction that it was leased for, and by the process that works in it through a file lock,
which its children inherit in case it is killed. Nothing in a slot is overwritten that git does
not hold: what was left there by hand is kept as a commit, and where that cannot be, the slot is left alone.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import msgspec

from gitscalpel import lock
from gitscalpel.errors import ScalpelError, TryAgain
from gitscalpel.git import checkout, refs
from gitscalpel.git.occupied import UNDER_WAY
from gitscalpel.git.plan import Planned
from gitscalpel.git.refs import RefUpdate
from gitscalpel.git.repository import Repository, discover
from gitscalpel.git.store import Store
from gitscalpel.snapshot import Oid

_STATE, _LOCK = "scalpel.json", "scalpel.lock"


class State(msgspec.Struct, frozen=True, kw_only=True):
    """What a slot is for.

    Attributes:
        tx: the transaction that holds it.
        home: the folder from which it was leased, where its transaction lands.
        tree: what it was brought to; None: nothing yet, or it is being moved or worked in by a command,
            and if nobody holds the slot, somebody was killed then.
        base: the commit that it was put on.
    """

    tx: str
    home: str
    tree: Oid | None = None
    base: Oid | None = None

    @property
    def folder(self) -> Path:
        """``home`` as a path; JSON holds no surrogates, so it is carried byte by byte."""
        return Path(os.fsdecode(self.home.encode("latin-1")))


class Slot(msgspec.Struct, frozen=True):
    """A worktree of the pool: its git directory, the root of its files, what it was for when it was read."""

    git_dir: Path
    root: Path
    state: State | None


def slots(repo: Repository) -> list[Slot]:
    """The pool of a repository, as far as it is there."""
    found = []
    for file in sorted((repo.common_dir / "worktrees").glob(f"*/{_STATE}")):
        with suppress(FileNotFoundError):
            linked = (file.parent / "gitdir").read_text("utf-8", "surrogateescape")
            slot = Slot(file.parent, Path(linked.rstrip("\n")).parent, _read(file.parent))
            found += [slot] if _is_there(slot) else []
    return found


def slot_of(repo: Repository, tx: str) -> Slot | None:
    """The slot that a transaction has leased."""
    return next((slot for slot in slots(repo) if slot.state and slot.state.tx == tx), None)


def state_of(repo: Repository) -> State | None:
    """What the slot is for that ``repo`` was found from; None: it is no slot."""
    return None if repo.git_dir == repo.common_dir else _read(repo.git_dir)


class Worktree:
    """A slot that this process holds.

    Attributes:
        root: of its files.
        repo: the repository, seen from it.
        state: what it is for.
        held: the lock; children that work there inherit it.
    """

    def __init__(self, slot: Slot, store: Store, held: lock.Lock) -> None:
        self.root = slot.root
        self.repo = discover(slot.root)
        if not self.repo.git_dir.samefile(slot.git_dir):
            raise TryAgain("busy", f"{slot.root} has just been taken away", "try again")
        self.state = _read(slot.git_dir)
        self.held = held
        self._store = store

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
        from gitscalpel.git import uncommitted

        return uncommitted.contents(self.repo)

    def is_edited(self) -> bool:
        """Whether somebody has changed something since it was brought to its tree."""
        return self.state is None or self.state.tree is None or self.contents() != self.state.tree

    def claim(self, tx: str, home: Repository) -> None:
        """Make it the transaction's."""
        folder = os.fsencode(home.work_tree or home.git_dir).decode("latin-1")
        self._write(State(tx=tx, home=folder))

    def bring(self, commit: Oid, tree: Oid) -> None:
        """Make it ``tree`` on top of ``commit``; ignored files stay (caches, installed packages)."""
        assert self.state is not None  # noqa: S101 - it has been claimed
        git = self.repo.git.inheriting(self.held)
        self.unsettle()
        self._end_operations()
        # With one tree and --reset, every file that differs from it is written anew, and no other.
        git("read-tree", "--reset", "-u", tree)
        git("clean", "-f", "-f", "-d", "-q")
        git("update-ref", "--no-deref", "HEAD", commit)
        self._write(msgspec.structs.replace(self.state, tree=tree, base=commit))

    def follow(self, commit: Oid, tree: Oid) -> None:
        """Make it ``tree`` on top of ``commit``; what was edited in it by hand stays on top, unstaged.

        Raises:
            WorldMoved: ``dirty_overlap``: both changed the same lines; nothing has changed.
        """
        assert self.state is not None  # noqa: S101 - it has been claimed
        plan = self._plan(tree)
        self.unsettle()
        checkout.follow(self.repo, self._store, plan)
        self.repo.git("update-ref", "--no-deref", "HEAD", commit)
        self._write(msgspec.structs.replace(self.state, tree=tree, base=commit))

    def unsettle(self) -> None:
        """Note that it is about to change, in case somebody is killed."""
        assert self.state is not None  # noqa: S101 - it has been claimed
        self._write(msgspec.structs.replace(self.state, tree=None))

    def settle(self, commit: Oid, tree: Oid) -> None:
        """Note that ``tree``, which its files are, is what belongs there; no file is touched.

        What is written there meanwhile stays, as an edit that is not staged.
        """
        assert self.state is not None  # noqa: S101 - it has been claimed
        before = self.state
        self.unsettle()
        try:
            self._end_operations()
            self.repo.git("read-tree", tree)
            self.repo.git("update-index", "-q", "--refresh", ok=(0, 1))
            self.repo.git("update-ref", "--no-deref", "HEAD", commit)
        except ScalpelError:
            self._write(before)  # nobody was killed: a lock in there is somebody else's
            raise
        self._write(msgspec.structs.replace(before, tree=tree, base=commit))

    def refuse_to_follow(self, tree: Oid) -> None:
        """Refuse now what :meth:`follow` would refuse."""
        self._plan(tree)

    def keep(self, known: Oid | None = None) -> str | None:
        """Hold what was left in it by hand with a ref; the ref, if there was more than ``known``."""
        contents = self.contents()
        if contents in (known, self.state.tree if self.state else None):
            return None
        ref = f"{refs.KEEP}worktree-{refs.new_id()}"
        head = Oid(self.repo.git("rev-parse", "--verify", "HEAD").decode("ascii").strip())
        commit = self._store.write_commit(contents, [head], f"Left in {os.fsencode(self.root)!r}")
        self._store.sync()
        refs.update(self.repo, [RefUpdate(ref, None, commit)], "scalpel: keep what was left in a worktree")
        return ref

    def commits(self) -> list[str]:
        """The subjects of the commits that were made in it by hand, the oldest first."""
        base = self.state.base if self.state else None
        out = self.repo.git("log", "--reverse", "--format=%s", f"{base}..HEAD")
        return out.decode("utf-8", "replace").splitlines()

    def _end_operations(self) -> None:
        for name in UNDER_WAY:
            _remove(self.repo.git_dir / name)

    def _plan(self, tree: Oid) -> list[Planned]:
        deltas = self._store.difference(self.state.tree if self.state else None, tree)
        return checkout.planned(self.repo, self._store, deltas, tree)

    def _write(self, state: State) -> None:
        temporary = self.repo.git_dir / f"{_STATE}.new"
        temporary.write_bytes(msgspec.json.encode(state))
        temporary.rename(self.repo.git_dir / _STATE)
        self.state = state


@contextmanager
def lease(
    repo: Repository, store: Store, tx: str, commit: Oid, announce: Callable[[str], None]
) -> Iterator[Worktree]:
    """Hold the slot of transaction ``tx``: its own, a free one, or a new one.

    Args:
        repo: from where it is leased.
        store: where to keep what was left in a slot.
        tx: the transaction.
        commit: what a new one is made at.
        announce: told when a new one is made, which takes a while in a large repository, and what was kept.

    Raises:
        TryAgain: ``busy``: another process works in the transaction's slot.
    """
    with ExitStack() as held:
        # One at a time, so that nobody takes the same free slot, or a second one for the same transaction.
        with lock.hold(repo.scalpel_dir, name="pool.lock"):
            worktree = _own(repo, store, tx, held, announce) or _free(repo, store, tx, held, announce)
            if worktree is None:
                slot = _made(repo, commit, announce)
                worktree = Worktree(slot, store, _locked(slot, held))
                worktree.claim(tx, repo)
        yield worktree


def _own(
    repo: Repository, store: Store, tx: str, held: ExitStack, announce: Callable[[str], None]
) -> Worktree | None:
    """The transaction's slot; where somebody was killed in it, what he left is kept."""
    slot = slot_of(repo, tx)
    if slot is None:
        return None
    worktree = Worktree(slot, store, _locked(slot, held))
    if worktree.state is None or worktree.state.tree is None:
        _unlock(slot)
        _kept(worktree, announce)
    return worktree


def _free(
    repo: Repository, store: Store, tx: str, held: ExitStack, announce: Callable[[str], None]
) -> Worktree | None:
    """A slot whose transaction has ended; what was left there is kept, and one where it cannot be is left."""
    open_now = refs.transactions(repo)
    for slot in slots(repo):
        if slot.state and slot.state.tx in open_now:
            continue
        with suppress(ScalpelError), ExitStack() as tried:
            worktree = Worktree(slot, store, _locked(slot, tried))
            _unlock(slot)
            _kept(worktree, announce)
            worktree.claim(tx, repo)
            held.push(tried.pop_all())
            return worktree
    return None


def _unlock(slot: Slot) -> None:
    """Remove the locks and copies of a git that was killed in a slot that is nobody's, or was being moved."""
    for name in ("index.lock", "HEAD.lock", "index.new", "index.new.lock", "index.lock.new"):
        _remove(slot.git_dir / name)


def _kept(worktree: Worktree, announce: Callable[[str], None]) -> None:
    kept = worktree.keep()
    if kept is not None:
        announce(f"what was left in {worktree.root} is kept as {kept}")


def _locked(slot: Slot, held: ExitStack) -> lock.Lock:
    got = held.enter_context(lock.attempt(slot.git_dir / _LOCK))
    if got is None:
        raise TryAgain("busy", f"another process works in {slot.root}", "try again when it has ended")
    return got


def _made(repo: Repository, commit: Oid, announce: Callable[[str], None]) -> Slot:
    """A new slot, without files yet."""
    place = repo.work_tree or repo.common_dir
    folder = _pool(repo) / f"{place.name}-{hashlib.blake2b(os.fsencode(repo.common_dir)).hexdigest()[:8]}"
    _clear_unfinished(repo, folder)
    number = 1
    while (folder / str(number) / place.name).exists():
        number += 1
    # The last folder has the repository's name: some tools take the name of a project from it.
    root = folder / str(number) / place.name
    repo.git.run("worktree", "remove", "--force", str(root))  # if somebody has emptied the cache
    root.parent.mkdir(parents=True, exist_ok=True)
    announce(f"making a worktree in {root}; the first one of a large repository takes a while")
    repo.git("worktree", "add", "--detach", "--no-checkout", "-q", str(root), commit)
    return Slot(discover(root).git_dir, root, None)


def _clear_unfinished(repo: Repository, folder: Path) -> None:
    """Remove what was killed before it became a slot; we hold the pool's lock, so nobody is making one."""
    for git_dir in (repo.common_dir / "worktrees").glob("*"):
        with suppress(OSError):
            linked = (git_dir / "gitdir").read_text("utf-8", "surrogateescape").rstrip("\n")
            root = Path(linked).parent
            if folder == root.parent.parent and not (git_dir / _STATE).exists():
                _remove(git_dir)
                _remove(root)


def _pool(repo: Repository) -> Path:
    configured = repo.config.get("scalpel.worktreedir")
    if configured:
        return (repo.common_dir / Path(configured).expanduser()).resolve()
    cache = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # The specification has relative ones ignored.
    return (cache if cache.is_absolute() else Path("~/.cache").expanduser()) / "git-scalpel"


def _read(git_dir: Path) -> State | None:
    try:
        return msgspec.json.decode((git_dir / _STATE).read_bytes(), type=State)
    except (FileNotFoundError, msgspec.MsgspecError):
        return None


def _is_there(slot: Slot) -> bool:
    """Whether the folder is still this slot's: not taken away, nor another's after a move or a copy."""
    try:
        link = (slot.root / ".git").read_text("utf-8", "surrogateescape")
        return Path(link.removeprefix("gitdir: ").rstrip("\n")).samefile(slot.git_dir)
    except OSError:
        return False


def _remove(path: Path) -> None:
    if path.is_dir():
        import shutil

        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
