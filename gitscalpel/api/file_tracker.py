"""Files and definitions that a caller has read, so that an edit of anything else is refused.

A repository or a server with a tracker notes what each answer shows and what its own edits leave. A
definition that was read may be edited as long as it is unchanged, whatever else has changed in its file.
"""

from __future__ import annotations

import posixpath
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from gitscalpel.changesets.operations import Imports, Lines, Move, Patch, Placed, Rename
from gitscalpel.errors import ScalpelError, WorldMoved

if TYPE_CHECKING:
    from gitscalpel.changesets.answers import Shown
    from gitscalpel.changesets.operations import Operation
    from gitscalpel.changesets.requests import Changeset
    from gitscalpel.transaction.result import Result

Show = Callable[[str, str], "Shown"]
"""Shows a definition of a file as it is now, and notes nothing."""
_ON_NAMES = (Rename, Move, Imports)
"""Operations that need nobody to have read what they change."""


class FileTracker:
    """What one caller has read in one repository; safe to share between threads."""

    def __init__(self) -> None:
        self._blobs: dict[str, str | None] = {}
        self._symbols: dict[tuple[str, str], str] = {}
        self._lock = threading.Lock()

    def mark_seen(self, path: str, blob: str | None) -> None:
        """Note that the caller knows a file as a blob; None: that there is no such file."""
        with self._lock:
            self._blobs[path] = blob

    def note(self, answer: Any) -> None:
        """Note what an answer shows: a file, a definition, or what a search found."""
        for row in answer if isinstance(answer, (list, tuple)) else (answer,):
            blob, symbol = getattr(row, "blob", None), getattr(row, "symbol", UNSET)
            if blob is not None:
                self.mark_seen(row.path, blob)
            if symbol is not UNSET and hasattr(symbol, "qualname"):
                with self._lock:
                    self._symbols[row.path, symbol.qualname] = row.hash

    def note_edit(self, done: Result, changeset: Changeset, show: Show) -> None:
        """Note what the caller's own edit has left."""
        for row in done.patch.rows:
            self.mark_seen(row.path, row.after)
        for op in changeset.operations:
            if isinstance(op, Placed) and op.symbol is not None:
                with suppress(ScalpelError):  # the definition may be gone
                    shown = show(op.path, op.symbol)
                    if shown.symbol is not UNSET:
                        with self._lock:
                            self._symbols[shown.path, shown.symbol.qualname] = shown.hash

    def require_seen(self, would: Result, changeset: Changeset, show: Show) -> None:
        """Refuse an edit of files as the caller has not read them.

        Args:
            would: the edit, tried.
            changeset: its operations. What follows from an operation on names need not be read.
            show: see :data:`Show`.

        Raises:
            WorldMoved: ``stale``.
        """
        named = _by_path(changeset.operations)
        for row in would.patch.rows:
            ops = named.get(row.path, ()) if named is not None else None
            if row.before is None or ops == ():
                continue
            known = self._blobs.get(row.path)
            if known != row.before and not (known and ops and all(self._is_same(op, show) for op in ops)):
                what = "was never read here" if known is None else "has changed since it was read here"
                raise WorldMoved(
                    "stale", f"{row.path} {what}", "look at it, then send the edit again", path=row.path
                )

    def _is_same(self, op: Operation, show: Show) -> bool:
        """Return True if the definition is as it was read, or lines are addressed by hashes."""
        if isinstance(op, Lines):
            return ":" in str(op.start) and (op.end is None or ":" in str(op.end))
        if not isinstance(op, Placed) or op.symbol is None:
            return False
        with suppress(ScalpelError):
            now = show(op.path, op.symbol)
            if now.symbol is UNSET:
                return False
            around = now.symbol.qualname
            while around:
                known = self._symbols.get((now.path, around))
                if known is not None and show(op.path, around).hash == known:
                    return True
                around = around.rpartition(".")[0]
        return False


def _by_path(operations: Iterable[Operation]) -> Mapping[str, list[Operation]] | None:
    """The operations by the files that they name; None: there is a patch, which names its own."""
    found: dict[str, list[Operation]] = {}
    for op in operations:
        if isinstance(op, Patch):
            return None
        if not isinstance(op, _ON_NAMES):
            found.setdefault(posixpath.normpath(op.path), []).append(op)
    return found
