"""Asks the team's commands for changesets that answer a transaction, and stages each on top of it.

A suggestion is a transaction of its own, judged by all gates, and landed by nobody but people: it stands on
the commit of the one that it answers, and lands after that.
"""

from __future__ import annotations

import msgspec

from gitscalpel.changesets.globs import Globs
from gitscalpel.changesets.requests import Changeset, parse_changeset
from gitscalpel.changesets.rules import Rules, Suggest
from gitscalpel.errors import BadCall, DoesNotFit, GateRefused, ScalpelError
from gitscalpel.errors.messages import arg
from gitscalpel.transaction import result
from gitscalpel.transaction.candidate import Candidate, Meta
from gitscalpel.transaction.check import judging
from gitscalpel.transaction.result import Result
from gitscalpel.transaction.shadow import OpenTransaction, every, refreshed
from gitscalpel.transaction.stage import building, staging
from gitscalpel.transaction.suggestions import asked
from gitscalpel.transaction.suggestions.told import told
from gitscalpel.transaction.worktrees.furnishing import refuse_untrusted
from gitscalpel.workspace import Workspace

_HOW = "put [[suggest]] with name and run into .gitscalpel.toml"


class Suggestion(msgspec.Struct, frozen=True):
    """What one command suggests.

    Attributes:
        name: of the command.
        result: the transaction; None: there is none.
        error: why there is none, or what a gate has against it; None: all is well, or there is nothing.
    """

    name: str
    result: Result | None = None
    error: ScalpelError | None = None


def suggest(ws: Workspace, staged: OpenTransaction, only: str | None = None) -> list[Suggestion]:
    """Ask every command that a transaction concerns, or the one that is named.

    Raises:
        DoesNotFit: ``no_change``: the transaction changes nothing.
        BadCall: ``invalid_args``: the rules name no such command.
        NotAllowed: ``untrusted``.
    """
    if not staged.files:
        raise DoesNotFit("no_change", f"transaction {staged.id} changes nothing", "edit in it first")
    rules = ws.at(staged.meta.branch).rules
    chosen = _chosen(rules, only)
    refuse_untrusted(ws, staged.meta.branch, rules)
    concerned = [each for each in chosen if only or _concerns(each, staged)]
    about = told(ws, staged) if concerned else b""
    return [_asked(ws, staged, rules, each, about) for each in concerned]


def _chosen(rules: Rules, only: str | None) -> list[Suggest]:
    found = [each for each in rules.suggest if only in (None, each.name)]
    if found:
        return found
    names = ", ".join(each.name for each in rules.suggest)
    raise BadCall(
        "invalid_args",
        f"the rules name no suggest {only}" if names else "the rules name nothing that suggests",
        f"there are {names}; or leave {arg('only')} out" if names else _HOW,
    )


def _concerns(suggest: Suggest, staged: OpenTransaction) -> bool:
    if not suggest.paths:
        return True
    globs = Globs(suggest.paths)
    return any(globs.concern(each, anywhere=True) for each in staged.files)


def _asked(
    ws: Workspace, staged: OpenTransaction, rules: Rules, suggest: Suggest, about: bytes
) -> Suggestion:
    ws.notify(f"asking {suggest.name}")
    try:
        printed = asked.ask(ws, staged, rules, suggest, about)
        if not printed.strip():
            return Suggestion(suggest.name)
        made = _staged(ws, staged, suggest, _read(suggest, staged, printed))
    except ScalpelError as error:
        return Suggestion(suggest.name, error=error)
    try:
        return Suggestion(suggest.name, result.of(judging.check(ws, made)))
    except ScalpelError as error:  # it stays, with what the gate says on record
        return Suggestion(suggest.name, result.of(refreshed(ws, made)), error)


def _read(suggest: Suggest, staged: OpenTransaction, printed: bytes) -> Changeset:
    """The changeset that a command has printed; whose it is, and where it goes, is not for it to say."""
    try:
        changeset = parse_changeset(printed)
    except BadCall as error:
        raise _no_good(suggest, f"what it printed is no changeset: {error.message}", error.hint) from error
    if changeset.onto is not None or changeset.request_id is not None or changeset.allow_broken:
        keys = "onto, request_id and allow_broken"
        raise _no_good(suggest, f"a suggestion says nothing of {keys}", "leave them out of what it prints")
    said = changeset.message or f"Suggestion of {suggest.name}"
    message = f"{said.rstrip()}\n\nSuggested by {suggest.name} for transaction {staged.id}."
    return msgspec.structs.replace(changeset, message=message, author=None, mails=())


def _staged(
    ws: Workspace, staged: OpenTransaction, suggest: Suggest, changeset: Changeset
) -> OpenTransaction:
    """The changeset as a transaction on top of the one that it answers, under the rules of the branch."""
    branch = staged.meta.branch
    above = msgspec.structs.replace(ws.seen(branch, staged.head), read_rules=lambda: ws.at(branch).rules)
    try:
        change = building.build(ws, changeset, above)
    except ScalpelError as error:
        what = f"what it suggests is refused: {error.code}: {error.message}"
        raise _no_good(suggest, what, error.hint) from error
    meta = msgspec.structs.replace(change.meta, answers=staged.id, agent=f"suggest {suggest.name}")
    return _earlier(ws, change, meta) or staging.opened(ws, change.noted(ws, meta), above)


def _earlier(ws: Workspace, change: Candidate, meta: Meta) -> OpenTransaction | None:
    """The same suggestion, if it is open already: a command may be asked again."""
    tree = change.tree(ws)
    return next(
        (
            each
            for each in every(ws)
            if (each.meta.answers, each.meta.agent) == (meta.answers, meta.agent)
            and (each.meta.base, each.tree(ws)) == (meta.base, tree)
        ),
        None,
    )


def _no_good(suggest: Suggest, what: str, hint: str) -> GateRefused:
    return GateRefused("gate_failed", f"suggest {suggest.name}: {what}", hint, suggest=suggest.name)
