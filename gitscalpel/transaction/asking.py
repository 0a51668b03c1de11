"""Lets everybody have a say in a tree that is to land and that no transaction has left."""

from __future__ import annotations

import msgspec

from gitscalpel import recovery
from gitscalpel.errors import WaitsForPerson
from gitscalpel.rules import Policy, Rules
from gitscalpel.snapshot import Oid
from gitscalpel.transaction import judging
from gitscalpel.transaction.ending import agreed, forget, give_up
from gitscalpel.transaction.shadow import Meta, Staged, changed, every, publish
from gitscalpel.transaction.staging import blank
from gitscalpel.workspace import Workspace


def concerns(rules: Rules) -> bool:
    """Whether these rules leave anybody to ask."""
    return bool(rules.gates.command) or rules.policy != Policy() or rules.ask_people


def everybody(ws: Workspace, branch: str, before: Oid | None, tree: Oid, message: str) -> Staged | None:
    """Ask the policy, the commands and people about a tree that is to follow ``before`` on a branch.

    Returns:
        the open transaction in which people have agreed to it, to be taken away when it lands; None:
        nobody had to.

    Raises:
        ScalpelError: the first refusal; where people are asked, an open transaction stays that they can
            look at, and that is the one they are asked about the next time.
    """
    files = changed(ws, ws.store.commit(before).tree if before else None, tree)
    meta = msgspec.structs.replace(blank(ws, ws.at(branch), message), base=before, by=(ws.user(),))
    earlier = _asked_before(ws, meta, tree)
    if earlier is not None:
        return _asked(ws, earlier)  # whatever comes of it, what people have said stays
    with recovery.provisional(ws.repo) as tx:
        staged = publish(ws, tree, meta, files, tx=tx)
        try:
            return _asked(ws, staged)
        except WaitsForPerson:
            raise
        except BaseException as error:
            give_up(ws, staged, error)
            raise


def _asked(ws: Workspace, staged: Staged) -> Staged | None:
    try:
        judging.policy(ws, staged)
        passed = agreed(ws, judging.together(ws, [staged])[0])
    except WaitsForPerson as error:
        # Landed by its name it would be a change like any other, which nobody can redo.
        error.hint = error.hint.replace(f"git scalpel land {staged.id}", "ask for the same again")
        raise
    if passed.meta.approved:
        return passed
    forget(ws, passed)
    return None


def _asked_before(ws: Workspace, meta: Meta, tree: Oid) -> Staged | None:
    """The open transaction in which people were asked exactly this."""
    same = (meta.branch, meta.base, meta.message, meta.by, tree)
    for each in every(ws):
        found = (each.meta.branch, each.meta.base, each.meta.message, each.meta.by)
        if (*found, ws.store.commit(each.head).tree) == same:
            return each
    return None
