"""gitscalpel itself: as a command, started cold or done by its server, and in a process that stays."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import gitscalpel
from bench.repos import run
from bench.side_by_side.ways.way import Doing, Edit, Way
from gitscalpel import Replace
from gitscalpel.server import client

SERVED = {"SCALPEL_SERVER": "auto"}


def command(edit: Edit) -> tuple[str, ...]:
    """What is typed; the code comes on standard input."""
    return ("git", "scalpel", "replace", f"{edit.path}::{edit.name}", "-m", "edit")


@contextmanager
def _cold(root: Path) -> Iterator[Doing]:
    def doing(edit: Edit) -> Callable[[], object]:
        return lambda: run(root, *command(edit), stdin=edit.new)

    yield doing


@contextmanager
def server(root: Path) -> Iterator[None]:
    """One that is warm: it listens, and has done a call."""
    try:
        until = time.monotonic() + 30
        if _listens(root) is None:  # which has started one
            place = Path(client.socket_folder(os.environ))
            while not any(each.is_socket() for each in place.glob("*")):
                if time.monotonic() > until:
                    raise SystemExit("no server listens")
                time.sleep(0.05)
        listening = _listens(root)
        yield
        if _listens(root) != listening:
            raise SystemExit("the server has ended while it was measured")
    finally:
        run(root, "git", "scalpel", "serve", "--stop", **SERVED)


def _listens(root: Path) -> int | None:
    """The process that serves the command line."""
    found: int | None = json.loads(run(root, "git", "scalpel", "status", "--json", **SERVED))["data"][
        "server"
    ]
    return found


@contextmanager
def _served(root: Path) -> Iterator[Doing]:
    def doing(edit: Edit) -> Callable[[], object]:
        return lambda: run(root, *command(edit), stdin=edit.new, **SERVED)

    with server(root):
        yield doing


@contextmanager
def _stays(root: Path) -> Iterator[Doing]:
    with gitscalpel.open(root) as repo:

        def doing(edit: Edit) -> Callable[[], object]:
            return lambda: repo.edit(Replace(path=edit.path, symbol=edit.name, code=edit.new))

        yield doing


COLD = Way("git scalpel, cold", _cold, syncs=True)
THROUGH_SERVER = Way("git scalpel, through its server", _served, syncs=True, alike=COLD.name)
IN_PROCESS = Way("gitscalpel, in a process that stays", _stays, syncs=True)
