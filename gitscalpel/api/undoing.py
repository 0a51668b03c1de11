"""Undo and redo of operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gitscalpel.edit.unified_diff import UnifiedDiff
    from gitscalpel.transaction.undo_target import Step
from gitscalpel.api.open_repository import OpenRepository
from gitscalpel.landing import undo


class Undoing(OpenRepository):
    """Undo and redo operations."""

    def undo(self, id: str | None = None, *, onto: str | None = None) -> Step:  # noqa: A002
        """Take back your own last landing on a branch, or the one named.

        Raises:
            DoesNotFit: ``nothing_to_undo``.
            WorldMoved: ``merge_conflict``, or the checkout stands against it.
        """
        with self._ws.log_refusals("undo"):
            return undo.undo(self._ws, onto, id)

    def undo_since(self, id: str, *, onto: str | None = None) -> list[Step]:  # noqa: A002
        """Take back a step and all of your own after it in the same place, the newest first.

        Edits of the checkout go back all together or not at all; landings one by one.

        Raises:
            ScalpelError: as :meth:`undo`.
        """
        with self._ws.log_refusals("undo"):
            return undo.undo_since(self._ws, id, onto)

    def undoing(self, id: str | None = None, *, onto: str | None = None) -> tuple[Step, UnifiedDiff]:  # noqa: A002
        """What :meth:`undo` would take back and change, as a step that was not made and a patch.

        Raises:
            DoesNotFit: ``nothing_to_undo``.
            WorldMoved: ``merge_conflict``.
        """
        return undo.preview_undo(self._ws, onto, id)

    def redo(self, *, onto: str | None = None) -> Step:
        """Make the landing again that the last undo took back.

        Raises:
            DoesNotFit: ``nothing_to_undo``.
            WorldMoved: ``merge_conflict``, or the checkout stands against it.
        """
        with self._ws.log_refusals("redo"):
            return undo.redo(self._ws, onto)
