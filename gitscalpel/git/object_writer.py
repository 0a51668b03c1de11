"""Write new objects: in memory first, then loose or as one pack that no repack removes.

Objects stay in memory until a git starts that may look for them
(:attr:`gitscalpel.git.process.Git.starting`), or until they have to last. So a refused change writes
none, and those of a landing become one pack, which needs three syncs however many they are.

Packs have no deltas, which a later repack makes (format: https://git-scm.com/docs/gitformat-pack). A
pack gets its name before its index does, since git looks for indexes.

``git repack -a -d`` drops unreferenced objects, and would remove such a pack in the middle of a landing.
A ``.keep`` file prevents that until a ref names the objects. It is locked by the system while a process
needs it, so one that a killed process left is recognised. See
https://git-scm.com/docs/git-repack#Documentation/git-repack.txt--a
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from gitscalpel.changesets.file_tree import Oid, object_hash
from gitscalpel.errors import Damaged
from gitscalpel.git import loose_objects
from gitscalpel.git.loose_objects import LooseObjects
from gitscalpel.system import private_files, repo_lock
from gitscalpel.system.failpoint import step

_BLIND = frozenset({"", "check-attr", "check-ref-format", "config", "symbolic-ref", "var", "version"})
"""Commands of git that look for no object."""
_READS = frozenset({"cat-file", "diff", "diff-files", "diff-index", "diff-tree", "for-each-ref", "ls-files"})
_READS |= {"ls-tree", "merge-base", "rev-list", "rev-parse", "update-index", "update-ref", "worktree"}
"""Those that write none; of all others it is not known."""
_FEW = 2
"""Objects that are as well written one by one."""


class PendingObjects:
    """What this process adds to the objects of a repository.

    Args:
        objects: the repository's folder of objects.
        object_format: ``sha1`` or ``sha256``.
    """

    def __init__(self, objects: Path, object_format: str) -> None:
        self._objects, self._format = objects, object_format
        self._loose = LooseObjects(objects, object_format)
        self._new: dict[Oid, tuple[str, bytes]] = {}

    def name(self, kind: str, content: bytes) -> Oid:
        """The id that ``content`` has; nothing is added."""
        return self._loose.name(kind, content)

    def add(self, kind: str, content: bytes) -> Oid:
        """Add an object."""
        oid = self.name(kind, content)
        self._new[oid] = kind, content
        return oid

    def get(self, oid: str) -> tuple[str, bytes] | None:
        """Kind and content of an object that is only here; None: look for it elsewhere."""
        return self._new.get(Oid(oid))

    def starting(self, command: str) -> None:
        """A git starts: whatever it may look for is there, and what it may write is looked for later."""
        if command in _BLIND:
            return
        self.show()
        if command not in _READS:
            self._loose.watch()

    def show(self) -> None:
        """Let everybody see what was added; what is in them is durable, their names are not."""
        new, self._new = self._new, {}
        for kind, content in new.values():
            self._loose.add(kind, content)
        self._loose.publish()

    @contextmanager
    def lasting(self) -> Iterator[None]:
        """What was added, and what the gits that were started here have written, is durable in the block.

        It gets a name there: nobody's repack takes it until then.
        """
        with ExitStack() as held:
            if len(self._new) > _FEW and not self._promised():
                new, self._new = self._new, {}
                held.enter_context(write_pack(self._objects, self._format, new))
            self.show()
            self._loose.sync()
            yield

    def _promised(self) -> bool:
        """Whether this is a partial clone: its packs are told apart by what is in them."""
        return private_files.count(self._objects / "pack", ".promisor") > 0


_KEEP_TEXT = b"git scalpel: until a ref names what is in it\n"


@contextmanager
def keep_pack(pack: Path) -> Iterator[None]:
    """Keep a pack that is about to be there, for as long as the block lasts."""
    sign = pack.with_suffix(".keep")
    with repo_lock.attempt(sign) as held:
        if held is not None:  # else the same pack is being made elsewhere
            os.write(held.fd, _KEEP_TEXT)
        try:
            yield
        finally:
            if held is not None:
                sign.unlink(missing_ok=True)


def release_packs(objects: Path) -> None:
    """Remove the signs of ours that no process stands behind any more.

    Args:
        objects: the repository's folder of objects.
    """
    for sign in private_files.entries(objects / "pack", "pack-*.keep"):
        with suppress(OSError, Damaged):
            said = private_files.read(sign)
            if said == _KEEP_TEXT or not (said or sign.with_suffix(".pack").exists()):
                with repo_lock.attempt(sign, create=False) as held:
                    if held is not None:
                        step()
                        sign.unlink()


_KINDS = {"commit": 1, "tree": 2, "blob": 3, "tag": 4}
_FASTEST = 1
_LARGE = 1 << 31
"""Offsets from which an index has a table of its own for them."""


@contextmanager
def write_pack(objects: Path, object_format: str, new: Mapping[Oid, tuple[str, bytes]]) -> Iterator[None]:
    """Write objects, durably, all or none; nobody's repack takes them while the block gives them a name.

    Args:
        objects: the repository's folder of objects.
        object_format: ``sha1`` or ``sha256``.
        new: kind and content of each.
    """
    parts, rows = [struct.pack(">4sII", b"PACK", 2, len(new))], []
    at = len(parts[0])
    for oid, (kind, content) in new.items():
        entry = _entry_header(_KINDS[kind], len(content)) + zlib.compress(content, _FASTEST)
        rows.append((bytes.fromhex(oid), zlib.crc32(entry), at))
        parts.append(entry)
        at += len(entry)
    parts.append(object_hash(object_format, *parts).digest())
    folder = objects / "pack"
    if not folder.exists():
        private_files.make_folder(folder)
        private_files.sync(objects)
    name = f"pack-{parts[-1].hex()}"
    index = _pack_index(object_format, sorted(rows), parts[-1])
    with keep_pack(folder / f"{name}.pack"):
        _install_files(folder, {f"{name}.pack": ("pack", parts), f"{name}.idx": ("idx", index)})
        yield


def _install_files(folder: Path, contents: Mapping[str, tuple[str, list[bytes]]]) -> None:
    """Put files into a folder, in this order, durably."""
    pending: dict[str, Path] = {}
    with loose_objects.removed_on_failure(pending.values()):
        for name, (kind, parts) in contents.items():
            pending[name] = loose_objects.write_temporary(folder, kind, parts)
            private_files.sync(pending[name])
        for name, file in pending.items():
            file.rename(folder / name)
        private_files.sync(folder)


def _entry_header(kind: int, size: int) -> bytes:
    """Kind and size of an entry: seven bits of the size in a byte, but four in the first."""
    said = bytearray([kind << 4 | size & 15])
    size >>= 4
    while size:
        said[-1] |= 0x80
        said.append(size & 0x7F)
        size >>= 7
    return bytes(said)


def _pack_index(object_format: str, rows: list[tuple[bytes, int, int]], pack: bytes) -> list[bytes]:
    """An index of version 2; ``rows`` are id, checksum and offset of each entry, in the order of ids."""
    upto = [0] * 256
    for oid, _, _ in rows:
        upto[oid[0]] += 1
    for first in range(1, 256):
        upto[first] += upto[first - 1]
    large = [offset for _, _, offset in rows if offset >= _LARGE]
    near = [offset if offset < _LARGE else _LARGE | large.index(offset) for _, _, offset in rows]
    parts = [
        b"\xfftOc" + struct.pack(">I256I", 2, *upto),
        *(oid for oid, _, _ in rows),
        struct.pack(f">{len(rows)}I", *(crc for _, crc, _ in rows)),
        struct.pack(f">{len(rows)}I", *near),
        struct.pack(f">{len(large)}Q", *large),
        pack,
    ]
    return [*parts, object_hash(object_format, *parts).digest()]
