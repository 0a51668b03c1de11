"""Files as an agent reads them, and a record of the files that it has read.

A repository with a tracker rejects an edit of anything that was not read. A definition that was read may be
edited as long as it is unchanged, even if the rest of its file has changed.
"""

from __future__ import annotations

import posixpath
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from msgspec import UNSET

from gitscalpel.api.open_repository import RepositoryMethods
from gitscalpel.changesets import paths
from gitscalpel.changesets.answers import References
from gitscalpel.changesets.file_tree import SUBMODULE, SYMLINK, TREE, Overlay, Snapshot
from gitscalpel.changesets.operations import AddressedOperation, Imports, Lines, Move, Patch, Refs, Rename
from gitscalpel.changesets.operations import ShowTarget as OperationsShow
from gitscalpel.changesets.paths import Globs
from gitscalpel.changesets.requests import check_address, check_operation
from gitscalpel.errors import DoesNotFit, ScalpelError, WorldMoved
from gitscalpel.git.snapshots import TreeSnapshot
from gitscalpel.workspace.workspace import Target, Workspace

if TYPE_CHECKING:
    from gitscalpel.changesets.answers import FileOutline, Match, References, Shown
    from gitscalpel.changesets.operations import Operation, Refs
    from gitscalpel.changesets.requests import Changeset
    from gitscalpel.transaction.result import Result


Answer = TypeVar("Answer")


class View:
    """Files of a branch or of a transaction, at this moment."""

    def __init__(self, ws: Workspace, target: Target) -> None:
        self._ws = ws
        self._target = target

    def outline(self, paths: Iterable[str] = ("",), *, folding: bool = False) -> list[FileOutline]:
        """Return the symbols of files, and of the files in a known language below directories.

        ``folding`` adds the lines that may be folded.

        Raises:
            DoesNotFit: ``file_not_found`` or ``unsupported_language``.
        """
        from gitscalpel.api import directory_queries

        return directory_queries.outline(self._ws, self._target, paths, folding=folding)

    def find(
        self, selector: str, paths: Iterable[str] = ("",), limit: int | None = None, *, code: bool = True
    ) -> list[Match]:
        """Return the nodes that a selector matches, or the matches of a text, by file and in document order.

        The page on addresses describes selectors; ``text("words")`` and ``text(/regex/)`` search every file.
        Without ``code`` the text of each match is left out.

        Raises:
            BadCall: ``query_syntax``.
            DoesNotFit: ``file_not_found`` or ``unsupported_language``.
        """
        if selector.lstrip().startswith("text"):
            from gitscalpel.api import search

            text = search.parse_text_selector(selector)
            if text is not None:
                return self._note_answer(search.search_text(self._ws, self._target, text, paths, limit))

        from gitscalpel.api import directory_queries

        found = directory_queries.find(self._ws, self._target, selector, paths, limit, code=code)
        return self._note_answer(found)

    def _note_answer(self, answer: Answer) -> Answer:
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
        """Return the places where a symbol, or a name in line ``start``, is defined and used.

        ``name#2`` is the second occurrence in the line. ``trust`` says whether to ask a language server, and
        whose result counts if it disagrees. None asks none.

        Raises:
            BadCall: the address is not valid.
            DoesNotFit: there is no such name, or its meaning is unknown; ``symbol_ambiguous``: both are
                trusted, and disagree.
            Misconfigured: ``unavailable``: no language server answers.
        """
        op = Refs(path=path, symbol=symbol, start=start, name=name, trust=trust)
        check_operation(op)
        if op.trust is not None:  # a language server's answer depends on more than the tree
            return self._find_references(op, self._target.snapshot)
        from gitscalpel.api import query_cache

        return query_cache.cached_answer(
            self._ws, self._target, op, References, partial(self._find_references, op)
        )

    def _find_references(self, op: Refs, snapshot: Snapshot) -> References:
        from gitscalpel.api.search import list_references
        from gitscalpel.names.files import Files
        from gitscalpel.names.resolver import Resolver, dialect

        with _search_ahead(self._target.snapshot, op.symbol):
            resolver = Resolver(Files(Overlay(snapshot)), dialect)
            self._ws.keep(resolver)
            return list_references(op, resolver, self._ws.cross_checker())

    def folder(self, path: str) -> list[str] | None:
        """Return all files of a directory in order. None if there is no directory.

        Raises:
            DoesNotFit: ``not_a_file``: the directory contains a link or a submodule.
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
                    f"{path} contains a {what}: {file}",
                    "use git, or name single files",
                    path=file,
                )
        return files

    def matching(self, glob: str) -> list[str]:
        """Return the files that match a pattern as in ``.gitignore``, without links and submodules."""
        overlay = Overlay(self._target.snapshot)
        entries = ((path, overlay.entry(path)) for path in Globs([glob]).among(overlay.under("")))
        return [path for path, entry in entries if entry and entry.mode not in (SYMLINK, SUBMODULE)]

    def places(self, symbol: str, below: str = "") -> list[str]:
        """Return the first definitions of a symbol in a directory, as ``PATH::SYMBOL``."""
        from gitscalpel.api import directory_queries

        return directory_queries.find_definitions(self._ws, self._target, symbol, below)

    def namesakes(self, path: str) -> list[str]:
        from gitscalpel.api import queries

        return queries.find_namesakes(self._target, path)

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
        """Return a file, or the text that an operation with the same address would edit, with its hashes.

        Args:
            path: path relative to the root of the repository.
            symbol: symbol such as ``Outer.inner``.
            query: selector.
            match: index of the match of ``query``, from 0.
            node: ``node_id`` of :meth:`find`, with its ``blob`` as ``base``.
            kind: expected kind, if several symbols share a name.
            start: ``42``, ``"42-55"`` or ``"42:9f3c-55:01be"``.
            end: last line, if ``start`` is a single line.
            base: blob id of the file as the caller saw it.
            checkout: True to read the file on disk.

        Raises:
            BadCall: the address is not valid.
            DoesNotFit: there is no such file, symbol, node or line.
            WorldMoved: ``stale``: a line hash differs, or the target has changed since ``base``.
        """
        from gitscalpel.api import queries

        address = {"symbol": symbol, "query": query, "match": match, "node": node, "start": start, "end": end}
        at = OperationsShow(path=path, kind=kind, base=base, **address)  # type: ignore[arg-type]
        if any(value is not None for value in address.values()):
            check_address(at)
        return self._note_answer(queries.show(self._ws, self._target, at, checkout))

    def peek(self, path: str, symbol: str) -> Shown:
        """Return a definition without recording it as read."""
        from gitscalpel.api import queries

        return queries.show(self._ws, self._target, OperationsShow(path=path, symbol=symbol))

    def read(self, path: str) -> bytes:
        """Return the bytes of a file. Raises ``file_not_found`` or ``not_a_file``."""
        overlay = Overlay(self._target.snapshot)
        return overlay.read(paths.require_file(path, overlay)[1].oid)


def _search_ahead(snapshot: Snapshot, symbol: str | None) -> AbstractContextManager[None]:
    """Let git search for a symbol's name while its file is parsed. A name in a line may be local."""
    name = (symbol or "").partition("#")[0].rpartition(".")[2]
    if not isinstance(snapshot, TreeSnapshot) or not name.isidentifier():
        return nullcontext()
    return snapshot.search_ahead(name)


Show = Callable[[str, str], "Shown"]
"""Returns a definition of a file as it is now, without recording it as read."""
_NAME_OPERATIONS = (Rename, Move, Imports)
"""Operations for which the caller need not have read the affected files."""


class FileTracker:
    """Files and definitions that one caller has read in one repository; thread-safe."""

    def __init__(self) -> None:
        self._blobs: dict[str, str | None] = {}
        self._symbols: dict[tuple[str, str], str] = {}
        self._lock = threading.Lock()

    def mark_seen(self, path: str, blob: str | None) -> None:
        """Record that the caller knows a file as a blob. None if the file does not exist."""
        with self._lock:
            self._blobs[path] = blob

    def note(self, answer: Any) -> None:
        """Record the contents of an answer: a file, a definition, or search results."""
        for row in answer if isinstance(answer, (list, tuple)) else (answer,):
            blob, symbol = getattr(row, "blob", None), getattr(row, "symbol", UNSET)
            if blob is not None:
                self.mark_seen(row.path, blob)
            if symbol is not UNSET and hasattr(symbol, "qualname"):
                with self._lock:
                    self._symbols[row.path, symbol.qualname] = row.hash

    def note_edit(self, done: Result, changeset: Changeset, show: Show) -> None:
        for row in done.patch.rows:
            self.mark_seen(row.path, row.after)
        for op in changeset.operations:
            if isinstance(op, AddressedOperation) and op.symbol is not None:
                with suppress(ScalpelError):  # the definition may be gone
                    shown = show(op.path, op.symbol)
                    if shown.symbol is not UNSET:
                        with self._lock:
                            self._symbols[shown.path, shown.symbol.qualname] = shown.hash

    def require_seen(self, would: Result, changeset: Changeset, show: Show) -> None:
        """Raise if an edit changes files that the caller has not read in their current state.

        ``would`` is the result of a dry run. Files that change only because of an operation on names need not
        be read.

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
                    "stale", f"{row.path} {what}", "read the file again, then repeat the edit", path=row.path
                )

    def _is_same(self, op: Operation, show: Show) -> bool:
        """Return True if the definition is as it was read, or lines are addressed by hashes."""
        if isinstance(op, Lines):
            return ":" in str(op.start) and (op.end is None or ":" in str(op.end))
        if not isinstance(op, AddressedOperation) or op.symbol is None:
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
    """Return the operations by path. None if there is a patch, which names its own files."""
    found: dict[str, list[Operation]] = {}
    for op in operations:
        if isinstance(op, Patch):
            return None
        if not isinstance(op, _NAME_OPERATIONS):
            found.setdefault(posixpath.normpath(op.path), []).append(op)
    return found


class Views(RepositoryMethods):
    """Views of the files of a branch."""

    def view(self, branch: str | None = None) -> View:
        """Return a view of a branch, by default the one that is checked out. Raises ``invalid_args``."""
        return View(self._ws, self._ws.target(branch))
