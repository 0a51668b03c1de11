"""Loose objects, read and written without a process, in groups that are synced before they are named.

An object that exists under its name is therefore never empty or torn, even after a power failure
(compare https://git-scm.com/docs/git-config#core.fsync). A new object first has a temporary name, which
git's own garbage collection removes when it is old.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gitscalpel.changesets.file_tree import Oid, object_hash
from gitscalpel.system import private_files


def write_temporary(folder: Path, kind: str, parts: Iterable[bytes]) -> Path:
    """A new file with these bytes, which nobody may change, not yet synced.

    Args:
        folder: where.
        kind: ``obj``, ``pack`` or ``idx``.
        parts: what is in it.

    Raises:
        OSError: it could not be written, and is not there.
    """
    file = folder / f"tmp_{kind}_{os.urandom(8).hex()}"
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o444)
    with removed_on_failure([file]):
        with os.fdopen(descriptor, "wb") as new:
            new.writelines(parts)
        private_files.adjust_permissions(file)
    return file


@contextmanager
def removed_on_failure(files: Iterable[Path]) -> Iterator[None]:
    """Remove what has not got its name when the block ends with an error: the disk may be full."""
    try:
        yield
    except BaseException:
        for file in files:
            file.unlink(missing_ok=True)
        raise


_FASTEST = 1
_ATTEMPTS = 20
_FAN_OUT = 2
"""Digits of an id that are the name of the folder in which it lies."""


class LooseObjects:
    """The loose object folder of one repository."""

    def __init__(self, objects: Path, object_format: str) -> None:
        self._objects = objects
        self._format = object_format
        self._waiting: dict[Oid, Path] = {}
        self._folders: set[Path] = set()
        self._seen: dict[str, int] | None = None

    def name(self, kind: str, content: bytes) -> Oid:
        """The id that ``content`` has; nothing is written."""
        return object_id(self._format, kind, content)

    def read(self, oid: Oid) -> tuple[str, bytes] | None:
        """Kind and content of an object that lies here and is whole, or None."""
        stream = zlib.decompressobj()
        try:
            framed = stream.decompress(self._path(oid).read_bytes())
        except (OSError, zlib.error):
            return None
        header, _, content = framed.partition(b"\0")
        kind = header.partition(b" ")[0].decode("ascii", "replace")
        whole = stream.eof and not stream.unused_data and self.name(kind, content) == oid
        return (kind, content) if whole else None

    def add(self, kind: str, content: bytes) -> Oid:
        """Write an object to a temporary file; :meth:`publish` gives it its name.

        Only the loose folder is asked whether it is there already. A second copy of
        a packed object costs little, and keeps it from being pruned with its pack.
        """
        oid = self.name(kind, content)
        if oid in self._waiting or self._freshen(oid):
            return oid
        packed = zlib.compress(_framed(kind, content), _FASTEST)
        self._waiting[oid] = write_temporary(self._objects, "obj", [packed])
        return oid

    def publish(self) -> None:
        """Sync everything added since the last time, then let git see it."""
        waiting, self._waiting = self._waiting, {}  # what fails once is not tried for ever
        with removed_on_failure(waiting.values()):
            for file in waiting.values():
                private_files.sync(file)
            for oid, file in waiting.items():
                self._give_name(file, self._path(oid))

    def _give_name(self, file: Path, target: Path) -> None:
        """Put it into its folder, which a gc of git's may remove as empty as often as it is made."""
        for left in reversed(range(_ATTEMPTS)):
            try:
                file.rename(target)
                break
            except FileNotFoundError:
                if not left:
                    raise
                private_files.make_folder(target.parent)
                self._folders.add(self._objects)
        self._folders.add(target.parent)

    def sync(self) -> None:
        """Publish, and make the names durable too, also of what git has written: it syncs files, no names."""
        self.publish()
        before, self._seen = self._seen, None
        if before is not None:
            now = self._changes()
            self._folders |= {self._objects / name for name, time in now.items() if before.get(name) != time}
            self._folders |= {self._objects} if now.keys() - before.keys() else set()
        for folder in self._folders:
            with suppress(FileNotFoundError):  # packed meanwhile, and git syncs packs
                private_files.sync(folder)
        self._folders.clear()

    def watch(self) -> None:
        """Somebody else is about to write objects here, whose names are to be durable as well."""
        if self._seen is None:
            self._seen = self._changes()

    def _changes(self) -> dict[str, int]:
        """When names in each folder have last changed."""
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
        """Whether the object is there; if so, as durable and as young as if it were written now.

        Stock git, which may have written it, syncs no loose object; its gc looks at the age.
        """
        path = self._path(oid)
        try:
            private_files.sync(path)
            os.utime(path)
        except FileNotFoundError:
            return False
        except PermissionError:
            pass  # somebody else's object in a shared repository
        self._folders.add(path.parent)
        return True


def object_id(object_format: str, kind: str, content: bytes) -> Oid:
    """The id that an object has."""
    return Oid(object_hash(object_format, _framed(kind, content)).hexdigest())


def _framed(kind: str, content: bytes) -> bytes:
    return b"%s %d\0%s" % (kind.encode(), len(content), content)
