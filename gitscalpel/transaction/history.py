"""Undo and redo, told from the operation log alone."""

from __future__ import annotations

import time
from typing import Literal

import msgspec

from gitscalpel import landing
from gitscalpel.errors import DoesNotFit, WorldMoved
from gitscalpel.git import oplog, refs
from gitscalpel.git.oplog import Entry, Record
from gitscalpel.git.refs import RefUpdate
from gitscalpel.landing import Landed, Movement
from gitscalpel.snapshot import Change, Oid, is_in_the_way
from gitscalpel.transaction import healing
from gitscalpel.transaction.shadow import between, from_disk
from gitscalpel.workspace import Workspace, agent


class Step(msgspec.Struct, frozen=True):
    """A landing that was taken back or made again.

    Attributes:
        tx: the transaction.
        branch: ``refs/heads/…``.
        landed: the movement.
        revert: a revert commit was made, since something stood on the landing.
        message: of the landing.
    """

    tx: str
    branch: str
    landed: Landed
    revert: bool
    message: str


class _Stacks(msgspec.Struct, frozen=True):
    """What can be undone and redone on one branch, the newest last."""

    undoable: list[Entry]
    redoable: list[tuple[Entry, Entry]]
    """Each undo with the landing (or redo) that it took back."""


def undo(ws: Workspace, onto: str | None = None, tx: str | None = None) -> Step:
    """Take back your own last landing on a branch, or the one named.

    Raises:
        DoesNotFit: ``nothing_to_undo``.
        WorldMoved: ``merge_conflict``, or what :func:`gitscalpel.landing.move` raises.
    """
    branch = ws.repo.branch(onto)
    with healing.locked(ws) as held:
        entry = _to_undo(ws, branch, tx)
        landing_record = entry.record
        tip = ws.commit(branch)
        at = tip.oid if tip else None
        before, after = _oid(landing_record.before), _oid(landing_record.after)
        revert = at != after or _is_published(ws, after)
        new = _reverted(ws, at, before, after, f"Undo: {landing_record.message}") if revert else before
        record = _record(ws, "undo", entry, revert)
        keep = refs.KEEP + entry.record.tx
        held_by = refs.values(ws.repo, [keep]).get(keep)
        kept = () if revert else (RefUpdate(keep, held_by, after),)
        disk = from_disk(ws, before, landing_record.adopted)
        movement = Movement(branch, at, new, record, kept, restored=disk)
        landed = landing.move(ws.repo, ws.store, held, movement)
    return Step(landing_record.tx, branch, landed, revert, landing_record.message)


def redo(ws: Workspace, onto: str | None = None) -> Step:
    """Make the landing again that the last undo took back.

    Raises:
        DoesNotFit: ``nothing_to_undo``.
        WorldMoved: ``merge_conflict``, or what :func:`gitscalpel.landing.move` raises.
    """
    branch = ws.repo.branch(onto)
    with healing.locked(ws) as held:
        stacks = _stacks(ws, branch)
        mine = [pair for pair in stacks.redoable if _is_own(ws, pair[0].record)]
        if not mine:
            raise DoesNotFit(
                "nothing_to_undo",
                f"on {_name(branch)} no undo of yours can be taken back",
                "git scalpel log shows what happened; a landing after an undo ends what can be redone",
            )
        undone, original = mine[-1]
        tip = ws.commit(branch)
        at = tip.oid if tip else None
        before, after = _oid(undone.record.before), _oid(undone.record.after)
        direct = at == after
        new = before if direct else _reverted(ws, at, before, after, f"Redo: {original.record.message}")
        record = _record(ws, "redo", undone, not direct)
        disk = from_disk(ws, after, undone.record.adopted)
        landed = landing.move(ws.repo, ws.store, held, Movement(branch, at, new, record, adopted=disk))
    return Step(undone.record.tx, branch, landed, not direct, original.record.message)


def _to_undo(ws: Workspace, branch: str, tx: str | None) -> Entry:
    undoable = _stacks(ws, branch).undoable
    if tx is not None:
        wanted = refs.bare_id(tx)
        named = len(wanted) >= refs.SHORTEST
        found = [entry for entry in undoable if named and entry.record.tx.startswith(wanted)]
        if not found:
            raise DoesNotFit(
                "nothing_to_undo",
                f"no landing of {tx} is in force on {_name(branch)}",
                "git scalpel log lists the landings",
            )
        return found[-1]
    if not undoable:
        raise DoesNotFit(
            "nothing_to_undo", f"nothing has landed on {_name(branch)}", "git scalpel log shows what has"
        )
    last = undoable[-1]
    if not _is_own(ws, last.record):
        who = last.record.user + (f" ({last.record.agent})" if last.record.agent else "")
        raise DoesNotFit(
            "nothing_to_undo",
            f"the last landing on {_name(branch)} is {last.record.tx} by {who}, not yours",
            f"name it if you mean it: git scalpel undo {last.record.tx}",
            tx=last.record.tx,
            user=last.record.user,
            agent=last.record.agent,
        )
    return last


def _stacks(ws: Workspace, branch: str) -> _Stacks:
    undoable: list[Entry] = []
    redoable: list[tuple[Entry, Entry]] = []
    for entry in reversed(list(oplog.read(ws.repo))):
        record = entry.record
        if record.branch != branch:
            continue
        if record.kind == "land":
            undoable.append(entry)
            redoable.clear()
        elif record.kind == "undo":
            taken = next((e for e in undoable if e.oid == record.undoes), None)
            if taken is not None:
                undoable.remove(taken)
                redoable.append((entry, taken))
        elif record.kind == "redo":
            redoable[:] = [pair for pair in redoable if pair[0].oid != record.undoes]
            undoable.append(entry)
    return _Stacks(undoable, redoable)


def _reverted(ws: Workspace, at: Oid | None, before: Oid | None, after: Oid | None, message: str) -> Oid:
    """A commit on ``at`` that takes its files from ``after`` back to ``before``."""
    tip = ws.snapshot(ws.commit(at) if at else None)
    made = between(ws, before, after)
    overlap = sorted(change.path for change in made if is_in_the_way(tip, change.path, change.new))
    back = bool(made) and all(tip.entry(change.path) == change.old for change in made)
    if back and not _holds(ws, at, after):
        raise DoesNotFit(
            "nothing_to_undo",
            "the branch holds nothing of it: its files are as they were before",
            "git scalpel log lists the landings; name another one to take that back",
            paths=overlap,
        )
    if overlap:
        raise WorldMoved(
            "merge_conflict",
            f"what stands on it has changed {', '.join(overlap[:5])} since",
            "take back the later landings first, or edit the files anew",
            paths=overlap,
        )
    changes = [Change.to(change.path, change.old) for change in made]
    return ws.store.write_commit(ws.store.write_tree(tip.tree, changes), [at] if at else [], message)


def _holds(ws: Workspace, tip: Oid | None, commit: Oid | None) -> bool:
    """Whether ``commit`` is in the history of ``tip``; git itself may have moved the branch since."""
    if tip is None or commit is None:
        return tip == commit
    return not ws.repo.git("rev-list", "--max-count=1", commit, f"^{tip}").strip()


def _is_published(ws: Workspace, commit: Oid | None) -> bool:
    """Whether a remote-tracking branch holds the commit."""
    if commit is None:
        return False
    return bool(ws.repo.git("for-each-ref", "--count=1", "--contains", commit, "refs/remotes").strip())


def _record(ws: Workspace, kind: Literal["undo", "redo"], taken: Entry, revert: bool) -> Record:
    return Record(
        kind=kind,
        tx=taken.record.tx,
        user=ws.user(),
        time=int(time.time()),
        message=taken.record.message,
        agent=agent(),
        paths=taken.record.paths,
        undoes=taken.oid,
        revert=revert,
        adopted=taken.record.adopted,
    )


def _is_own(ws: Workspace, record: Record) -> bool:
    return record.user == ws.user() and record.agent == agent()


def _oid(text: str | None) -> Oid | None:
    return Oid(text) if text else None


def _name(branch: str) -> str:
    return branch.removeprefix("refs/heads/")
