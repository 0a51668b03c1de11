"""What a command does to the files lands: it runs in a worktree, or in the checkout, if that is meant."""

from __future__ import annotations

from typing import Annotated

from gitscalpel.api import BadCall, DoesNotFit, Result
from gitscalpel.changesets.answers import CHECKOUT, Edited
from gitscalpel.errors.messages import arg, call
from gitscalpel.verbs import editing, snapshot
from gitscalpel.verbs.asked import Whole, said
from gitscalpel.verbs.reply import Caller, Reply, plain

Answer = editing.Answer | snapshot.Ran


class Request(Whole, frozen=True, kw_only=True):
    """Which command."""

    ok_status: Annotated[
        tuple[int, ...], said("An exit status that is a success as well; may be repeated.", "N")
    ] = ()
    command: Annotated[
        tuple[str, ...],
        said(
            "What follows -- is the command. A failing one lands nothing; in the checkout what it did is one "
            "step, whatever its exit status.",
            form="rest",
        ),
    ]


def perform(caller: Caller, asked: Request) -> Reply:
    """Run it."""
    if not asked.command:
        hint = f"put it after --: {call('run', command='black src')}"
        raise BadCall("invalid_args", "there is no command", hint)
    if caller.transaction(asked) is None and caller.onto(asked) == CHECKOUT:
        if asked.dry_run:
            words = f"{arg('dry_run')} runs a command in a worktree, not in the checkout"
            raise BadCall("invalid_args", words, f"name a branch with {arg('onto', 'BRANCH')}")
        return snapshot.ran(caller, asked.command, asked.message, (0, *asked.ok_status))
    try:
        return editing.told(_done(caller, asked))
    except DoesNotFit as error:
        if error.code != "no_change":
            raise
        # A formatter that finds nothing to do has succeeded.
        answer = Edited(tx=asked.tx, state="unchanged", landed=None, diff="", files=())
        return Reply(answer, plain(error.message))


def _done(caller: Caller, asked: Request) -> Result:
    repo, tx, ok = caller.repo, caller.transaction(asked), (0, *asked.ok_status)
    if tx is None:
        return repo.run(
            *asked.command,
            ok=ok,
            message=asked.message,
            onto=asked.onto,
            land=not asked.no_land,
            dry_run=asked.dry_run,
            wait=asked.wait,
        )
    if asked.dry_run:
        words = f"{arg('dry_run')} and {arg('tx')} cannot be combined"
        raise BadCall("invalid_args", words, f"run it without {arg('tx')}")
    result = tx.run(*asked.command, ok=ok)
    if asked.message:
        tx.reword(asked.message)
    return result
