"""Repositories of a server: find the one that a call means, and open it for one call at a time.

If the server was started without directories, the client's own roots (``roots/list``) are used.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec

from gitscalpel.api import BadCall, Repository, ScalpelError
from gitscalpel.mcp import jsonrpc
from gitscalpel.mcp.jsonrpc import Client, Message, Write
from gitscalpel.mcp.tools import SPELLING

_IDLE = 4
"""Opened ones that are kept for the next calls."""
Tell = Callable[[str], None]


class Who(msgspec.Struct, frozen=True):
    """For whom a repository is opened: what two calls must have in common to share it."""

    root: str
    agent: str
    within: tuple[str, ...] | None
    confirmed: str = ""


class _Opened:
    """A repository, and who hears of what takes a while in the call that it is used for."""

    def __init__(self, who: Who) -> None:
        self.who = who
        self.told: Tell | None = None
        self.stop: threading.Event | None = None
        self.repo = Repository(
            Path(who.root),
            notify=self._tell,
            show=self._tell,
            agent=who.agent or None,
            spelling=SPELLING,
            within=who.within,
            confirmed=who.confirmed,
            stop=self,
        )

    def is_set(self) -> bool:
        """Return True if the call is cancelled; see :class:`gitscalpel.workspace.caller.Stop`."""
        return self.stop is not None and self.stop.is_set()

    def _tell(self, words: str) -> None:
        if self.told is not None:
            self.told(words)


class Roots:
    """The folders that were named when the server was started, or that the client has named.

    Args:
        folders: each in a repository; none: the folder that the server was started in.
    """

    def __init__(self, folders: tuple[str, ...]) -> None:
        self.folders = [os.path.realpath(folder) for folder in folders or (".",)]
        self.named = bool(folders)
        self._idle: list[_Opened] = []
        self._lock = threading.Lock()

    def meant(self, asked: object) -> str:
        """The folder that a call means.

        Raises:
            BadCall: ``invalid_args``: it is none of these, or there are several.
        """
        if asked is None and len(self.folders) == 1:
            return self.folders[0]
        found = [each for each in self.folders if asked in (each, Path(each).name)]
        if len(found) == 1:
            return found[0]
        words = "which repository?" if asked is None else f"{asked} is no root of this server"
        raise BadCall("invalid_args", words, f"root is one of {', '.join(self.folders)}")

    def name(self, folders: list[str]) -> None:
        """Take folders that the client names, as far as they lie in a repository; none: nothing changes."""
        there = []
        for folder in folders:
            with suppress(ScalpelError, OSError, ValueError), Repository(Path(folder)) as repo:
                there += [os.path.realpath(folder)] if repo.root is not None else []
        self.folders = list(dict.fromkeys(there)) or self.folders

    @contextmanager
    def opened(
        self, who: Who, told: Tell | None = None, stop: threading.Event | None = None
    ) -> Iterator[Repository]:
        """A repository that nobody else uses meanwhile.

        Args:
            who: for whom.
            told: hears of what takes a while.
            stop: is set when nobody wants it any more.

        Raises:
            Misconfigured: ``not_a_repository``.
        """
        opened = self._taken(who) or _Opened(who)
        opened.told, opened.stop = told, stop
        try:
            yield opened.repo
        finally:
            opened.told = opened.stop = None
            self._back(opened)

    def close(self) -> None:
        """Let go of all that nobody uses."""
        with self._lock:
            left, self._idle = self._idle, []
        for opened in left:
            opened.repo.close()

    def _taken(self, who: Who) -> _Opened | None:
        with self._lock:
            at = next((at for at, opened in enumerate(self._idle) if opened.who == who), None)
            return None if at is None else self._idle.pop(at)

    def _back(self, opened: _Opened) -> None:
        with self._lock:
            self._idle.append(opened)
            surplus = self._idle.pop(0) if len(self._idle) > _IDLE else None
        if surplus is not None:
            surplus.repo.close()


_ASKED = "gitscalpel-roots"
_PATIENCE = 3.0
"""Seconds for the client to answer; then the folder counts in which the server was started."""


class NamedRoots:
    """What a client says its folders are; calls wait until it has answered.

    Args:
        roots: told.
    """

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        self._known = threading.Event()
        self._known.set()

    def hear(self, message: Message, client: Client, write: Write) -> None:
        """Ask when it has greeted, or they have changed; and take the answer."""
        begins = ("notifications/initialized", "notifications/roots/list_changed")
        if message.method in begins and client.has_roots:
            self._known.clear()
            write(jsonrpc.request(_ASKED, "roots/list"))
        elif not message.method and message.id == _ASKED:
            self._roots.name(_folders(message.result))
            self._known.set()

    def wait(self) -> None:
        """Go on once they are known, or nobody will say."""
        if not self._known.wait(_PATIENCE):
            self._known.set()


def _folders(said: Any) -> list[str]:
    rows = said.get("roots") if isinstance(said, dict) else None
    uris = [row.get("uri") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    parts = [urlsplit(uri) for uri in uris if isinstance(uri, str)]
    return [
        unquote(each.path) for each in parts if each.scheme == "file" and each.netloc in ("", "localhost")
    ]
