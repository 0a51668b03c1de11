"""CSTQuery's ``query_cst`` and ``patch_cst_module``, with selectors like those of gitscalpel."""

from __future__ import annotations

from functools import partial
from typing import Any

from gitscalpel.adapters import replies
from gitscalpel.adapters.arguments import Arguments, choice, non_empty_list, object_of, optional
from gitscalpel.adapters.hints import Vocabulary
from gitscalpel.adapters.tool import (
    Adapter,
    CallError,
    EditStep,
    ReadStep,
    Steps,
    Tool,
    code_operation,
)
from gitscalpel.errors import BadCall

_MAX_MATCHES = 200  # Default maximum number of matches
_CODES = {
    "file_not_found": "FILE_NOT_FOUND",
    "query_syntax": "CST_QUERY_PARSE_ERROR",
    "query_no_match": "CST_QUERY_NO_MATCH",
    "index_out_of_range": "CST_QUERY_MATCH_INDEX",
    "unsupported_language": "INVALID_FILE",
}


def _query(arguments: Arguments) -> Steps:
    limit_count = arguments.get("max_results", _MAX_MATCHES)
    limit = {"limit": limit_count} if limit_count > 0 else {}
    fields = {"selector": arguments["selector"], "paths": [arguments["file_path"]], **limit}
    answer = yield ReadStep("find", {**fields, "no_code": not arguments.get("include_code")})
    reply = {"success": True, "file_path": arguments["file_path"], "selector": arguments["selector"]}
    rows = answer["matches"] if limit_count else []
    is_truncated = answer.get("more", False) or len(rows) < len(answer["matches"])
    return replies.to_json({**reply, "truncated": is_truncated, "matches": [_match(row) for row in rows]})


def _match(row: dict[str, Any]) -> dict[str, Any]:
    fields = {name: row[name] for name in ("kind", "type", "name", "qualname", "code") if row.get(name)}
    position = {"start_line": row["start_line"], "start_col": row["start_column"] - 1}
    position |= {"end_line": row["end_line"], "end_col": row["end_column"] - 1}
    blob_suffix = f"@{row['blob']}" if row.get("blob") else ""
    return {"node_id": f"{row['node_id']}{blob_suffix}", **fields, **position}


def _patch(arguments: Arguments) -> Steps:
    ops = tuple(_build_operation(arguments["file_path"], each) for each in arguments["ops"])
    answer = yield EditStep(ops, dry_run=arguments.get("apply") is False)
    reply: Arguments = {
        "success": True,
        "file_path": arguments["file_path"],
        "applied": arguments.get("apply") is not False,
    }
    if arguments.get("return_diff") or not reply["applied"]:
        reply["diff"] = answer["diff"]
    notes = replies.collect_notes(answer)
    return replies.to_json({**reply, **({"warnings": notes} if notes else {})})


def _build_operation(path: str, sent: Arguments) -> Arguments:
    lines = sent.get("code_lines")
    code = sent.get("new_code") if lines is None else "\n".join(lines)
    if code is None:
        raise BadCall(
            "invalid_args",
            "an operation has no new_code",
            "give `new_code` (an empty string deletes the code)",
        )
    position = "last" if sent.get("position") == "end" else sent.get("position")
    return code_operation(code, position, path=path, **_address(sent.get("selector") or {}))


def _address(selector: Arguments) -> Arguments:
    kind = selector.get("kind")
    try:
        if kind == "cst_query":
            return {"query": selector["query"], "match": selector.get("match_index")}
        if kind == "module":
            return {"query": kind}
        if kind == "range":
            return {"start": selector["start_line"], "end": selector["end_line"]}
        if kind == "node_id":
            node, _, blob = selector["node_id"].partition("@")
            if not blob:
                message = f"{selector['node_id']} is not a node_id of query_cst"
                raise BadCall("invalid_ref", message, "copy `node_id` from the result of `query_cst`")
            return {"node": node, "base": blob}
        if kind in ("function", "class", "method"):
            return {"symbol": selector["name"], "kind": kind}
    except KeyError as missing:
        raise BadCall(
            "invalid_args", f"a selector of kind {kind} needs {missing}", f"add {missing} to it"
        ) from None
    raise BadCall(
        "invalid_args",
        f"unknown selector kind: {kind!r}",
        "set `kind` to cst_query, node_id, module, function, class, method or range",
    )


def _format_error(arguments: Arguments, error: CallError) -> str:
    code, message = (
        _CODES.get(error.code, error.code.upper()),
        f"{replies.edit_prefix(arguments, 'ops', error)}{error.message}",
    )
    return replies.to_json({"success": False, "code": code, "message": message, "hint": error.hint})


_SELECTOR = {
    "kind": choice("cst_query", "node_id", "module", "function", "class", "method", "range"),
    "query": optional(str),
    "match_index": optional(int, "Which match, from 0."),
    "node_id": optional(str),
    "name": optional(str),
    "start_line": optional(int),
    "end_line": optional(int),
}
_OPERATION = {
    "selector": object_of("Selector", _SELECTOR),
    "new_code": optional(str),
    "code_lines": optional(list[str]),
    "position": optional(choice("before", "after", "first", "last", "end")),
}
_WORDS = Vocabulary(
    fields={
        "path": "file_path",
        "query": "query",
        "match": "match_index",
        "node": "node_id",
        "code": "new_code",
        "symbol": "name",
        "start": "start_line",
        "end": "end_line",
    },
    read="find the place again with `query_cst` (`file_path`: {path})",
    find="try the selector with `query_cst`",
    text="give a `selector` of `kind` range with `start_line` and `end_line`",
    replace="give a `selector` of `kind` function, class or method and all of the definition as `new_code`",
    insert="give `position` to insert code next to it",
    delete="give an empty `new_code`",
    select="narrow the selector, or give `match_index` (from 0)",
)
_tool = partial(Tool, vocabulary=_WORDS, format_error=_format_error)
ADAPTER = Adapter(
    tools=(
        _tool(
            "query_cst",
            "Find nodes of a file by a selector, such as function[name=f] Return:first.",
            _query,
            {
                "file_path": str,
                "selector": str,
                "include_code": optional(bool),
                "max_results": optional(int, f"Default: {_MAX_MATCHES}; below 0: all."),
            },
            ignored=("project_id", "root_dir"),
        ),
        _tool(
            "patch_cst_module",
            "Replace, delete (empty new_code) or insert next to (position) what selectors find; all or none.",
            _patch,
            {
                "file_path": str,
                "ops": non_empty_list(object_of("Operation", _OPERATION)),
                "apply": optional(bool, "false: only try it."),
                "return_diff": optional(bool),
            },
            is_editing=True,
            ignored=("project_id", "root_dir", "create_backup", "commit_message"),
        ),
    ),
    differences=(
        "Selectors are [ours](addresses.md), in all languages. `query_cst` only finds nodes. A "
        "`node_id` contains its blob ID. If a selector has several matches, `match_index` is "
        "required. `block_id` is not supported. Columns count bytes. `project_id` and `root_dir` are "
        "ignored."
    ),
    failing_calls=(
        ("query_cst", {"file_path": "shop.py", "selector": "Return["}),
        (
            "patch_cst_module",
            {
                "file_path": "shop.py",
                "ops": [{"selector": {"kind": "cst_query", "query": "Return"}, "new_code": "x"}],
            },
        ),
        (
            "patch_cst_module",
            {
                "file_path": "shop.py",
                "ops": [{"selector": {"kind": "cst_query", "query": "Yield"}, "new_code": "x"}],
            },
        ),
    ),
)
