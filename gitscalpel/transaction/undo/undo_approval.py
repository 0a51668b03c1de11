"""Run the policy, hooks, commands and approvals for a tree without a transaction, such as an undo."""

from __future__ import annotations

from contextlib import nullcontext
from hashlib import blake2b

import msgspec

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.changesets.rules import Policy, Rules
from gitscalpel.errors import WaitsForPerson
from gitscalpel.transaction import static_gates
from gitscalpel.transaction.candidate import Candidate, candidate, initial_meta
from gitscalpel.transaction.check import gate_runner
from gitscalpel.transaction.land.finish import Blocked, forget, held
from gitscalpel.transaction.open_transaction import OpenTransaction, changed, every, naming
from gitscalpel.transaction.stage.stage import opened
from gitscalpel.workspace import Workspace


class Question(msgspec.Struct, frozen=True):
    """What people and programs are asked: a tree on top of a commit, and the message of what makes it.

    Attributes:
        before: the tip of the branch; None: unborn.
        tree: what is to follow it.
        message: of the commit.
        is_new: whether a commit is made for it: then the user's hooks have a say, as in any commit.
    """

    before: Oid | None
    tree: Oid
    message: str
    is_new: bool


class Answered(msgspec.Struct, frozen=True):
    """What came of it: the tree and the message as the hooks leave them.

    Attributes:
        tree, message: what may land.
        agreed: the open transaction in which people have agreed to it, to be taken away when it lands;
            None: nobody had to.
    """

    tree: Oid
    message: str
    agreed: OpenTransaction | None


def concerns(ws: Workspace, rules: Rules, question: Question) -> bool:
    """Whether these rules, and the user's hooks, leave anybody to ask."""
    return rules.policy != Policy() or rules.ask_people or _by_programs(ws, rules, question)


def _by_programs(ws: Workspace, rules: Rules, question: Question) -> bool:
    before = ws.snapshot(question.before)
    outcome = static_gates.outcome_between(before, changed(ws, before.tree, question.tree))
    return gate_runner.concerned(ws, rules, outcome, made=question.is_new)


def everybody(ws: Workspace, branch: str, question: Question) -> Answered:
    """Ask the policy, the hooks, the commands and people about a tree that is to land on a branch.

    Raises:
        ScalpelError: the first refusal; where people are asked, an open transaction stays that they can
            look at, and that is the one they are asked about the next time.
    """
    name = _name(branch, question, ws.user())
    earlier = next((each for each in every(ws) if _is_about(each, name, question)), None)
    if earlier is not None:
        asked = _asked(ws, earlier, question)  # whatever comes of it, what people have said stays
    else:
        change = _change(ws, branch, question, name)
        programs = _by_programs(ws, ws.at(branch).rules, question)
        with held(ws, change) if programs else nullcontext(change) as judged:
            asked = _asked(ws, judged, question)
    if isinstance(asked, Blocked):
        staged = asked.change
        if not isinstance(staged, OpenTransaction):
            staged = opened(ws, staged, ws.at(branch))
        with naming(staged, waits=False):
            raise asked.why
    tree, message = asked.tree(ws), asked.meta.message
    if not isinstance(asked, OpenTransaction):
        return Answered(tree, message, None)
    if asked.meta.approved:
        return Answered(tree, message, asked)
    forget(ws, asked)
    return Answered(tree, message, None)


def _is_about(staged: OpenTransaction, name: str, question: Question) -> bool:
    """Whether this was asked in a transaction, to which nobody has added anything since but the hooks."""
    meta = staged.meta
    return name in meta.request_ids and meta.base == question.before and not meta.steps


def _change(ws: Workspace, branch: str, question: Question, name: str) -> Candidate:
    before = question.before
    files = changed(ws, ws.store.tree_of(before), question.tree)
    meta = msgspec.structs.replace(
        initial_meta(ws, ws.at(branch), question.message), base=before, request_ids=(name,)
    )
    return candidate(ws, question.tree, meta, files)


def _asked(ws: Workspace, change: Candidate, question: Question) -> Candidate | Blocked:
    static_gates.run_policy_gate(ws, change)
    passed = gate_runner.ask_programs(ws, change, made=question.is_new)
    try:
        # Landed by its name it would be a change like any other, which nobody can redo.
        return gate_runner.agreed(ws, passed, then="ask for the same again")
    except WaitsForPerson as error:
        return Blocked(passed, error)


def _name(branch: str, question: Question, user: str) -> str:
    """By what the open transaction is found again in which people were asked exactly this."""
    words = (branch, question.before or "", question.tree, question.message, user)
    return blake2b("\0".join(words).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
