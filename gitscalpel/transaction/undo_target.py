"""Find the step that an undo or redo means in the operation log, and the answer's types."""

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
from gitscalpel.workspace import Workspace


class Step(msgspec.Struct, frozen=True):
    """A landing, or an edit of the checkout, that was taken back or made again.

    Attributes:
        tx: the transaction.
        branch: ``refs/heads/…``, or the name of the checkout.
        landed: the movement; of the checkout's files only what became of each.
        revert: a revert commit was made, since something stood on the landing.
        message: of the landing.
    """

    tx: str
    branch: str
    landed: Landed
    revert: bool
    message: str


class Scope(msgspec.Struct, frozen=True):
    """Places where steps are looked for: a branch, this worktree's files, or both.

    ``either`` says that nobody has named one of them.
    """

    branch: str | None
    checkout: bool
    either: bool = False

    def holds(self, ws: Workspace, record: Record) -> bool:
        """Return True if a step was made there."""
        if record.where == CHECKOUT:
            return self.checkout and record.place == journal.worktree_name(ws.repo)
        return record.branch != "" and record.branch == self.branch

    @property
    def words(self) -> str:
        """As people say it."""
        places = [f"on {short_branch_name(self.branch)}"] if self.branch else []
        return " or ".join([*places, *(["in the checkout"] if self.checkout else [])])


def parse_scope(ws: Workspace, onto: str | None) -> Scope:
    """Return the scope that ``onto`` names; None: the branch that is checked out, and the checkout itself.

    Raises:
        BadCall: ``invalid_args``: there is nothing that it could be.
    """
    if onto == CHECKOUT:
        ws.refuse_bare()
        return Scope(None, True)
    if onto is not None or ws.repo.work_tree is None or ws.inside is not None:
        return Scope(ws.repo.branch(onto), False)
    return Scope(ws.repo.head, True, either=True)


def find_undo_target(
    ws: Workspace, where: Scope, tx: str | None = None, passed: Container[Oid] = ()
) -> Entry:
    """Return the step named, or the caller's own last one in force that is not in ``passed``.

    Steps of others that were made since stay: what the caller has done is theirs to take back.

    Raises:
        DoesNotFit: ``nothing_to_undo``.
    """
    if tx is not None:
        return _find_named(ws, where, tx)
    last: Entry | None = None
    for entry in iter_in_force(ws, where):
        if entry.oid in passed:
            continue
        if is_own(ws, entry.record):
            return entry
        last = last or entry
    if last is None:
        _require_place(ws, where)
        raise DoesNotFit(
            "nothing_to_undo",
            f"nothing is in force {where.words}",
            f"{call('log')} shows what was done, and what was undone",
        )
    theirs = f"{last.record.tx} by {author_of(last.record)}"
    raise DoesNotFit(
        "nothing_to_undo",
        f"nothing of yours is in force {where.words}: the last step is {theirs}",
        f"name it if you mean it: {call('undo', tx=last.record.tx)}",
        tx=last.record.tx,
        user=last.record.user,
        agent=last.record.agent,
    )


def author_of(record: Record) -> str:
    """Return who made a step, with the program that did it for them."""
    return record.user + (f" ({record.agent})" if record.agent else "")


def _require_place(ws: Workspace, where: Scope) -> None:
    """Say so if there is no such branch, or none that could be meant."""
    if where.branch and not where.checkout:
        ws.at(where.branch)
    if where.either and where.branch is None:
        ws.repo.branch()


def _find_named(ws: Workspace, where: Scope, tx: str) -> Entry:
    wanted = refs.bare_id(tx)
    steps = iter_in_force(ws, where) if len(wanted) >= refs.MIN_ID_LENGTH else ()
    found = next((entry for entry in steps if entry.record.tx.startswith(wanted)), None)
    if found is None:
        other = _find_other_place(ws, wanted) if len(wanted) >= refs.MIN_ID_LENGTH else ""
        raise DoesNotFit(
            "nothing_to_undo",
            f"nothing of {tx} is in force {where.words}",
            f"it is on {other}: {call('undo', tx=tx, onto=other)}"
            if other
            else f"{call('log')} lists the steps",
        )
    return found


def _find_other_place(ws: Workspace, wanted: str) -> str:
    """Return another place in which it is in force, as :func:`parse_scope` takes it; "" if there is none."""
    records = (entry.record for entry in oplog.read_log(ws.repo))
    places = dict.fromkeys(record.where for record in records if record.tx.startswith(wanted))
    for place in places:
        there = Scope(None, True) if place == CHECKOUT else Scope(place, False)
        if any(entry.record.tx.startswith(wanted) for entry in iter_in_force(ws, there)):
            return short_branch_name(place)
    return ""


def find_redo_target(ws: Workspace, where: Scope) -> Entry:
    """The caller's last undo that nothing has taken back or ended.

    Raises:
        DoesNotFit: ``nothing_to_undo``.
    """
    undone = next(_iter_redoable(ws, where), None)
    if undone is None:
        _require_place(ws, where)
        raise DoesNotFit(
            "nothing_to_undo",
            f"no undo of yours {where.words} can be taken back",
            f"{call('log')} shows what happened; what you land or edit after an undo ends what can be redone",
        )
    return undone


def iter_in_force(ws: Workspace, where: Scope) -> Iterator[Entry]:
    """Landings, edits and redos that no undo has taken back, newest first.

    The log is read only as far as somebody looks: an undo is found before what it takes back.
    """
    taken_back: set[str | None] = set()
    for entry in oplog.read_log(ws.repo):
        record = entry.record
        if not where.holds(ws, record):
            continue
        if record.kind == "undo":
            taken_back.add(record.undoes)
        elif record.kind in ("land", "edit", "redo") and entry.oid not in taken_back:
            yield entry


def _iter_redoable(ws: Workspace, where: Scope) -> Iterator[Entry]:
    """Yield the caller's undos that no redo has taken back, newest first.

    What the caller has landed or edited in their place since ends them; what others have done does not.
    """
    made_again: set[str | None] = set()
    ended: set[str] = set()
    for entry in oplog.read_log(ws.repo):
        record = entry.record
        if not where.holds(ws, record) or record.where in ended:
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
    """Return True if the caller has made a step: the same user, with the same agent."""
    return record.user == ws.user() and record.agent == ws.session.agent
