"""OpenAI's apply_patch: an envelope of files that are added, updated, moved and deleted."""

from __future__ import annotations

import re

from gitscalpel.adapters import replies
from gitscalpel.adapters.arguments import Arguments, describe_type
from gitscalpel.adapters.hints import Vocabulary
from gitscalpel.adapters.tool import Adapter, CallError, EditStep, Steps, Tool, operation

_HEAD = re.compile(r"^[ \t]*\*\*\* (?:Add|Update|Delete) File:", re.MULTILINE)
_FORM = (
    "*** Begin Patch, then for each file *** Add|Update|Delete File: PATH with its hunks, then *** End Patch"
)
_LETTERS = {"added": "A", "modified": "M", "deleted": "D"}


def _run(arguments: Arguments) -> Steps:
    answer = yield EditStep((operation("patch", diff=arguments["input"]),))
    rows = [f"{_LETTERS[row['status']]} {row['path']}" for row in answer["files"]]
    return replies.add_notes("\n".join(["Success. The following files have changed:", *rows]), answer)


def _format_error(arguments: Arguments, error: CallError) -> str:
    message, hint, sent = error.message, error.hint, arguments.get("input")
    if error.code == "invalid_args" and isinstance(sent, str) and not _HEAD.search(sent):
        message, hint = "it names no file to add, update or delete", _FORM
    return f"The patch was not applied, and no file has changed: {message}\n{hint}"


_WORDS = Vocabulary(
    fields={"diff": "input"},
    read="read {path} again",
    find="read {path} for its definitions",
    text="show its lines in a hunk of *** Update File",
    replace="show the definition whole, old and new, in one hunk",
    overwrite="show its lines in a hunk of *** Update File",
    create="create it with *** Add File",
)
ADAPTER = Adapter(
    tools=(
        Tool(
            "apply_patch",
            f"Apply a patch: {_FORM}.",
            _run,
            {"input": describe_type(str, "All of the patch.")},
            is_editing=True,
            vocabulary=_WORDS,
            format_error=_format_error,
        ),
    ),
    differences=(
        "A patch is atomic. It overwrites no file that it does not show. A hunk that matches several "
        "places is an error. So is a hunk that only adds lines, without `@@ …` or `*** End of File`. "
        "Moves are reported as `D` and `A`."
    ),
    failing_calls=(
        ("apply_patch", {"input": "no patch"}),
        (
            "apply_patch",
            {"input": "*** Begin Patch\n*** Update File: shop.py\n@@\n-none\n+x\n*** End Patch\n"},
        ),
    ),
)
