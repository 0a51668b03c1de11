"""Write new objects: in memory first, then loose or as one pack that no repack removes.

Objects stay in memory until a git starts that may need them, or until they must be durable, so a rejected
change writes none. Files are synced before they get their names, so none is torn after a power failure.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from gitscalpel.changesets.file_tree import Oid, object_hash
from gitscalpel.errors import Damaged
from gitscalpel.system import private_files, repo_lock
from gitscalpel.system.failpoint import step


def write_temporary(folder: Path, kind: str, parts: Iterable[bytes]) -> Path:
    """Write a new read-only file ``tmp_KIND_*``, not yet synced, and return its path.

    Git's own garbage collection removes old files of such names. Raises ``OSError`` after removing the file.
    """
    file = folder / f"tmp_{kind}_{os.urandom(8).hex()}"
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o444)
    with remove_on_failure([file]):
        with os.fdopen(descriptor, "wb") as new:
            new.writelines(parts)
        private_files.adjust_permissions(file)
    return file


@contextmanager
def remove_on_failure(files: Iterable[Path]) -> Iterator[None]:
    """Remove files that still have their temporary names if the block raises: the disk may be full."""
    try:
        yield
    except BaseException:
        for file in files:
            file.unlink(missing_ok=True)
        raise


_FASTEST_COMPRESSION = 1
_ATTEMPTS = 20
_FAN_OUT = 2  # digits of an object id that name its directory


class LooseObjects:
    """The loose objects of one object directory."""

    def __init__(self, objects: Path, object_format: str) -> None:
        self._objects = objects
        self._format = object_format
        self._unpublished: dict[Oid, Path] = {}
        self._folders: set[Path] = set()
        self._watched_times: dict[str, int] | None = None

    def read(self, oid: Oid) -> tuple[str, bytes] | None:
        """Return kind and content of a complete loose object, or None."""
        stream = zlib.decompressobj()
        try:
            framed = stream.decompress(self._path(oid).read_bytes())
        except (OSError, zlib.error):
            return None
        header, _, content = framed.partition(b"\0")
        kind = header.partition(b" ")[0].decode("ascii", "replace")
        is_complete = stream.eof and not stream.unused_data and object_id(self._format, kind, content) == oid
        return (kind, content) if is_complete else None

    def add(self, kind: str, content: bytes) -> Oid:
        """Write an object to a temporary file, which :meth:`publish` renames, and return its id.

        Only loose objects are checked for an existing copy. A second copy of a packed object costs little,
        and keeps it from being pruned with its pack.
        """
        oid = object_id(self._format, kind, content)
        if oid in self._unpublished or self._freshen(oid):
            return oid
        packed = zlib.compress(_add_header(kind, content), _FASTEST_COMPRESSION)
        self._unpublished[oid] = write_temporary(self._objects, "obj", [packed])
        return oid

    def publish(self) -> None:
        """Sync all objects added since the last call, then make them visible to git."""
        waiting, self._unpublished = self._unpublished, {}  # a failed object is not retried
        with remove_on_failure(waiting.values()):
            for file in waiting.values():
                private_files.sync_path(file)
            for oid, file in waiting.items():
                self._rename_into_place(file, self._path(oid))

    def _rename_into_place(self, file: Path, target: Path) -> None:
        """Rename an object into its directory, which a concurrent ``git gc`` may keep removing as empty."""
        for remaining in reversed(range(_ATTEMPTS)):
            try:
                file.rename(target)
                break
            except FileNotFoundError:
                if not remaining:
                    raise
                private_files.make_folder(target.parent)
                self._folders.add(self._objects)
        self._folders.add(target.parent)

    def sync(self) -> None:
        """Publish, and make file names durable, also those of objects from git, which does not sync them."""
        self.publish()
        old_times, self._watched_times = self._watched_times, None
        if old_times is not None:
            times = self._read_folder_times()
            self._folders |= {
                self._objects / name for name, time in times.items() if old_times.get(name) != time
            }
            self._folders |= {self._objects} if times.keys() - old_times.keys() else set()
        for folder in self._folders:
            with suppress(FileNotFoundError):  # packed by now, and git syncs packs
                private_files.sync_path(folder)
        self._folders.clear()

    def watch(self) -> None:
        """Prepare for objects written by another process, whose names must be made durable too."""
        if self._watched_times is None:
            self._watched_times = self._read_folder_times()

    def _read_folder_times(self) -> dict[str, int]:
        """Return the modification time of each directory, which changes with the names in it."""
        times = {}
        with suppress(FileNotFoundError), os.scandir(self._objects) as entries:
            for entry in entries:
                if len(entry.name) == _FAN_OUT:
                    with suppress(FileNotFoundError):
                        times[entry.name] = entry.stat().st_mtime_ns
        return times

    def _path(self, oid: Oid) -> Path:
        return self._objects / oid[:2] / oid[2:]

    def _freshen(self, oid: Oid) -> bool:
        """Return True if the object exists, and then make it as durable and as recent as if written now.

        Git syncs no loose object, and its gc goes by age.
        """
        path = self._path(oid)
        try:
            private_files.sync_path(path)
            os.utime(path)
        except FileNotFoundError:
            return False
        except PermissionError:
            pass  # another user's object in a shared repository
        self._folders.add(path.parent)
        return True


def object_id(object_format: str, kind: str, content: bytes) -> Oid:
    return Oid(object_hash(object_format, _add_header(kind, content)).hexdigest())


def _add_header(kind: str, content: bytes) -> bytes:
    return b"%s %d\0%s" % (kind.encode(), len(content), content)


# Git commands that read no objects.
_OBJECTLESS_COMMANDS = frozenset(
    {"", "check-attr", "check-ref-format", "config", "symbolic-ref", "var", "version"}
)
_READ_ONLY_COMMANDS = frozenset(
    {"cat-file", "diff", "diff-files", "diff-index", "diff-tree", "for-each-ref", "ls-files"}
)
# Git commands that write no objects. All others may.
_READ_ONLY_COMMANDS |= {
    "ls-tree",
    "merge-base",
    "rev-list",
    "rev-parse",
    "update-index",
    "update-ref",
    "worktree",
}
_FEW = 2  # number of objects up to which they are written loose


class PendingObjects:
    """Objects that this process adds to the repository."""

    def __init__(self, objects: Path, object_format: str) -> None:
        self._objects, self._format = objects, object_format
        self._loose = LooseObjects(objects, object_format)
        self._pending: dict[Oid, tuple[str, bytes]] = {}

    def name(self, kind: str, content: bytes) -> Oid:
        return object_id(self._format, kind, content)

    def add(self, kind: str, content: bytes) -> Oid:
        oid = self.name(kind, content)
        self._pending[oid] = kind, content
        return oid

    def get(self, oid: str) -> tuple[str, bytes] | None:
        return self._pending.get(Oid(oid))

    def starting(self, command: str) -> None:
        """Make objects visible for the git that starts, and prepare for objects that it may write."""
        if command in _OBJECTLESS_COMMANDS:
            return
        self.show()
        if command not in _READ_ONLY_COMMANDS:
            self._loose.watch()

    def show(self) -> None:
        """Make pending objects visible to all processes. Their contents are durable, their names are not."""
        new, self._pending = self._pending, {}
        for kind, content in new.values():
            self._loose.add(kind, content)
        self._loose.publish()

    @contextmanager
    def lasting(self) -> Iterator[None]:
        """Make objects durable that were added here or by gits started here, and keep them from repacks.

        The block writes refs to them.
        """
        with ExitStack() as stack:
            if len(self._pending) > _FEW and not self._is_partial_clone():
                new, self._pending = self._pending, {}
                stack.enter_context(write_pack(self._objects, self._format, new))
            self.show()
            self._loose.sync()
            yield

    def _is_partial_clone(self) -> bool:
        """Return True for a partial clone, which distinguishes packs by their contents."""
        return private_files.count_names(self._objects / "pack", ".promisor") > 0


_KEEP_TEXT = b"git scalpel: until a ref names what is in it\n"


@contextmanager
def keep_pack(pack: Path) -> Iterator[None]:
    """Keep a future pack from being removed by ``git repack -a -d`` within the block, with a ``.keep`` file.

    The process locks that file, so the file of a killed process is recognised.
    """
    keep_file = pack.with_suffix(".keep")
    with repo_lock.try_hold_lock(keep_file) as lock:
        if lock is not None:  # otherwise another process makes the same pack
            os.write(lock.fd, _KEEP_TEXT)
        try:
            yield
        finally:
            if lock is not None:
                keep_file.unlink(missing_ok=True)


def release_packs(objects: Path) -> None:
    """Remove our ``.keep`` files that no process holds any more."""
    for keep_file in private_files.list_folder(objects / "pack", "pack-*.keep"):
        with suppress(OSError, Damaged):
            content = private_files.read(keep_file)
            if content == _KEEP_TEXT or not (content or keep_file.with_suffix(".pack").exists()):
                with repo_lock.try_hold_lock(keep_file, create=False) as lock:
                    if lock is not None:
                        step()
                        keep_file.unlink()


_KINDS = {"commit": 1, "tree": 2, "blob": 3, "tag": 4}
_LARGE = 1 << 31  # offset from which a pack index uses its table of large offsets


@contextmanager
def write_pack(objects: Path, object_format: str, new: Mapping[Oid, tuple[str, bytes]]) -> Iterator[None]:
    """Write objects durably as one pack without deltas, which no repack removes within the block.

    A pack needs three syncs however many objects it has. See https://git-scm.com/docs/gitformat-pack.
    """
    parts, rows = [struct.pack(">4sII", b"PACK", 2, len(new))], []
    at = len(parts[0])
    for oid, (kind, content) in new.items():
        entry = _encode_entry_header(_KINDS[kind], len(content)) + zlib.compress(
            content, _FASTEST_COMPRESSION
        )
        rows.append((bytes.fromhex(oid), zlib.crc32(entry), at))
        parts.append(entry)
        at += len(entry)
    parts.append(object_hash(object_format, *parts).digest())
    folder = objects / "pack"
    if not folder.exists():
        private_files.make_folder(folder)
        private_files.sync_path(objects)
    name = f"pack-{parts[-1].hex()}"
    index = encode_pack_index(object_format, sorted(rows), parts[-1])
    with keep_pack(folder / f"{name}.pack"):
        _install_files(folder, {f"{name}.pack": ("pack", parts), f"{name}.idx": ("idx", index)})
        yield


def _install_files(folder: Path, contents: Mapping[str, tuple[str, list[bytes]]]) -> None:
    pending: dict[str, Path] = {}
    with remove_on_failure(pending.values()):
        for name, (kind, parts) in contents.items():
            pending[name] = write_temporary(folder, kind, parts)
            private_files.sync_path(pending[name])
        for name, file in pending.items():  # the pack first, since git looks for indexes
            file.rename(folder / name)
        private_files.sync_path(folder)


def _encode_entry_header(kind: int, size: int) -> bytes:
    """Return the header of a pack entry. It has four bits of the size, each further byte has seven."""
    header = bytearray([kind << 4 | size & 15])
    size >>= 4
    while size:
        header[-1] |= 0x80
        header.append(size & 0x7F)
        size >>= 7
    return bytes(header)


def encode_pack_index(object_format: str, rows: list[tuple[bytes, int, int]], pack: bytes) -> list[bytes]:
    """Return a pack index of version 2. ``rows`` have id, CRC-32 and offset of each entry, ordered by id."""
    counts = [0] * 256
    for oid, _, _ in rows:
        counts[oid[0]] += 1
    for first in range(1, 256):
        counts[first] += counts[first - 1]
    large = [offset for _, _, offset in rows if offset >= _LARGE]
    offsets = [offset if offset < _LARGE else _LARGE | large.index(offset) for _, _, offset in rows]
    parts = [
        b"\xfftOc" + struct.pack(">I256I", 2, *counts),
        *(oid for oid, _, _ in rows),
        struct.pack(f">{len(rows)}I", *(crc for _, crc, _ in rows)),
        struct.pack(f">{len(rows)}I", *offsets),
        struct.pack(f">{len(large)}Q", *large),
        pack,
    ]
    return [*parts, object_hash(object_format, *parts).digest()]
