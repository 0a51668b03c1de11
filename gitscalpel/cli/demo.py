"""Show one real round in a temporary repository; every step is checked against git."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from gitscalpel import demo
from gitscalpel.cli import edit, output
from gitscalpel.demo import Step
from gitscalpel.errors import ScalpelError


def command(
    keep: Annotated[bool, typer.Option("--keep", help="Leave the repository for a look around.")] = False,
    json: edit.Json = False,
) -> None:
    steps: list[Step] = []
    with demo.folder(keep) as root:
        for number, step in enumerate(demo.play(root), 1):
            steps.append(step)
            if not json:
                output.answer("demo", None, _text(number, step), False)
            if not step.ok:
                raise _failed(number, step, steps)
    data = {"folder": str(root) if keep else None, "steps": msgspec.to_builtins(steps)}
    left = f"the repository is left in {root}" if keep else "the repository is removed again"
    output.answer("demo", data, f"All {len(steps)} steps did what they say; {left}.", json)


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
