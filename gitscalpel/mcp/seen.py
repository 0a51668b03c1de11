"""What an agent has read, where it may edit nothing that it has not, or that has changed since.

What it has written itself it knows. A part of a file that was read counts as all of it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from gitscalpel import WorldMoved


class Seen:
    """The files that one agent knows in one repository, each by the blob that it was."""

    def __init__(self) -> None:
        self._blobs: dict[str, str | None] = {}
        self._lock = threading.Lock()

    def note(self, answer: Any) -> None:
        """Remember what an answer of a verb shows of files, or has made of them."""
        data = msgspec.to_builtins(answer)
        rows = [data, *data.get("matches", ())] if isinstance(data, Mapping) else ()
        found = {str(row["path"]): row["blob"] for row in rows if row.get("blob") and "path" in row}
        made = data.get("files", ()) if isinstance(data, Mapping) and data.get("tx") else ()
        found |= {str(row["path"]): row["after"] for row in made if isinstance(row, Mapping)}
        with self._lock:
            self._blobs.update(found)

    def refuse_unread(self, files: Iterable[Any], named: frozenset[str] | None) -> None:
        """Refuse to change files as they were never read.

        Args:
            files: what a call would change, as an answer lists it.
            named: those that the call names; None: all, as a patch does. What follows from an operation on
                names is not named.

        Raises:
            WorldMoved: ``stale``.
        """
        for row in files:
            if row.before is None or (named is not None and row.path not in named):
                continue
            known = self._blobs.get(row.path)
            if known != row.before:
                what = "was never read here" if known is None else "has changed since it was read here"
                raise WorldMoved(
                    "stale", f"{row.path} {what}", "look at it, then send the edit again", path=row.path
                )


class Readers:
    """What each agent has seen in each repository."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Seen] = {}
        self._lock = threading.Lock()

    def of(self, root: str, agent: str) -> Seen:
        """What one has seen in one."""
        with self._lock:
            return self._known.setdefault((root, agent), Seen())
