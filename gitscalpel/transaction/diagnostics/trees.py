"""The two trees that are compared, and what else those who are asked need to know of a change."""

from __future__ import annotations

from functools import cached_property

import msgspec

from gitscalpel.changesets.file_tree import Changes, Oid, content_of
from gitscalpel.edit.outcome import Outcome
from gitscalpel.gates.diagnostics.comparing import Text
from gitscalpel.gates.renames import Renames
from gitscalpel.git.tree_snapshot import TreeSnapshot
from gitscalpel.transaction.candidate import Candidate
from gitscalpel.transaction.check import reading
from gitscalpel.transaction.shadow import changed
from gitscalpel.workspace import Target, Workspace


class Trees(msgspec.Struct, frozen=True, dict=True):
    """A change of one tree into another.

    Attributes:
        ws, change, target: what is judged, and where it is to land.
        after: the tree that is judged; ``change`` leads to it, or to one that was mended into it.
        fresh: what was said before does not count.
    """

    ws: Workspace
    change: Candidate
    target: Target
    after: Oid
    fresh: bool = False

    @cached_property
    def before(self) -> Oid | None:
        """The tree before; None: there is none."""
        return self.ws.store.tree_of(self.change.meta.base)

    @cached_property
    def files(self) -> Changes:
        """What changes."""
        return changed(self.ws, self.before, self.after)

    @cached_property
    def outcome(self) -> Outcome:
        """The same as gates look at it."""
        return reading.between(self.ws.snapshot(self.change.meta.base), self.files)

    @cached_property
    def origins(self) -> dict[str, str]:
        """Where files were before that are called otherwise now."""
        return Renames(self.outcome).origins

    @property
    def texts(self) -> tuple[Text, Text]:
        """The files of the tree before, and of the one after."""
        after = TreeSnapshot(self.ws.store, self.ws.repo.git, self.after)
        before = self.outcome.overlay.below
        return lambda path: content_of(before, path), lambda path: content_of(after, path)
