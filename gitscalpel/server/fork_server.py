"""Listen for calls and fork a child for each, so that no state is shared between two calls."""

from __future__ import annotations

import fcntl
import gc
import os
import resource
import select
import signal
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

from gitscalpel.git import object_store
from gitscalpel.server import caller_process, child, client, start_stop
from gitscalpel.server.child import FEWEST, UNHURRIED, Spares, WrittenPages

IDLE_S = 600.0  # Seconds without a call after which the server ends
_MAX_MEMORY_KB = 1 << 20  # Kilobytes of memory above which the server ends; it usually takes about 100,000
_BACKLOG = 256


class CallerConnection(NamedTuple):
    """A caller's socket, and the child with its call."""

    socket: socket.socket
    child: int


class Server:
    """A listening server. There is at most one of a kind.

    Args:
        environment: environment of its callers.
        main: runs the command line of a process, and ends with ``SystemExit``.
        prepare: prepares what ``main`` needs for any call.
        idle: see :data:`IDLE_S`.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        main: Callable[[], None],
        prepare: Callable[[], None],
        idle: float = IDLE_S,
    ) -> None:
        self._kind = client.server_key(environment)
        self._place = Path(client.socket_path(self._kind, environment))
        self._prepare, self._idle = prepare, idle
        self._itself = child.ServerState(
            self._kind, child.read_installation(), caller_process.read_own_rights(), main, WrittenPages()
        )
        self._lines: dict[int, CallerConnection] = {}
        self._languages = child.Languages()
        self._poll = select.poll()
        self._is_running = True
        self.calls = 0

    def run(self) -> bool:
        """Serve until there are no more calls. Return False if another server is running.

        Raises:
            OSError: the directory cannot be made, or is not private.
        """
        folder = self._place.parent
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        if not client.is_private(str(folder)):
            raise PermissionError(f"{folder} is not a folder that only you can enter")
        caller_process.make_neutral()
        with ExitStack() as closing:
            self._lock = closing.enter_context(self._place.with_suffix(".lock").open("w"))
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            child.load_everything()
            self._languages.read_one()  # the most frequent language
            object_store.is_libgit2_loaded = True
            self._prepare()
            gc.collect()
            gc.freeze()  # otherwise every child would copy pages that the collector touches
            woken = self._wakeup_socket(closing)
            self._serve(closing.enter_context(self._listen()), woken)
        return True

    def _wakeup_socket(self, closing: ExitStack) -> socket.socket:
        """Return a socket that becomes readable when a child ends or a signal arrives."""
        waking, woken = (closing.enter_context(end) for end in socket.socketpair())
        for end in (waking, woken):
            end.setblocking(False)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._stop)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(waking.fileno())
        closing.callback(signal.set_wakeup_fd, -1)  # waiting children end after the others
        self._poll.register(woken, select.POLLIN)
        return woken

    def _stop(self, *_: object) -> None:
        self._is_running = False

    def _listen(self) -> socket.socket:
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._place.unlink(missing_ok=True)  # of a killed server
        listening.bind(str(self._place))
        listening.listen(_BACKLOG)
        self._poll.register(listening, select.POLLIN)
        start_stop.remove_marker(f"{self._place}{start_stop.MARKER_SUFFIX}")
        return listening

    def _serve(self, listening: socket.socket, woken: socket.socket) -> None:
        self._last_call = time.monotonic()
        self._spares = Spares(
            self._itself, lambda: (listening, *(each.socket for each in self._lines.values()))
        )
        self._spares.fill()
        while self._is_running:
            is_unready = not self._lines and not self._spares.has_enough
            pause = (child.PAUSE_S if self._languages.remaining else self._idle) * 1000
            ready = dict(self._poll.poll(UNHURRIED if is_unready else pause))
            if not ready and is_unready:
                self._spares.fill()
            elif not ready and not self._lines and time.monotonic() - self._last_call >= self._idle:
                self._is_running = False  # never reset to True: a signal may set it to False at any time
            elif not ready and self._languages.has_time(self._last_call):
                self._languages.read_one()
                self._replace_waiting()
            if ready.pop(listening.fileno(), 0):
                self._accept(listening)
            self._handle_events(ready, woken)
        self._place.unlink(missing_ok=True)
        self._poll.unregister(listening)
        listening.close()
        self._spares.dismiss()
        # Children hold the same lock. Another server may start while this one finishes its calls.
        fcntl.flock(self._lock, fcntl.LOCK_UN)
        while self._lines:
            self._handle_events(dict(self._poll.poll()), woken)

    def _replace_waiting(self) -> None:
        if self._languages.remaining:
            return
        gc.collect()
        gc.freeze()
        self._spares.dismiss()
        self._spares.fill()

    def _handle_events(self, ready: dict[int, int], woken: socket.socket) -> None:
        if ready.pop(woken.fileno(), 0):
            woken.recv(_BACKLOG)
            self._reap()
        for number in ready:
            self._handle_disconnect(number)
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > _MAX_MEMORY_KB:
            self._is_running = False

    def _accept(self, listening: socket.socket) -> None:
        line, _ = listening.accept()
        self.calls += 1
        self._lines[line.fileno()] = CallerConnection(line, self._spares.hand(line))
        self._poll.register(line, 0)  # reports only a disconnect
        self._spares.fill(FEWEST)

    def _handle_disconnect(self, number: int) -> None:
        """Handle a disconnected caller. Without its answer it was killed, so its child is killed as well."""
        line = self._lines.get(number)
        if line is None:
            return
        last_bytes = b""
        with suppress(OSError):
            last_bytes = line.socket.recv(2, socket.MSG_DONTWAIT)
        if not last_bytes.endswith(b"."):
            with suppress(ProcessLookupError):
                os.killpg(line.child, signal.SIGKILL)
        self._forget(number)

    def _reap(self) -> None:
        """Collect ended children, and report signals that killed them to their callers."""
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                if os.WIFEXITED(status) and os.WEXITSTATUS(status) == child.STALE:
                    self._is_running = False
                for number in [number for number, line in self._lines.items() if line.child == pid]:
                    if os.WIFSIGNALED(status):
                        with suppress(OSError):
                            self._lines[number].socket.send(b"-%d\n" % os.WTERMSIG(status))
                    self._forget(number)

    def _forget(self, number: int) -> None:
        self._last_call = time.monotonic()
        line = self._lines.pop(number)
        self._poll.unregister(number)
        line.socket.close()
