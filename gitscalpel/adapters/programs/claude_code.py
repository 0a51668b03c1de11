"""Claude Code's Read, Edit, MultiEdit and Write, with absolute or relative paths."""

from __future__ import annotations

from functools import partial

import msgspec

from gitscalpel.adapters import replies
from gitscalpel.adapters.arguments import Arguments, non_empty_list, object_of, optional
from gitscalpel.adapters.hints import Vocabulary
from gitscalpel.adapters.tool import (
    Adapter,
    CallError,
    EditStep,
    ReadStep,
    Steps,
    Tool,
    edit_or_delete,
    operation,
    text_operation,
)

_LINES, _WIDTH = 2000, 2000  # Default number of lines, and maximum width of each in characters
_WORDS = Vocabulary(
    fields={"path": "file_path", "old": "old_string", "new": "new_string", "all": "replace_all"},
    read="read it with `Read` (`file_path`: {path})",
    find="read the file with `Read`",
    old="`old_string`",
    every="set `replace_all` to change every occurrence",
    text="give `old_string` and `new_string` to `Edit`",
    replace="an `Edit` whose `old_string` is all of a definition, with an empty `new_string`, removes it",
    rename="rename it with an `Edit` of only the line that names it",
    overwrite="`Write` the file whole",
    create="create it with `Write`",
)
_PAIR = {"old_string": str, "new_string": str, "replace_all": optional(bool)}


def _read(arguments: Arguments) -> Steps:
    shown = yield ReadStep("show", {"path": arguments["file_path"]})
    lines = replies.split_lines(shown["content"])
    first = max(arguments.get("offset", 1), 1)
    if not lines:
        return f"{arguments['file_path']} exists and is empty."
    if first > len(lines):
        return f"{arguments['file_path']} has {len(lines)} lines, fewer than the offset {first}."
    window = lines[first - 1 : first - 1 + arguments.get("limit", _LINES)]
    numbered = replies.number_lines(map(_cut, window), first)
    remaining = len(lines) - (first - 1 + len(window))
    return numbered + (
        f"\n({remaining} more lines: read on with offset {first + len(window)})" if remaining > 0 else ""
    )


def _cut(line: str) -> str:
    surplus = len(line) - _WIDTH
    return f"{line[:_WIDTH]} ({surplus} more characters)" if surplus > 0 else line


def _text_operation(path: str, pair: Arguments) -> Arguments:
    if pair["old_string"] == "":  # creates a file, or fills an empty one
        return operation("patch", path=path, diff=msgspec.json.encode(pair).decode())
    return text_operation(path, pair["old_string"], pair["new_string"], pair.get("replace_all"))


def _edit(arguments: Arguments) -> Steps:
    path = arguments["file_path"]
    if arguments["old_string"] == "":
        pair = {name: arguments[name] for name in ("old_string", "new_string")}
        answer = yield EditStep((_text_operation(path, pair),))
        return replies.add_notes(f"The file {path} has been {_status(answer, 'filled')}.", answer)
    answer = yield from edit_or_delete(_text_operation(path, arguments))
    if arguments.get("replace_all"):  # the result may be the whole file
        return replies.add_notes(f"The file {path} has been updated: every occurrence was replaced.", answer)
    return (yield from replies.describe_edit(answer, f"The file {path} has been updated. It reads now:"))


def _multi_edit(arguments: Arguments) -> Steps:
    path, pairs = arguments["file_path"], arguments["edits"]
    answer = yield EditStep(tuple(_text_operation(path, pair) for pair in pairs))
    return replies.add_notes(f"Applied {len(pairs)} edit{'s' if len(pairs) != 1 else ''} to {path}.", answer)


def _write(arguments: Arguments) -> Steps:
    path = arguments["file_path"]
    answer = yield EditStep((operation("write", path=path, content=arguments["content"], overwrite=True),))
    return replies.add_notes(f"The file {path} has been {_status(answer, 'overwritten')}.", answer)


def _status(answer: Arguments, otherwise: str) -> str:
    return "created" if answer["files"] and answer["files"][0]["status"] == "added" else otherwise


def _format_error(arguments: Arguments, error: CallError) -> str:
    mismatch = replies.explain_mismatch(error, "old_string", str(arguments.get("file_path")))
    if error.code == "no_change" and "content" not in arguments:
        mismatch = "old_string and new_string are the same: there is nothing to change."
    prefix = replies.edit_prefix(arguments, "edits", error)
    return f"Error: {prefix}{mismatch or error.message}\n{error.hint}"


_tool = partial(Tool, vocabulary=_WORDS, format_error=_format_error)
ADAPTER = Adapter(
    tools=(
        _tool(
            "Read",
            "Read a file, with line numbers.",
            _read,
            {
                "file_path": str,
                "offset": optional(int, "First line, from 1."),
                "limit": optional(int, "How many lines."),
            },
            ignored=("pages",),
        ),
        _tool(
            "Edit",
            "Replace text that occurs in a file exactly once, or everywhere (replace_all).",
            _edit,
            {"file_path": str, **_PAIR},
            is_editing=True,
        ),
        _tool(
            "MultiEdit",
            "Several such replacements in one file, each on the result of the previous one; all or none.",
            _multi_edit,
            {"file_path": str, "edits": non_empty_list(object_of("Replacement", _PAIR))},
            is_editing=True,
        ),
        _tool(
            "Write",
            "Write a whole file; an existing one is overwritten.",
            _write,
            {"file_path": str, "content": str},
            is_editing=True,
        ),
    ),
    differences=(
        "`Write` does not need a prior `Read`. An empty `new_string` keeps the newline after "
        "`old_string`. `Read` reads text and ignores `pages`."
    ),
    failing_calls=(
        ("Edit", {"file_path": "shop.py", "old_string": "none", "new_string": "x"}),
        ("Edit", {"file_path": "shop.py", "old_string": "total", "new_string": "x"}),
        ("Read", {"file_path": "gone.py"}),
    ),
)
