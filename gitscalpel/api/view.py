"""What can be looked at: the files of a branch, or of a transaction."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from gitscalpel import paths
from gitscalpel.snapshot import Overlay
from gitscalpel.workspace import Target, Workspace

if TYPE_CHECKING:
    from gitscalpel.views import FileOutline, Match, Shown


class View:
    """The files of a branch, or of a transaction, as they are at this moment."""

    def __init__(self, ws: Workspace, target: Target) -> None:
        self._ws = ws
        self._target = target

    def outline(self, paths: Iterable[str] = ("",)) -> list[FileOutline]:
        """The symbols of files, and of the files in a known language below folders.

        Raises:
            DoesNotFit: ``file_not_found`` or ``unsupported_language``.
        """
        from gitscalpel import look

        return look.outline(self._ws, self._target, paths)

    def find(self, selector: str, paths: Iterable[str] = ("",)) -> list[Match]:
        """The definitions that a selector matches, by file and in document order.

        Raises:
            BadCall: ``query_syntax``.
            DoesNotFit: ``file_not_found`` or ``unsupported_language``.
        """
        from gitscalpel import look

        return look.find(self._ws, self._target, selector, paths)

    def show(
        self,
        path: str,
        *,
        symbol: str | None = None,
        kind: str | None = None,
        lines: str | int | None = None,
        checkout: bool = False,
    ) -> Shown:
        """A file, a symbol of it or some of its lines, with the hashes to edit by.

        Args:
            path: relative to the root of the repository.
            symbol: such as ``Outer.inner``.
            kind: of the symbol, where names are shared.
            lines: ``42``, ``"42-55"`` or ``"42:9f3c-55:01be"``.
            checkout: the file on disk, and not as it is here.

        Raises:
            BadCall: ``invalid_ref`` or ``invalid_range``.
            DoesNotFit: there is no such file, symbol or line.
            WorldMoved: ``stale``: a line hash differs.
        """
        from gitscalpel import look
        from gitscalpel.text.anchors import parse_range

        wanted = None if lines is None else parse_range(lines)
        return look.show(
            self._ws, self._target, path, symbol=symbol, kind=kind, lines=wanted, checkout=checkout
        )

    def read(self, path: str) -> bytes:
        """The bytes of a file.

        Raises:
            DoesNotFit: ``file_not_found`` or ``not_a_file``.
        """
        _, entry = paths.existing(path, Overlay(self._target.snapshot))
        return self._ws.store.read(entry.oid)
