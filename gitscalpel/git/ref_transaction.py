"""Move several refs atomically from their old values, and finish a transaction that was killed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import msgspec

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import GateRefused, ScalpelError, WorldMoved
from gitscalpel.git import lock_files, process, refs, scratch
from gitscalpel.git.process import failure
from gitscalpel.git.refs import RefUpdate
from gitscalpel.git.repository import Repository
from gitscalpel.git.scratch import Scratch
from gitscalpel.system import private_files, serialization
from gitscalpel.system.failpoint import step
from gitscalpel.system.repo_lock import Lock

if TYPE_CHECKING:
    from gitscalpel.git.process import Child

_NOTE = "refs"
_MOVED = ("but expected", "reference already exists", "unable to resolve reference", "reference is missing")


class RefTransaction:
    """Refs that move together: :meth:`prepare` locks them, :meth:`commit` moves them, leaving aborts.

    It begins with the start of git, which takes a while; so it may begin before it is known what is to move.

    Args:
        repo: where.
        message: for the reflogs.
        lock: what is held meanwhile; git keeps it if this process is killed.
    """

    _child: Child[bytes]
    _scratch: Scratch
    _folders: set[Path]

    def __init__(self, repo: Repository, message: str, lock: Lock | None = None) -> None:
        self._repo, self._message = repo, message
        self._git = repo.git if lock is None else repo.git.inheriting(lock)
        self._held = ExitStack()
        self._half = False

    def __enter__(self) -> RefTransaction:
        with ExitStack() as held:
            self._scratch = held.enter_context(scratch.held(self._repo.scalpel_dir))
            git = self._git.inheriting(self._scratch.lock).untold()
            self._child = git.start("update-ref", "-m", self._message, "--stdin", join=True)
            self._held = held.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._held:
            # A closed input aborts what was not committed; git then removes its locks, unless it cannot.
            self._close_input()
            with self._child as child:
                assert child.stdout is not None  # noqa: S101 - it is a pipe
                child.stdout.read()
            lock_files.remove_noted(self._scratch, killed=self._child.returncode < 0)
            if not self._half:
                scratch.clear(self._scratch)

    def prepare(self, updates: Iterable[RefUpdate], *, lasting: bool = False) -> None:
        """Check the old values, lock the refs and ask the reference-transaction hook.

        Args:
            updates: the refs.
            lasting: what is to move is noted so that a power cut leaves the note; a landing has its journal.

        Raises:
            WorldMoved: ``target_moved``.
            GateRefused: ``hook_failed``.
            TryAgain: another process holds one of the refs.
        """
        updates = list(updates)
        self._folders = _folders(self._repo.common_dir, updates)
        lock_files.note_ref_locks(self._scratch, self._repo, [(each.ref, each.new) for each in updates])
        self._scratch.write(_NOTE, _to_note(updates), durable=lasting)
        self._git.starting("update-ref")  # from now on it looks for what they name
        commands = "".join(update.command for update in updates)
        self._talk("start\n" + commands + "prepare\n", b"prepare: ok\n")
        lock_files.note_held_locks(self._scratch)

    def commit(self) -> None:
        """Move the refs, durably; where git fails when some have moved, the others follow."""
        try:
            self._talk("commit\n", b"commit: ok\n")
            self._close_input()  # it ends while the names are synced
        except ScalpelError:
            self._half = True  # until it is known: what is noted is finished by whoever comes next
            lock_files.remove_noted(self._scratch, killed=self._child.returncode < 0)
            followed = complete(self._repo, self._scratch)
            self._half = False
            if not followed:
                raise
        _sync(self._folders)

    def _close_input(self) -> None:
        assert self._child.stdin is not None  # noqa: S101 - it is a pipe
        with suppress(BrokenPipeError):
            self._child.stdin.close()

    def _talk(self, commands: str, expected: bytes) -> None:
        stdin, stdout = self._child.stdin, self._child.stdout
        assert stdin is not None and stdout is not None  # noqa: S101, PT018  they are pipes
        try:
            stdin.write(commands.encode("utf-8", "surrogateescape"))
            stdin.flush()
        except BrokenPipeError:
            pass  # it has already said why
        said: list[bytes] = []
        for line in stdout:
            if line == expected:
                return
            said.append(line)
        words = b"".join(said).decode("utf-8", "replace").replace("start: ok\n", "").strip()
        status = self._child.wait()
        process.require_version_after(self._git, status)
        raise _refusal(words, status)


def _folders(common_dir: Path, updates: Iterable[RefUpdate]) -> set[Path]:
    """Those in which names change of files that hold refs: git syncs what is in these, never the names."""
    tables = common_dir / "reftable"
    if tables.is_dir():
        return {tables}
    folders = set()
    for update in updates:
        folder = (common_dir / update.ref).parent
        folders.add(folder)
        while not folder.exists():  # git is going to make it
            folder = folder.parent
            folders.add(folder)
    gone = [update.ref for update in updates if update.new is None]
    return folders | ({common_dir} if gone and _is_packed(common_dir, gone) else set())


def _is_packed(common_dir: Path, refs: Iterable[str]) -> bool:
    """Whether one of these is packed with others: who removes it puts another file in the place of that."""
    try:
        packed = (common_dir / "packed-refs").read_bytes()
    except FileNotFoundError:
        return False
    return any(os.fsencode(f" {ref}\n") in packed for ref in refs)


def _sync(folders: Iterable[Path]) -> None:
    """Make their names durable; git has removed those that it has emptied."""
    for folder in {next(each for each in (folder, *folder.parents) if each.exists()) for folder in folders}:
        with suppress(FileNotFoundError):
            private_files.sync(folder)


def complete(repo: Repository, left: Scratch) -> list[str]:
    """Finish the ref transaction that is noted there, if git was killed while it moved one ref after another.

    Returns:
        the refs that it had not come to.
    """
    updates = _from_note(left.read(_NOTE))
    now = refs.values(repo, [each.ref for each in updates]) if updates else {}
    if not have_begun(updates, now):
        return []
    return follow(repo, updates, now, "scalpel: recover")


def have_begun(updates: Sequence[RefUpdate], now: Mapping[str, Oid]) -> bool:
    """Whether one of them has been done.

    Git deletes refs after it has moved all others, and a ref that is gone may as well have been deleted
    by somebody else: where there are others, they alone tell.
    """
    telling = [each for each in updates if each.new is not None] or updates
    return any(now.get(each.ref) == each.new != each.old for each in telling)


def follow(repo: Repository, updates: Iterable[RefUpdate], now: Mapping[str, Oid], message: str) -> list[str]:
    """Move the refs that are still where they were when others of the same transaction moved.

    Returns:
        which they were.
    """
    behind = [each for each in updates if now.get(each.ref) == each.old != each.new]
    if behind:
        step()
        update(repo, behind, message)
    return [each.ref for each in behind]


def bring_back(repo: Repository, updates: Iterable[RefUpdate], now: Mapping[str, Oid], message: str) -> None:
    """Make refs again that are gone although the transaction that was to delete them has moved no other.

    Git deletes last, but where the power was cut this need not have come to the disk in that order.
    """
    gone = [each for each in updates if each.old is not None and each.new is None and each.ref not in now]
    if gone:
        step()
        update(repo, [RefUpdate(each.ref, None, each.old) for each in gone], message)


def _to_note(updates: Iterable[RefUpdate]) -> bytes:
    return msgspec.json.encode(
        [RefUpdate(serialization.spelt(each.ref), each.old, each.new) for each in updates]
    )


def _from_note(note: bytes) -> list[RefUpdate]:
    try:
        found = serialization.decode(note, list[RefUpdate])
    except msgspec.MsgspecError:
        return []
    return [RefUpdate(serialization.read(each.ref), each.old, each.new) for each in found]


def update(repo: Repository, updates: Iterable[RefUpdate], message: str) -> None:
    """Move refs, all or none.

    Raises:
        WorldMoved: ``target_moved``, if one does not have its old value.
        GateRefused: ``hook_failed``.
        TryAgain: ``busy``.
    """
    updates = list(updates)
    # Where the power goes between two of them, one would be what it was before, beside what the other is now.
    lasting = len(updates) > 1 and any(each.old is not None for each in updates)
    with RefTransaction(repo, message) as transaction:
        transaction.prepare(updates, lasting=lasting)
        transaction.commit()


def _refusal(words: str, status: int) -> ScalpelError:
    if "aborted by hook" in words:
        return GateRefused(
            "hook_failed",
            f"the reference-transaction hook refused: {words}",
            "do what the hook asks for and try again",
        )
    if any(sign in words for sign in _MOVED):
        return WorldMoved("target_moved", f"a ref has moved: {words}", "look at its new tip and try again")
    return failure("update-ref", status, words)
