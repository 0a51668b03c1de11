"""Copy the memory pages that calls write to before the calls arrive.

A child shares its memory with the server, and each page is copied when it is first written to. Python writes
to everything that it uses, if only to count references, so half of a short call was spent copying pages. A
call that copied many pages notes them after it has answered. Later children copy the same pages while they
wait. On systems other than Linux, no pages are noted.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import resource
import struct
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import groupby
from pathlib import Path

_PROCESS = Path("/proc/self")
_POPULATE_WRITE = 23
"""``MADV_POPULATE_WRITE``, see madvise(2): from Linux 5.14 on. The content of the pages stays."""
_PRESENT, _SHARED, _OWN = 1 << 63, 1 << 61, 1 << 56
"""Bits of a page: in memory; of a file or shared; mapped once.

See Documentation/admin-guide/mm/pagemap.rst.
"""
_COUNT = struct.Struct("Q")
_SPAN = struct.Struct("QQ")
_MAX_PAGES = 6_000
"""Maximum pages that a child copies in advance, so that three waiting children take at most 72 megabytes."""
_BOARD_BYTES = _COUNT.size + _MAX_PAGES * _SPAN.size
_MIN_NOTED_PAGES = 250
"""Number of copied pages from which a call notes them: a tenth of what it copies without notes."""


class WrittenPages:
    """Pages that calls write to, noted for later calls."""

    def __init__(self) -> None:
        self._board = mmap.mmap(-1, _BOARD_BYTES)  # shared with children
        self._turn, self._over = os.pipe()  # a byte as a lock: one child notes at a time
        os.set_blocking(self._turn, False)
        os.write(self._over, b".")
        self._copied = 0
        self._advise = ctypes.CDLL(None).madvise
        self._advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)

    def copy(self) -> None:
        """Copy the noted pages for this child, with their content."""
        for start, size in self._noted_spans():
            self._advise(start, size, _POPULATE_WRITE)  # pages that the server has freed since are skipped

    def begin(self) -> None:
        """Begin to count the pages that a call copies."""
        self._copied = _count_faults()

    def note_pages(self) -> None:
        """Note the pages of an answered call if it copied many."""
        if not _MIN_NOTED_PAGES < _count_faults() - self._copied < _MAX_PAGES:
            return
        with suppress(OSError, ValueError):  # another child is noting, or the files cannot be read
            os.read(self._turn, 1)
            self._store_pages({*_pages_of(self._noted_spans()), *_pages_of(_own_spans())})
            os.write(self._over, b".")

    def _store_pages(self, pages: set[int]) -> None:
        if len(pages) <= _MAX_PAGES:
            spans = [*_spans_of(pages)]
            for number, span in enumerate(spans):
                _SPAN.pack_into(self._board, _COUNT.size + number * _SPAN.size, *span)
            _COUNT.pack_into(self._board, 0, len(spans))

    def _noted_spans(self) -> Iterator[tuple[int, int]]:
        (count,) = _COUNT.unpack_from(self._board)
        for number in range(count):
            yield _SPAN.unpack_from(self._board, _COUNT.size + number * _SPAN.size)


def _count_faults() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def _pages_of(spans: Iterable[tuple[int, int]]) -> Iterator[int]:
    for start, size in spans:
        yield from range(start // mmap.PAGESIZE, (start + size) // mmap.PAGESIZE)


def _spans_of(pages: Iterable[int]) -> Iterator[tuple[int, int]]:
    for _, run in groupby(enumerate(sorted(pages)), lambda each: each[1] - each[0]):
        numbers = [number for _, number in run]
        yield numbers[0] * mmap.PAGESIZE, len(numbers) * mmap.PAGESIZE


def _own_spans() -> Iterator[tuple[int, int]]:
    """Yield start and size of the private memory that only this process has."""
    with (_PROCESS / "maps").open("rb") as maps, (_PROCESS / "pagemap").open("rb", buffering=0) as pages:
        for row in maps:
            span, may, *_ = row.split(maxsplit=2)
            if b"w" not in may or b"p" not in may:
                continue
            start, end = (int(each, 16) for each in span.split(b"-"))
            pages.seek(start // mmap.PAGESIZE * _COUNT.size)
            said = pages.read((end - start) // mmap.PAGESIZE * _COUNT.size)
            for is_own, run in groupby(
                enumerate(_COUNT.iter_unpack(said)), lambda each: _is_private_page(*each[1])
            ):
                numbers = [number for number, _ in run]
                if is_own:
                    yield start + numbers[0] * mmap.PAGESIZE, len(numbers) * mmap.PAGESIZE


def _is_private_page(page: int) -> bool:
    return page & _PRESENT != 0 and page & _OWN != 0 and page & _SHARED == 0
