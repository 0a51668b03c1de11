"""Show one real round in a temporary repository; every step is checked against git."""

from __future__ import annotations

import msgspec

from gitscalpel import ScalpelError, demo
from gitscalpel.cli import options, output
from gitscalpel.cli.parser import Given, Parser
from gitscalpel.demo import Step


def arguments(parser: Parser) -> None:
    parser.add_argument("--keep", action="store_true", help="Leave the repository for a look around.")
    options.json(parser)


def command(given: Given) -> None:
    steps: list[Step] = []
    with demo.folder(given.keep) as root:
        for number, step in enumerate(demo.play(root), 1):
            steps.append(step)
            if not given.json:
                output.answer("demo", None, _text(number, step), False)
            if not step.ok:
                raise _failed(number, step, steps)
    data = {"folder": str(root) if given.keep else None, "steps": msgspec.to_builtins(steps)}
    left = f"the repository is left in {root}" if given.keep else "the repository is removed again"
    output.answer("demo", data, f"All {len(steps)} steps did what they say; {left}.", given.json)


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
