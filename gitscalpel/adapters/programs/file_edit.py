"""The tools ``file_read`` and ``file_edit``, as their names suggest.

No public reference for them is known. Calls with the parameters of Blueprint's tools of the same names
are Blueprint calls (``blueprint.py``).
"""

from __future__ import annotations

from functools import partial

from gitscalpel.adapters import name_paths, replies
from gitscalpel.adapters.arguments import Arguments, choice, optional
from gitscalpel.adapters.hints import Vocabulary
from gitscalpel.adapters.programs import blueprint
from gitscalpel.adapters.tool import (
    Adapter,
    CallError,
    EditStep,
    ReadStep,
    Steps,
    Tool,
    code_operation,
    text_operation,
)
from gitscalpel.errors import BadCall


def _read(arguments: Arguments) -> Steps:
    target = {"path": arguments["path"]}
    if "symbol" in arguments:
        target["symbol"] = name_paths.to_symbol(arguments["symbol"])
    shown = yield ReadStep("show", target)
    rows = shown["lines"]
    first = rows[0]["n"] if rows else 1
    begin, end = arguments.get("start_line", first), arguments.get("end_line", first + len(rows))
    lines = [row["text"] for row in rows if begin <= row["n"] <= end]
    return replies.number_lines(lines, max(begin, first))


def _edit(arguments: Arguments) -> Steps:
    head = f"{arguments['path']} has been edited. It reads now:"
    return (yield from replies.make_edit(EditStep((_build_operation(arguments),)), head))


def _build_operation(arguments: Arguments) -> Arguments:
    path, new = arguments["path"], arguments["new_text"]
    if ("symbol" in arguments) == ("old_text" in arguments):
        raise BadCall("invalid_args", "nothing to edit", "give `old_text`, or `symbol`")
    if "old_text" in arguments:
        return text_operation(path, arguments["old_text"], new, arguments.get("replace_all"))
    position = arguments.get("position", "replace")
    symbol = name_paths.to_symbol(arguments["symbol"])
    return code_operation(new, None if position == "replace" else position, path=path, symbol=symbol)


def _format_error(arguments: Arguments, error: CallError) -> str:
    mismatch = replies.explain_mismatch(error, "old_text", str(arguments.get("path")))
    return f"Error: {mismatch or error.message}\n{error.hint}"


_WORDS = Vocabulary(
    fields={
        "old": "old_text",
        "start": "start_line",
        "end": "end_line",
        **dict.fromkeys(("code", "new"), "new_text"),
        "all": "replace_all",
    },
    read="read it with `file_read` (`path`: {path})",
    find="read the file with `file_read` to see its symbols",
    old="`old_text`",
    every="set `replace_all`",
    text="give `old_text` and `new_text` without `symbol`",
    symbol="give `symbol` and `new_text`, which need no old text",
    replace="give `symbol`: `new_text` replaces it, or deletes it if empty",
    insert="give `symbol` and `position` to insert code next to it",
    delete="give `symbol` and an empty `new_text`",
    rename="send `file`, `target` and `code` instead, which rename it wherever it is used",
)
_tool = partial(Tool, vocabulary=_WORDS, format_error=_format_error)
_BLUEPRINT_READ, _BLUEPRINT_EDIT = blueprint.ADAPTER.tools
ADAPTER = Adapter(
    tools=(
        _tool(
            "file_read",
            "Read a file, lines of it, or a symbol, with line numbers.",
            _read,
            {
                "path": str,
                "symbol": optional(str),
                "start_line": optional(int),
                "end_line": optional(int),
            },
            other=_BLUEPRINT_READ,
        ),
        _tool(
            "file_edit",
            "Replace text that occurs in a file once; or replace, delete (no new_text), insert by symbol.",
            _edit,
            {
                "path": str,
                "old_text": optional(str),
                "new_text": str,
                "replace_all": optional(bool),
                "symbol": optional(str),
                "position": optional(choice("replace", "before", "after", "first", "last")),
            },
            is_editing=True,
            other=_BLUEPRINT_EDIT,
        ),
    ),
    differences=(
        "There is no public reference. It edits unique text or a symbol, also with the parameters of "
        "`blueprint`."
    ),
    failing_calls=(
        ("file_edit", {"path": "shop.py", "symbol": "tax", "new_text": "def vat(): pass"}),
        ("file_edit", {"path": "shop.py", "old_text": "none", "new_text": "x"}),
        ("file_read", {"path": "shop.py", "symbol": "gone"}),
        ("file_edit", {"file": "shop.py", "target": "gone", "code": "x"}),
    ),
)
