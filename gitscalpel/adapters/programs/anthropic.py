"""The text editor tool of Anthropic's API: view, create, str_replace, insert."""

from __future__ import annotations

from gitscalpel.adapters import replies
from gitscalpel.adapters.arguments import Arguments, choice, optional
from gitscalpel.adapters.hints import Vocabulary
from gitscalpel.adapters.tool import (
    Adapter,
    CallError,
    EditStep,
    ListFiles,
    ReadStep,
    Steps,
    Tool,
    edit_or_delete,
    operation,
    text_operation,
)
from gitscalpel.errors import BadCall

_LISTED_LEVELS = 2  # Levels of a directory that are listed


def _run(arguments: Arguments) -> Steps:
    return {"view": _view, "create": _create, "str_replace": _replace, "insert": _insert}[
        arguments["command"]
    ](arguments)


def _view(arguments: Arguments) -> Steps:
    path = arguments["path"]
    files = yield ListFiles(path)
    if any(files):
        return _list_directory(path, files)
    shown = yield ReadStep("show", {"path": path})
    lines = replies.split_lines(shown["content"])
    first, last = _range(arguments.get("view_range"), len(lines))
    return replies.number_lines(lines[first - 1 : last], first)


def _list_directory(path: str, files: list[str]) -> str:
    cut = {_cut(parts) for parts in (file.split("/") for file in files) if not _is_hidden(parts)}
    return "\n".join([f"Files in {path}, {_LISTED_LEVELS} levels deep:", *sorted(cut)])


def _cut(parts: list[str]) -> str:
    """Return the path cut to the listed depth. A directory with more below it ends with a slash."""
    return "/".join([*parts[:_LISTED_LEVELS], *([""] if len(parts) > _LISTED_LEVELS else [])])


def _is_hidden(parts: list[str]) -> bool:
    return any(part.startswith(".") for part in parts[:_LISTED_LEVELS])


def _range(view_range: list[int] | None, total: int) -> tuple[int, int]:
    if view_range is None:
        return 1, total
    is_pair = len(view_range) == 2 and all(type(each) is int for each in view_range)
    first, last = view_range if is_pair else (0, 0)
    last = total if last == -1 else last
    if not 1 <= first <= last <= total:
        message = f"view_range {view_range} does not fit: the file has {total} lines"
        raise BadCall(
            "invalid_range", message, "give [first, last]; the first line is 1, and -1 means the last line"
        )
    return first, last


def _create(arguments: Arguments) -> Steps:
    answer = yield EditStep(
        (operation("write", path=arguments["path"], content=_require_argument(arguments, "file_text")),)
    )
    return replies.add_notes(f"The file {arguments['path']} has been created.", answer)


def _replace(arguments: Arguments) -> Steps:
    old, new = _require_argument(arguments, "old_str"), arguments.get("new_str", "")
    head = f"Replaced the text at exactly one place in {arguments['path']}:"
    answer = yield from edit_or_delete(text_operation(arguments["path"], old, new))
    return (yield from replies.describe_edit(answer, head))


def _insert(arguments: Arguments) -> Steps:
    line = int(_require_argument(arguments, "insert_line"))
    if line < 0:
        message = f"insert_line {line} is not a line of the file"
        raise BadCall("invalid_range", message, "use 0 to insert at the top of the file")
    new = _require_argument(
        arguments, "new_str" if "new_str" in arguments and "insert_text" not in arguments else "insert_text"
    )
    target = {"start": line, "position": "after"} if line > 0 else {"start": 1, "position": "before"}
    op = operation("lines", path=arguments["path"], code=new, **target)
    return (
        yield from replies.make_edit(
            EditStep((op,)), f"The text has been inserted after line {line} of {arguments['path']}:"
        )
    )


def _require_argument(arguments: Arguments, name: str) -> str:
    if name not in arguments:
        raise BadCall("invalid_args", f"{arguments['command']} needs {name}", f"give {name}")
    return str(arguments[name])


def _format_error(arguments: Arguments, error: CallError) -> str:
    path = arguments.get("path")
    mismatch = replies.explain_mismatch(error, "old_str", str(path))
    if error.code == "exists":
        mismatch = f"File already exists: {path}. create does not overwrite it."
    if error.code == "path_denied":
        mismatch = f"Permission denied: {error.message}"
    return f"Error: {mismatch or error.message}\n{error.hint}"


_WORDS = Vocabulary(
    fields={"old": "old_str", "new": "new_str", "code": "insert_text", "start": "insert_line"},
    read="`view` the file (`path`: {path})",
    find="`view` the file to see its definitions",
    old="`old_str`",
    text="`str_replace` with `old_str` and `new_str`",
    replace="to delete a definition, give all of it as `old_str`, and an empty `new_str`",
    insert="`insert` lines below `insert_line`",
    rename="to rename it, give only the line with its name as `old_str`",
    create="`create` it with `file_text`",
)
ADAPTER = Adapter(
    tools=(
        Tool(
            "str_replace_based_edit_tool",
            "View files and folders, create files, replace text that occurs once, insert lines.",
            _run,
            {
                "command": choice("view", "create", "str_replace", "insert"),
                "path": str,
                "view_range": optional(list[int], "view: [first, last], from 1; -1 is the last line."),
                "file_text": optional(str, "create: the content."),
                "old_str": optional(str, "str_replace: occurs in the file exactly once."),
                "new_str": optional(str, "str_replace: the replacement."),
                "insert_line": optional(int, "insert: after this line; 0 is the top."),
                "insert_text": optional(str, "insert: the lines."),
            },
            is_editing=True,
            vocabulary=_WORDS,
            format_error=_format_error,
        ),
    ),
    differences=(
        "Exposed whole or not at all. `create` overwrites no file. Directories are listed two levels "
        "deep. A `view_range` beyond the end is an error. Renames and `undo_edit` are not supported. "
        "A definition is removed only if `old_str` shows all of it."
    ),
    failing_calls=(
        ("str_replace_based_edit_tool", {"command": "str_replace", "path": "shop.py", "old_str": "none"}),
        ("str_replace_based_edit_tool", {"command": "create", "path": "shop.py", "file_text": "x"}),
        ("str_replace_based_edit_tool", {"command": "view", "path": "gone.py"}),
    ),
)
