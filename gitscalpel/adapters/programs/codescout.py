"""codescout's tools: text edits that leave definitions alone, and symbol edits by name path."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from gitscalpel.adapters import name_paths, replies
from gitscalpel.adapters.arguments import (
    Arguments,
    choice,
    describe_type,
    non_empty_list,
    object_of,
    optional,
)
from gitscalpel.adapters.hints import Vocabulary
from gitscalpel.adapters.tool import (
    Adapter,
    CallError,
    EditStep,
    ReadStep,
    Steps,
    Tool,
    operation,
    text_operation,
)
from gitscalpel.errors import BadCall

_PLACE = {"symbol": describe_type(str, "Such as MyStruct/my_method."), "path": str}
_FILED = dict.fromkeys(("file_path", "relative_path"), "path")
_PLACED = {**_FILED, "name_path": "symbol"}
"""Other names of the file parameter, and the former name of the symbol parameter."""
_BODY = dict.fromkeys(("new_code", "new_source", "body"), "new_body")
_PAIR = {"old_string": str, "new_string": str, "replace_all": optional(bool)}
_SUGGESTED_TOOLS = {
    "add": "insert_code",
    "delete": "remove_symbol",
    "signature_change": "replace_symbol",
    "rename": "rename_symbol",
}
"""Tool for an edit of a definition that a text edit must not make, by the kind of edit."""


def _edit(arguments: Arguments) -> Steps:
    if arguments.get("insert") == "append":
        shown = yield ReadStep("show", {"path": arguments["path"]})
        ops = [_insert_lines(arguments, shown["total_lines"])]
    else:
        ops = _build_operations(arguments)
    inserts = "insert" in arguments  # insertions contain no old definition
    answer = yield EditStep(tuple(ops), structure="" if inserts else "headers")
    return replies.add_notes(f"ok: {arguments['path']} edited", answer)


def _build_operations(arguments: Arguments) -> list[Arguments]:
    path, new = arguments["path"], arguments.get("new_string")
    if "edits" in arguments:
        return [_replace_text(path, pair) for pair in arguments["edits"]]
    if new is None or ("old_string" in arguments) == ("insert" in arguments):
        raise BadCall(
            "invalid_args", "nothing to edit", "give `old_string` and `new_string`, or `insert`, or `edits`"
        )
    if "insert" in arguments:
        return [_insert_lines(arguments, 0)]
    return [_replace_text(path, arguments)]


def _insert_lines(arguments: Arguments, after: int) -> Arguments:
    target = {"start": after, "position": "after"} if after else {"start": 1, "position": "before"}
    return operation("lines", path=arguments["path"], code=arguments.get("new_string", ""), **target)


def _replace_text(path: str, pair: Arguments) -> Arguments:
    return text_operation(path, pair["old_string"], pair["new_string"], pair.get("replace_all"))


def _at(arguments: Arguments) -> Arguments:
    return {"path": arguments["path"], "symbol": name_paths.to_symbol(arguments["symbol"])}


def _replace(arguments: Arguments) -> Steps:
    answer = yield EditStep((operation("replace", **_at(arguments), code=arguments["new_body"]),))
    return replies.add_notes(f"ok: {arguments['symbol']} replaced, {_lines(answer)}", answer)


def _insert(arguments: Arguments) -> Steps:
    where = arguments.get("position", "after")
    op = operation("insert", **_at(arguments), position=where, code=arguments["code"])
    answer = yield EditStep((op,))
    return replies.add_notes(f"ok: inserted {where} {arguments['symbol']}, {_lines(answer)}", answer)


def _remove(arguments: Arguments) -> Steps:
    answer = yield EditStep((operation("delete", **_at(arguments)),))
    return replies.add_notes(f"ok: {arguments['symbol']} removed", answer)


def _rename(arguments: Arguments) -> Steps:
    answer = yield EditStep((operation("rename", **_at(arguments), to=arguments["new_name"]),))
    head = f"ok: {arguments['symbol']} is {arguments['new_name']} now, in {len(answer['files'])} files"
    return replies.add_notes("\n".join([head, *(f"  {row['path']}" for row in answer["files"])]), answer)


_BY_ACTION: dict[str, tuple[Callable[[Arguments], Steps], dict[str, str]]] = {
    "replace": (_replace, {"body": "new_body"}),
    "insert": (_insert, {"body": "code"}),
    "remove": (_remove, {}),
    "rename": (_rename, {"new_name": "new_name"}),
}
"""Function for each action of ``edit_code``, and the required arguments under the name that its tool uses."""


def _edit_code(arguments: Arguments) -> Steps:
    action = arguments["action"]
    run, required = _BY_ACTION[action]
    missing = next((name for name in required if name not in arguments), None)
    if missing is not None:
        raise BadCall("invalid_args", f"action {action} needs {missing}", f"give {missing}")
    renamed = {tool_name: arguments[ours] for ours, tool_name in required.items()}
    return (yield from run({**arguments, **renamed}))


def _lines(answer: Arguments) -> str:
    first, last = answer["ops"][-1]["after"]
    return f"lines {first}-{last}"


def _format_error(arguments: Arguments, error: CallError) -> str:
    if error.code == "structural_gate":
        summary = f"edit_file blocked: {error.message}. Nothing was written."
        return (
            f"{summary}\nUse {' or '.join(_suggest_tools(arguments, error))}, which knows where symbols end."
        )
    summary = replies.explain_mismatch(error, "old_string", str(arguments.get("path")))
    return f"error: {replies.edit_prefix(arguments, 'edits', error)}{summary or error.message}\n{error.hint}"


def _suggest_tools(arguments: Arguments, error: CallError) -> list[str]:
    """Return the tools for an edit that text must not make, by its kind and its shape."""
    pairs = arguments.get("edits") or [arguments]
    pair = pairs[error.op or 0] if len(pairs) > (error.op or 0) else arguments
    old, new = str(pair.get("old_string", "")), str(pair.get("new_string", ""))
    tools = [
        _SUGGESTED_TOOLS[each["kind"]]
        for each in error.data.get("intents", ())
        if each["kind"] in _SUGGESTED_TOOLS
    ]
    if not new.strip():
        return ["remove_symbol"]
    if old.strip() and old.strip() in new:
        return ["insert_code"] if "insert_code" in tools else ["insert_code", "replace_symbol"]
    if len(new.splitlines()) > len(old.splitlines()) and not tools:
        tools = ["replace_symbol", "insert_code"]
    return list(dict.fromkeys(tools)) or ["replace_symbol"]


_WORDS = Vocabulary(
    fields={
        "old": "old_string",
        "new": "new_string",
        "all": "replace_all",
        "code": "new_string",
        "to": "new_name",
    },
    old="`old_string`",
    every="set `replace_all`",
    text="edit text with `edit_file`",
    symbol="`replace_symbol` needs no old text",
    replace="`replace_symbol` replaces a definition",
    insert="`insert_code` adds one next to a symbol",
    delete="`remove_symbol` deletes one",
    rename="`rename_symbol` gives a symbol another name, wherever it is used",
)
_edit_tool = partial(Tool, is_editing=True, vocabulary=_WORDS, format_error=_format_error)
ADAPTER = Adapter(
    tools=(
        _edit_tool(
            "edit_file",
            "Replace text in a file. Edits of several lines with a definition's header are refused.",
            _edit,
            {
                "path": str,
                "old_string": optional(str),
                "new_string": optional(str),
                "replace_all": optional(bool),
                "insert": optional(choice("prepend", "append")),
                "edits": optional(non_empty_list(object_of("Replacement", _PAIR))),
            },
            aliases=_FILED,
        ),
        _edit_tool(
            "edit_code",
            "Replace, remove or rename a symbol, or insert code before or after (default) it.",
            _edit_code,
            {
                **_PLACE,
                "action": choice(*_BY_ACTION),
                "body": optional(str, "replace, insert: the code."),
                "position": optional(choice("before", "after")),
                "new_name": optional(str, "rename"),
            },
            aliases=_PLACED,
        ),
        _edit_tool(
            "replace_symbol",
            "Replace the whole definition of a symbol.",
            _replace,
            {**_PLACE, "new_body": str},
            aliases={**_PLACED, **_BODY},
        ),
        _edit_tool(
            "insert_code",
            "Insert code before or after (default) a symbol.",
            _insert,
            {**_PLACE, "code": str, "position": optional(choice("before", "after"))},
            aliases=_PLACED,
        ),
        _edit_tool(
            "remove_symbol",
            "Delete a symbol with its comments and attributes.",
            _remove,
            _PLACE,
            aliases=_PLACED,
        ),
        _edit_tool(
            "rename_symbol",
            "Rename a symbol and every use of it.",
            _rename,
            {**_PLACE, "new_name": str},
            aliases=_PLACED,
        ),
    ),
    differences=(
        '`edit_file` applies `structure = "headers"` to edits of several lines. All tools edit '
        "Markdown. `replace_symbol` keeps comments and decorators, and rejects code with another "
        "name. `edit_code` has no `attributes`. `rename_symbol` lists unresolved places."
    ),
    failing_calls=(
        ("edit_file", {"path": "shop.py", "old_string": "none", "new_string": "x"}),
        ("replace_symbol", {"path": "shop.py", "symbol": "tax", "new_body": "def vat(): pass"}),
        ("insert_code", {"path": "shop.py", "symbol": "tax", "code": "def tax(): pass"}),
        ("remove_symbol", {"path": "shop.py", "symbol": "gone"}),
    ),
)
