"""Folders for what must not outlive the process that made it, and notes of what that process was about.

Who makes one holds it by a file lock, which the gits that work for it inherit and which dies with the
last of them. So a folder that nobody holds is what a killed process left, and may be cleared away.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import msgspec

from gitscalpel import lock, sharing
from gitscalpel.lock import Lock

_LOCK = "lock"


class Scratch(msgspec.Struct, frozen=True):
    """A folder that this process holds; children that work for it inherit ``lock``."""

    path: Path
    lock: Lock

    def write(self, name: str, content: bytes) -> None:
        """Write a note; not synced, since it matters after a kill only."""
        (self.path / name).write_bytes(content)
        sharing.adjust(self.path / name)

    def read(self, name: str) -> bytes:
        """A note; empty where there is none."""
        return _read(self.path / name)


@contextmanager
def made(scalpel_dir: Path) -> Iterator[Scratch]:
    """A new folder, for as long as the block lasts."""
    with held(scalpel_dir) as scratch:
        try:
            yield scratch
        finally:
            clear(scratch)


@contextmanager
def held(scalpel_dir: Path) -> Iterator[Scratch]:
    """A new folder, held for as long as the block lasts; if it is not cleared, whoever comes next does it."""
    with ExitStack() as stack:
        scratch = None
        while scratch is None:
            path = _place(scalpel_dir) / os.urandom(8).hex()
            sharing.make_folder(path)
            scratch = _taken(path, stack)  # None: somebody took it for left behind, in this very moment
        yield scratch


def left(scalpel_dir: Path, stack: ExitStack) -> list[Scratch]:
    """The folders that killed processes left with something in them; ``stack`` holds them from now on."""
    left = []
    for path in _every(scalpel_dir):
        found = _taken(path, stack)
        if found is not None and _is_empty(found):
            clear(found)  # killed, or just now, between making and locking, or between emptying and removing
        elif found is not None:
            left.append(found)
    return left


def is_any_left(scalpel_dir: Path) -> bool:
    """Whether there are such folders."""
    with ExitStack() as stack:
        return bool(left(scalpel_dir, stack))


def notes(scalpel_dir: Path, name: str) -> list[bytes]:
    """What all folders hold under ``name``, those of living processes as well."""
    return [content for path in _every(scalpel_dir) if (content := _read(path / name))]


def clear(scratch: Scratch) -> None:
    """Remove a folder; what is still being written in it stays, for whoever comes next."""
    with suppress(OSError):
        for path in scratch.path.iterdir():
            if path.name != _LOCK:
                _remove(path)
        # Last, so that nobody takes a folder for left behind while it is being emptied.
        (scratch.path / _LOCK).unlink()
        scratch.path.rmdir()


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        import shutil

        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _place(scalpel_dir: Path) -> Path:
    return scalpel_dir / "scratch"


def _every(scalpel_dir: Path) -> list[Path]:
    try:
        return sorted(_place(scalpel_dir).iterdir())
    except FileNotFoundError:
        return []


def _taken(path: Path, stack: ExitStack) -> Scratch | None:
    with suppress(FileNotFoundError, NotADirectoryError, PermissionError):  # gone, or another user's
        got = stack.enter_context(lock.attempt(path / _LOCK))
        # Whoever had it before may have removed it between the opening and the locking.
        if got is not None and os.path.samestat(os.fstat(got.fd), (path / _LOCK).stat()):
            return Scratch(path, got)
    return None


def _is_empty(scratch: Scratch) -> bool:
    return [path.name for path in scratch.path.iterdir()] == [_LOCK]


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""
