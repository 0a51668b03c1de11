"""Fixes that language servers and linters offer for new problems in a change, chosen by number."""

from __future__ import annotations

from gitscalpel.changesets.answers import DiagnosticRow, Fixes, OfferedFix, quoted
from gitscalpel.changesets.file_tree import Changes, Overlay
from gitscalpel.changesets.operations import Patch
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.edit.unified_diff import describe_changes
from gitscalpel.errors import DoesNotFit, ScalpelError
from gitscalpel.gates.diagnostics import Diagnostic, Remedy, new_diagnostics
from gitscalpel.git.snapshots import TreeSnapshot
from gitscalpel.transaction.candidate import Candidate
from gitscalpel.transaction.check.diagnostics_gate import Trees, hear
from gitscalpel.workspace import Workspace


class _Offers:
    """Fixes of one tree, numbered from 1 in the order of files and lines."""

    def __init__(self, trees: Trees) -> None:
        self._files = TreeSnapshot(trees.ws.store, trees.ws.repo.git, trees.after)
        self._heard = hear(trees)
        self.patches: dict[int, Patch] = {}

    def rows(self) -> Fixes:
        """Return the diagnostics with what is offered for each."""
        rows = []
        for each in sorted(
            new_diagnostics(self._heard), key=lambda each: (each.path, each.line, each.column)
        ):
            fixes = tuple(fix for remedy in each.remedies if (fix := self._offered(each, remedy)))
            by = next((one.by for one in self._heard if each in (one.new or ())), "")
            rows.append(
                DiagnosticRow(
                    path=quoted(each.path),
                    line=each.line,
                    column=each.column,
                    message=each.told,
                    severity=each.severity,
                    by=by,
                    fixes=fixes,
                )
            )
        silent = tuple(f"{one.by}: {one.silent}" for one in self._heard if one.new is None)
        return Fixes(diagnostics=tuple(rows), unchecked=silent)

    def _offered(self, each: Diagnostic, remedy: Remedy) -> OfferedFix | None:
        """Return a fix with its number; None if it does not apply, or changes other files."""
        operation = Patch(path=each.path, diff=remedy.patch)
        try:
            outcome = apply((operation,), Overlay(self._files))
        except ScalpelError:
            return None
        changes = Changes(outcome.changes, outcome.overlay.read)
        number = len(self.patches) + 1
        self.patches[number] = operation
        return OfferedFix(
            n=number, title=remedy.title, is_safe=remedy.is_safe, diff=describe_changes(changes).diff
        )


def offered(ws: Workspace, change: Candidate, *, fresh: bool = False) -> Fixes:
    """Return what is new and wrong in a change, with the fixes that are offered for it.

    Raises:
        NotAllowed: ``untrusted``: of the commands that would be asked.
        ScalpelError: no worktree can be made ready.
    """
    return _offers(ws, change, fresh).rows()


def chosen(ws: Workspace, change: Candidate, number: int, *, fresh: bool = False) -> Patch:
    """Return the edit that one of these fixes is.

    Raises:
        DoesNotFit: ``index_out_of_range``: no fix has the number.
        NotAllowed, ScalpelError: as for :func:`offered`.
    """
    offers = _offers(ws, change, fresh)
    offers.rows()
    if number not in offers.patches:
        count = len(offers.patches)
        raise DoesNotFit(
            "index_out_of_range",
            f"there is no fix {number}: {count or 'none'} {'is' if count == 1 else 'are'} offered",
            "list the fixes again; their numbers follow from what is wrong now",
        )
    return offers.patches[number]


def _offers(ws: Workspace, change: Candidate, fresh: bool) -> _Offers:
    return _Offers(Trees(ws, change, ws.at(change.meta.branch), change.tree(ws), fresh))
