"""Run one call in a child of the server, which takes over the caller's state and runs ``main``."""

from __future__ import annotations

import array
import os
import socket
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Literal, NamedTuple, NoReturn, TextIO

from gitscalpel.server import caller_process, preload, start_stop
from gitscalpel.server.page_copies import Written

_HEAD = 8
_FILES = 4
_ERRORS = 2
_PIECE = 1 << 20
_LINE = b"%d\n"
_PATIENCE = 15.0
"""Seconds until a caller has said all, who may have to wait for a processor."""
DEFECT = 70
"""Exit status: it has not come to what it was made for."""
STALE = 3
"""Exit status: what the server has imported is not what stands on the disk."""


class Call(NamedTuple):
    """What a caller sends.

    Attributes:
        kind: see :func:`gitscalpel.server.address.kind`.
        proof: that the caller may look at the server, see :data:`gitscalpel.server.address.PROOF`.
        mask: of the modes of new files.
        words: of the command line.
        environment: its variables.
        files: its three streams, and the folder that it stands in.
    """

    kind: str
    proof: str
    mask: int
    words: list[str]
    environment: Mapping[str, str]
    files: list[int]


class Server(NamedTuple):
    """Whom a child comes from.

    Attributes:
        kind: of its callers, see :func:`gitscalpel.server.address.kind`.
        known: what it has imported.
        world: what it may do and see.
        main: runs the command line of a process, and ends with ``SystemExit``.
        written: what calls write to.
    """

    kind: str
    known: preload.Known
    world: caller_process.World
    main: Callable[[], None]
    written: Written


def take(line: socket.socket, server: Server) -> NoReturn:
    """Do what the caller at ``line`` asks for, and end; or end without a word, and the caller does it."""
    server.written.begin()
    line.settimeout(_PATIENCE)
    if preload.look() != server.known:
        os._exit(STALE)
    caller = caller_process.of(line, server.world)
    call = _read(line) if caller is not None else None
    if caller is None or call is None or (call.kind, call.proof) != (server.kind, server.world.proof):
        os._exit(1)
    try:
        os.setsid()
        _become(caller, call)
        if not start_stop.allows(call.environment):
            os._exit(1)
        line.send(_LINE % os.getpid())
        begins = line.recv(1) == b"!"
    except (OSError, ValueError):
        os._exit(1)
    if begins:
        line.settimeout(None)
        status = _status(server.main)
        with suppress(OSError):  # the caller has gone
            line.send(_LINE % status)
        server.written.learn()
    os._exit(0)


def _read(line: socket.socket) -> Call | None:
    room = socket.CMSG_SPACE(_FILES * array.array("i").itemsize)
    head, ancillary, _, _ = line.recvmsg(_HEAD, room, socket.MSG_CMSG_CLOEXEC)
    if not head or not ancillary:
        return None  # somebody looked whether anybody is here
    files = array.array("i", ancillary[0][2])
    text, size = b"", int(head)
    while len(text) < size:
        piece = line.recv(min(_PIECE, size - len(text)))
        if not piece:
            return None
        text += piece
    kind, proof, mask, count, *rest = os.fsdecode(text).split("\0")
    words, variables = rest[: int(count)], rest[int(count) :]
    environment = dict(row.split("=", 1) for row in variables)
    return Call(kind, proof, int(mask), words, environment, list(files))


def _become(caller: caller_process.Peer, call: Call) -> None:
    """Take over the streams, the folder, the variables and what the kernel says."""
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
    caller_process.become(caller)
    sys.argv = [sys.argv[0], *call.words]
    sys.stdin = _opened(0, "r", sys.stdin)
    sys.stdout = _opened(1, "w", sys.stdout)
    sys.stderr = _opened(2, "w", sys.stderr)


def _opened(number: int, mode: Literal["r", "w"], before: TextIO) -> TextIO:
    """A stream as an interpreter opens it at its start."""
    lines = 1 if number == _ERRORS or os.isatty(number) else -1
    return open(number, mode, lines, before.encoding, before.errors, closefd=False)


def _status(main: Callable[[], None]) -> int:
    """The exit status of the command line; what it has written is on its way."""
    status = 0
    try:
        main()
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # whoever read has gone
            stream.flush()
    return status
