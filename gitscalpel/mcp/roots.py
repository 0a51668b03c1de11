"""Repositories of a server: find the one that a call selects, and lend it to one call at a time.

If the server was started without directories, it uses the client's roots (``roots/list``).
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

_MAX_IDLE = 4  # Maximum number of idle repositories that are kept open for later calls
Notify = Callable[[str], None]


class RepositoryKey(msgspec.Struct, frozen=True):
    """Key for sharing an open repository: calls with the same key can use it one after the other."""

    root: str
    agent: str
    within: tuple[str, ...] | None
    confirmed: str = ""


class _OpenRepository:
    """An open repository of one call, which gets the progress messages and can be cancelled."""

    def __init__(self, key: RepositoryKey) -> None:
        self.key = key
        self.notify: Notify | None = None
        self.stop: threading.Event | None = None
        self.repo = Repository(
            Path(key.root),
            notify=self._tell,
            show=self._tell,
            agent=key.agent or None,
            spelling=SPELLING,
            within=key.within,
            confirmed=key.confirmed,
            stop=self,
        )

    def is_set(self) -> bool:
        """Return True if the call is cancelled (:class:`gitscalpel.workspace.workspace.Stop`)."""
        return self.stop is not None and self.stop.is_set()

    def _tell(self, words: str) -> None:
        if self.notify is not None:
            self.notify(words)


class Roots:
    """Root directories given to the server at its start, or by the client.

    If ``folders`` is empty, the server's working directory is used.
    """

    def __init__(self, folders: tuple[str, ...]) -> None:
        self.folders = [os.path.realpath(folder) for folder in folders or (".",)]
        self.is_configured = bool(folders)
        self._idle: list[_OpenRepository] = []
        self._lock = threading.Lock()

    def resolve(self, folder: object) -> str:
        """Return the root directory that a call selects.

        Raises:
            BadCall: ``invalid_args``: the call names no root of the server.
        """
        if folder is None and len(self.folders) == 1:
            return self.folders[0]
        matches = [each for each in self.folders if folder in (each, Path(each).name)]
        if len(matches) == 1:
            return matches[0]
        message = "no root given" if folder is None else f"{folder} is not a root of this server"
        raise BadCall("invalid_args", message, f"set `root` to one of {', '.join(self.folders)}")

    def use_client_folders(self, folders: list[str]) -> None:
        """Use the client's directories that are inside a repository. If none is, nothing changes."""
        inside = []
        for folder in folders:
            with suppress(ScalpelError, OSError, ValueError), Repository(Path(folder)) as repo:
                inside += [os.path.realpath(folder)] if repo.root is not None else []
        self.folders = list(dict.fromkeys(inside)) or self.folders

    @contextmanager
    def borrow(
        self, key: RepositoryKey, notify: Notify | None = None, stop: threading.Event | None = None
    ) -> Iterator[Repository]:
        """Lend a repository for the exclusive use of one call.

        Raises:
            Misconfigured: ``not_a_repository``.
        """
        open_repository = self._take_idle(key) or _OpenRepository(key)
        open_repository.notify, open_repository.stop = notify, stop
        try:
            yield open_repository.repo
        finally:
            open_repository.notify = open_repository.stop = None
            self._give_back(open_repository)

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for opened in idle:
            opened.repo.close()

    def _take_idle(self, key: RepositoryKey) -> _OpenRepository | None:
        with self._lock:
            index = next((index for index, opened in enumerate(self._idle) if opened.key == key), None)
            return None if index is None else self._idle.pop(index)

    def _give_back(self, opened: _OpenRepository) -> None:
        with self._lock:
            self._idle.append(opened)
            surplus = self._idle.pop(0) if len(self._idle) > _MAX_IDLE else None
        if surplus is not None:
            surplus.repo.close()


_REQUEST_ID = "gitscalpel-roots"
_TIMEOUT_S = 3.0
"""Seconds to wait for the client's roots. After that, the server's working directory is used."""


class ClientRoots:
    """Root directories that the client reports. Calls wait until they are known."""

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        self._known = threading.Event()
        self._known.set()

    def handle(self, message: Message, client: Client, write: Write) -> None:
        """Request the roots after ``initialize`` or a change, and take the client's answer."""
        begins = ("notifications/initialized", "notifications/roots/list_changed")
        if message.method in begins and client.has_roots:
            self._known.clear()
            write(jsonrpc.request(_REQUEST_ID, "roots/list"))
        elif not message.method and message.id == _REQUEST_ID:
            self._roots.use_client_folders(_folders(message.result))
            self._known.set()

    def wait(self) -> None:
        """Wait until the roots are known, or the time limit is over."""
        if not self._known.wait(_TIMEOUT_S):
            self._known.set()


def _folders(result: Any) -> list[str]:
    rows = result.get("roots") if isinstance(result, dict) else None
    uris = [row.get("uri") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    parts = [urlsplit(uri) for uri in uris if isinstance(uri, str)]
    return [
        unquote(each.path) for each in parts if each.scheme == "file" and each.netloc in ("", "localhost")
    ]
