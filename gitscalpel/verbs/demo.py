"""One real round in a temporary repository; every step is checked against git."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gitscalpel import demo
from gitscalpel.api import ScalpelError
from gitscalpel.demo import Step
from gitscalpel.verbs.asked import Asked, said
from gitscalpel.verbs.reply import Caller, Reply, plain


class Request(Asked, frozen=True, kw_only=True):
    """What stays of it."""

    keep: Annotated[bool, said("Leave the repository for a look around.")] = False


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The steps, and where the repository was left."""

    folder: str | None
    steps: tuple[Step, ...]


def perform(caller: Caller, asked: Request) -> Reply:
    """Play it."""
    steps: list[Step] = []
    with demo.folder(asked.keep) as root:
        for number, step in enumerate(demo.play(root), 1):
            steps.append(step)
            if caller.say is not None:
                caller.say(_text(number, step))
            if not step.ok:
                raise _failed(number, step, steps)
    left = f"the repository is left in {root}" if asked.keep else "the repository is removed again"
    answer = Answer(folder=str(root) if asked.keep else None, steps=tuple(steps))
    return Reply(answer, plain(f"All {len(steps)} steps did what they say; {left}."))


def _text(number: int, step: Step) -> str:
    said = [line for part in (step.out, step.err) for line in part.splitlines()]
    checks = [f"  {'ok    ' if check.ok else 'FAILED'} {check.what}" for check in step.checks]
    return "\n".join([f"{number}. {step.title}", "", f"$ {step.command}", *said, "", *checks, "", ""])


def _failed(number: int, step: Step, steps: list[Step]) -> ScalpelError:
    wrong = "; ".join(check.what for check in step.checks if not check.ok)
    return ScalpelError(
        "internal",
        f"step {number} of the demo ({step.title}) did not do what it says: {wrong}",
        "this is a defect of gitscalpel or of its installation; please report it with this output",
        step=number,
        steps=msgspec.to_builtins(steps),
    )
