"""The lock files of refs, for the case that git is killed while it holds them.

Git removes them itself unless it is killed, and nothing in them says whose they were. So it is noted
which were not there before our git began, and which it held once it had them all. A lock is ours if it is
one of those it held; or if it is one that came since we noted that it was not there, holds what our git
was about to write or the beginning of it, and does not change any more although our git is dead. A git that
lives holds a lock for some milliseconds; only one that took it in the moment between and hangs
(in a hook, say) could be wronged.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.git.repository import Repository
from gitscalpel.git.scratch import Scratch
from gitscalpel.system import private_files, serialization

NOTE, _HELD = "ref-locks", "ref-locks.held"
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


def announce(scratch: Scratch, repo: Repository, refs: Iterable[tuple[str, Oid | None]]) -> None:
    """Note which lock files are not there, before our git takes them."""
    files: dict[Path, str | None] = {
        repo.common_dir / f"{ref}.lock": f"{new}\n" if new else "" for ref, new in refs
    }
    files |= {repo.git_dir / "HEAD.lock": "", repo.common_dir / "packed-refs.lock": ""}
    # Where refs lie in tables (extensions.refStorage), it is their list that is locked.
    tables = [each / "reftable/tables.list.lock" for each in (repo.git_dir, repo.common_dir)]
    _note(scratch, {**files, **dict.fromkeys(tables, "")})


def announce_upkeep(scratch: Scratch, repo: Repository, refs: Iterable[str]) -> None:
    """The same before our git packs refs or shortens their logs, one ref after the other."""
    folders = sorted({repo.common_dir, repo.git_dir})
    names = [*refs, "HEAD"]
    files: dict[Path, str | None] = {folder / f"{name}.lock": "" for folder in folders for name in names}
    files |= {folder / f"logs/{name}.lock": None for folder in folders for name in names}
    files |= {repo.common_dir / "packed-refs.lock": "", repo.common_dir / "gc.pid.lock": None}
    _note(scratch, files)


def _note(scratch: Scratch, files: Mapping[Path, str | None]) -> None:
    locks = [_RefLock(serialization.spelt(file), content) for file, content in files.items()]
    scratch.write(NOTE, msgspec.json.encode([each for each in locks if not os.path.lexists(each.file)]))


def remember(scratch: Scratch) -> None:
    """Note the lock files that our git holds now."""
    held = [msgspec.structs.replace(each, identity=_identity(each.file)) for each in _noted(scratch, NOTE)]
    scratch.write(_HELD, msgspec.json.encode(held))


def release(scratch: Scratch, *, killed: bool) -> list[Path]:
    """Remove the lock files that are certainly ours; our git has ended.

    Args:
        scratch: where they are noted.
        killed: git was killed. Else it has removed them itself, unless it could not.

    Returns:
        what was removed.
    """
    held = {each.path: each.identity for each in _noted(scratch, _HELD)}
    sure: list[Path] = []
    likely: list[tuple[Path, _Identity]] = []
    for each in _noted(scratch, NOTE):
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


def is_about(note: bytes, ref: str) -> bool:
    """Whether a note of locks names the lock of ``ref``."""
    return f"/{ref}.lock".encode() in note


def remove(file: Path) -> None:
    """Remove a lock file of a git that holds it no more."""
    if file.name == "packed-refs.lock":  # who holds that, and nobody else, makes this
        file.with_name("packed-refs.new").unlink(missing_ok=True)
    file.unlink(missing_ok=True)


def _noted(scratch: Scratch, name: str) -> list[_RefLock]:
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
    return (scratch.path / NOTE).stat().st_mtime_ns
