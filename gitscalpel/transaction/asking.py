"""Lets everybody have a say in a tree that is to land and that no transaction has left."""

from __future__ import annotations

import msgspec

from gitscalpel.errors import WaitsForPerson
from gitscalpel.rules import Policy, Rules
from gitscalpel.snapshot import Oid
from gitscalpel.transaction import judging
from gitscalpel.transaction.ending import agreed, forget, give_up
from gitscalpel.transaction.shadow import changed, publish, refreshed
from gitscalpel.transaction.staging import blank
from gitscalpel.workspace import Workspace


def concerns(rules: Rules) -> bool:
    """Whether these rules leave anybody to ask."""
    return bool(rules.gates.command) or rules.policy != Policy() or rules.ask_people


def everybody(ws: Workspace, branch: str, before: Oid | None, tree: Oid, message: str) -> None:
    """Ask the policy, the commands and people about a tree that is to follow ``before`` on a branch.

    Raises:
        ScalpelError: the first refusal; where it is people who are missing, an open transaction stays
            that they can look at.
    """
    files = changed(ws, ws.store.commit(before).tree if before else None, tree)
    meta = msgspec.structs.replace(blank(ws.at(branch), message), base=before, by=(ws.user(),))
    staged = publish(ws, tree, meta, files)
    try:
        judging.policy(ws, staged)
        agreed(ws, judging.together(ws, [staged])[0])
    except BaseException as error:
        if not isinstance(error, WaitsForPerson):
            give_up(ws, staged, error)
        raise
    forget(ws, refreshed(ws, staged))
