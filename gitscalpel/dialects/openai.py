"""OpenAI: apply_patch, which takes an envelope of files that are added, updated, moved and deleted."""

from __future__ import annotations

from gitscalpel.dialects import wording
from gitscalpel.dialects.tool import Edit, Given, Refusal, Talk, Tool, one, text

_LETTERS = {"added": "A", "modified": "M", "deleted": "D"}


def _talk(given: Given) -> Talk:
    done = yield Edit((one("patch", diff=given["input"]),))
    rows = [f"{_LETTERS[row['status']]} {row['path']}" for row in done["files"]]
    return wording.noting("\n".join(["Success. The following files have changed:", *rows]), done)


def _refused(_: Given, why: Refusal) -> str:
    return f"The patch was not applied, and no file has changed: {why.message}\n{why.hint}"


TOOLS = (
    Tool(
        name="apply_patch",
        help="Apply a patch: *** Begin Patch, *** Add|Update|Delete File: PATH with hunks, *** End Patch.",
        takes={"input": text("All of the patch.")},
        needs=("input",),
        talk=_talk,
        refused=_refused,
        edits=True,
    ),
)
