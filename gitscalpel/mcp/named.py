"""Folders that the client names by itself (``roots/list``), where whoever started the server named none."""

from __future__ import annotations

import threading
from typing import Any
from urllib.parse import unquote, urlsplit

from gitscalpel.mcp import wire
from gitscalpel.mcp.eras import Client
from gitscalpel.mcp.exchange import Write
from gitscalpel.mcp.roots import Roots
from gitscalpel.mcp.wire import Message

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
            write(wire.request(_ASKED, "roots/list"))
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
