"""The MCP tools ``look`` and ``edit``.

``look`` shows a file, its symbols, a symbol, lines, or the matches of a selector. ``edit`` takes a
changeset, or a patch in the formats that models write.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import msgspec

from gitscalpel.api import BadCall, DoesNotFit
from gitscalpel.changesets.answers import Shown
from gitscalpel.changesets.operations import OPERATION_TYPES
from gitscalpel.commands import reads
from gitscalpel.commands.reply import Reply, plain_text
from gitscalpel.mcp import command_call
from gitscalpel.mcp.command_call import PATH_FIELDS, CallContext, CommandResult, require_known

MAX_LINES = 400
"""Maximum number of lines shown of a file without a line range, of a directory outline, and of a diff.

A longer file is shown as an outline.
"""
_SHOW = ("path", "symbol", "start", "end", "onto", "tx")


def read_tool_schema() -> tuple[dict[str, Any], list[str]]:
    """Return the argument schemas of ``look`` and its required arguments."""
    fields, _ = command_call.request_properties("show", _SHOW)
    fields["path"] = {**fields["path"], "description": "File or directory (default: all)."}
    return {
        **fields,
        "find": {
            "type": "string",
            "description": 'A selector: class[name=A] > method, call[name=f], text("words").',
        },
        "limit": {"type": "integer"},
        "hashes": {"type": "boolean", "description": "Show line hashes for edits."},
    }, []


def perform_read(context: CallContext, arguments: dict[str, Any]) -> CommandResult:
    """Perform ``look``.

    Raises:
        ScalpelError: the target does not exist, or the arguments contradict each other.
    """
    require_known(arguments, read_tool_schema()[0])
    fields = dict(arguments)
    path, hashes = _path_or_root(context, fields.pop("path", None)), bool(fields.pop("hashes", False))
    if "find" in fields:
        return context.run_command(
            "find", {"selector": fields.pop("find"), **fields, **({"paths": [path]} if path else {})}
        )
    if not path and {"symbol", "start", "end"} & fields.keys():
        hint = "a definition of which nobody knows the file is found by its name: find [name=f]"
        raise BadCall("invalid_args", "no file given: path", hint)
    if not path:
        return _outline_directory(context, ".", fields, hashes)
    try:
        shown = context.run_command("show", {"path": path, **fields})
    except DoesNotFit as error:
        if error.code != "not_a_file":
            raise
        return _outline_directory(context, path, fields, hashes)
    file: Shown = shown.reply.answer
    if file.total_lines > MAX_LINES and not {"symbol", "start", "end"} & fields.keys():
        verb, reply = _outline(context, path, fields, hashes)
        note = f"{file.path} has {file.total_lines} lines: name a symbol, or start and end"
        return CommandResult(verb, msgspec.structs.replace(reply, warnings=(*reply.warnings, note)))
    return CommandResult(shown.command, _show_reply(shown.reply, file, hashes))


def _path_or_root(context: CallContext, path: Any) -> Any:
    """Return the path, or None if it is the root of the repository (``.`` or its absolute path)."""
    named = context.resolve_value("path", path)
    return None if isinstance(named, str) and posixpath.normpath(named or ".") == "." else path


def _outline(context: CallContext, path: str, fields: dict[str, Any], hashes: bool) -> CommandResult:
    """Return the symbols of a file or directory. Hashes are included only on request, to save tokens."""
    verb, reply = context.run_command("outline", {"paths": [path], **fields})
    short = reads.outline_reply(reply.answer, hashes)
    return CommandResult(verb, msgspec.structs.replace(short, warnings=reply.warnings))


def _outline_directory(
    context: CallContext, path: str, fields: dict[str, Any], hashes: bool
) -> CommandResult:
    """Return the symbols of a directory, reduced to as many levels as fit into the limit."""
    verb, reply = _outline(context, path, fields, hashes)
    found: reads.OutlineAnswer = reply.answer
    whole = _count_rows(found)
    if whole <= MAX_LINES:
        return CommandResult(verb, reply)
    shown = next(
        (less for depth in (1, 0) if _count_rows(less := reads.cut_levels(found, depth)) <= MAX_LINES), None
    )
    shown = reads.cut_levels(found, 0)[:MAX_LINES] if shown is None else shown
    note = f"there are {whole - len(found)} symbols in {len(found)} files"
    note += f", of which {MAX_LINES} are shown" if len(shown) < len(found) else ""
    note += ": name a folder or a file to see more of it, or look for a name with find, [name=f]"
    short = reads.outline_reply(shown, hashes)
    return CommandResult(verb, msgspec.structs.replace(short, warnings=(*reply.warnings, note)))


def _count_rows(found: reads.OutlineAnswer) -> int:
    pending, rows = [file.symbols for file in found], len(found)
    while pending:
        symbols = pending.pop()
        rows += len(symbols)
        pending += [symbol.children for symbol in symbols]
    return rows


def _show_reply(reply: Reply, shown: Shown, hashes: bool) -> Reply:
    """Return the lines with their numbers. Hashes are included only on request, to save tokens."""
    rows = [
        f"{line.n}:{line.hash}| {line.text}" if hashes else f"{line.n}| {line.text}" for line in shown.lines
    ]
    answer = msgspec.to_builtins(shown)
    del answer["content" if hashes else "lines"]  # both contain the same text
    return msgspec.structs.replace(reply, answer=answer, words=plain_text("\n".join(rows), verbatim=True))


_TRANSACTION = ("message", "onto", "tx", "dry_run", "no_land", "require_approval")
_CHANGESET = ("request_id", "allow_broken", "imports")
_UNLISTED = ("expect", "base", "match", "node", "content_b64", "mode", "keep_imports", "kind")
"""Fields of operations that the tool accepts but does not list, to keep the schema short."""
_OPERATION = (
    "replace, insert (position before|after|first|last), delete, signature: at symbol (Outer.inner), query "
    "(selector) or lines start, end; text: old, new; lines: start, end, code; write: content; rename: to; "
    "move: symbol, to_path; imports: add, remove; move_file, copy_file: to; remove; patch: diff."
)


def edit_tool_schema() -> tuple[dict[str, Any], list[str]]:
    """Return the argument schemas of ``edit`` and its required arguments."""
    fields, _ = command_call.request_properties("apply", _TRANSACTION)
    operation = {
        "type": "object",
        "description": _OPERATION,
        "properties": {"op": {"enum": list(OPERATION_TYPES)}, **_operation_fields()},
        "required": ["op"],
    }
    return {
        "ops": {"type": "array", "items": operation},
        "patch": {"type": "string", "description": "Instead: a diff, SEARCH/REPLACE, *** Begin Patch, …"},
        **fields,
        "imports": {"enum": ["auto"], "description": "Add the imports that new code needs."},
    }, []


def _operation_fields() -> dict[str, Any]:
    """Return the schemas of the fields of all operations."""
    found: dict[str, Any] = {}
    for kind in OPERATION_TYPES.values():
        schema = command_call.resolve_schema(msgspec.json.schema(kind))
        for name, field in schema["properties"].items():
            if name != "op" and name not in _UNLISTED and name not in found:
                found[name] = {
                    n: v for n, v in command_call.simplify_schema(field).items() if n != "description"
                }
    return found


def perform_edit(context: CallContext, arguments: dict[str, Any]) -> CommandResult:
    """Perform ``edit``.

    Raises:
        ScalpelError: the edit fails. Nothing is changed.
    """
    fields = normalise_arguments(arguments)
    patch = fields.pop("patch", None)
    ops = fields.pop("ops", None)
    if (patch is None) == (ops is None):
        raise BadCall("invalid_args", "edit takes ops or a patch", 'such as ops: [{"op": "text", …}]')
    if patch is not None:
        return context.run_command("apply", {**fields, "changeset": patch})
    sent = {name: fields.pop(name) for name in _CHANGESET if name in fields}
    sent["ops"] = [resolve_paths(context, op) for op in ops] if isinstance(ops, list) else ops
    return context.run_command("apply", {**fields, "changeset": msgspec.json.encode(sent).decode()})


def normalise_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments in their regular form.

    Models also send one operation without a list, or the list as a JSON string.
    """
    own = {*edit_tool_schema()[0], *_CHANGESET}
    fields = {name: value for name, value in arguments.items() if name in own}
    single = {name: value for name, value in arguments.items() if name not in own}
    ops = fields.get("ops")
    if single and ops is None and "patch" not in fields:
        return {**fields, "ops": [single]}
    if isinstance(ops, str):
        with suppress(msgspec.DecodeError):
            ops = msgspec.json.decode(ops)
    return {
        **fields,
        **single,
        **({"ops": [ops] if isinstance(ops, dict) else ops} if ops is not None else {}),
    }


def resolve_paths(context: CallContext, op: Any) -> Any:
    """Return an operation with its paths relative to the root of the repository."""
    if not isinstance(op, dict):
        return op
    return {
        name: context.resolve_value(name, value) if name in PATH_FIELDS else value
        for name, value in op.items()
    }


def retry_arguments(arguments: dict[str, Any], op: int | None, better: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments for a retry, with corrected fields of one operation or of the whole call."""
    sent = normalise_arguments(arguments)
    ops = sent.get("ops")
    if op is None or not isinstance(ops, list) or op >= len(ops):
        return {**arguments, **better}
    corrected = {name: value for name, value in {**ops[op], **better}.items() if value is not None}
    return {**sent, "ops": [*ops[:op], corrected, *ops[op + 1 :]]}
