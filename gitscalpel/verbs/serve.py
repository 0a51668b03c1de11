"""The server behind the command line: it is started by the first call that finds none, or here, in front."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated

import msgspec

from gitscalpel import BadCall, Misconfigured
from gitscalpel.serve import address, client
from gitscalpel.verbs.asked import Asked, said
from gitscalpel.verbs.reply import Caller, Reply, Typed, plain

_PATIENCE = 10.0
_PAUSE = 0.02


class Request(Asked, frozen=True, kw_only=True):
    """Until when."""

    idle: Annotated[float, said("End after so many seconds without a call.", metavar="SECONDS")] = 600.0
    stop: Annotated[bool, said("End the one that is there; what it has begun is finished.")] = False


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """``ended`` after some ``calls``; ``there``: ``pid`` serves already; ``stopped``; ``none`` to stop."""

    state: str
    pid: int | None = None
    calls: int = 0


def perform(caller: Caller, asked: Request) -> Reply:
    """Serve, or end the one that does."""
    if caller.typed is None:
        raise BadCall("invalid_args", "nothing is typed here", "ask the command line for it")
    environment = caller.typed.environment
    if not address.wanted(environment):
        raise Misconfigured(
            "unavailable",
            "no server is asked in this environment",
            f"it needs Linux, without {address.VARIABLE}=off, CI, or variables that change what is loaded",
        )
    there = client.listens(environment)
    if asked.stop:
        return _stop(there, environment)
    return _serve(caller.typed, asked.idle) if there is None else _told(there)


def _serve(typed: Typed, idle: float) -> Reply:
    from gitscalpel.serve.server import Server

    server = Server(typed.environment, typed.main, typed.prepare, idle)
    if not server.run():
        return _told(client.listens(typed.environment))
    answer = Answer(state="ended", pid=os.getpid(), calls=server.calls)
    return Reply(answer, plain(f"{server.calls} calls served"))


def _told(pid: int | None) -> Reply:
    return Reply(Answer(state="there", pid=pid), plain(f"process {pid} serves already"))


def _stop(pid: int | None, environment: Mapping[str, str]) -> Reply:
    if pid is None:
        return Reply(Answer(state="none"), plain("there is none"))
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
    end = time.monotonic() + _PATIENCE
    while client.listens(environment) == pid and time.monotonic() < end:
        time.sleep(_PAUSE)
    return Reply(Answer(state="stopped", pid=pid), plain(f"process {pid} takes no more calls"))
