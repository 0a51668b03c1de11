"""Views of the files of a branch, the checkout or a transaction: outline, find, show, references."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeVar

from gitscalpel.changesets import paths
from gitscalpel.changesets.file_tree import SUBMODULE, SYMLINK, TREE, Overlay, Snapshot
from gitscalpel.errors import DoesNotFit
from gitscalpel.workspace import Target, Workspace

if TYPE_CHECKING:
    from gitscalpel.changesets.answers import FileOutline, Match, References, Shown
    from gitscalpel.changesets.operations import Refs

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
                return self._noted(text_search.search(self._ws, self._target, text, paths, limit))
        from gitscalpel.api import queries

        return self._noted(queries.find(self._ws, self._target, selector, paths, limit, code=code))

    def _noted(self, answer: Answer) -> Answer:
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
        from gitscalpel.api import query_cache
        from gitscalpel.changesets.answers import References
        from gitscalpel.changesets.operations import Refs
        from gitscalpel.changesets.validation import check

        op = Refs(path=path, symbol=symbol, start=start, name=name, trust=trust)
        check(op)
        if op.trust is not None:  # what a language server says rests on more than the tree
            return self._refs(op, self._target.snapshot)
        return query_cache.once(self._ws, self._target, op, References, partial(self._refs, op))

    def _refs(self, op: Refs, snapshot: Snapshot) -> References:
        from gitscalpel.api.reference_rows import list_references
        from gitscalpel.names.files import Files
        from gitscalpel.names.language_registry import dialect
        from gitscalpel.names.resolver import Resolver
        from gitscalpel.transaction.language_server import witness

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
        from gitscalpel.changesets.operations import Show
        from gitscalpel.changesets.validation import check_address

        address = {"symbol": symbol, "query": query, "match": match, "node": node, "start": start, "end": end}
        at = Show(path=path, kind=kind, base=base, **address)  # type: ignore[arg-type]
        if any(value is not None for value in address.values()):
            check_address(at)
        return self._noted(queries.show(self._ws, self._target, at, checkout))

    def peek(self, path: str, symbol: str) -> Shown:
        """Show a definition to a tracker, which does not note it as read."""
        from gitscalpel.api import queries
        from gitscalpel.changesets.operations import Show

        return queries.show(self._ws, self._target, Show(path=path, symbol=symbol))

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
