"""The server behind the command line: it is started by the first call that finds none, or here, in front."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated

import msgspec

from gitscalpel.api import BadCall, Misconfigured, TryAgain
from gitscalpel.server import address, client, start_stop
from gitscalpel.verbs.asked import Asked, said
from gitscalpel.verbs.reply import Caller, Reply, Typed, plain


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
    if asked.stop:
        return _stop(environment)
    there = client.listens(environment)
    return _serve(caller.typed, asked.idle) if there is None else _told(there)


def _serve(typed: Typed, idle: float) -> Reply:
    from gitscalpel.server.fork_server import Server

    server = Server(typed.environment, typed.main, typed.prepare, idle)
    if not server.run():
        return _told(client.listens(typed.environment))
    answer = Answer(state="ended", pid=os.getpid(), calls=server.calls)
    return Reply(answer, plain(f"{server.calls} calls served"))


def _told(pid: int | None) -> Reply:
    return Reply(Answer(state="there", pid=pid), plain(f"process {pid} serves already"))


def _stop(environment: Mapping[str, str]) -> Reply:
    told = start_stop.all_of_them(environment)
    if not told:
        return Reply(Answer(state="none"), plain("there is none"))
    pid = client.listens(environment)
    if pid is not None:
        words = f"process {pid} still takes calls"
        raise TryAgain("busy", words, f"try again, or end it with `kill {pid}`")
    lines = (
        f"process {each} takes no more calls"
        + (", and finishes those that it has" * start_stop.is_there(each))
        for each in told
    )
    return Reply(Answer(state="stopped", pid=told[-1]), plain("\n".join(lines)))
