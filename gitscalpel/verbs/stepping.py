"""What undo and redo answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gitscalpel.changesets.answers import CHECKOUT, quoted, short, subject
from gitscalpel.errors.messages import Spelling, action
from gitscalpel.verbs.reply import Reply, Words

if TYPE_CHECKING:
    from gitscalpel.api import Step


class FileMoved(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a file of the checkout."""

    path: str
    what: str


class Stepped(msgspec.Struct, frozen=True, kw_only=True):
    """A step back, or forward again.

    Attributes:
        tx, target: whose landing or edit, and on which branch, or ``@checkout``.
        state: ``undone``, ``landed`` or ``edited``.
        base, head, landed: the branch before and after; null for the checkout.
        revert: by a commit, and not by moving the branch.
        files: what became of those of the checkout.
    """

    tx: str
    state: str
    target: str
    base: str | None
    head: str | None
    landed: str | None
    revert: bool
    files: tuple[FileMoved, ...]


def _how(step: Step) -> str:
    """How it was done, for people."""
    if step.branch == CHECKOUT:
        return f"in {CHECKOUT}: {', '.join(quoted(file.path) for file in step.landed.files)}"
    where = f"is at {step.landed.after[:12]}" if step.landed.after else "has no commit any more"
    return "by a revert commit" if step.revert else f"{short(step.branch)} {where}"


def told(verb: str, step: Step, onto: str | None) -> Reply:
    """The reply for an undo or a redo of what was done where ``onto`` says."""
    back = action("redo" if verb == "undo" else "undo", onto=onto)

    def words(spelling: Spelling) -> Words:
        return Words(f"{_line(verb, step)}\ntake it back with: {spelling.call(back)}")

    return Reply(_answer(verb, step), words, next=(back,))


def all_told(steps: list[Step], onto: str | None) -> Reply:
    """The reply for several undos."""
    lines = "\n".join(_line("undo", step) for step in steps)
    return Reply(
        [_answer("undo", step) for step in steps], lambda _: Words(lines), next=(action("redo", onto=onto),)
    )


def _line(verb: str, step: Step) -> str:
    done = "undone" if verb == "undo" else f"{_forward(step)} again"
    return f"{done}: {subject(step.message) or step.tx}  [{step.tx}]; {_how(step)}"


def _forward(step: Step) -> str:
    return "edited" if step.branch == CHECKOUT else "landed"


def _answer(verb: str, step: Step) -> Stepped:
    return Stepped(
        tx=step.tx,
        state="undone" if verb == "undo" else _forward(step),
        target=short(step.branch),
        base=step.landed.before,
        head=step.landed.after,
        landed=step.landed.after,
        revert=step.revert,
        files=tuple(FileMoved(path=quoted(file.path), what=file.what) for file in step.landed.files),
    )
