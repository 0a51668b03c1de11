"""A file of parts: each is read when it is wanted, and what is to be known of it before stands in a table."""

from __future__ import annotations

import marshal
import os
from contextlib import suppress
from importlib.util import MAGIC_NUMBER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    About: TypeAlias = tuple[str, str, bytes]
    Part: TypeAlias = tuple[About, bytes]
    """What is to be known of it, and its bytes."""

_SIZE = 8
"""Bytes that say how long the table is."""


class Shelf:
    """The file; one that is missing, damaged, of another interpreter or of another place has no parts.

    Args:
        path: where it is, or is going to be: a magic number, how long the table is, the table, the parts.
        place: what it belongs to: a copy of that begins its own.
    """

    def __init__(self, path: str, place: str) -> None:
        self._path, self._place = path, place
        self._table: dict[str, tuple[About, int, int]] = {}
        with suppress(OSError, EOFError, ValueError, TypeError):
            self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)  # for parts that are still to be read
            start = os.pread(self._file, len(MAGIC_NUMBER) + _SIZE, 0)
            if start.startswith(MAGIC_NUMBER):
                self._begin = len(start) + int.from_bytes(start[len(MAGIC_NUMBER) :], "little")
                whole = os.fstat(self._file).st_size
                if self._begin > whole:  # as another version of this one wrote it
                    return
                words = os.pread(self._file, self._begin - len(start), len(start))
                here, table = marshal.loads(words)  # noqa: S302 - trusted as compiled modules are
                if here == place and whole == self._begin + max(end for _, _, end in table.values()):
                    self._table = table

    def about(self, name: str) -> About | None:
        """What is to be known of a part; None if there is none."""
        found = self._table.get(name)
        return found and found[0]

    def read(self, name: str) -> bytes:
        """A part; empty if there is none. Children of this process may read at the same time."""
        if name not in self._table:
            return b""
        _, begin, end = self._table[name]
        return os.pread(self._file, end - begin, self._begin + begin)

    def take_in(self, parts: dict[str, Part]) -> None:
        """Have these as well, in place of those of the same names.

        Raises:
            OSError: it cannot be written; then nothing has changed.
        """
        held = {name: (about, self.read(name)) for name, (about, _, _) in self._table.items()}
        _write(self._path, self._place, held | parts)


def _write(path: str, place: str, parts: dict[str, Part]) -> None:
    table: dict[str, tuple[About, int, int]] = {}
    end = 0
    for name, (about, content) in parts.items():
        begin, end = end, end + len(content)
        table[name] = (about, begin, end)
    words = marshal.dumps((place, table))
    beside = f"{path}.{os.getpid()}"
    # Where others see this folder too, as in containers, one of them may have the number of this process.
    file = open(beside, "xb")  # noqa: PTH123, SIM115 - pathlib costs more than there is to be spared
    try:
        with file:
            file.write(MAGIC_NUMBER + len(words).to_bytes(_SIZE, "little") + words)
            file.writelines(content for _, content in parts.values())
            file.flush()
            os.fsync(file.fileno())  # half of a module is no module, and nobody would see it
        os.replace(beside, path)  # noqa: PTH105
    except BaseException:
        os.unlink(beside)  # noqa: PTH108
        raise
