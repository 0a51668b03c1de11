"""Undo and redo edits of the checkout, byte for byte, from the commits of their steps.

If a file has been edited elsewhere since, the three versions are merged by lines, as git does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from gitscalpel.changesets.answers import CHECKOUT, quoted
from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, Change, Changes, Oid
from gitscalpel.changesets.file_tree import Entry as TreeEntry
from gitscalpel.edit.unified_diff import UnifiedDiff, describe_changes
from gitscalpel.errors import DoesNotFit, WorldMoved
from gitscalpel.errors.messages import call
from gitscalpel.git import checkout, working_tree
from gitscalpel.git.merges import Overlap, merge_file
from gitscalpel.git.oplog import Entry, Record
from gitscalpel.git.working_tree import WorkTree
from gitscalpel.system.repo_lock import Lock
from gitscalpel.transaction import static_gates
from gitscalpel.transaction.checkout.edit_checkout import record_of, until_still
from gitscalpel.transaction.movement import auto_recovery, checkout_write
from gitscalpel.transaction.movement.branch_update import FileOutcome, Landed
from gitscalpel.transaction.movement.checkout_write import Rewrite
from gitscalpel.transaction.open_transaction import between
from gitscalpel.transaction.undo_target import Step
from gitscalpel.workspace import Workspace

_PLAIN = {REGULAR, EXECUTABLE}


def undo(ws: Workspace, taken: Sequence[Entry]) -> list[Step]:
    """Take edits back in this order, all of them or none.

    Raises:
        DoesNotFit: ``nothing_to_undo``.
        WorldMoved: ``merge_conflict``: the same place has been edited since; ``stale``.
    """
    with auto_recovery.locked(ws) as held:
        return until_still(lambda: _stepped(ws, "undo", taken, held))


def redo(ws: Workspace, taken: Entry) -> Step:
    """Make the edit again that an undo took back.

    Raises:
        DoesNotFit, WorldMoved: as :func:`undo`.
    """
    with auto_recovery.locked(ws) as held:
        (step,) = until_still(lambda: _stepped(ws, "redo", [taken], held))
        return step


def undoing(ws: Workspace, taken: Entry) -> tuple[Step, UnifiedDiff]:
    """What :func:`undo` would take back, and what that would change; nothing is written.

    Raises:
        DoesNotFit, WorldMoved: as :func:`undo`.
    """
    files = _Files(ws)
    changes = files.taken_back(taken.record)
    return _step(taken, changes, None), describe_changes(Changes(changes, files.read))


def _stepped(ws: Workspace, kind: Literal["undo", "redo"], taken: Sequence[Entry], held: Lock) -> list[Step]:
    files = _Files(ws)
    wanted = [_rewrite(ws, kind, each, files.taken_back(each.record)) for each in taken]
    done = checkout_write.rewrite_along(ws.repo, ws.store, held, wanted)
    return [
        _step(each, rewrite.changes, rewritten.entry)
        for each, rewrite, rewritten in zip(taken, wanted, done, strict=True)
    ]


def _rewrite(ws: Workspace, kind: Literal["undo", "redo"], taken: Entry, changes: list[Change]) -> Rewrite:
    static_gates.refuse_outside(ws, changes)
    record = record_of(ws, kind, taken.record.tx, taken.record.message, changes)
    return Rewrite(tuple(changes), msgspec.structs.replace(record, undoes=taken.oid))


def _step(taken: Entry, changes: Iterable[Change], entry: Oid | None) -> Step:
    became = tuple(FileOutcome(path, "written" if new else "removed") for path, _, new in changes)
    landed = Landed(None, None, entry or Oid(""), became)
    return Step(taken.record.tx, CHECKOUT, landed, False, taken.record.message)


class _Files:
    """The files of the checkout as they are, and as the steps that are taken back leave them one by one."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self._work: WorkTree = working_tree.files_of(ws.repo, ws.store)
        self._now: dict[str, TreeEntry | None] = {}
        self._read: dict[Oid, bytes] = {}

    def taken_back(self, record: Record) -> list[Change]:
        """What brings the files to where they were before a step.

        Raises:
            DoesNotFit: ``nothing_to_undo``: they are there, or nobody holds any more what they were.
            WorldMoved: ``merge_conflict``.
        """
        before, after = (Oid(str(commit)) for commit in (record.before, record.after))
        if not (self._ws.holds(before) and self._ws.holds(after)):
            raise DoesNotFit(
                "nothing_to_undo",
                f"what {record.tx} had found in the files has expired",
                "it is kept for 14 days (git config scalpel.keepDays); edit anew",
                tx=record.tx,
            )
        made = between(self._ws, before, after)
        # Those that go away make room for files that come back where their folders are.
        for each in made:
            self._look(each.path, {change.path for change in made if change.old is None})
        found = [Change(each.path, self._now[each.path], self._goal(each, record.tx)) for each in made]
        changes = [change for change in found if change.old != change.new]
        if not changes:
            raise DoesNotFit(
                "nothing_to_undo",
                f"the files hold nothing of {record.tx}: they are as they would be without it",
                f"{call('log')} lists the steps; name another one to take that back",
                tx=record.tx,
                by_hand=True,
            )
        self._now.update((path, new) for path, _, new in changes)
        return changes

    def read(self, oid: Oid) -> bytes:
        """The bytes of a state."""
        return self._read[oid] if oid in self._read else self._ws.store.read(oid)

    def _look(self, path: str, leaving: set[str]) -> None:
        if path in self._now:
            return
        entry = checkout.unless_emptied(self._work, path, leaving)
        self._now[path] = entry
        if entry is not None and entry.oid:
            self._read[entry.oid] = self._work.read(path)

    def _goal(self, made: Change, tx: str) -> TreeEntry | None:
        """What becomes of a path that a step brought from ``made.old`` to ``made.new``."""
        now, was, became = self._now[made.path], made.old, made.new
        if self._work.same(now, became) or self._work.same(now, was):
            return was
        if now is None or was is None or became is None or {now.mode, was.mode, became.mode} - _PLAIN:
            raise _changed_since(made.path, tx)
        repo = self._ws.repo
        texts = (self.read(entry.oid) for entry in (now, became, was))
        merged = merge_file(repo.git, repo.scalpel_dir, *texts)
        if isinstance(merged, Overlap):
            raise _changed_since(made.path, tx, merged.lines)
        return TreeEntry(now.mode if was.mode == became.mode else was.mode, self._ws.store.write_blob(merged))


def _changed_since(path: str, tx: str, lines: tuple[tuple[int, int], ...] = ()) -> WorldMoved:
    spans = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in lines)
    where = f" (line{'s' * (not spans.isdecimal())} {spans})" if spans else ""
    return WorldMoved(
        "merge_conflict",
        f"{quoted(path)} has been edited since where {tx} had edited it{where}",
        f"take back first what was done since ({call('log')} lists it), or edit it by hand",
        files=[{"path": quoted(path), "lines": [list(span) for span in lines]}],
    )
