"""A file of parts and of what they hold: that is read at once, each of them when it is wanted."""

from __future__ import annotations

import marshal
import mmap
import os
from contextlib import suppress
from importlib.util import MAGIC_NUMBER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Contents: TypeAlias = dict[str, tuple[str, str, bytes, str]]
    """By name, what is known of a thing that is held, and which part it is in."""

_SIZE = 8
"""Bytes that say how long the table is."""


class Shelf:
    """The file; one that is missing, damaged, of another interpreter or of another place holds nothing.

    Args:
        path: where it is, or is going to be: a magic number, how long the table is, the table, the parts.
        place: what it belongs to: a copy of that begins its own, and so does another interpreter that
            compiles alike.

    Attributes:
        contents: what it holds.
    """

    def __init__(self, path: str, place: str) -> None:
        self._path, self._place = path, place
        self._bytes = memoryview(b"")
        self._parts: dict[str, tuple[int, int]] = {}
        self.contents: Contents = {}
        with suppress(OSError, EOFError, ValueError, TypeError):
            file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                whole = memoryview(mmap.mmap(file, 0, access=mmap.ACCESS_READ))
            finally:
                os.close(file)
            table = len(MAGIC_NUMBER) + _SIZE
            begin = table + int.from_bytes(whole[len(MAGIC_NUMBER) : table], "little")
            if whole[: len(MAGIC_NUMBER)] != MAGIC_NUMBER or begin > len(whole):
                return
            here, contents, parts = marshal.loads(whole[table:begin])  # noqa: S302 - as compiled modules are
            if here == place and len(whole) == begin + max(end for _, end in parts.values()):
                self._bytes, self._parts, self.contents = whole[begin:], parts, contents

    def read(self, part: str) -> memoryview:
        """A part; empty if there is none."""
        begin, end = self._parts.get(part, (0, 0))
        return self._bytes[begin:end]

    def write(self, contents: Contents, parts: dict[str, bytes]) -> None:
        """Write it anew; who has the old one goes on with that.

        Raises:
            OSError: it cannot be written; then nothing has changed.
        """
        places: dict[str, tuple[int, int]] = {}
        end = 0
        for name, part in parts.items():
            begin, end = end, end + len(part)
            places[name] = (begin, end)
        table = marshal.dumps((self._place, contents, places))
        size = len(table).to_bytes(_SIZE, "little")
        _replace(self._path, [MAGIC_NUMBER, size, table, *parts.values()])


def _replace(path: str, parts: list[bytes]) -> None:
    _clear(path)
    beside = f"{path}.{os.getpid()}"
    # Where others see this folder too, as in containers, one of them may have the number of this process.
    file = open(beside, "xb")  # noqa: PTH123, SIM115 - pathlib costs more than there is to be spared
    try:
        with file:
            _held(file.fileno())
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())  # half of a module is no module, and nobody would see it
            os.replace(beside, path)  # noqa: PTH105
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(beside)  # noqa: PTH108
        raise


def _clear(path: str) -> None:
    """Take away what killed processes were writing: nobody holds it.

    Who has just made such a file and does not hold it yet finds it gone in the end, and leaves all as it was.
    """
    folder, _, name = path.rpartition("/")
    for each in os.listdir(folder):  # noqa: PTH208 - likewise
        if each.startswith(f"{name}.") and each.removeprefix(f"{name}.").isdecimal():
            with suppress(OSError), open(f"{folder}/{each}", "rb") as file:  # noqa: PTH123
                if _held(file.fileno()):
                    os.unlink(f"{folder}/{each}")  # noqa: PTH108


def _held(file: int) -> bool:
    """Whether this process holds an open file by now, until it closes it or is killed."""
    import fcntl  # only who writes does

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
