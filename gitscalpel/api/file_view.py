"""Files as an agent reads them, and what it has read of them.

Views of the files of a branch, the checkout or a transaction: outline, find, show, references.

Files and definitions that a caller has read, so that an edit of anything else is refused.

A repository or a server with a tracker notes what each answer shows and what its own edits leave. A
definition that was read may be edited as long as it is unchanged, whatever else has changed in its file.
"""

from __future__ import annotations

import posixpath
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from msgspec import UNSET

from gitscalpel.changesets import paths
from gitscalpel.changesets.file_tree import SUBMODULE, SYMLINK, TREE, Overlay, Snapshot
from gitscalpel.changesets.operations import Imports, Lines, Move, Patch, Placed, Rename
from gitscalpel.errors import DoesNotFit, ScalpelError, WorldMoved
from gitscalpel.workspace import Target, Workspace

if TYPE_CHECKING:
    from gitscalpel.changesets.answers import FileOutline, Match, References, Shown
    from gitscalpel.changesets.operations import Operation, Refs
    from gitscalpel.changesets.requests import Changeset
    from gitscalpel.transaction.result import Result


Answer = TypeVar("Answer")


class View:
    """The files of a branch, or of a transaction, as they are at this moment."""

    def __init__(self, ws: Workspace, target: Target) -> None:
        self._ws = ws
        self._target = target

    def outline(self, paths: Iterable[str] = ("",), *, folding: bool = False) -> list[FileOutline]:
        """Return the symbols of files, and of the files in a known language below folders.

        Args:
            paths: files and folders.
            folding: add the lines that may be folded.

        Raises:
            DoesNotFit: ``file_not_found`` or ``unsupported_language``.
        """
        from gitscalpel.api import queries

        return queries.outline(self._ws, self._target, paths, folding=folding)

    def find(
        self, selector: str, paths: Iterable[str] = ("",), limit: int | None = None, *, code: bool = True
    ) -> list[Match]:
        """The nodes that a selector matches, or the places of a text, by file and in document order.

        Args:
            selector: see the page on addresses; ``text("words")`` and ``text(/regex/)`` look into every file.
            paths: files and folders.
            limit: how many at most.
            code: whether the text of each belongs to the answer.

        Raises:
            BadCall: ``query_syntax``.
            DoesNotFit: ``file_not_found`` or ``unsupported_language``.
        """
        if selector.lstrip().startswith("text"):
            from gitscalpel.api import text_search

            text = text_search.wanted(selector)
            if text is not None:
                return self._note_answer(text_search.search(self._ws, self._target, text, paths, limit))
        from gitscalpel.api import queries

        return self._note_answer(queries.find(self._ws, self._target, selector, paths, limit, code=code))

    def _note_answer(self, answer: Answer) -> Answer:
        """Return an answer that the caller has read from now on."""
        if self._ws.tracker is not None:
            self._ws.tracker.note(answer)
        return answer

    def refs(
        self,
        path: str,
        *,
        symbol: str | None = None,
        start: int | None = None,
        name: str | None = None,
        trust: Literal["resolver", "server", "both"] | None = None,
    ) -> References:
        """Where a name is defined and used.

        Args:
            path: of the file that defines it, or in which it stands.
            symbol: such as ``Outer.inner``; or
            start: a line, and
            name: what stands there; ``name#2`` is the second in that line.
            trust: whether a language server is asked as well, and what counts where it reads a place
                otherwise; None: it is not asked.

        Raises:
            BadCall: an address that cannot be read.
            DoesNotFit: there is no such name, or names are not followed in that language;
                ``symbol_ambiguous``: both are trusted, and differ.
            Misconfigured: ``unavailable``: no language server answers.
        """
        from gitscalpel.api import queries
        from gitscalpel.changesets.answers import References
        from gitscalpel.changesets.operations import Refs
        from gitscalpel.changesets.validation import check

        op = Refs(path=path, symbol=symbol, start=start, name=name, trust=trust)
        check(op)
        if op.trust is not None:  # a language server's answer depends on more than the tree
            return self._find_references(op, self._target.snapshot)
        return queries.once(self._ws, self._target, op, References, partial(self._find_references, op))

    def _find_references(self, op: Refs, snapshot: Snapshot) -> References:
        from gitscalpel.api.reference_rows import list_references
        from gitscalpel.names.files import Files
        from gitscalpel.names.language_registry import dialect
        from gitscalpel.names.resolver import Resolver
        from gitscalpel.workspace.language_server import witness

        with _search_ahead(self._target.snapshot, op.symbol):
            resolver = Resolver(Files(Overlay(snapshot)), dialect)
            self._ws.keep(resolver)
            return list_references(op, resolver, witness(self._ws))

    def folder(self, path: str) -> list[str] | None:
        """All files of a folder, in order; None where there is no folder.

        Raises:
            DoesNotFit: ``not_a_file``: it holds a link or a submodule, which are no files of it.
        """
        overlay = Overlay(self._target.snapshot)
        found = overlay.entry(path) if path else None
        if found is None or found.mode != TREE:
            return None
        files = list(overlay.under(path))
        for file in files:
            entry = overlay.entry(file)
            if entry is not None and entry.mode in (SYMLINK, SUBMODULE):
                what = "link" if entry.mode == SYMLINK else "submodule"
                raise DoesNotFit(
                    "not_a_file",
                    f"{path} holds a {what}: {file}",
                    "do it with git, or file by file",
                    path=file,
                )
        return files

    def matching(self, glob: str) -> list[str]:
        """The files, links and submodules aside, that a pattern as in ``.gitignore`` means."""
        from gitscalpel.changesets.globs import Globs

        overlay = Overlay(self._target.snapshot)
        entries = ((path, overlay.entry(path)) for path in Globs([glob]).among(overlay.under("")))
        return [path for path, entry in entries if entry and entry.mode not in (SYMLINK, SUBMODULE)]

    def places(self, symbol: str, below: str = "") -> list[str]:
        """Where in a folder a symbol is defined, as ``PATH::SYMBOL``; the first few places."""
        from gitscalpel.api import queries

        return queries.places(self._ws, self._target, symbol, below)

    def namesakes(self, path: str) -> list[str]:
        """Files that have the name of ``path``, in whatever folder; the first few."""
        from gitscalpel.api import queries

        return queries.namesakes(self._target, path)

    def show(
        self,
        path: str,
        *,
        symbol: str | None = None,
        query: str | None = None,
        match: int | None = None,
        node: str | None = None,
        kind: str | None = None,
        start: str | int | None = None,
        end: str | int | None = None,
        base: str | None = None,
        checkout: bool = False,
    ) -> Shown:
        """A file, or what an operation with the same address would edit, with the hashes to edit by.

        Args:
            path: relative to the root of the repository.
            symbol: such as ``Outer.inner``.
            query: a selector; ``match`` says which of its matches, from 0.
            match: see ``query``.
            node: a ``node_id`` of :meth:`find`, with its ``blob`` as ``base``.
            kind: what must be there, where names are shared.
            start: ``42``, ``"42-55"`` or ``"42:9f3c-55:01be"``.
            end: the last line, where ``start`` is one line.
            base: blob id of the file as the caller saw it.
            checkout: the file on disk, and not as it is here.

        Raises:
            BadCall: an address that cannot be read.
            DoesNotFit: there is no such file, symbol, node or line.
            WorldMoved: ``stale``: a line hash differs, or the target has changed since ``base``.
        """
        from gitscalpel.api import queries
        from gitscalpel.changesets.operations import Show as OperationsShow
        from gitscalpel.changesets.validation import check_address

        address = {"symbol": symbol, "query": query, "match": match, "node": node, "start": start, "end": end}
        at = OperationsShow(path=path, kind=kind, base=base, **address)  # type: ignore[arg-type]
        if any(value is not None for value in address.values()):
            check_address(at)
        return self._note_answer(queries.show(self._ws, self._target, at, checkout))

    def peek(self, path: str, symbol: str) -> Shown:
        """Show a definition to a tracker, which does not note it as read."""
        from gitscalpel.api import queries
        from gitscalpel.changesets.operations import Show as OperationsShow

        return queries.show(self._ws, self._target, OperationsShow(path=path, symbol=symbol))

    def read(self, path: str) -> bytes:
        """The bytes of a file.

        Raises:
            DoesNotFit: ``file_not_found`` or ``not_a_file``.
        """
        overlay = Overlay(self._target.snapshot)
        return overlay.read(paths.existing(path, overlay)[1].oid)


def _search_ahead(snapshot: Snapshot, symbol: str | None) -> AbstractContextManager[None]:
    """Let git search for the name of a symbol while its file is parsed; a line may hold a local name."""
    from gitscalpel.git.snapshots import TreeSnapshot

    name = (symbol or "").partition("#")[0].rpartition(".")[2]
    if not isinstance(snapshot, TreeSnapshot) or not name.isidentifier():
        return nullcontext()
    return snapshot.seeking(name)


Show = Callable[[str, str], "Shown"]
"""Shows a definition of a file as it is now, and notes nothing."""
_NAME_OPERATIONS = (Rename, Move, Imports)
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
        named = _group_by_path(changeset.operations)
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


def _group_by_path(operations: Iterable[Operation]) -> Mapping[str, list[Operation]] | None:
    """The operations by the files that they name; None: there is a patch, which names its own."""
    found: dict[str, list[Operation]] = {}
    for op in operations:
        if isinstance(op, Patch):
            return None
        if not isinstance(op, _NAME_OPERATIONS):
            found.setdefault(posixpath.normpath(op.path), []).append(op)
    return found
