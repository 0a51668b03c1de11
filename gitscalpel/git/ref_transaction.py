"""Move several refs atomically, finish a transaction that was killed, and remove lock files that it left.

Git removes its lock files unless it is killed, and nothing in them names the owner. So notes, which are not
synced, record the locks absent before our git starts, and those that it holds.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import Damaged, GateRefused, ScalpelError, WorldMoved
from gitscalpel.git import index, process, refs, scratch
from gitscalpel.git.process import git_error
from gitscalpel.git.refs import RefUpdate
from gitscalpel.git.repository import Repository
from gitscalpel.git.scratch import Scratch
from gitscalpel.system import private_files, repo_lock, serialization
from gitscalpel.system.failpoint import step
from gitscalpel.system.repo_lock import Lock

if TYPE_CHECKING:
    from gitscalpel.git.process import Child


_NOTE = "refs"
_MOVED = ("but expected", "reference already exists", "unable to resolve reference", "reference is missing")


class RefTransaction:
    """Refs that move together: :meth:`prepare` locks them, :meth:`commit` moves them.

    Leaving the block without a commit aborts. Entering it starts git, which takes a while, so it may be
    entered before the updates are known. Git keeps ``lock`` if this process is killed.
    """

    _child: Child[bytes]
    _scratch: Scratch
    _folders_to_sync: set[Path]

    def __init__(self, repo: Repository, message: str, lock: Lock | None = None) -> None:
        self._repo, self._message = repo, message
        self._git = repo.git if lock is None else repo.git.inheriting(lock)
        self._exit_stack = ExitStack()
        self._is_half_done = False

    def __enter__(self) -> RefTransaction:
        with ExitStack() as stack:
            self._scratch = stack.enter_context(scratch.hold_new_scratch(self._repo.scalpel_dir))
            git = self._git.inheriting(self._scratch.lock).without_callback()
            self._child = git.start("update-ref", "-m", self._message, "--stdin", join=True)
            self._exit_stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        with self._exit_stack:
            # Closing the input aborts an uncommitted transaction; git then removes its locks if it can.
            self._close_input()
            with self._child as child:
                assert child.stdout is not None  # noqa: S101 - it is a pipe
                child.stdout.read()
            remove_noted_locks(self._scratch, killed=self._child.returncode < 0)
            if not self._is_half_done:
                scratch.remove_scratch(self._scratch)

    def prepare(self, updates: Iterable[RefUpdate], *, lasting: bool = False) -> None:
        """Check the old values, lock the refs and run the reference-transaction hook.

        With ``lasting`` the note of the updates is synced, to survive a power cut. A landing has its journal.

        Raises:
            WorldMoved: ``target_moved``.
            GateRefused: ``hook_failed``.
            TryAgain: another process holds one of the refs.
        """
        updates = list(updates)
        self._folders_to_sync = _find_folders_to_sync(self._repo.common_dir, updates)
        note_ref_locks(self._scratch, self._repo, [(each.ref, each.new) for each in updates])
        self._scratch.write(_NOTE, _encode_updates(updates), durable=lasting)
        self._git.starting("update-ref")  # from now on git reads their objects
        commands = "".join(update.command for update in updates)
        self._send_commands("start\n" + commands + "prepare\n", b"prepare: ok\n")
        note_held_locks(self._scratch)

    def commit(self) -> None:
        """Move the refs durably. If git fails after moving some, move the others."""
        try:
            self._send_commands("commit\n", b"commit: ok\n")
            self._close_input()  # git ends while names are synced
        except ScalpelError:
            self._is_half_done = True  # until this is known, the next process finishes the noted updates
            remove_noted_locks(self._scratch, killed=self._child.returncode < 0)
            followed = finish_noted_updates(self._repo, self._scratch)
            self._is_half_done = False
            if not followed:
                raise
        _sync_names(self._folders_to_sync)

    def _close_input(self) -> None:
        assert self._child.stdin is not None  # noqa: S101 - it is a pipe
        with suppress(BrokenPipeError):
            self._child.stdin.close()

    def _send_commands(self, commands: str, expected: bytes) -> None:
        stdin, stdout = self._child.stdin, self._child.stdout
        assert stdin is not None and stdout is not None  # noqa: S101, PT018  they are pipes
        try:
            stdin.write(commands.encode("utf-8", "surrogateescape"))
            stdin.flush()
        except BrokenPipeError:
            pass  # git has already reported the reason
        lines: list[bytes] = []
        for line in stdout:
            if line == expected:
                return
            lines.append(line)
        words = b"".join(lines).decode("utf-8", "replace").replace("start: ok\n", "").strip()
        status = self._child.wait()
        process.require_version_after(self._git, status)
        raise _update_error(words, status)


def _find_folders_to_sync(common_dir: Path, updates: Iterable[RefUpdate]) -> set[Path]:
    """Return the directories of the updated ref files, since git syncs the files, but not their names."""
    tables = common_dir / "reftable"
    if tables.is_dir():
        return {tables}
    folders = set()
    for update in updates:
        folder = (common_dir / update.ref).parent
        folders.add(folder)
        while not folder.exists():  # git will make it
            folder = folder.parent
            folders.add(folder)
    deleted = [update.ref for update in updates if update.new is None]
    return folders | ({common_dir} if deleted and _is_packed(common_dir, deleted) else set())


def _is_packed(common_dir: Path, refs: Iterable[str]) -> bool:
    """Return True if one of these refs is packed, so that its removal rewrites ``packed-refs``."""
    try:
        packed = (common_dir / "packed-refs").read_bytes()
    except FileNotFoundError:
        return False
    return any(os.fsencode(f" {ref}\n") in packed for ref in refs)


def _sync_names(folders: Iterable[Path]) -> None:
    """Make the names in these directories durable. Git may have removed empty ones."""
    for folder in {next(each for each in (folder, *folder.parents) if each.exists()) for folder in folders}:
        with suppress(FileNotFoundError):
            private_files.sync_path(folder)


def finish_noted_updates(repo: Repository, left: Scratch) -> list[str]:
    """Finish the noted transaction if git was killed in its middle. Return the refs that it had not moved."""
    updates = _decode_updates(left.read(_NOTE))
    current = refs.read_refs(repo, [each.ref for each in updates]) if updates else {}
    if not has_begun(updates, current):
        return []
    return move_remaining_refs(repo, updates, current, "scalpel: recover")


def has_begun(updates: Sequence[RefUpdate], current: Mapping[str, Oid]) -> bool:
    """Return True if one of the updates was made.

    Git deletes refs after all other updates, and another process may have deleted a missing ref. So deletions
    count only if there are no other updates.
    """
    significant = [each for each in updates if each.new is not None] or updates
    return any(current.get(each.ref) == each.new != each.old for each in significant)


def move_remaining_refs(
    repo: Repository, updates: Iterable[RefUpdate], current: Mapping[str, Oid], message: str
) -> list[str]:
    """Move the refs that still have their old values after others of the transaction moved. Return them."""
    remaining = [each for each in updates if current.get(each.ref) == each.old != each.new]
    if remaining:
        step()
        update_refs(repo, remaining, message)
    return [each.ref for each in remaining]


def restore_deleted_refs(
    repo: Repository, updates: Iterable[RefUpdate], current: Mapping[str, Oid], message: str
) -> None:
    """Restore deleted refs of a transaction that moved no other ref.

    Git deletes last, but a power cut may reorder what reached the disk.
    """
    deleted = [
        each for each in updates if each.old is not None and each.new is None and each.ref not in current
    ]
    if deleted:
        step()
        update_refs(repo, [RefUpdate(each.ref, None, each.old) for each in deleted], message)


def _encode_updates(updates: Iterable[RefUpdate]) -> bytes:
    return msgspec.json.encode(
        [RefUpdate(serialization.encode_path(each.ref), each.old, each.new) for each in updates]
    )


def _decode_updates(note: bytes) -> list[RefUpdate]:
    try:
        updates = serialization.decode(note, list[RefUpdate])
    except msgspec.MsgspecError:
        return []
    return [RefUpdate(serialization.decode_path(each.ref), each.old, each.new) for each in updates]


def update_refs(repo: Repository, updates: Iterable[RefUpdate], message: str) -> None:
    """Move refs atomically. Raises ``target_moved``, ``hook_failed`` or ``busy``."""
    updates = list(updates)
    # A power cut between two updates would leave an old and a new value together.
    lasting = len(updates) > 1 and any(each.old is not None for each in updates)
    with RefTransaction(repo, message) as transaction:
        transaction.prepare(updates, lasting=lasting)
        transaction.commit()


def _update_error(words: str, status: int) -> ScalpelError:
    if "aborted by hook" in words:
        return GateRefused(
            "hook_failed",
            f"the reference-transaction hook rejected the update: {words}",
            "fix what the hook reports and try again",
        )
    if any(sign in words for sign in _MOVED):
        return WorldMoved("target_moved", f"a ref has moved: {words}", "check its new tip and try again")
    return git_error("update-ref", status, words)


REF_LOCKS_NOTE, _HELD = "ref-locks", "ref-locks.held"
_SETTLE_TIME_S = 1.0
_Identity = tuple[int, int]  # inode and time: a lock file of another process differs in one of them


class _RefLock(msgspec.Struct, frozen=True):
    path: str  # encoded path
    content: str | None = ""  # expected content. None if unknown.
    identity: _Identity | None = None  # identity of the file while our git held it

    @property
    def file(self) -> Path:
        return Path(serialization.decode_path(self.path))


def note_ref_locks(scratch: Scratch, repo: Repository, refs: Iterable[tuple[str, Oid | None]]) -> None:
    """Note which lock files do not exist before our git takes them."""
    files: dict[Path, str | None] = {
        repo.common_dir / f"{ref}.lock": f"{new}\n" if new else "" for ref, new in refs
    }
    files |= {repo.git_dir / "HEAD.lock": "", repo.common_dir / "packed-refs.lock": ""}
    # With reftable (extensions.refStorage), git locks the list of tables.
    tables = [each / "reftable/tables.list.lock" for each in (repo.git_dir, repo.common_dir)]
    _write_note(scratch, {**files, **dict.fromkeys(tables, "")})


def note_maintenance_locks(scratch: Scratch, repo: Repository, refs: Iterable[str]) -> None:
    """Note which lock files do not exist before our git packs refs or shortens reflogs, one by one."""
    folders = sorted({repo.common_dir, repo.git_dir})
    names = [*refs, "HEAD"]
    files: dict[Path, str | None] = {folder / f"{name}.lock": "" for folder in folders for name in names}
    files |= {folder / f"logs/{name}.lock": None for folder in folders for name in names}
    files |= {repo.common_dir / "packed-refs.lock": "", repo.common_dir / "gc.pid.lock": None}
    _write_note(scratch, files)


def _write_note(scratch: Scratch, files: Mapping[Path, str | None]) -> None:
    locks = [_RefLock(serialization.encode_path(file), content) for file, content in files.items()]
    scratch.write(
        REF_LOCKS_NOTE, msgspec.json.encode([each for each in locks if not os.path.lexists(each.file)])
    )


def note_held_locks(scratch: Scratch) -> None:
    held_locks = [
        msgspec.structs.replace(each, identity=_lock_identity(each.file))
        for each in _read_note(scratch, REF_LOCKS_NOTE)
    ]
    scratch.write(_HELD, msgspec.json.encode(held_locks))


def remove_noted_locks(scratch: Scratch, *, killed: bool) -> list[Path]:
    """Remove the lock files that are certainly ours, after our git has ended, and return them.

    Unless git was ``killed``, it removed the locks itself if it could. A lock is ours if our git was seen to
    hold it, or if it is newer than the note, has the expected content and no longer changes. Only another git
    that took the lock in between and hangs (in a hook, say) could be wronged.
    """
    held_identities = {lock.path: lock.identity for lock in _read_note(scratch, _HELD)}
    locks = _read_note(scratch, REF_LOCKS_NOTE)
    # By the clock of the locks' file system.
    noted = (scratch.path / REF_LOCKS_NOTE).stat().st_mtime_ns if locks else 0
    certain: list[Path] = []
    probable: list[tuple[Path, _Identity]] = []
    for lock in locks:
        identity = _lock_identity(lock.file)
        if identity is None:
            continue
        if held_identities.get(lock.path) == identity:
            # After git has continued, another lock may have got the same inode at the same instant.
            certain += [lock.file] if killed else []
            probable += [] if killed else [(lock.file, identity)]
        elif killed and identity[1] >= noted and _has_expected_beginning(lock):
            probable.append((lock.file, identity))
    if probable:
        time.sleep(_SETTLE_TIME_S)
    removed = certain + [file for file, then in probable if _lock_identity(file) == then]
    for file in removed:
        remove_lock_file(file)
    private_files.sync_names(removed)  # before their note is removed
    return removed


def is_lock_noted(note: bytes, ref: str) -> bool:
    return f"/{ref}.lock".encode() in note


def remove_lock_file(file: Path) -> None:
    if file.name == "packed-refs.lock":  # only the holder of that lock makes this file
        file.with_name("packed-refs.new").unlink(missing_ok=True)
    file.unlink(missing_ok=True)


def _read_note(scratch: Scratch, name: str) -> list[_RefLock]:
    with suppress(msgspec.MsgspecError):
        return serialization.decode(scratch.read(name), list[_RefLock])
    return []


def _has_expected_beginning(lock: _RefLock) -> bool:
    with suppress(FileNotFoundError):
        return lock.content is None or lock.content.encode().startswith(lock.file.read_bytes())
    return False


def _lock_identity(file: Path) -> _Identity | None:
    try:
        status = file.stat()
    except (FileNotFoundError, NotADirectoryError):  # refs/heads may be a file, without refs in it
        return None
    return status.st_ino, status.st_mtime_ns


_STAMP = "boot"
_OUR_REFS = "refs/scalpel"
# Lock files that our git takes in addition to those of the refs that it moves or packs.
_ADDITIONAL_LOCKS = ("HEAD.lock", "packed-refs.lock")

_SLOT = "scalpel.lock"  # lock file by which a process holds a pool worktree
_TEMPORARY_SUFFIXES = (".lock", ".new")


def is_boot_check_due(scalpel_dir: Path) -> bool:
    """Return True if no call has checked for old locks since the machine started."""
    stamp = b""
    with suppress(OSError, Damaged):
        stamp = private_files.read(scalpel_dir / _STAMP)
    return (
        bool(repo_lock.boot_identity())
        and stamp != repo_lock.boot_identity()
        and private_files.is_folder(scalpel_dir)
    )


def remove_older_than_boot(repo: Repository, refs: Iterable[str]) -> list[Path]:
    """Remove our lock files that are older than the machine's start, and return them.

    A power cut may lose the notes, which are not synced, but no process holds a lock older than the boot. Old
    locks that no call of ours can have made are only reported. The caller holds the tool's lock. ``refs`` are
    those that a landing was about to move, in addition to our own.
    """
    boot, removed = repo_lock.boot_time(), []
    for file in {*_find_locks(repo), *(repo.common_dir / f"{ref}.lock" for ref in refs)}:
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
            status = file.lstat()
            if stat.S_ISREG(status.st_mode) and status.st_mtime < boot:
                step()
                remove_lock_file(file)
                removed.append(file)
    private_files.sync_names(removed)  # before the journal that names them is removed
    return sorted(removed)


def note_boot_check(scalpel_dir: Path) -> None:
    """Note that old locks were checked, and sync the name of our directory."""
    with suppress(OSError):
        private_files.write(scalpel_dir / _STAMP, repo_lock.boot_identity())
    private_files.sync_path(scalpel_dir.parent)


def _find_locks(repo: Repository) -> Iterator[Path]:
    yield from _find_lock_files(repo.common_dir / _OUR_REFS)
    # Packing refs or shortening reflogs locks each ref with an empty lock file.
    yield from filter(_is_empty_file, _find_lock_files(repo.common_dir / "refs"))
    yield repo.common_dir / "gc.pid.lock"  # names a process from before the boot
    for git_dir in (repo.common_dir, *private_files.list_folder(repo.common_dir / "worktrees")):
        yield from _find_lock_files(git_dir / "logs")
        if (git_dir / _SLOT).exists():  # all locks in it are ours
            yield from (
                file
                for file in git_dir.glob("*.*")
                if file.suffix in _TEMPORARY_SUFFIXES and file.name != _SLOT
            )
        yield from filter(_is_empty_file, (git_dir / name for name in _ADDITIONAL_LOCKS))
        yield from [git_dir / "index.lock"] if index.is_own_index_lock(git_dir) else []


def _find_lock_files(folder: Path) -> Iterator[Path]:
    for folder_path, _, names in os.walk(folder):
        yield from (Path(folder_path) / name for name in names if name.endswith(".lock"))


def _is_empty_file(file: Path) -> bool:
    with suppress(OSError):
        return not file.is_symlink() and not file.read_bytes().strip(b"\0")
    return False


_STRAY_AGE_S = 60  # age in seconds up to which git may still hold a lock
_OUR_MARKS = b"git-scalpel "  # beginning of our own index lock


def find_stray_locks(repo: Repository) -> Iterator[tuple[Path, str | None]]:
    """Yield the lock files older than a minute, each with its owner if that was a git scalpel."""
    common = repo.common_dir
    folders = [common, *(common / "worktrees").glob("*")]
    files = [file for folder in folders for file in folder.glob("*.lock")]
    files += [*(common / "refs").rglob("*.lock"), *(common / "objects").glob("*.lock"), common / "gc.pid"]
    now = time.time()
    for file in sorted(files):
        try:
            if now - file.stat().st_mtime > _STRAY_AGE_S and file.name != "scalpel.lock":
                yield file, "of a git scalpel" if file.read_bytes().startswith(_OUR_MARKS) else None
        except OSError:
            continue  # it was in use
