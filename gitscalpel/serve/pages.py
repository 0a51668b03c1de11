"""The memory that calls write to, copied before they come.

A child shares its memory with the server, and each page of it is copied when it is first written to; Python
writes to all that it uses, if only to count who refers to it. So half of a short call was copying pages. One
child does calls of no consequence and notes which pages these were; those that come after it have the same
ones copied while they wait. On systems other than Linux, nothing is noted.
"""

from __future__ import annotations

import ctypes
import mmap
import struct
from collections.abc import Iterator
from contextlib import suppress
from itertools import groupby
from pathlib import Path

_PROCESS = Path("/proc/self")
_POPULATE_WRITE = 23
"""``MADV_POPULATE_WRITE``, see madvise(2): from Linux 5.14 on; what stands there stays as it is."""
_PRESENT, _SHARED, _OWN = 1 << 63, 1 << 61, 1 << 56
"""Of a page, see Documentation/admin-guide/mm/pagemap.rst: it is in memory; it is of a file, or
shared on purpose; nobody else has mapped it."""
_ROOM = 1 << 17
_COUNT = struct.Struct("Q")
_SPAN = struct.Struct("QQ")


class Written:
    """The pages that calls write to, as one child has noted them for all that come after it."""

    def __init__(self) -> None:
        self._board = mmap.mmap(-1, _ROOM)  # which children share
        self._advise = ctypes.CDLL(None).madvise
        self._advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)

    def note(self) -> None:
        """Note the pages that this child has for itself: it has been forked, and written to them."""
        with suppress(OSError, ValueError):  # there is no such place, or no leave to look there
            spans = [*_own()][: (_ROOM - _COUNT.size) // _SPAN.size]
            for number, span in enumerate(spans):
                _SPAN.pack_into(self._board, _COUNT.size + number * _SPAN.size, *span)
            _COUNT.pack_into(self._board, 0, len(spans))

    def copy(self) -> None:
        """Have the pages that were noted for this child alone; what is in them stays as it is."""
        (count,) = _COUNT.unpack_from(self._board)
        for number in range(count):
            start, size = _SPAN.unpack_from(self._board, _COUNT.size + number * _SPAN.size)
            self._advise(start, size, _POPULATE_WRITE)  # what the server has given back since is left out


def _own() -> Iterator[tuple[int, int]]:
    """Start and size of what this process alone has of its private memory."""
    with (_PROCESS / "maps").open("rb") as maps, (_PROCESS / "pagemap").open("rb", buffering=0) as pages:
        for row in maps:
            span, may, *_ = row.split(maxsplit=2)
            if b"w" not in may or b"p" not in may:
                continue
            start, end = (int(each, 16) for each in span.split(b"-"))
            pages.seek(start // mmap.PAGESIZE * _COUNT.size)
            said = pages.read((end - start) // mmap.PAGESIZE * _COUNT.size)
            for is_own, run in groupby(enumerate(_COUNT.iter_unpack(said)), lambda each: _is_own(*each[1])):
                numbers = [number for number, _ in run]
                if is_own:
                    yield start + numbers[0] * mmap.PAGESIZE, len(numbers) * mmap.PAGESIZE


def _is_own(page: int) -> bool:
    return page & _PRESENT != 0 and page & _OWN != 0 and page & _SHARED == 0
