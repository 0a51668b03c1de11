"""Lock files left by a killed git, a power cut or an unknown process: found, and removed if ours.

Git removes its lock files unless it is killed, and nothing in them names the owner. So we note the locks
absent before our git starts, and those it has once it holds them all. A lock is ours if it is one of the
latter; or if it appeared after the note, contains what our git was about to write (or its beginning),
and no longer changes although our git is dead. Only another git that took the lock in between and hangs
(in a hook, say) could be wronged.

These notes are not synced, since a sync costs more than the rest of a landing, so a power cut may lose
them. No process then holds a lock older than the boot. Of those, the locks that a call of ours may have
made are removed, once after each boot, by the first call that changes something. Any other old lock is
only reported: only git knows for certain that nobody holds it.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import Damaged
from gitscalpel.git.repository import Repository
from gitscalpel.git.scratch import Scratch
from gitscalpel.system import private_files, repo_lock, serialization
from gitscalpel.system.failpoint import step

REF_LOCKS_NOTE, _HELD = "ref-locks", "ref-locks.held"
_PATIENCE = 1.0
_Identity = tuple[int, int]
"""Inode and time: another process's lock differs in one of them."""


class _RefLock(msgspec.Struct, frozen=True):
    """A lock file: where, what is in it (None: anything), and which file it was when our git held it."""

    path: str
    content: str | None = ""
    identity: _Identity | None = None

    @property
    def file(self) -> Path:
        """The path."""
        return Path(serialization.read(self.path))


def note_ref_locks(scratch: Scratch, repo: Repository, refs: Iterable[tuple[str, Oid | None]]) -> None:
    """Note which lock files are not there, before our git takes them."""
    files: dict[Path, str | None] = {
        repo.common_dir / f"{ref}.lock": f"{new}\n" if new else "" for ref, new in refs
    }
    files |= {repo.git_dir / "HEAD.lock": "", repo.common_dir / "packed-refs.lock": ""}
    # Where refs lie in tables (extensions.refStorage), it is their list that is locked.
    tables = [each / "reftable/tables.list.lock" for each in (repo.git_dir, repo.common_dir)]
    _write_note(scratch, {**files, **dict.fromkeys(tables, "")})


def note_maintenance_locks(scratch: Scratch, repo: Repository, refs: Iterable[str]) -> None:
    """The same before our git packs refs or shortens their logs, one ref after the other."""
    folders = sorted({repo.common_dir, repo.git_dir})
    names = [*refs, "HEAD"]
    files: dict[Path, str | None] = {folder / f"{name}.lock": "" for folder in folders for name in names}
    files |= {folder / f"logs/{name}.lock": None for folder in folders for name in names}
    files |= {repo.common_dir / "packed-refs.lock": "", repo.common_dir / "gc.pid.lock": None}
    _write_note(scratch, files)


def _write_note(scratch: Scratch, files: Mapping[Path, str | None]) -> None:
    locks = [_RefLock(serialization.spelt(file), content) for file, content in files.items()]
    scratch.write(
        REF_LOCKS_NOTE, msgspec.json.encode([each for each in locks if not os.path.lexists(each.file)])
    )


def note_held_locks(scratch: Scratch) -> None:
    """Note the lock files that our git holds now."""
    held = [
        msgspec.structs.replace(each, identity=_identity(each.file))
        for each in _read_note(scratch, REF_LOCKS_NOTE)
    ]
    scratch.write(_HELD, msgspec.json.encode(held))


def remove_noted(scratch: Scratch, *, killed: bool) -> list[Path]:
    """Remove the lock files that are certainly ours; our git has ended.

    Args:
        scratch: where they are noted.
        killed: git was killed. Else it has removed them itself, unless it could not.

    Returns:
        what was removed.
    """
    held = {each.path: each.identity for each in _read_note(scratch, _HELD)}
    sure: list[Path] = []
    likely: list[tuple[Path, _Identity]] = []
    for each in _read_note(scratch, REF_LOCKS_NOTE):
        now = _identity(each.file)
        if now is None:
            continue
        if held.get(each.path) == now:
            # Where git goes on, another one may have been given the same inode in the same instant.
            sure += [each.file] if killed else []
            likely += [] if killed else [(each.file, now)]
        elif killed and now[1] >= _time_of(scratch) and _is_beginning(each):
            likely.append((each.file, now))
    if likely:
        time.sleep(_PATIENCE)
    ours = sure + [file for file, then in likely if _identity(file) == then]
    for file in ours:
        remove(file)
    private_files.sync_names(ours)  # before what tells of them goes
    return ours


def is_noted(note: bytes, ref: str) -> bool:
    """Whether a note of locks names the lock of ``ref``."""
    return f"/{ref}.lock".encode() in note


def remove(file: Path) -> None:
    """Remove a lock file of a git that holds it no more."""
    if file.name == "packed-refs.lock":  # who holds that, and nobody else, makes this
        file.with_name("packed-refs.new").unlink(missing_ok=True)
    file.unlink(missing_ok=True)


def _read_note(scratch: Scratch, name: str) -> list[_RefLock]:
    with suppress(msgspec.MsgspecError):
        return serialization.decode(scratch.read(name), list[_RefLock])
    return []


def _is_beginning(each: _RefLock) -> bool:
    with suppress(FileNotFoundError):
        return each.content is None or each.content.encode().startswith(each.file.read_bytes())
    return False


def _identity(file: Path) -> _Identity | None:
    try:
        status = file.stat()
    except (FileNotFoundError, NotADirectoryError):  # refs/heads may be a file: there are no refs in it then
        return None
    return status.st_ino, status.st_mtime_ns


def _time_of(scratch: Scratch) -> int:
    """When the note was made, by the clock of the file system that the locks are on."""
    return (scratch.path / REF_LOCKS_NOTE).stat().st_mtime_ns


_STAMP = "boot"
_OUR_REFS = "refs/scalpel"
_BESIDE = ("HEAD.lock", "packed-refs.lock")
"""Which a git of ours takes beside the refs that it moves or packs."""

_SLOT = "scalpel.lock"
"""Which the system holds for who works in a worktree of the pool."""
_BEGUN = (".lock", ".new")


def is_boot_check_due(scalpel_dir: Path) -> bool:
    """Whether nobody has looked since the machine was started, or since a folder of ours is there."""
    stamp = b""
    with suppress(OSError, Damaged):
        stamp = private_files.read(scalpel_dir / _STAMP)
    return (
        bool(repo_lock.boot_identity())
        and stamp != repo_lock.boot_identity()
        and private_files.is_folder(scalpel_dir)
    )


def remove_older_than_boot(repo: Repository, refs: Iterable[str]) -> list[Path]:
    """Remove the locks of ours that are older than the machine's start; the caller holds the tool's lock.

    Args:
        repo: in it, and in all of its worktrees.
        refs: those that a landing was about to move, beside our own.

    Returns:
        what was removed.
    """
    began, gone = repo_lock.boot_time(), []
    for file in {*_find_locks(repo), *(repo.common_dir / f"{ref}.lock" for ref in refs)}:
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
            status = file.lstat()
            if stat.S_ISREG(status.st_mode) and status.st_mtime < began:
                step()
                remove(file)
                gone.append(file)
    private_files.sync_names(gone)  # before the journal goes, which tells of them
    return sorted(gone)


def note_boot_check(scalpel_dir: Path) -> None:
    """Note that this has been done; and make sure that our folder itself will be there."""
    with suppress(OSError):
        private_files.write(scalpel_dir / _STAMP, repo_lock.boot_identity())
    private_files.sync(scalpel_dir.parent)


def _find_locks(repo: Repository) -> Iterator[Path]:
    from gitscalpel.git import index  # there is something to look for once in a start of the machine

    yield from _below(repo.common_dir / _OUR_REFS)
    # Who packs refs, or shortens their logs, locks each of them, and writes nothing into its lock.
    yield from filter(_holds_nothing, _below(repo.common_dir / "refs"))
    yield repo.common_dir / "gc.pid.lock"  # names a process, which is none by now
    for git_dir in (repo.common_dir, *private_files.entries(repo.common_dir / "worktrees")):
        yield from _below(git_dir / "logs")
        if (git_dir / _SLOT).exists():  # where all that is locked is ours
            yield from (file for file in git_dir.glob("*.*") if file.suffix in _BEGUN and file.name != _SLOT)
        yield from filter(_holds_nothing, (git_dir / name for name in _BESIDE))
        yield from [git_dir / "index.lock"] if index.is_marked(git_dir) else []


def _below(folder: Path) -> Iterator[Path]:
    for here, _, names in os.walk(folder):
        yield from (Path(here) / name for name in names if name.endswith(".lock"))


def _holds_nothing(file: Path) -> bool:
    with suppress(OSError):
        return not file.is_symlink() and not file.read_bytes().strip(b"\0")
    return False


_OLD = 60
"""Seconds for which git may well hold one."""
_OUR_MARKS = b"git-scalpel "
"""What our own lock of an index begins with."""


def find_stray(repo: Repository) -> Iterator[tuple[Path, str | None]]:
    """Lock files older than a minute, each with its owner, if that was one of us."""
    common = repo.common_dir
    folders = [common, *(common / "worktrees").glob("*")]
    files = [file for folder in folders for file in folder.glob("*.lock")]
    files += [*(common / "refs").rglob("*.lock"), *(common / "objects").glob("*.lock"), common / "gc.pid"]
    now = time.time()
    for file in sorted(files):
        try:
            if now - file.stat().st_mtime > _OLD and file.name != "scalpel.lock":
                yield file, "of a git scalpel" if file.read_bytes().startswith(_OUR_MARKS) else None
        except OSError:
            continue  # it was in use, after all
