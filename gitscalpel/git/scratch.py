"""Directories in the git directory for work in progress, and the quarantine for foreign files.

A process and the gits that it starts hold a directory by a file lock. One without a holder was left by a
kill. Its notes record what that process was doing, and are followed only if this user sealed them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import msgspec

from gitscalpel.errors import Damaged
from gitscalpel.system import private_files, repo_lock, trust
from gitscalpel.system.failpoint import step
from gitscalpel.system.repo_lock import Lock

_LOCK = "lock"
# Names of notes. All other files in a directory are working files.
NOTES = frozenset({"transaction", "refs", "ref-locks", "ref-locks.held", "worktree", "worktree.removing"})


class Scratch(msgspec.Struct, frozen=True):
    """A directory held by this process. Children that work for it inherit ``lock``."""

    path: Path
    lock: Lock

    def write(self, name: str, content: bytes, *, durable: bool = False) -> None:
        """Write a note. Most are not synced, since they matter only after a kill."""
        assert name in NOTES, name  # noqa: S101 - an unlisted note would not be checked for its seal
        note = self.path / name
        trust.write_sealed(note, _seal_folder(self.path), _seal_subject(note), content)
        for path in (note, *note.parents[:4]) if durable else ():  # up to the git directory
            private_files.sync_path(path)

    def read(self, name: str) -> bytes:
        """Return a note of this user, or empty bytes."""
        return _open_note(self.path / name) or b""

    @property
    def doubtful(self) -> bool:
        notes = (self.path / name for name in NOTES)
        return any(
            os.path.lexists(note) and _open_note(note) is None and not _is_cut_off(note) for note in notes
        )


@contextmanager
def make_scratch(scalpel_dir: Path) -> Iterator[Scratch]:
    with hold_new_scratch(scalpel_dir) as scratch:
        try:
            yield scratch
        finally:
            remove_scratch(scratch)


@contextmanager
def hold_new_scratch(scalpel_dir: Path) -> Iterator[Scratch]:
    """Make a directory and hold it for the block. If it is not cleared, the next process does it."""
    with ExitStack() as stack:
        scratch = None
        while scratch is None:
            path = private_files.ensure_folder(
                private_files.ensure_folder(_scratch_root(scalpel_dir)) / os.urandom(8).hex()
            )
            scratch = _try_take(path, stack)  # None if another process has just taken it for abandoned
        yield scratch


def take_abandoned(scalpel_dir: Path, stack: ExitStack) -> list[Scratch]:
    """Take the directories that killed processes left non-empty. ``stack`` holds them from now on."""
    abandoned = []
    for path in _list_own_folders(scalpel_dir):
        scratch = _try_take(path, stack)
        if scratch is not None and [each.name for each in scratch.path.iterdir()] == [_LOCK]:
            remove_scratch(
                scratch
            )  # its process was killed, or is between two steps of making or removing it
        elif scratch is not None:
            abandoned.append(scratch)
    return abandoned


def has_abandoned(scalpel_dir: Path) -> bool:
    with ExitStack() as stack:
        return bool(take_abandoned(scalpel_dir, stack))


def read_notes(scalpel_dir: Path, name: str) -> list[bytes]:
    return [content for path in _list_own_folders(scalpel_dir) if (content := _open_note(path / name))]


def remove_scratch(scratch: Scratch) -> None:
    """Remove a directory. Files that are still being written stay for the next process."""
    with suppress(OSError):
        for path in scratch.path.iterdir():
            if path.name != _LOCK:
                private_files.remove_path(path)
        # Last, so that no process takes the directory for abandoned while it is being emptied.
        (scratch.path / _LOCK).unlink()
        scratch.path.rmdir()


def _scratch_root(scalpel_dir: Path) -> Path:
    return scalpel_dir / "scratch"


def _list_own_folders(scalpel_dir: Path) -> list[Path]:
    """Return this user's directories. Other entries, such as links, are ignored."""
    return [path for path in private_files.list_folder(_scratch_root(scalpel_dir)) if _is_ours(path)]


def _is_ours(path: Path) -> bool:
    with suppress(FileNotFoundError):
        return private_files.is_folder(path) and path.lstat().st_uid == os.geteuid()
    return False


def _try_take(path: Path, stack: ExitStack) -> Scratch | None:
    # It was removed or replaced.
    with suppress(FileNotFoundError, NotADirectoryError, PermissionError, Damaged):
        lock = stack.enter_context(repo_lock.try_hold_lock(path / _LOCK))
        # Its last holder may have removed it between our opening and locking it.
        if lock is not None and os.path.samestat(os.fstat(lock.fd), (path / _LOCK).stat()):
            return Scratch(path, lock)
    return None


def _open_note(note: Path) -> bytes | None:
    return trust.read_sealed(note, _seal_folder(note.parent), _seal_subject(note))


def _is_cut_off(note: Path) -> bool:
    """Return True if a note is empty or contains zero bytes, as after a power cut."""
    with suppress(OSError, Damaged):
        content = private_files.read(note)
        return not content or b"\0" in content
    return False


def _seal_subject(note: Path) -> str:
    return f"note {note.parent.name}/{note.name}"


def _seal_folder(folder: Path) -> Path:
    return folder.parent.parent


UNTRUSTED_PREFIX = "untrusted-"  # prefix of quarantine directories for untrusted files
# Prefix of quarantine directories for a save in the checkout that another save replaced.
SAVED_PREFIX = "saved-"


def move_to_quarantine(scalpel_dir: Path, path: Path) -> Path:
    """Move a file or directory of ours to the quarantine, and return its new path."""
    folder = private_files.ensure_folder(
        private_files.ensure_folder(scalpel_dir / "quarantine") / f"{UNTRUSTED_PREFIX}{os.urandom(4).hex()}"
    )
    step()
    path.rename(folder / path.name)
    return folder / path.name
