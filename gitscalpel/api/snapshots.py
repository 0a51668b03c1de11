"""Repository methods for the checkout as a whole: snapshots, gate checks and watched commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gitscalpel.api.open_repository import RepositoryMethods
from gitscalpel.git import attributes
from gitscalpel.landing import checkout_check, external_changes, snapshots
from gitscalpel.transaction import static_gates
from gitscalpel.transaction.check import staged_changes

if TYPE_CHECKING:
    from gitscalpel.changesets.answers import Fixes, Judged
    from gitscalpel.landing.external_changes import Watched
    from gitscalpel.landing.snapshots import Snapshot
    from gitscalpel.transaction.result import Result


class Snapshots(RepositoryMethods):
    """Methods of a :class:`gitscalpel.Repository` for its checkout as a whole."""

    def snapshot(self, message: str = "") -> Snapshot:
        """Record all files of the checkout that git does not ignore, without moving a branch or the index.

        Raises:
            BadCall: ``invalid_args``: there is no checkout.
            TryAgain: ``busy``: another process takes a snapshot.
        """
        return snapshots.take(self._ws, message)

    def snapshots(self) -> list[Snapshot]:
        """Return all snapshots, newest first. They expire like undone commits."""
        return snapshots.list_snapshots(self._ws)

    def restore(self, id: str, paths: Sequence[str] = ()) -> tuple[Snapshot, Result | None]:  # noqa: A002
        """Restore the checkout, or the given files and directories, from a snapshot.

        Return a snapshot of the state before, and the result, which undo can revert, or None if nothing
        differed.

        Raises:
            DoesNotFit: ``tx_not_found`` or ``file_not_found``.
            WorldMoved: ``stale``: another process keeps changing the files.
        """
        return snapshots.restore(self._ws, id, paths)

    def check_checkout(self, *, fresh: bool = False) -> Result:
        """Run every gate on the commit that all changes of the checkout would make.

        ``fresh`` ignores cached verdicts.

        Raises:
            BadCall: ``invalid_args``: no branch is checked out.
            DoesNotFit: ``no_change``, or ``conflicted``: a file has conflict markers.
            GateRefused: the first failure.
        """
        return checkout_check.check(self._ws, fresh=fresh)

    def fixes_of_checkout(self, *, fresh: bool = False) -> Fixes:
        """Return new problems that servers and linters find in the checkout, with the fixes that they offer.

        ``fresh`` ignores cached answers. Raises as :meth:`check_checkout` does.
        """
        return checkout_check.list_fixes(self._ws, fresh=fresh)

    def check_staged(self, *, only: Sequence[str] = ()) -> Judged:
        """Run the static gates on the staged changes, against the commit that is checked out.

        ``only`` names the gates to run. Empty for all that the rules of that commit ask for.

        Raises:
            BadCall: ``invalid_args``.
            DoesNotFit: ``conflicted``: a merge is not resolved.
            GateRefused: a gate failed; ``data`` contains every finding.
        """
        return staged_changes.check_staged(self._ws, only)

    def account(self, message: str) -> Result | None:
        """Record the changes of the checkout that no operation has recorded since the last call, for undo.

        Return None if nothing changed, or this is the first call.

        Raises:
            BadCall: ``invalid_args``: there is no checkout.
        """
        return external_changes.record_external_changes(self._ws, message)

    def is_apart(self, path: str) -> bool:
        """Return True if a file in the checkout is ignored by git, or in a nested repository."""
        return attributes.is_ignored_or_nested(self._ws.repo, path)

    def foresee(self, call: str, files: Mapping[str, bytes]) -> None:
        """Record the expected contents of files after a call of another tool, under the id of the call."""
        external_changes.note_expected_files(self._ws, call, files)

    def foreseen(self, call: str) -> dict[str, bytes]:
        """Return and forget the recorded contents for a call. Empty if there are none."""
        return external_changes.take_expected_files(self._ws, call)

    def watch(self, *words: str, message: str | None = None, aloud: bool = True) -> Watched:
        """Run a command in the checkout, and record its changes of files as one operation for undo.

        Without ``aloud`` its output goes to standard error.

        Raises:
            BadCall: ``invalid_args``: there is no such program.
        """
        static_gates.require_unconfined(self._ws, "a command")
        return external_changes.watch(self._ws, words, message, aloud=aloud)
