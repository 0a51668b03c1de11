"""Starts the processes of an order, each a child of this one, which has everything imported.

This process itself runs under the library, and takes no turns; a child takes them from the moment in which it
joins the order. What is started here by ``alone`` has an order of its own, with one family in it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from tests import forking
from tests.schedules import orders
from tests.schedules.orders import Order, Passed

Words = Sequence[str]
TOOL = "git-scalpel"
_LONGEST = 60.0
_LIBRARY = ctypes.CDLL(None)


class Ended(NamedTuple):
    """How a command ended: its status (None: it had to be killed), what it printed and complained."""

    status: int | None
    out: bytes
    err: str

    @property
    def answer(self) -> dict[str, Any]:
        """What the tool answered; empty where it did not."""
        try:
            found = msgspec.json.decode(self.out)
        except msgspec.DecodeError:
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def code(self) -> str:
        """Of the error, if it was refused."""
        if self.status == 0:
            return ""
        return str(self.answer.get("error", {}).get("code", f"status {self.status}"))


class Place(NamedTuple):
    """Where orders run.

    Attributes:
        folder: for what they write beside the box.
        box: what counts: the repository, home and cache.
        env: of all commands.
    """

    folder: Path
    box: Path
    env: Mapping[str, str]

    @property
    def root(self) -> Path:
        """Of the checkout."""
        return self.box / "repo"

    def together(self, order: Order, commands: Sequence[Words]) -> tuple[list[Ended], Passed]:
        """Run commands in an order."""
        state = self.folder / "state"
        orders.begin(state, order, self.box, len(commands))
        children = [self._begun(at, words, state) for at, words in enumerate(commands)]
        statuses = _waited_for(children)
        return [self._ended(at, status) for at, status in enumerate(statuses)], orders.passed(state)

    def alone(self, words: Words, number: int = 0) -> Ended:
        """Run one command; its chance is that of the number."""
        return self.together(orders.alone(number), [words])[0][0]

    def _begun(self, at: int, words: Words, state: Path) -> int:
        child = os.fork()
        if child == 0:
            status = 70
            try:
                os.setsid()
                self._streams(at)
                os.chdir(self.root)
                os.environ.clear()
                os.environ.update(self.env, SCHEDULE=str(state))
                _LIBRARY.schedule_join(bytes(state), at)
                if words[0] != TOOL:
                    os.execvp(words[0], list(words))  # noqa: S606 - a program, as its words say
                sys.argv = list(words)
                status = forking.ended()
            finally:
                os._exit(status)
        return child

    def _streams(self, at: int) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC
        names = (Path(os.devnull), self._stream(at, "out"), self._stream(at, "err"))
        for number, name in enumerate(names):
            file = os.open(name, flags, 0o600)
            os.dup2(file, number)
            os.close(file)

    def _stream(self, at: int, name: str) -> Path:
        return self.folder / f"{name}.{at}"

    def _ended(self, at: int, status: int | None) -> Ended:
        err = self._stream(at, "err").read_bytes().decode("utf-8", "replace")
        return Ended(status, self._stream(at, "out").read_bytes(), err)


def _waited_for(children: Sequence[int]) -> list[int | None]:
    """The status of each; who is stuck is killed, with all that it has started."""
    found: dict[int, int | None] = {}
    end = time.monotonic() + _LONGEST
    while len(found) < len(children) and time.monotonic() < end:
        for child in children:
            if child not in found and _is_over(child):
                found[child] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        time.sleep(0.001)
    for child in children:
        if child not in found:
            with suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return [found.get(child) for child in children]


def _is_over(child: int) -> bool:
    """Whether it has ended: it stays until it is waited for, so that its number is nobody else's."""
    return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
