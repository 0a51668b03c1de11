"""A landing or an edit of the checkout is taken back: your own last one, or the one named."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gitscalpel.api import BadCall, Step
from gitscalpel.changesets.answers import CHECKOUT, FileRow, short, subject
from gitscalpel.errors.messages import arg
from gitscalpel.verbs import stepping
from gitscalpel.verbs.asked import Asked, Onto, said
from gitscalpel.verbs.reply import Caller, Reply, Words


class Request(Asked, frozen=True, kw_only=True):
    """Which one."""

    tx: Annotated[
        str | None, said("The landing or edit to undo (default: your last one).", "ID", place=True)
    ] = None
    all_since: Annotated[
        str | None, said("Take back this step and all of yours after it in the same place.", "ID")
    ] = None
    dry_run: Annotated[bool, said("Show the diff and take nothing back.")] = False
    onto: Onto = None


class Would(msgspec.Struct, frozen=True, kw_only=True):
    """What an undo would do; fields as of one that is done."""

    tx: str
    state: str
    target: str
    base: str | None
    revert: bool
    diff: str
    files: tuple[FileRow, ...]


Answer = stepping.Stepped | list[stepping.Stepped] | Would


def perform(caller: Caller, asked: Request) -> Reply:
    """Take it back."""
    if asked.all_since is not None:
        if asked.tx is not None or asked.dry_run:
            words = f"{arg('all_since')} goes with neither an ID nor {arg('dry_run')}"
            raise BadCall("invalid_args", words, "leave the others out")
        return stepping.all_told(caller.repo.undo_since(asked.all_since, onto=asked.onto), asked.onto)
    if asked.dry_run:
        step, patch = caller.repo.undoing(asked.tx, onto=asked.onto)
        return _would(step, patch.diff, patch.rows)
    return stepping.told("undo", caller.repo.undo(asked.tx, onto=asked.onto), asked.onto)


def _would(step: Step, diff: str, rows: tuple[FileRow, ...]) -> Reply:
    """What an undo would do."""
    answer = Would(
        tx=step.tx,
        state="edited" if step.branch == CHECKOUT else "landed",
        target=short(step.branch),
        base=step.landed.before,
        revert=step.revert,
        diff=diff,
        files=tuple(rows),
    )
    how = "by a revert commit" if step.revert else "by moving the branch back"
    if step.branch == CHECKOUT:
        how = f"in {CHECKOUT}"
    text = f"would undo {how}: {subject(step.message) or step.tx}  [{step.tx}]"
    return Reply(answer, lambda _: Words(text, diff, page=True))
