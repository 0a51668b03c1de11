"""Blueprint's ``file_read`` and ``file_edit``, for a symbol, lines or a whole file.

An edit that renames a definition also renames its uses.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable
from typing import Any

from gitscalpel.adapters import name_paths, replies
from gitscalpel.adapters.arguments import Arguments, describe_type, optional
from gitscalpel.adapters.hints import Vocabulary
from gitscalpel.adapters.tool import Adapter, EditStep, ReadStep, Steps, Tool, operation
from gitscalpel.errors import BadCall, DoesNotFit, GateRefused, ScalpelError

_PLACE = re.compile(r"[^\s:]+:\d+(?:, \d+)*: ")
_DEPTH = 100  # Default number of levels of children, enough for all


def _read(arguments: Arguments) -> Steps:
    path = arguments["file"]
    shown = yield from _show_target(arguments)
    rows = shown["lines"]
    body = "\n".join(row["text"] for row in rows)
    if not arguments.get("includeMetadata", True):
        return body
    symbol = shown.get("symbol")
    head = f"## file_read: {path}" + (f" → {arguments['target']}" if symbol else "")
    parts = [head, *_describe_symbol(symbol), _range(rows, shown["total_lines"])]
    parts += [f"```{shown['language'] or ''}\n{body}\n```"]
    children = yield from _children(arguments, symbol, rows, shown["total_lines"])
    parts += [f"Children: {', '.join(children)}"] if children else []
    if symbol and symbol["siblings"]:
        parts.append(f"Siblings: {', '.join(each.rpartition('.')[2] for each in symbol['siblings'])}")
    return "\n".join(parts)


def _show_target(arguments: Arguments) -> Generator[ReadStep, Any, Arguments]:
    target = {"path": arguments["file"]}
    if "target" in arguments:
        target["symbol"] = name_paths.to_symbol(arguments["target"])
    shown: Arguments = yield ReadStep("show", target)
    if "target" in arguments or not {"startLine", "endLine"} & arguments.keys():
        return shown
    first, last = _lines(arguments, shown["total_lines"])
    return {**shown, "lines": [row for row in shown["lines"] if first <= row["n"] <= last]}


def _lines(arguments: Arguments, total: int) -> tuple[int, int]:
    """Return the first and last requested line. The last line defaults to the end of the file.

    Raises:
        BadCall: ``invalid_range``.
    """
    first = arguments.get("startLine", 1)
    last = arguments.get("endLine", total)
    if not 1 <= first <= min(last, max(total, 1)):
        message = f"lines {first} to {last} are not lines of the file, which has {total}"
        raise BadCall(
            "invalid_range", message, "count lines from 1, and give `startLine` no higher than `endLine`"
        )
    return first, last


def _describe_symbol(symbol: Arguments | None) -> list[str]:
    if symbol is None:
        return []
    parent = symbol["parent"]
    parent_line = [f"Parent: {parent['qualname']} ({parent['kind']})"] if parent else []
    return [f"Symbol: {symbol['name']} ({symbol['kind']})", *parent_line]


def _range(rows: list[Arguments], total: int) -> str:
    if not rows:
        return f"Range: no lines of {total}"
    return f"Range: lines {rows[0]['n']}-{rows[-1]['n']} of {total}"


def _children(
    arguments: Arguments, symbol: Arguments | None, rows: list[Arguments], total: int
) -> Generator[ReadStep, Any, list[str]]:
    """Return the names of nested definitions to the requested depth. Empty for a line range."""
    if symbol is None and len(rows) < total:
        return []
    try:
        files = yield ReadStep("outline", {"paths": [arguments["file"]]})
    except ScalpelError as error:
        if error.code != "unsupported_language":
            raise
        return []
    symbols: list[Arguments] = files[0]["symbols"] if files else []
    if symbol is not None:
        matching = [each.row for each in name_paths.walk(files) if [*each.row["span"]] == [*symbol["span"]]]
        symbols = next((row["children"] for row in matching if row["name"] == symbol["name"]), [])
    return list(_child_names(symbols, arguments.get("maxDepth", _DEPTH)))


def _child_names(rows: Iterable[Arguments], depth: int, above: str = "") -> Iterable[str]:
    for row in rows if depth > 0 else ():
        yield f"{above}{row['name']}"
        yield from _child_names(row["children"], depth - 1, f"{above}{row['name']}.")


def _edit(arguments: Arguments) -> Steps:
    answer = yield from _apply_edit(arguments)
    lines = [
        f"## file_edit: {arguments['file']}" + (f" → {arguments['target']}" if "target" in arguments else "")
    ]
    lines.append(_summary(answer))
    lines.append("intents: " + ("; ".join(map(_intent, answer["intents"])) or "none"))
    lines.append("propagated: " + ("; ".join(_list_propagated(answer)) or "none"))
    lines.append(
        "fixed: " + ("; ".join(f"{row['path']}: {row['fix']}" for row in answer.get("fixed", ())) or "none")
    )
    lines += _list_remaining(answer)
    lines += [f"note: {words}" for words in replies.collect_notes(answer) if not _PLACE.match(words)]
    return "\n".join(lines)


def _apply_edit(arguments: Arguments) -> Generator[EditStep | ReadStep, Any, Arguments]:
    """Make the edit. If it renames a definition as text, the uses are renamed too."""
    ops = yield from _build_operations(arguments)
    if ops[0]["op"] == "write":
        return (yield from _write_file(arguments, ops))
    try:
        return (yield from _run_edit(ops))
    except GateRefused as error:
        renames = _rename_operations(arguments, error)
        if not renames:
            raise
    except DoesNotFit as error:
        if error.code != "extra_definitions" or "target" not in arguments:
            raise
        return (yield from _replace_by_several(arguments, error))
    try:
        return (yield from _run_edit((*renames, *ops)))
    except DoesNotFit as error:
        if error.code != "no_change":
            raise
        return (yield from _run_edit(renames))  # only names change


def _replace_by_several(
    arguments: Arguments, original: DoesNotFit
) -> Generator[EditStep | ReadStep, Any, Arguments]:
    """Replace one definition by several, as an edit of its lines, since such an edit may add definitions.

    Raises:
        DoesNotFit: the code does more than add to the definition.
    """
    shown = yield ReadStep(
        "show", {"path": arguments["file"], "symbol": name_paths.to_symbol(arguments["target"])}
    )
    symbol, code = shown["symbol"], arguments["code"].strip("\n")
    lead = symbol["lead"] or symbol["span"]
    brings_lead = shown["lines"][0]["text"].strip() == code.split("\n")[0].strip()
    first = lead[0] if brings_lead else symbol["span"][0]
    try:
        return (
            yield from _run_edit(
                (operation("lines", path=arguments["file"], start=first, end=symbol["span"][1], code=code),)
            )
        )
    except (GateRefused, DoesNotFit):
        raise original from None


def _run_edit(ops: tuple[Arguments, ...], *, dry_run: bool = False) -> Generator[EditStep, Any, Arguments]:
    answer: Arguments = yield EditStep(ops, dry_run=dry_run)
    return answer


def _build_operations(arguments: Arguments) -> Generator[ReadStep, Any, tuple[Arguments, ...]]:
    path, code = arguments["file"], arguments["code"]
    if "target" in arguments:
        target = {"path": path, "symbol": name_paths.to_symbol(arguments["target"])}
        return (
            operation("replace", **target, code=code, rename=True)
            if code.strip()
            else operation("delete", **target),
        )
    if {"startLine", "endLine"} & arguments.keys():
        if not {"startLine", "endLine"} <= arguments.keys():
            raise BadCall(
                "invalid_args", "only one end of the line range is given", "give `startLine` and `endLine`"
            )
        shown = yield ReadStep("show", {"path": path})
        first, last = _lines(arguments, shown["total_lines"])
        return (operation("lines", path=path, start=first, end=last, code=code),)
    return (operation("write", path=path, content=code, overwrite=True),)


def _write_file(
    arguments: Arguments, ops: tuple[Arguments, ...]
) -> Generator[EditStep | ReadStep, Any, Arguments]:
    """Write a whole file. Definitions that it renames are renamed in other files first, if possible."""
    trial = yield from _run_edit(ops, dry_run=True)
    renamed: list[tuple[str, str]] = []
    renames: list[Arguments] = []
    pairs = yield from _find_renames(
        arguments, [row for row in trial["intents"] if row["path"] == _path(trial)]
    )
    for before, after in pairs:
        symbol = before
        for old, new in renamed:
            symbol = f"{new}{symbol.removeprefix(old)}" if symbol.startswith(f"{old}.") else symbol
        renamed.append((before, after))
        renames.append(
            operation("rename", path=arguments["file"], symbol=symbol, to=after.rpartition(".")[2])
        )
    if renames:
        try:
            return (yield from _run_edit((*renames, *ops)))
        except DoesNotFit as error:
            if error.code == "no_change":
                return (yield from _run_edit(tuple(renames)))
    return (yield from _run_edit(ops))


def _find_renames(
    arguments: Arguments, intents: list[Arguments]
) -> Generator[ReadStep, Any, list[tuple[str, str]]]:
    """Return the renamed definitions, including a class replaced by one with mostly the same members."""
    renames = [(row["symbol"], row["to"]) for row in intents if row["kind"] == "rename"]
    deleted, added = ([row["symbol"] for row in intents if row["kind"] == kind] for kind in ("delete", "add"))
    if (
        renames
        or len(deleted) != 1
        or len(added) != 1
        or deleted[0].rpartition(".")[0] != added[0].rpartition(".")[0]
    ):
        return renames
    files = yield ReadStep("outline", {"paths": [arguments["file"]]})
    row = next((each.row for each in name_paths.walk(files) if each.row["qualname"] == deleted[0]), None)
    members = [child["name"] for child in row["children"]] if row else []
    shared = [name for name in members if re.search(rf"\b{re.escape(name)}\b", arguments["code"])]
    return [(deleted[0], added[0])] if 2 * len(shared) > len(members) else []


def _rename_operations(arguments: Arguments, error: ScalpelError) -> tuple[Arguments, ...]:
    """Return the rename operation that an edit of lines amounts to, or nothing if it does more."""
    data = error.data
    if error.code != "structural_gate" or data.get("operation") != "rename" or "symbol" not in data:
        return ()
    return (operation("rename", path=arguments["file"], symbol=data["symbol"], to=data["to"]),)


def _summary(answer: Arguments) -> str:
    renamed = [row for row in answer["intents"] if row["kind"] == "rename" and row["path"] == _path(answer)]
    summary = f"renamed {renamed[0]['symbol']} to {renamed[0]['to']}" if renamed else "applied"
    count = len(_list_remaining(answer)) - 1
    if answer["state"] == "checked":
        summary = f"tried: {summary}"
    rows = ", ".join(f"{row['path']} +{row['added']} -{row['removed']}" for row in answer["files"])
    return f"success: {summary} ({rows})" + (f"; {count} remaining" if count else "")


def _path(answer: Arguments) -> str:
    return str(answer["ops"][0]["path"]) if answer["ops"] else ""


def _intent(row: Arguments) -> str:
    return f"{row['kind']} {row['symbol']}" + (f" → {row['to']}" if row.get("to") else "")


def _list_propagated(answer: Arguments) -> list[str]:
    others = [row["path"] for row in answer["files"] if row["path"] != _path(answer)]
    return [
        f"{row['kind']}, {row['edits']} edits in {row['files']} files"
        + (f" ({', '.join(others)})" if others else "")
        for row in answer.get("propagated", ())
    ]


def _list_remaining(answer: Arguments) -> list[str]:
    rows = [
        f"{row['path']}:{row['line']}: {row['severity']}: {row['message']}"
        for row in answer.get("remaining", ())
    ]
    rows += [words for words in replies.collect_notes(answer) if _PLACE.match(words)]
    is_checked = any(row["name"] == "diagnostics" and row["status"] != "skipped" for row in answer["gates"])
    note = "" if is_checked else " (diagnostics are not configured)"
    return [f"remaining: {len(rows) or 'none'}{note}", *(f"  {row}" for row in rows)]


_AT = {
    "file": str,
    "target": optional(str, "A symbol, such as UserService.findById."),
    "startLine": optional(int, "Instead of target, from 1."),
    "endLine": optional(int),
}
_WORDS = Vocabulary(
    fields={
        "path": "file",
        "symbol": "target",
        "start": "startLine",
        "end": "endLine",
        **dict.fromkeys(("code", "content", "new"), "code"),
    },
    read="read it with `file_read` (`file`: {path})",
    find="read the file with `file_read`, which lists its symbols",
    text="give `startLine` and `endLine` instead of `target`",
    replace="give `target` and all of the definition as `code`",
    insert="give `startLine` and `endLine` of lines next to it, and these lines with the new ones as `code`",
    delete="give `target` and an empty `code`",
    overwrite="give all of the file as `code`, without `target` and lines",
    create="give `code` without `target` to create it",
)
ADAPTER = Adapter(
    tools=(
        Tool(
            "file_read",
            "Read a symbol, lines, or a file, with kind, range and children.",
            _read,
            {
                **_AT,
                "includeMetadata": optional(bool, "false: only the code."),
                "maxDepth": optional(int, "Levels of children (default: all)."),
            },
            vocabulary=_WORDS,
        ),
        Tool(
            "file_edit",
            "Replace a symbol, lines, or a file by code; another name renames the symbol in all files.",
            _edit,
            {**_AT, "code": describe_type(str, "The replacement; empty: delete.")},
            is_editing=True,
            vocabulary=_WORDS,
        ),
    ),
    differences=(
        "Names are resolved by gitscalpel. A line range needs both ends. Empty `code` deletes. If the "
        "code of `file_edit` has another name, all uses are renamed. With a `target`, further "
        "definitions in the code are added next to it. `remaining` has diagnostics if that gate is "
        "on."
    ),
    failing_calls=(
        ("file_read", {"file": "shop.py", "target": "gone"}),
        ("file_read", {"file": "shop.py", "startLine": 50}),
        ("file_edit", {"file": "shop.py", "target": "gone", "code": "def gone(): pass"}),
        ("file_edit", {"file": "shop.py", "target": "tax", "code": "def tax(:"}),
        ("file_edit", {"file": "shop.py", "target": "tax", "code": "class tax: pass"}),
        ("file_edit", {"file": "shop.py", "path": "x", "code": "1"}),
    ),
)
