"""The pool of linked worktrees: outside the repository, leased, moved by what differs.

Under ``.git`` test runners find nothing, so the pool lies in the cache folder. A slot is held by
the open transaction that it was leased for, and by the process that works in it through a file lock,
which its children inherit in case it is killed. Nothing in a slot is overwritten that git does
not hold: what was left there by hand is kept as a commit, and where that cannot be, the slot is left alone.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import msgspec

from gitscalpel import lock
from gitscalpel.errors import Misconfigured, ScalpelError, TryAgain
from gitscalpel.failpoint import step
from gitscalpel.git import refs, scratch
from gitscalpel.git.repository import Repository, discover, linked_root
from gitscalpel.git.scratch import Scratch
from gitscalpel.git.slot import LOCK, Slot, State, Worktree, has_files, keep, read_state, remove
from gitscalpel.git.store import Store
from gitscalpel.snapshot import Oid

POOL_LOCK = "pool.lock"
_MAKING = "worktree"
_OF_A_KILLED_GIT = ("index.lock", "HEAD.lock", "index.new", "index.new.lock", "index.lock.new")
"""What may be left in a slot; it is nobody's when it is removed."""


def slots(repo: Repository) -> list[Slot]:
    """The pool of a repository, as far as it is there."""
    return [slot for slot in recorded(repo) if slot.state_file.exists() and _is_there(slot)]


def recorded(repo: Repository) -> Iterator[Slot]:
    """Every linked worktree that git has a record of, the user's own as well."""
    for file in sorted((repo.common_dir / "worktrees").glob("*/gitdir")):
        with suppress(OSError):
            yield Slot(file.parent, linked_root(file.parent), read_state(file.parent))


def slot_of(repo: Repository, tx: str) -> Slot | None:
    """The slot that a transaction has leased."""
    return next((slot for slot in slots(repo) if slot.state and slot.state.tx == tx), None)


def state_of(repo: Repository) -> State | None:
    """What the slot is for that ``repo`` was found from; None: it is no slot."""
    return None if repo.git_dir == repo.common_dir else read_state(repo.git_dir)


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
        with lock.hold(repo.scalpel_dir, name=POOL_LOCK) as pool:
            worktree = _own(repo, store, tx, held, announce) or _free(repo, store, tx, held, announce)
            if worktree is None:
                # Inherited, so that nobody takes a worktree for left over that a git is still making.
                making = msgspec.structs.replace(repo, git=repo.git.inheriting(pool))
                with scratch.made(repo.scalpel_dir) as notes:
                    slot = _made(making, store, commit, announce, notes)
                    worktree = Worktree(repo, slot, store, locked(slot, held))
                    worktree.claim(tx, repo)
        yield worktree


def _own(
    repo: Repository, store: Store, tx: str, held: ExitStack, announce: Callable[[str], None]
) -> Worktree | None:
    """The transaction's slot; where somebody was killed in it, what he left is kept."""
    slot = slot_of(repo, tx)
    if slot is None:
        return None
    worktree = Worktree(repo, slot, store, locked(slot, held))
    worktree.unlock()
    if worktree.state is None or worktree.state.tree is None:
        keep_left(worktree, announce)
    return worktree


def _free(
    repo: Repository, store: Store, tx: str, held: ExitStack, announce: Callable[[str], None]
) -> Worktree | None:
    """A slot whose transaction has ended; what was left there is kept, and one where it cannot be is left."""
    open_now = refs.transactions(repo)
    for slot in slots(repo):
        if slot.state and slot.state.tx in open_now:
            continue
        with suppress(ScalpelError, OSError), ExitStack() as tried:
            worktree = Worktree(repo, slot, store, locked(slot, tried))
            keep_left(worktree, announce)
            worktree.claim(tx, repo)
            held.push(tried.pop_all())
            return worktree
    return None


def keep_left(worktree: Worktree, announce: Callable[[str], None]) -> str | None:
    """Hold what somebody left in a slot that is nobody's now; the ref, if there was anything."""
    for name in _OF_A_KILLED_GIT:
        remove(worktree.repo.git_dir / name)
    kept = worktree.keep()
    if kept is not None:
        announce(f"what was left in {worktree.root} is kept as {kept}")
    return kept


def locked(slot: Slot, held: ExitStack) -> lock.Lock:
    """Hold a slot. Raises ``TryAgain``: another process does."""
    got = held.enter_context(lock.attempt(slot.git_dir / LOCK))
    if got is None:
        raise TryAgain("busy", f"another process works in {slot.root}", "try again when it has ended")
    return got


def is_held(slot: Slot) -> bool:
    """Whether a process works in a slot just now."""
    return lock.holder(slot.git_dir, LOCK) is not None


def unmake(repo: Repository, store: Store, left: Scratch) -> list[str]:
    """Remove the worktree that was being made when whoever left these notes was killed.

    Git refuses much in the whole repository while its record of a worktree is half written.

    Returns:
        what was done, in words.
    """
    note = left.read(_MAKING)
    if not note:
        return []
    root, said = Path(os.fsdecode(note)), []
    with lock.attempt(lock.path(repo.scalpel_dir, POOL_LOCK)) as pool:
        for found in recorded(repo) if pool is not None else ():
            if found.root == root and not found.state_file.exists():
                discard(repo, store, found)
                said.append(f"removed {root}, a worktree that was being made")
    return said


def _made(
    repo: Repository, store: Store, commit: Oid, announce: Callable[[str], None], notes: Scratch
) -> Slot:
    """A new slot, without files yet."""
    folder, name = pool_of(repo)
    number = 1
    while (folder / str(number) / name).exists():
        number += 1
    root = folder / str(number) / name
    _tidied(repo, store, folder, root, announce)
    _make_folder(root.parent)
    announce(f"making a worktree in {root}; the first one of a large repository takes a while")
    notes.write(_MAKING, os.fsencode(root))
    step()
    repo.git("worktree", "add", "--detach", "--no-checkout", "-q", str(root), commit)
    return Slot(discover(root).git_dir, root, None)


def _tidied(
    repo: Repository, store: Store, folder: Path, root: Path, announce: Callable[[str], None]
) -> None:
    """Remove what was killed in the pool before it became a slot, and what stood at ``root``.

    We hold the pool's lock, so nobody is making one.
    """
    for found in recorded(repo):
        unfinished = found.root.parent.parent == folder and not found.state_file.exists()
        if unfinished or found.root == root:
            with suppress(ScalpelError):  # what cannot be kept stays
                kept = discard(repo, store, found)
                if kept is not None:
                    announce(f"what was left in {found.root} is kept as {kept}")


def discard(repo: Repository, store: Store, found: Slot) -> str | None:
    """Remove a worktree of the pool that is no slot: killed before it became one, or without its folder.

    Returns:
        the ref that keeps what was in it, or staged or committed there, if anything was.
    """
    from gitscalpel.git import uncommitted

    kept = None
    if is_linked(found):
        if has_files(found.root):
            here = repo.standing_in(found.git_dir, found.root)
            kept = keep(here, store, found.root, uncommitted.contents(here))
        step()
        remove(found.root)
    kept = _staged_in(repo, store, found) or kept
    step()
    remove(found.git_dir)
    return kept


def _staged_in(repo: Repository, store: Store, found: Slot) -> str | None:
    if found.state is None or found.state.tree is None:
        return None
    here = repo.standing_in(found.git_dir, found.root)
    result = here.git.run("write-tree")
    staged = found.state.tree if result.status else Oid(result.out.decode("ascii").strip())
    if staged == found.state.tree and here.resolve("HEAD") in (None, found.state.base):
        return None
    return keep(here, store, found.root, staged)


def is_linked(found: Slot) -> bool:
    """Whether the folder says that it is this worktree's."""
    try:
        return linked_from(found.root).samefile(found.git_dir)
    except OSError:
        return False


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            raise  # the disk's fault: another folder would not help
        raise Misconfigured(
            "unavailable",
            f"no worktree can be made in {folder}: {error.strerror}",
            "name a folder that you may write to: git config scalpel.worktreeDir FOLDER",
        ) from None


def pool_of(repo: Repository) -> tuple[Path, str]:
    """The folder of this repository's slots, which are numbered, and the name of each one's root below.

    That is the repository's: some tools take the name of a project from it.
    """
    name = (repo.work_tree or repo.common_dir).name
    return place_of_pools(repo) / f"{name}-{digest(repo)}", name


def digest(repo: Repository) -> str:
    """What tells the pools of repositories of one name apart."""
    return hashlib.blake2b(os.fsencode(repo.common_dir)).hexdigest()[:8]


def place_of_pools(repo: Repository) -> Path:
    """Where the slots of repositories lie."""
    configured = repo.config.get("scalpel.worktreedir")
    if configured:
        return (repo.common_dir / Path(configured).expanduser()).resolve()
    cache = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # The specification has relative ones ignored.
    cache = cache if cache.is_absolute() else Path("~/.cache").expanduser()
    return (cache / "git-scalpel").resolve()  # as git writes it down


def _is_there(slot: Slot) -> bool:
    """Whether the folder is still this slot's: not taken away, nor another's after a copy.

    Where the link leads nowhere, the repository has been moved, and where there is none, somebody
    has deleted it: it is set right.
    """
    try:
        with suppress(FileNotFoundError):
            return linked_from(slot.root).samefile(slot.git_dir)
        if is_held(slot):  # it may just be removed
            return False
        (slot.root / ".git").write_bytes(b"gitdir: " + os.fsencode(slot.git_dir) + b"\n")
    except OSError:  # the folder is not there, or there is a repository in it
        return False
    return True


def linked_from(root: Path) -> Path:
    """The git directory that a worktree says it has. Raises ``OSError`` where it says nothing."""
    link = (root / ".git").read_text("utf-8", "surrogateescape")
    return Path(link.removeprefix("gitdir: ").rstrip("\n"))
