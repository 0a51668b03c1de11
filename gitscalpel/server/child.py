"""Child of the fork server that does one call, with its modules loaded and its pages copied.

Each shared page is copied when a child first writes to it, and Python writes to everything that it uses, if
only to count references: half of a short call was spent copying. A call that copied many pages notes them,
and later children copy the same pages while they wait. On systems other than Linux, no pages are noted.
"""

from __future__ import annotations

import array
import ctypes
import importlib
import mmap
import os
import pkgutil
import resource
import select
import signal
import site
import socket
import struct
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Literal, NamedTuple, NoReturn, TextIO

from gitscalpel.edit.source import Source
from gitscalpel.names.scope_rules import is_followed
from gitscalpel.server import caller_process, start_stop
from gitscalpel.syntax.occurrences import Mentions
from gitscalpel.syntax.syntax_errors import find_faults
from gitscalpel.system import serialization

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
    """Pages that calls write to, noted by answered calls and copied in advance by later ones."""

    def __init__(self) -> None:
        self._board = mmap.mmap(-1, _BOARD_BYTES)  # shared with children
        self._turn, self._over = os.pipe()  # a byte as a lock: one child notes at a time
        os.set_blocking(self._turn, False)
        os.write(self._over, b".")
        self._copied = 0
        self._advise = ctypes.CDLL(None).madvise
        self._advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)

    def copy(self) -> None:
        for start, size in self._noted_spans():
            self._advise(start, size, _POPULATE_WRITE)  # pages that the server has freed since are skipped

    def begin(self) -> None:
        self._copied = _count_faults()

    def note_pages(self) -> None:
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
            span, permissions, *_ = row.split(maxsplit=2)
            if b"w" not in permissions or b"p" not in permissions:
                continue
            start, end = (int(each, 16) for each in span.split(b"-"))
            pages.seek(start // mmap.PAGESIZE * _COUNT.size)
            entries = pages.read((end - start) // mmap.PAGESIZE * _COUNT.size)
            for is_own, run in groupby(
                enumerate(_COUNT.iter_unpack(entries)), lambda each: _is_private_page(*each[1])
            ):
                numbers = [number for number, _ in run]
                if is_own:
                    yield start + numbers[0] * mmap.PAGESIZE, len(numbers) * mmap.PAGESIZE


def _is_private_page(page: int) -> bool:
    return page & _PRESENT != 0 and page & _OWN != 0 and page & _SHARED == 0


_SAMPLE_FILES = {
    "a.py": b"def f():\n    return 1\n",
    "a.js": b"function f() {}\n",
    "a.ts": b"function f() {}\n",
    "a.tsx": b"function f() {}\n",
    "a.go": b"package a\n",
    "a.rs": b"fn f() {}\n",
    "a.java": b"class A {}\n",
    "a.c": b"int f;\n",
    "a.cpp": b"int f;\n",
    "a.json": b"{}\n",
    "a.md": b"# A\n",
    "a.yaml": b"a: 1\n",
    "a.toml": b"a = 1\n",
}
"""Sample files of the languages that are edited most."""
_EXCLUDED_PACKAGES = ("gitscalpel.ci", "gitscalpel.demo", "gitscalpel.mcp", "gitscalpel.review")
"""Packages that run in processes of their own, never in a server."""
_LOAD = Path("/proc/loadavg")
PAUSE_S = 0.05  # Seconds without a call after which a language may be loaded
_MAX_DELAY_S = 5.0  # Seconds without a call after which a language is loaded even if no processor is idle


def load_everything() -> None:
    """Import what a call may need, and resolve types."""
    for module in pkgutil.walk_packages([str(Path(__file__).parent.parent)], "gitscalpel."):
        if not module.name.startswith(_EXCLUDED_PACKAGES) and not module.name.endswith("__main__"):
            with suppress(ImportError):  # needs an optional package
                importlib.import_module(module.name)
    importlib.import_module("locale")  # imported late by argparse of Python 3.10
    serialization.resolve_all_types()


class Languages:
    """Languages to load while there are no calls: compiling their queries takes half a second."""

    def __init__(self) -> None:
        self.remaining = deque(_SAMPLE_FILES.items())

    def has_time(self, since: float) -> bool:
        """Return True if a processor is idle, or the last call was long ago.

        A call that arrives meanwhile waits. With busy processors it could wait longer than its patience.
        """
        return bool(self.remaining) and (_is_idle() or time.monotonic() - since > _MAX_DELAY_S)

    def read_one(self) -> None:
        name, text = self.remaining.popleft()
        source = Source.read(name, text)
        if source.outline is not None:
            any(find_faults(syntax) for syntax in source.readings)
        syntax = source.syntax
        if syntax is not None and is_followed(syntax.language.name):
            Mentions(syntax).find("f")


def _is_idle() -> bool:
    """Return True if no more processes run than there are processors; see proc(5)."""
    running, _, _ = _LOAD.read_text("ascii").split()[3].partition("/")
    return int(running) <= (os.cpu_count() or 1)


Known = list[tuple[int, int]]  # Inode and modification time in nanoseconds of each file


def list_watched_paths() -> list[str]:
    """Return the paths that change with the installation.

    An installer replaces our directory and writes names next to it. A developer changes single files.
    """
    package = Path(__file__).parent.parent
    is_installed = any(package.parent.glob("gitscalpel-*.dist-info"))
    own = [package] if is_installed else [*package.rglob("*.py")]
    installed = [*site.getsitepackages(), site.getusersitepackages()]
    return [str(Path(sys.executable).resolve()), *installed, *map(str, own)]


WATCHED_PATHS = list_watched_paths()


def read_installation() -> Known:
    """Return the current state of the interpreter, the package directories, and our own files."""
    return [_file_state(file) for file in WATCHED_PATHS]


def _file_state(file: str) -> tuple[int, int]:
    try:
        status = os.stat(file)  # noqa: PTH116 - pathlib is slower than the system call
    except OSError:
        return (0, 0)
    return (status.st_ino, status.st_mtime_ns)


_HEAD = 8
_FILES = 4
_ERRORS = 2
_PIECE = 1 << 20
_LINE = b"%d\n"
_PATIENCE = 15.0  # Seconds for a caller to send its call. It may wait for a processor.
DEFECT = 70  # Exit status of a child that failed before it began with a call
STALE = 3  # Exit status of a child that found a changed installation


class Call(NamedTuple):
    """A call as the caller sends it.

    Attributes:
        kind: see :func:`gitscalpel.server.client.server_key`.
        proof: proof that the caller may inspect the server, see :data:`gitscalpel.server.client.PROOF`.
        mask: umask.
        files: descriptors of its three streams and its working directory.
    """

    kind: str
    proof: str
    mask: int
    words: list[str]
    environment: Mapping[str, str]
    files: list[int]


class ServerState(NamedTuple):
    """State that a child gets from the server.

    Attributes:
        kind: kind of its callers, see :func:`gitscalpel.server.client.server_key`.
        known: imported files with their times.
        world: its rights.
        main: runs the command line of a process, and ends with ``SystemExit``.
    """

    kind: str
    known: Known
    world: caller_process.ProcessRights
    main: Callable[[], None]
    written: WrittenPages


def handle_call(line: socket.socket, server: ServerState) -> NoReturn:
    """Carry out the call at ``line`` and exit. Without an answer, the caller runs it itself."""
    server.written.begin()
    line.settimeout(_PATIENCE)
    if read_installation() != server.known:
        os._exit(STALE)
    caller = caller_process.find_peer(line, server.world)
    call = _receive_call(line) if caller is not None else None
    if caller is None or call is None or (call.kind, call.proof) != (server.kind, server.world.proof):
        os._exit(1)
    try:
        os.setsid()
        _take_over_state(caller, call)
        if not start_stop.allows_server(call.environment):
            os._exit(1)
        line.send(_LINE % os.getpid())
        may_begin = line.recv(1) == b"!"
    except (OSError, ValueError):
        os._exit(1)
    if may_begin:
        line.settimeout(None)
        status = _run_main(server.main)
        with suppress(OSError):  # the caller has disconnected
            line.send(_LINE % status)
        server.written.note_pages()
    os._exit(0)


def _receive_call(line: socket.socket) -> Call | None:
    ancillary_size = socket.CMSG_SPACE(_FILES * array.array("i").itemsize)
    head, ancillary, _, _ = line.recvmsg(_HEAD, ancillary_size, socket.MSG_CMSG_CLOEXEC)
    if not head or not ancillary:
        return None  # only a check for a running server
    files = array.array("i", ancillary[0][2])
    text, size = b"", int(head)
    while len(text) < size:
        piece = line.recv(min(_PIECE, size - len(text)))
        if not piece:
            return None
        text += piece
    kind, proof, mask, count, *fields = os.fsdecode(text).split("\0")
    arguments, variables = fields[: int(count)], fields[int(count) :]
    environment = dict(row.split("=", 1) for row in variables)
    return Call(kind, proof, int(mask), arguments, environment, list(files))


def _take_over_state(caller: caller_process.Peer, call: Call) -> None:
    *streams, folder = call.files
    os.fchdir(folder)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for file in call.files:
        os.close(file)
    os.umask(call.mask)
    os.environ.clear()
    os.environ.update(call.environment)
    time.tzset()
    caller_process.take_over_peer(caller)
    sys.argv = [sys.argv[0], *call.words]
    sys.stdin = _open_stream(0, "r", sys.stdin)
    sys.stdout = _open_stream(1, "w", sys.stdout)
    sys.stderr = _open_stream(2, "w", sys.stderr)


def _open_stream(number: int, mode: Literal["r", "w"], stream: TextIO) -> TextIO:
    buffering = 1 if number == _ERRORS or os.isatty(number) else -1
    return open(number, mode, buffering, stream.encoding, stream.errors, closefd=False)


def _run_main(main: Callable[[], None]) -> int:
    """Run the command line, flush its output and return its exit status."""
    status = 0
    try:
        main()
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # the reader has ended
            stream.flush()
    return status


_MAX_WAITING = 3  # Number of waiting children. With frequent calls, each then has the time of two to prepare.
FEWEST = 2  # Number of waiting children during a call: preparing more would slow it down
UNHURRIED = 5
"""Milliseconds without a call before more children are prepared and pages are copied: calls go first."""


class _WaitingChild(NamedTuple):
    handed: socket.socket
    child: int


class Spares:
    """Forked children that wait for calls. They close the server's sockets, which ``held`` returns."""

    def __init__(self, itself: ServerState, held: Callable[[], Iterable[socket.socket]]) -> None:
        self._itself, self._held = itself, held
        self._waiting: deque[_WaitingChild] = deque()

    @property
    def has_enough(self) -> bool:
        return len(self._waiting) >= _MAX_WAITING

    def fill(self, fewest: int = _MAX_WAITING) -> None:
        """Fork children until ``fewest`` wait."""
        while len(self._waiting) < fewest:
            self._fork()

    def hand(self, line: socket.socket) -> int:
        """Pass a caller's socket to the child that has waited longest, and return its process id."""
        spare = self._waiting.popleft()
        with suppress(OSError):  # the child was killed; the caller notices
            socket.send_fds(spare.handed, [b"."], [line.fileno()])
        spare.handed.close()
        return spare.child

    def dismiss(self) -> None:
        while self._waiting:
            self._waiting.popleft().handed.close()

    def _fork(self) -> None:
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            try:
                signal.set_wakeup_fd(-1)
                for each in (ours, *self._held(), *(each.handed for each in self._waiting)):
                    each.close()
                self._wait_for_call(theirs)
            finally:
                os._exit(DEFECT)
        theirs.close()
        self._waiting.append(_WaitingChild(ours, pid))

    def _wait_for_call(self, handed: socket.socket) -> NoReturn:
        called = select.poll()
        called.register(handed, select.POLLIN)
        if not called.poll(UNHURRIED):
            self._itself.written.copy()
        _, files, _, _ = socket.recv_fds(handed, 1, 1)
        if not files:
            os._exit(DEFECT)
        handle_call(socket.socket(fileno=files[0]), self._itself)
