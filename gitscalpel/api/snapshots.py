"""Repository methods for the checkout as a whole: snapshots, gate checks and watched commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gitscalpel.changesets.answers import Fixes, Judged
    from gitscalpel.transaction.external_changes import Watched
    from gitscalpel.transaction.result import Result
    from gitscalpel.transaction.snapshots import Snapshot
    from gitscalpel.workspace import Workspace


class Snapshots:
    """What a :class:`gitscalpel.Repository` can do with the state of its checkout."""

    _ws: Workspace

    def snapshot(self, message: str = "") -> Snapshot:
        """Record what the checkout holds, tracked or not, but for what git ignores; no branch or index moves.

        Raises:
            BadCall: ``invalid_args``: there is no checkout.
            TryAgain: ``busy``: another process takes one.
        """
        from gitscalpel.transaction import snapshots

        return snapshots.take(self._ws, message)

    def snapshots(self) -> list[Snapshot]:
        """All that are kept, the newest first; they expire as undone commits do."""
        from gitscalpel.transaction import snapshots

        return snapshots.every(self._ws)

    def restore(self, id: str, paths: Sequence[str] = ()) -> tuple[Snapshot, Result | None]:  # noqa: A002
        """Bring the checkout, or the files and folders named, to where a snapshot has them.

        Returns:
            the snapshot of what was there; what has changed, a step that undo takes back, or None: it was so.

        Raises:
            DoesNotFit: ``tx_not_found`` or ``file_not_found``.
            WorldMoved: ``stale``: somebody keeps changing the files.
        """
        from gitscalpel.transaction import snapshots

        return snapshots.restore(self._ws, id, paths)

    def check_checkout(self, *, fresh: bool = False) -> Result:
        """Let every gate, programs too, judge what the checkout would make if all of it were committed.

        Args:
            fresh: run also those commands again whose verdict on this very tree is known.

        Raises:
            BadCall: ``invalid_args``: no branch is checked out.
            DoesNotFit: ``no_change``, or ``conflicted``: a file has conflict markers.
            GateRefused: the first refusal.
        """
        from gitscalpel.transaction import checkout_check

        return checkout_check.check(self._ws, fresh=fresh)

    def fixes_of_checkout(self, *, fresh: bool = False) -> Fixes:
        """Return what servers and linters find new in the checkout, with the fixes that they offer.

        Args:
            fresh: ask again also those whose word on this very tree is known.

        Raises:
            ScalpelError: as for :meth:`check_checkout`.
        """
        from gitscalpel.transaction import checkout_check

        return checkout_check.offered_fixes(self._ws, fresh=fresh)

    def check_staged(self, *, only: Sequence[str] = ()) -> Judged:
        """Let the gates that only read judge what is staged, against the commit that is checked out.

        Args:
            only: the gates to ask, of ``syntax``, ``structure``, ``policy`` and ``docs``; none: all that the
                rules of that commit ask for.

        Raises:
            BadCall: ``invalid_args``.
            DoesNotFit: ``conflicted``: a merge is not resolved.
            GateRefused: what they refuse; ``data`` has every finding.
        """
        from gitscalpel.transaction.check import staged_changes

        return staged_changes.staged(self._ws, only)

    def account(self, message: str) -> Result | None:
        """Make a step of what has changed in the checkout and is told of nowhere, since somebody last asked.

        Args:
            message: of the step, which undo takes back.

        Returns:
            what that is; None: nothing, or nobody has asked before.

        Raises:
            BadCall: ``invalid_args``: there is no checkout.
        """
        from gitscalpel.transaction import external_changes

        return external_changes.account(self._ws, message)

    def is_apart(self, path: str) -> bool:
        """Whether a file in the checkout is ignored by git, or in a repository of its own."""
        from gitscalpel.git import ignored

        return ignored.is_ignored_or_nested(self._ws.repo, path)

    def foresee(self, call: str, files: Mapping[str, bytes]) -> None:
        """Remember what files are to be after a call of somebody's tool, which names itself."""
        from gitscalpel.transaction import external_changes

        external_changes.foresee(self._ws, call, files)

    def foreseen(self, call: str) -> dict[str, bytes]:
        """What was remembered so, which is forgotten then; nothing, if nobody has."""
        from gitscalpel.transaction import external_changes

        return external_changes.foreseen(self._ws, call)

    def watch(self, *words: str, message: str | None = None, aloud: bool = True) -> Watched:
        """Run a command in the checkout; what it does to the files is one step that undo takes back.

        Args:
            words: the program and its arguments.
            message: of the step; None: one that names the command.
            aloud: what it prints goes where this process prints; else to standard error.

        Raises:
            BadCall: ``invalid_args``: there is no such program.
        """
        from gitscalpel.transaction import external_changes, static_gates

        static_gates.refuse_confined(self._ws, "a command")
        return external_changes.watch(self._ws, words, message, aloud=aloud)
