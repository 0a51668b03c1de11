"""The lock files of refs, for the case that git is killed with them.

Git removes them itself unless it is killed, and then nobody can tell whose
they were. So it is noted who they are while git holds them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from gitscalpel.git.refs import RefUpdate
from gitscalpel.git.repository import Repository

_Note = tuple[str, int, int]
"""Path, inode and time: another process's lock differs in one of them."""


def remember(repo: Repository, updates: Sequence[RefUpdate]) -> None:
    """Note the lock files that our git holds now; not synced, since it matters after a kill only."""
    notes: list[_Note] = []
    for lock in _files(repo, updates):
        with suppress(FileNotFoundError, NotADirectoryError):
            notes.append(_note(lock))
    _notes(repo).write_bytes(msgspec.json.encode(notes))


def release(repo: Repository, updates: Sequence[RefUpdate]) -> None:
    """Remove the lock files that are certainly ours: noted, or holding the very id that we were to write."""
    notes: set[_Note] = set()
    with suppress(FileNotFoundError, msgspec.MsgspecError):
        notes = set(msgspec.json.decode(_notes(repo).read_bytes(), type=list[_Note]))
    new = {update.ref: update.new for update in updates}
    for lock in _files(repo, updates):
        with suppress(FileNotFoundError, NotADirectoryError):
            ref = os.path.relpath(lock, repo.common_dir).removesuffix(".lock")
            if _note(lock) in notes or (new.get(ref) and lock.read_bytes() == f"{new[ref]}\n".encode()):
                lock.unlink()


def _files(repo: Repository, updates: Sequence[RefUpdate]) -> list[Path]:
    heads = [repo.git_dir / "HEAD.lock", repo.common_dir / "packed-refs.lock"]
    # Where refs lie in tables (extensions.refStorage), refs/heads is a file, and a list of them is locked.
    heads += [folder / "reftable/tables.list.lock" for folder in (repo.git_dir, repo.common_dir)]
    return heads + [repo.common_dir / f"{update.ref}.lock" for update in updates]


def _note(lock: Path) -> _Note:
    status = lock.stat()
    # JSON holds no surrogates: the path is carried byte by byte.
    return os.fsencode(lock).decode("latin-1"), status.st_ino, status.st_mtime_ns


def _notes(repo: Repository) -> Path:
    return repo.scalpel_dir / "ref-locks"
