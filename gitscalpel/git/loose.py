"""Writes loose objects without a process, in groups: synced before they get their names.

An object that exists under its name is therefore never empty or torn, not even
after a power failure. What git's own writers do: https://git-scm.com/docs/git-config#core.fsync.
Files take the process's umask; ``core.sharedRepository`` beyond that is not honoured.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from pathlib import Path

from gitscalpel.snapshot import Oid

_FASTEST = 1


class LooseObjects:
    """The loose object folder of one repository."""

    def __init__(self, objects: Path, object_format: str) -> None:
        self._objects = objects
        self._format = object_format
        self._waiting: dict[Oid, Path] = {}
        self._folders: set[Path] = set()

    def name(self, kind: str, content: bytes) -> Oid:
        """The id that ``content`` has; nothing is written."""
        return Oid(hashlib.new(self._format, _framed(kind, content), usedforsecurity=False).hexdigest())

    def add(self, kind: str, content: bytes) -> Oid:
        """Write an object to a temporary file; :meth:`publish` gives it its name.

        Only the loose folder is asked whether it is there already. A second copy of
        a packed object costs little, and keeps it from being pruned with its pack.
        """
        framed = _framed(kind, content)
        oid = Oid(hashlib.new(self._format, framed, usedforsecurity=False).hexdigest())
        if oid in self._waiting or self._freshen(oid):
            return oid
        # Git's own gc sweeps files of this prefix when they are old.
        temporary = self._objects / f"tmp_obj_{os.urandom(8).hex()}"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o444)
        with os.fdopen(descriptor, "wb") as file:
            file.write(zlib.compress(framed, _FASTEST))
        self._waiting[oid] = temporary
        return oid

    def publish(self) -> None:
        """Sync everything added since the last time, then let git see it."""
        for temporary in self._waiting.values():
            fsync(temporary)
        for oid, temporary in self._waiting.items():
            target = self._path(oid)
            if not target.parent.is_dir():
                target.parent.mkdir(exist_ok=True)
                self._folders.add(self._objects)
            temporary.rename(target)
            self._folders.add(target.parent)
        self._waiting.clear()

    def sync(self) -> None:
        """Publish, and make the names durable too."""
        self.publish()
        for folder in self._folders:
            fsync(folder)
        self._folders.clear()

    def _path(self, oid: Oid) -> Path:
        return self._objects / oid[:2] / oid[2:]

    def _freshen(self, oid: Oid) -> bool:
        """Whether the object is there; if so, as young as if it were written now (gc looks at that)."""
        try:
            os.utime(self._path(oid))
        except FileNotFoundError:
            return False
        except PermissionError:
            return True  # somebody else's object in a shared repository
        return True


def fsync(path: Path) -> None:
    """Make a file's content, or a folder's names, durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _framed(kind: str, content: bytes) -> bytes:
    return b"%s %d\0%s" % (kind.encode(), len(content), content)
