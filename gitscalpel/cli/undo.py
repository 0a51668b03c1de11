"""Take back your own last landing on the branch, or the one named."""

from __future__ import annotations

from typing import Any

import msgspec

from gitscalpel import Step
from gitscalpel.cli import options, output
from gitscalpel.cli.parser import Given, Parser
from gitscalpel.report import subject


def arguments(parser: Parser) -> None:
    parser.add_argument("tx", metavar="ID", nargs="?", help="A landing that is not your last.")
    parser.add_argument("--dry-run", action="store_true", help="Show the diff and take nothing back.")
    options.onto(parser)
    options.json(parser)


def command(given: Given) -> None:
    with output.opened() as repo:
        if given.dry_run:
            step, patch = repo.undoing(given.tx, onto=given.onto)
            _would(given, step, patch.diff, msgspec.to_builtins(patch.rows))
            return
        step = repo.undo(given.tx, onto=given.onto)
    tell("undo", step, given)


def _would(given: Given, step: Step, diff: str, rows: Any) -> None:
    """Answer with what an undo would do."""
    data = {
        "tx": step.tx,
        "state": "landed",
        "target": step.branch.removeprefix("refs/heads/"),
        "base": step.landed.before,
        "revert": step.revert,
        "diff": diff,
        "files": rows,
    }
    how = "by a revert commit" if step.revert else "by moving the branch back"
    text = f"would undo {how}: {subject(step.message) or step.tx}  [{step.tx}]"
    output.answer("undo", data, text, given.json, diff=diff, page=True)


def tell(command: str, step: Step, given: Given) -> None:
    """Answer for an undo or a redo."""
    branch = step.branch.removeprefix("refs/heads/")
    data = {
        "tx": step.tx,
        "state": "undone" if command == "undo" else "landed",
        "target": branch,
        "base": step.landed.before,
        "head": step.landed.after,
        "landed": step.landed.after,
        "revert": step.revert,
        "files": [{"path": file.path, "what": file.what} for file in step.landed.files],
    }
    where = f"is at {step.landed.after[:12]}" if step.landed.after else "has no commit any more"
    how = "by a revert commit" if step.revert else f"{branch} {where}"
    done = "undone" if command == "undo" else "landed again"
    other = "redo" if command == "undo" else "undo"
    text = f"{done}: {subject(step.message) or step.tx}  [{step.tx}]; {how}"
    output.answer(
        command, data, f"{text}\ntake it back with: git scalpel {other}", given.json,
        following=[f"git scalpel {other}"],
    )  # fmt: skip
