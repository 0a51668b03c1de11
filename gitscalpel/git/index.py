"""The user's index: read some entries, replace them, and nothing else changes.

Git rewrites a copy, which then takes the index's place; the index is locked
meanwhile with a file that tells whose it is.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from gitscalpel.changesets.file_tree import Entry, Oid
from gitscalpel.errors import TryAgain
from gitscalpel.git import index_edit, index_file, stats
from gitscalpel.git.repository import Repository
from gitscalpel.git.run import Git, listing
from gitscalpel.system import private_files, shared_repository
from gitscalpel.system.failpoint import step

_FEW = 64
_PATIENCE, _PAUSE = 0.5, 0.01
"""Seconds: a `git status` in the background holds the lock for a moment."""
_MARK = b"git-scalpel "


class Staged(msgspec.Struct, frozen=True):
    """An index entry. ``flags`` as ``ls-files -v``: S skip-worktree, lower case assume-unchanged."""

    entry: Entry
    flags: str
    conflicted: bool = False


def entries(git: Git, names: Sequence[str]) -> dict[str, Staged]:
    """The entries at ``names`` (and perhaps others)."""
    # Matching many names against many entries costs their product.
    wanted = ["--", *names] if len(names) <= _FEW else []
    out = git("--literal-pathspecs", "ls-files", "--stage", "-v", "-z", "--full-name", *wanted)
    found: dict[str, Staged] = {}
    for row in out.split(b"\0"):
        meta, tab, name = row.partition(b"\t")
        if tab:
            flags, mode, oid, stage = meta.decode("ascii").split(" ")
            found[os.fsdecode(name)] = Staged(Entry(mode, Oid(oid)), flags, stage != "0")
    return found


def entries_of(repo: Repository, names: Sequence[str]) -> dict[str, Staged]:
    """The same of a repository's own index, which is read without git where it is of the plain kind."""
    plain = index_file.entries(repo, names) if len(names) <= _FEW else None
    if plain is None:
        return entries(repo.git, names)
    return {path: Staged(entry, index_file.TRACKED) for path, entry in plain.items()}


def rewritten(
    repo: Repository, git: Git, copy: Path, changes: Iterable[tuple[str, Entry | None, str]]
) -> int | None:
    """Make ``copy`` out of the index, which need not exist, with some entries replaced.

    Args:
        repo: whose index.
        git: starts git.
        copy: where to write; whatever is there is overwritten.
        changes: path, new entry (None: none), flags to keep.

    Returns:
        the time that the index is to have; None: that at which it is written.
    """
    rows = list(changes)
    edited = index_edit.replaced(repo, rows)
    if edited is not None:
        _clear(copy)
        private_files.write(copy, b"")
        if index_edit.write(copy, *edited):
            return edited[1]
    copied(repo.git_dir / "index", copy)
    view = git.with_env(GIT_INDEX_FILE=str(copy))
    width = next((len(entry.oid) for _, entry, _ in rows if entry is not None), 40)
    lines = (
        f"{entry.mode} {entry.oid}\t" if entry is not None else f"0 {'0' * width}\t" for _, entry, _ in rows
    )
    stdin = b"".join(
        line.encode() + os.fsencode(path) + b"\0" for line, (path, _, _) in zip(lines, rows, strict=True)
    )
    # Synced when it takes its place, once.
    view("-c", "core.fsync=none", "update-index", "-z", "--index-info", stdin=stdin)
    kept = [(path, flags) for path, entry, flags in rows if entry is not None]
    for option, names in (
        ("--skip-worktree", [path for path, flags in kept if flags.upper() == "S"]),
        ("--assume-unchanged", [path for path, flags in kept if flags.islower()]),
    ):
        if names:
            view("update-index", option, "-z", "--stdin", stdin=listing(names))
    return None


def unhide(git: Git, root: Path, *, sparse: bool, absent: bool) -> None:
    """Let git look again at the files that somebody has told it to take for unchanged.

    Args:
        git: of the work tree.
        root: of its files.
        sparse: it has a sparse checkout, where ``--skip-worktree`` belongs to git.
        absent: also at those that are not there; else they stay left out.
    """
    # Bytes, since names by the thousand take long to decode.
    listed = git("ls-files", "-v", "-z", "--full-name").split(b"\0")
    rows = [os.fsdecode(row) for row in listed if row and not row.startswith(b"H")]
    skipped = [row[2:] for row in rows if row[0] in "Ss" and not sparse]
    hidden = {
        "--no-assume-unchanged": [row[2:] for row in rows if row[0].islower()],
        "--no-skip-worktree": [name for name in skipped if absent or os.path.lexists(root / name)],
    }
    for flag, names in hidden.items():
        if names:
            step()
            git("update-index", flag, "-z", "--stdin", stdin=listing(names))


def copied(index: Path, copy: Path) -> None:
    """Copy an index, which need not exist, with its time.

    A file that was changed in the very moment in which the index was written is only told from an
    unchanged one by its time: https://git-scm.com/docs/racy-git.
    """
    _clear(copy)
    with suppress(FileNotFoundError):
        status = index.stat()
        private_files.write(copy, index.read_bytes())
        os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))


def install(
    index: Path, copy: Path, known: Mapping[str, tuple[Entry, os.stat_result]], time: int | None
) -> None:
    """Put ``copy`` in the index's place, with what is known of the files, and the ``time`` that was told."""
    stats.fill(copy, known, time)
    shared_repository.adjust(copy)
    private_files.sync(copy)
    step()
    copy.rename(index)
    private_files.sync(index.parent)


@contextmanager
def locked(git_dir: Path, scalpel_dir: Path, token: str) -> Iterator[None]:
    """Hold the index's lock file.

    Raises:
        TryAgain: ``busy``, if another process holds it.
    """
    lock = git_dir / "index.lock"
    marked = scalpel_dir / "index.lock.new"
    private_files.write(marked, _mark(token))
    deadline = time.monotonic() + _PATIENCE
    try:
        # A link, since a file that is created and then marked could be left unmarked.
        step()
        while not _linked(marked, lock):
            if time.monotonic() > deadline:
                raise TryAgain(
                    "busy",
                    f"another git process is changing the index ({lock} exists)",
                    "wait for it and try again; if no git is running, remove that file",
                    lock=str(lock),
                )
            time.sleep(_PAUSE)
    finally:
        marked.unlink()
    try:
        yield
    finally:
        step()
        lock.unlink()


def unlock(git_dir: Path, token: str) -> bool:
    """Remove the lock file that a killed landing left; anybody else's stays."""
    lock = git_dir / "index.lock"
    try:
        if lock.is_symlink() or lock.read_bytes() != _mark(token):
            return False
    except (FileNotFoundError, IsADirectoryError):
        return False
    lock.unlink()
    return True


def is_marked(git_dir: Path) -> bool:
    """Whether the lock is ours, of whatever landing; what a power cut has left of the mark is enough."""
    lock = git_dir / "index.lock"
    with suppress(OSError):
        left = lock.read_bytes().rstrip(b"\0")
        return not lock.is_symlink() and (left.startswith(_MARK) or _MARK.startswith(left))
    return False


def signature(git_dir: Path) -> tuple[int, int, int] | None:
    """Changes whenever the index is replaced."""
    try:
        status = (git_dir / "index").stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _linked(marked: Path, lock: Path) -> bool:
    try:
        os.link(marked, lock)
    except FileExistsError:
        return False
    return True


def _mark(token: str) -> bytes:
    return _MARK + token.encode() + b"\n"


def _clear(copy: Path) -> None:
    """Remove what a killed landing left of an earlier copy."""
    for leftover in (copy, copy.with_name(copy.name + ".lock")):
        leftover.unlink(missing_ok=True)
