"""Take back your own last landing on the branch, or the one named."""

from __future__ import annotations

from typing import Annotated

import typer

from gitscalpel import history
from gitscalpel.cli import edit, output
from gitscalpel.history import Step
from gitscalpel.report import subject
from gitscalpel.workspace import Workspace


def command(
    tx: Annotated[str | None, typer.Argument(metavar="[ID]", help="A landing that is not your last.")] = None,
    onto: edit.Onto = None,
    json: edit.Json = False,
) -> None:
    with Workspace() as ws:
        step = history.undo(ws, onto, tx)
    tell("undo", step, json)


def tell(command: str, step: Step, json: bool) -> None:
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
    how = "by a revert commit" if step.revert else f"{branch} is at {str(step.landed.after)[:12]}"
    done = "undone" if command == "undo" else "landed again"
    other = "redo" if command == "undo" else "undo"
    text = f"{done}: {subject(step.message) or step.tx}  [{step.tx}]; {how}"
    output.answer(
        command, data, f"{text}\ntake it back with: git scalpel {other}", json,
        warnings=step.landed.recovered, following=[f"git scalpel {other}"],
    )  # fmt: skip
