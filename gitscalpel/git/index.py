"""Read and edit git's index, directly where its format is plain, otherwise through git.

An index is never edited in place: a copy replaces it under git's own ``index.lock``, which is marked as ours.
The format is https://git-scm.com/docs/index-format.
"""

from __future__ import annotations

import os
import re
import struct
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from gitscalpel.changesets.file_tree import Entry, Oid, object_hash
from gitscalpel.errors import TryAgain
from gitscalpel.git.process import Git, join_listing
from gitscalpel.git.repository import Repository
from gitscalpel.system import private_files
from gitscalpel.system.failpoint import step

_PLAIN = (b"DIRC\0\0\0\2", b"DIRC\0\0\0\3")
HEADER = 12
_STATUS = 40
_MODES = {
    b"\0\0\x81\xa4": "100644",
    b"\0\0\x81\xed": "100755",
    b"\0\0\xa0\0": "120000",
    b"\0\0\xe0\0": "160000",
}
_MODE = 24
_ALIGNED = 8
_LONGEST_NAME = 0xFFF
_last: dict[tuple[str | int, ...], bytes] = {}  # the index read last: a landing reads it three times
TRACKED = "H"  # flag of a plain tracked entry in ``ls-files -v``


def read_plain(repo: Repository) -> bytes | None:
    """Return the bytes of an index with uncompressed paths. Empty if there is none, None for others."""
    if repo.flag("index.sparse") or repo.flag("core.sparseCheckout") or repo.flag("core.splitIndex"):
        return None
    try:
        content = _read_file(repo.git_dir / "index")
        split = any(file.name.startswith("sharedindex.") for file in repo.git_dir.iterdir())
    except FileNotFoundError:
        return b""
    except OSError:
        return None
    return None if split or not content.startswith(_PLAIN) else content


def _read_file(file: Path) -> bytes:
    """Return the file's bytes. An index is never changed in place, so its status identifies its content."""
    status = file.stat()
    key = (str(file), status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    content = _last.get(key)
    if content is None:
        content = file.read_bytes()
        _last.clear()
        _last[key] = content
    return content


# An index has no table of contents, and walking over all entries in Python takes longer than starting git.
# So an entry is searched by its name, and accepted only if exactly one place looks like an entry in every
# fixed part.
def find_entries(repo: Repository, names: Sequence[str]) -> dict[str, Entry] | None:
    """Return the entries at ``names``, all tracked, merged and without flags. None if only git can."""
    content = read_plain(repo)
    offsets = None if content is None else find_offsets(repo, content, names)
    if content is None or offsets is None:
        return None
    width = _hash_width(repo)
    return {
        path: Entry(
            _MODES[content[at + _MODE : at + _MODE + 4]],
            Oid(content[at + _STATUS : at + _STATUS + width].hex()),
        )
        for path, at in offsets.items()
    }


def find_offsets(repo: Repository, content: bytes, names: Sequence[str]) -> dict[str, int] | None:
    """Return the offsets of the entries at ``names``. None if only git can find them."""
    offsets = {}
    for path in names:
        name = os.fsencode(path)
        starts = _find_offsets(content, name, _STATUS + _hash_width(repo))
        if starts is None or len(starts) > 1 or name + b"/" in content:  # possibly a directory of that name
            return None
        offsets.update(dict.fromkeys([path], starts[0]) if starts else {})
    return offsets


def _hash_width(repo: Repository) -> int:
    return 32 if repo.object_format == "sha256" else 20


def _find_offsets(content: bytes, name: bytes, fixed: int) -> list[int] | None:
    """Return the offsets of the entries with that name. None if one of them is not plain."""
    length = min(len(name), _LONGEST_NAME)
    offsets = []
    at = content.find(name + b"\0", HEADER)
    while at >= 0:
        for wide in (0, 2):  # version 3 may have further flags before the name
            start = at - wide - 2 - fixed
            flags = int.from_bytes(content[at - wide - 2 : at - wide], "big")
            if flags & _LONGEST_NAME == length and _is_entry_start(content, start):
                if flags != length or wide:
                    return None
                offsets.append(start)
        at = content.find(name + b"\0", at + 1)
    return offsets


def _is_entry_start(content: bytes, at: int) -> bool:
    return at >= HEADER and (at - HEADER) % _ALIGNED == 0 and content[at + _MODE : at + _MODE + 4] in _MODES


_STATUS_FIELDS = struct.Struct(">10I")


# ``update-index --index-info`` leaves the status empty. Then ``git apply --index`` and ``git diff-files``,
# which do not refresh, call the entry modified. Refreshing would read the status of every file there is.
def fill_status(
    index: Path, known: Mapping[str, tuple[Entry, os.stat_result]], modification_time: int | None = None
) -> None:
    """Fill in the status of the entries in ``known``, in place. Each file has the content of its entry.

    No other process writes ``index``. It gets ``modification_time``, in nanoseconds.
    """
    if not known:
        return
    content = bytearray(index.read_bytes())
    if not content.startswith(_PLAIN):
        return
    at = HEADER
    for path, (entry, status) in sorted(known.items(), key=lambda item: os.fsencode(item[0])):
        name = os.fsencode(path)
        tail = struct.pack(">H", min(len(name), _LONGEST_NAME)) + name + b"\0"
        empty = pack_status(entry, None) + bytes.fromhex(entry.oid) + tail
        start = content.find(empty, at)
        if start >= 0:
            content[start : start + _STATUS_FIELDS.size] = pack_status(entry, status)
            at = start + len(empty)
    write_checksum(content, len(next(iter(known.values()))[0].oid) // 2)
    index.write_bytes(content)
    if modification_time is not None:
        os.utime(index, ns=(modification_time, modification_time))


def pack_time(nanoseconds: int) -> bytes:
    return struct.pack(">2I", *(part & 0xFFFFFFFF for part in divmod(nanoseconds, 10**9)))


def pack_status(entry: Entry, status: os.stat_result | None) -> bytes:
    """Return the status fields of an entry. Without a status they are empty, so that git reads the file."""
    mode = int(entry.mode, 8)
    if status is None:
        return _STATUS_FIELDS.pack(0, 0, 0, 0, 0, 0, mode, 0, 0, 0)
    changed, modified = divmod(status.st_ctime_ns, 10**9), divmod(status.st_mtime_ns, 10**9)
    fields = (*changed, *modified, status.st_dev, status.st_ino, mode, status.st_uid, status.st_gid)
    return _STATUS_FIELDS.pack(*(field & 0xFFFFFFFF for field in (*fields, status.st_size)))


def write_checksum(content: bytearray, width: int) -> None:
    """Rewrite the checksum, unless it is all zeros (index.skipHash)."""
    if any(content[-width:]):
        content[-width:] = object_hash("sha256" if width == 32 else "sha1", content[:-width]).digest()


# Extensions next to which a changed object id needs no other change.
_UNAFFECTED_EXTENSIONS = (b"TREE", b"REUC", b"UNTR")
_TREES = b"TREE"
_NODE = re.compile(rb"([^\0]*)\0(-?\d+) (\d+)\n")
IndexChange = tuple[str, Entry | None, str]


def replace_blobs(repo: Repository, changes: Sequence[IndexChange]) -> tuple[bytes, int] | None:
    """Return the index with other object ids in some entries, and the modification time for the file.

    A file changed at the moment of the index write is distinguished from an unchanged one only by the time of
    the index (https://git-scm.com/docs/racy-git), so the time is just a nanosecond later than before. None if
    only git can do it.
    """
    content = read_plain(repo)
    if not content:
        return None
    width = _hash_width(repo)
    time = (repo.git_dir / "index").stat().st_mtime_ns
    if pack_time(time) in content:
        return None
    offsets = find_offsets(repo, content, [path for path, _, _ in changes])
    edited = bytearray(content)
    for path, entry, flags in changes:
        at = None if offsets is None else offsets.get(path)
        if at is None or entry is None or flags != TRACKED:
            return None
        status = pack_status(entry, None)
        edited[at : at + len(status) + width] = status + bytes.fromhex(entry.oid)
    names = [os.fsencode(path) for path, _, _ in changes]
    if not _invalidate_trees(edited, len(content) - width, width, names):
        return None
    write_checksum(edited, width)
    return bytes(edited), time + 1


def _invalidate_trees(content: bytearray, end: int, width: int, names: Sequence[bytes]) -> bool:
    """Invalidate the cached trees above some files. Return False if the extensions are malformed."""
    candidates = [at for at in _find_extension(content, _TREES) if (at - HEADER) % _ALIGNED == 0]
    at = next(
        (
            at
            for at in candidates
            if _read_extension_size(content, at) and _has_only_extensions(content, at, end)
        ),
        None,
    )
    if at is None:
        return not candidates  # the bytes may be part of a name
    size = _read_extension_size(content, at)
    folders = {name[:slash] for name in names for slash, sign in enumerate(name) if sign == ord("/")} | {b""}
    rows = _invalidate_cache(bytes(content[at + 8 : at + 8 + size]), width, folders)
    if rows is None:
        return False
    content[at + 4 : at + 8 + size] = len(rows).to_bytes(4, "big") + rows
    return True


def _has_only_extensions(content: bytearray, at: int, end: int) -> bool:
    """Return True if extensions fill the index exactly from here to the checksum."""
    while at < end and content[at : at + 4] in _UNAFFECTED_EXTENSIONS:
        at += 8 + _read_extension_size(content, at)
    return at == end


def _find_extension(content: bytearray, name: bytes) -> Iterator[int]:
    at = content.find(name)
    while at >= 0:
        yield at
        at = content.find(name, at + 1)


def _read_extension_size(content: bytearray, extension: int) -> int:
    return int.from_bytes(content[extension + 4 : extension + 8], "big")


def _invalidate_cache(trees: bytes, width: int, stale: set[bytes]) -> bytes | None:
    """Return the tree cache with the nodes of ``stale`` invalidated. None if it is malformed."""
    rows: list[bytes] = []
    parents: list[tuple[bytes, int]] = []
    at = 0
    while at < len(trees):
        node = _NODE.match(trees, at)
        if node is None:
            return None
        name, count, below = node[1], int(node[2]), int(node[3])
        at = node.end() + (width if count >= 0 else 0)
        while parents and not parents[-1][1]:
            parents.pop()
        path = name
        if parents:
            folder, remaining = parents[-1]
            parents[-1] = folder, remaining - 1
            path = folder + b"/" + name if folder else name
        parents.append((path, below))
        rows.append(name + b"\0-1 " + node[3] + b"\n" if path in stale else trees[node.start() : at])
    return b"".join(rows) if at == len(trees) else None


def write_index(copy: Path, content: bytes, time: int) -> bool:
    """Write an index with a modification time. Return False if the file system does not keep that time."""
    copy.write_bytes(content)
    os.utime(copy, ns=(time, time))
    return copy.stat().st_mtime_ns == time


_FEW = 64
# Seconds to wait for the lock, and between attempts: a background ``git status`` holds it for a moment.
_PATIENCE, _PAUSE = 0.5, 0.01
_MARK = b"git-scalpel "


class IndexEntry(msgspec.Struct, frozen=True):
    """An index entry with its flags as in ``ls-files -v``: ``S`` is skip-worktree, ``h`` assume-unchanged."""

    entry: Entry
    flags: str
    conflicted: bool = False


def read_index_entries(git: Git, names: Sequence[str]) -> dict[str, IndexEntry]:
    """Return the index entries of the paths ``names``. The result may contain further entries."""
    # Matching many names with many entries takes time by their product.
    paths = ["--", *names] if len(names) <= _FEW else []
    out = git("--literal-pathspecs", "ls-files", "--stage", "-v", "-z", "--full-name", *paths)
    found: dict[str, IndexEntry] = {}
    for row in out.split(b"\0"):
        meta, tab, name = row.partition(b"\t")
        if tab:
            flags, mode, oid, stage = meta.decode("ascii").split(" ")
            found[os.fsdecode(name)] = IndexEntry(Entry(mode, Oid(oid)), flags, stage != "0")
    return found


def read_own_index_entries(repo: Repository, names: Sequence[str]) -> dict[str, IndexEntry]:
    """Return the entries of the repository's own index, without git if its format is plain."""
    plain = find_entries(repo, names) if len(names) <= _FEW else None
    if plain is None:
        return read_index_entries(repo.git, names)
    return {path: IndexEntry(entry, TRACKED) for path, entry in plain.items()}


def write_edited_copy(
    repo: Repository, git: Git, copy: Path, changes: Iterable[tuple[str, Entry | None, str]]
) -> int | None:
    """Write ``copy``: the index, which need not exist, with some entries replaced.

    ``changes`` are path, new entry (None to remove it) and flags of each. Returns the modification time for
    the index in nanoseconds, or None for the time of the write.
    """
    rows = list(changes)
    edited = replace_blobs(repo, rows)
    if edited is not None:
        _remove_leftovers(copy)
        private_files.write(copy, b"")
        if write_index(copy, *edited):
            return edited[1]
    copy_index(repo.git_dir / "index", copy)
    view = git.with_env(GIT_INDEX_FILE=str(copy))
    width = next((len(entry.oid) for _, entry, _ in rows if entry is not None), 40)
    lines = (
        f"{entry.mode} {entry.oid}\t" if entry is not None else f"0 {'0' * width}\t" for _, entry, _ in rows
    )
    stdin = b"".join(
        line.encode() + os.fsencode(path) + b"\0" for line, (path, _, _) in zip(lines, rows, strict=True)
    )
    # It is synced once, when it is installed.
    view("-c", "core.fsync=none", "update-index", "-z", "--index-info", stdin=stdin)
    remaining = [(path, flags) for path, entry, flags in rows if entry is not None]
    for option, names in (
        ("--skip-worktree", [path for path, flags in remaining if flags.upper() == "S"]),
        ("--assume-unchanged", [path for path, flags in remaining if flags.islower()]),
    ):
        update_index(view, option, names)
    return None


def update_index(git: Git, option: str, names: Sequence[str]) -> None:
    if names:
        git("update-index", option, "-z", "--stdin", stdin=join_listing(names))


def unhide(git: Git, root: Path, *, sparse: bool, absent: bool) -> None:
    """Clear the assume-unchanged and skip-worktree flags that a user set.

    In a ``sparse`` checkout git itself sets skip-worktree, so it stays. So does that of missing files unless
    ``absent``.
    """
    # Bytes, since decoding thousands of names takes long.
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
            update_index(git, flag, names)


def copy_index(index: Path, copy: Path) -> None:
    """Copy an index, which need not exist, with its modification time (see :func:`replace_blobs`)."""
    _remove_leftovers(copy)
    with suppress(FileNotFoundError):
        status = index.stat()
        private_files.write(copy, index.read_bytes())
        os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))


def install_index(
    index: Path, copy: Path, known: Mapping[str, tuple[Entry, os.stat_result]], time: int | None
) -> None:
    """Fill in the status of ``known`` files in ``copy`` and rename it over the index.

    ``time`` is the modification time of the index in nanoseconds, or None for now.
    """
    fill_status(copy, known, time)
    private_files.adjust_permissions(copy)
    private_files.sync_path(copy)
    step()
    copy.rename(index)
    private_files.sync_path(index.parent)


@contextmanager
def hold_index_lock(git_dir: Path, scalpel_dir: Path, token: str) -> Iterator[None]:
    """Hold the index lock within the block. Raises ``TryAgain`` (``busy``) if another process holds it."""
    lock = git_dir / "index.lock"
    marked = scalpel_dir / "index.lock.new"
    private_files.write(marked, _lock_mark(token))
    deadline = time.monotonic() + _PATIENCE
    try:
        # A link, since a kill could leave a created file unmarked.
        step()
        while not _try_link(marked, lock):
            if time.monotonic() > deadline:
                raise TryAgain(
                    "busy",
                    f"another git process is changing the index ({lock} exists)",
                    "wait for it to finish and try again; if no git process is running, remove that file",
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


def remove_own_index_lock(git_dir: Path, token: str) -> bool:
    """Remove the index lock of a killed landing. Any other lock stays."""
    lock = git_dir / "index.lock"
    try:
        if lock.is_symlink() or lock.read_bytes() != _lock_mark(token):
            return False
    except (FileNotFoundError, IsADirectoryError):
        return False
    lock.unlink()
    return True


def is_own_index_lock(git_dir: Path) -> bool:
    """Return True if the index lock is ours. After a power cut the beginning of the mark is enough."""
    lock = git_dir / "index.lock"
    with suppress(OSError):
        content = lock.read_bytes().rstrip(b"\0")
        return not lock.is_symlink() and (content.startswith(_MARK) or _MARK.startswith(content))
    return False


def index_stamp(git_dir: Path) -> tuple[int, int, int] | None:
    """Return a value that changes whenever the index is replaced. None if there is no index."""
    try:
        status = (git_dir / "index").stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _try_link(marked: Path, lock: Path) -> bool:
    try:
        os.link(marked, lock)
    except FileExistsError:
        return False
    return True


def _lock_mark(token: str) -> bytes:
    return _MARK + token.encode() + b"\n"


def _remove_leftovers(copy: Path) -> None:
    for leftover in (copy, copy.with_name(copy.name + ".lock")):
        leftover.unlink(missing_ok=True)
