"""Find the operation-log entry of an undo or redo, and define the types of its answer."""

from __future__ import annotations

from collections.abc import Container, Iterator

import msgspec

from gitscalpel.changesets.answers import CHECKOUT, short_branch_name
from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import DoesNotFit
from gitscalpel.errors.messages import call
from gitscalpel.git import journal, oplog, refs
from gitscalpel.git.oplog import Entry, Record
from gitscalpel.transaction.branch_update import Landed
from gitscalpel.workspace.workspace import Workspace


class Step(msgspec.Struct, frozen=True):
    """A landing or edit of the checkout that was undone or redone."""

    tx: str
    branch: str  # ``refs/heads/…``, or the name of the checkout
    landed: Landed  # the move of the branch; for the checkout only the outcome of each file
    revert: bool  # True if a revert commit was made, because there were later commits
    message: str


class Scope(msgspec.Struct, frozen=True):
    """Places to search for steps: a branch, this worktree's files, or both.

    ``either`` is True if the caller named neither.
    """

    branch: str | None
    checkout: bool
    either: bool = False

    def holds(self, ws: Workspace, record: Record) -> bool:
        if record.where == CHECKOUT:
            return self.checkout and record.place == journal.worktree_name(ws.repo)
        return record.branch != "" and record.branch == self.branch

    @property
    def words(self) -> str:
        places = [f"on {short_branch_name(self.branch)}"] if self.branch else []
        return " or ".join([*places, *(["in the checkout"] if self.checkout else [])])


def parse_scope(ws: Workspace, onto: str | None) -> Scope:
    """Return the scope that ``onto`` names. None means the checked-out branch and the checkout itself.

    Raises:
        BadCall: ``invalid_args``: there is no such branch or checkout.
    """
    if onto == CHECKOUT:
        ws.refuse_bare()
        return Scope(None, True)
    if onto is not None or ws.repo.work_tree is None or ws.inside is not None:
        return Scope(ws.repo.branch(onto), False)
    return Scope(ws.repo.head, True, either=True)


def find_undo_target(
    ws: Workspace,
    scope: Scope,
    tx: str | None = None,
    passed: Container[Oid] = (),
    *,
    report: bool = False,
) -> Entry:
    """Return the named step, or the caller's last one that is in force and not in ``passed``.

    Later steps of others stay: callers may undo what they did themselves. With ``report``, the caller is
    told of the newest of these, which may be the one that was meant.

    Raises:
        DoesNotFit: ``nothing_to_undo``.
    """
    if tx is not None:
        return _find_named(ws, scope, tx)
    last: Entry | None = None
    for entry in iter_in_force(ws, scope):
        if entry.oid in passed:
            continue
        if is_own(ws, entry.record):
            if report and last is not None:
                newer = last.record.tx
                undo_it = call("undo", tx=newer)
                ws.notify(f"{newer} by {author_of(last.record)} is newer and stays; {undo_it} undoes it")
            return entry
        last = last or entry
    if last is None:
        _require_place(ws, scope)
        raise DoesNotFit(
            "nothing_to_undo",
            f"nothing can be undone {scope.words}",
            f"run `{call('log')}` to see what was done and undone",
        )
    theirs = f"{last.record.tx} by {author_of(last.record)}"
    raise DoesNotFit(
        "nothing_to_undo",
        f"none of your steps can be undone {scope.words}: the last step is {theirs}",
        f"to undo it anyway: {call('undo', tx=last.record.tx)}",
        tx=last.record.tx,
        user=last.record.user,
        agent=last.record.agent,
    )


def author_of(record: Record) -> str:
    return record.user + (f" ({record.agent})" if record.agent else "")


def _require_place(ws: Workspace, scope: Scope) -> None:
    """Raise if the branch does not exist, or no branch is named or checked out."""
    if scope.branch and not scope.checkout:
        ws.at(scope.branch)
    if scope.either and scope.branch is None:
        ws.repo.branch()


def _find_named(ws: Workspace, scope: Scope, tx: str) -> Entry:
    wanted = refs.bare_id(tx)
    steps = iter_in_force(ws, scope) if len(wanted) >= refs.MIN_ID_LENGTH else ()
    found = next((entry for entry in steps if entry.record.tx.startswith(wanted)), None)
    if found is None:
        other = _find_other_place(ws, wanted) if len(wanted) >= refs.MIN_ID_LENGTH else ""
        raise DoesNotFit(
            "nothing_to_undo",
            f"no change of {tx} is in effect {scope.words}",
            f"it is on {other}: {call('undo', tx=tx, onto=other)}"
            if other
            else f"{call('log')} lists the steps",
        )
    return found


def _find_other_place(ws: Workspace, wanted: str) -> str:
    """Return another place where the step is in force, as an argument for :func:`parse_scope`, or ""."""
    records = (entry.record for entry in oplog.read_log(ws.repo))
    places = dict.fromkeys(record.where for record in records if record.tx.startswith(wanted))
    for place in places:
        other_scope = Scope(None, True) if place == CHECKOUT else Scope(place, False)
        if any(entry.record.tx.startswith(wanted) for entry in iter_in_force(ws, other_scope)):
            return short_branch_name(place)
    return ""


def find_redo_target(ws: Workspace, scope: Scope) -> Entry:
    """Return the caller's last undo that has not been redone or ended. Raises ``nothing_to_undo``."""
    undone = next(_iter_redoable(ws, scope), None)
    if undone is None:
        _require_place(ws, scope)
        raise DoesNotFit(
            "nothing_to_undo",
            f"none of your undos {scope.words} can be redone",
            f"{call('log')} lists the steps; you cannot redo after a later landing or edit",
        )
    return undone


def iter_in_force(ws: Workspace, scope: Scope) -> Iterator[Entry]:
    """Yield landings, edits and redos that have not been undone, newest first.

    The log is read lazily: an undo comes before the step that it undoes.
    """
    taken_back: set[str | None] = set()
    for entry in oplog.read_log(ws.repo):
        record = entry.record
        if not scope.holds(ws, record):
            continue
        if record.kind == "undo":
            taken_back.add(record.undoes)
        elif record.kind in ("land", "edit", "redo") and entry.oid not in taken_back:
            yield entry


def _iter_redoable(ws: Workspace, scope: Scope) -> Iterator[Entry]:
    """Yield the caller's undos that have not been redone, newest first.

    A later landing or edit of the caller in the same place ends them; steps of others do not.
    """
    made_again: set[str | None] = set()
    ended: set[str] = set()
    for entry in oplog.read_log(ws.repo):
        record = entry.record
        if not scope.holds(ws, record) or record.where in ended:
            continue
        if record.kind == "redo":
            made_again.add(record.undoes)
        if not is_own(ws, record):
            continue
        if record.kind in ("land", "edit"):
            ended.add(record.where)
        elif record.kind == "undo" and entry.oid not in made_again:
            yield entry


def is_own(ws: Workspace, record: Record) -> bool:
    """Return True if the caller made a step: the same user with the same agent."""
    return record.user == ws.user() and record.agent == ws.session.agent
