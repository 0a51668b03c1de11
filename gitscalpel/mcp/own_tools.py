"""The MCP tools ``look`` and ``edit``."""

from __future__ import annotations

import posixpath
from collections.abc import Generator, Mapping
from contextlib import suppress
from typing import Any

import msgspec

from gitscalpel.adapters.arguments import Arguments, Schema, object_schema, simplify_schema
from gitscalpel.adapters.tool import CommandStep, FindRoot, Step
from gitscalpel.api import BadCall, DoesNotFit
from gitscalpel.changesets.answers import Shown
from gitscalpel.changesets.operations import OPERATION_TYPES
from gitscalpel.commands import reads
from gitscalpel.commands.reply import Reply, plain_text
from gitscalpel.errors.messages import suggest_field
from gitscalpel.mcp import command_call
from gitscalpel.mcp.command_call import CommandResult, require_known, resolve_path

MAX_LINES = 400
"""Maximum number of lines shown of a file without a line range, of a directory outline, and of a diff.

A longer file is shown as an outline.
"""
OwnSteps = Generator[Step, Any, CommandResult]  # Steps of a call of gitscalpel's own tools
_SHOW = ("path", "symbol", "start", "end", "onto", "tx")


def look_schema() -> Schema:
    fields, _ = command_call.request_properties("show", _SHOW)
    fields["path"] = {**fields["path"], "description": "File or directory (default: all)."}
    return object_schema(
        {
            **fields,
            "find": {
                "type": "string",
                "description": 'A selector: class[name=A] > method, call[name=f], text("words").',
            },
            "limit": {"type": "integer"},
            "hashes": {"type": "boolean", "description": "Show line hashes for edits."},
        }
    )


def run_look(arguments: Arguments) -> OwnSteps:
    """Show a file, its symbols, a symbol, lines, or the matches of a selector.

    Raises:
        ScalpelError: the target does not exist, or the arguments contradict each other.
    """
    require_known(arguments, look_schema()["properties"])
    fields = dict(arguments)
    path, hashes = fields.pop("path", None), bool(fields.pop("hashes", False))
    if _is_root(path, (yield FindRoot())):
        path = None
    if "find" in fields:
        paths = {"paths": [path]} if path else {}
        found: CommandResult = yield CommandStep("find", {"selector": fields.pop("find"), **fields, **paths})
        return found
    if not path and {"symbol", "start", "end"} & fields.keys():
        hint = "find a definition in an unknown file by its name: find [name=f]"
        raise BadCall("invalid_args", "no file given: path", hint)
    if not path:
        return (yield from _outline_directory(".", fields, hashes))
    try:
        shown = yield CommandStep("show", {"path": path, **fields})
    except DoesNotFit as error:
        if error.code != "not_a_file":
            raise
        return (yield from _outline_directory(path, fields, hashes))
    file: Shown = shown.reply.answer
    if file.total_lines > MAX_LINES and not {"symbol", "start", "end"} & fields.keys():
        command, reply = yield from _outline(path, fields, hashes)
        note = f"{file.path} has {file.total_lines} lines: name a symbol, or start and end"
        return CommandResult(command, msgspec.structs.replace(reply, warnings=(*reply.warnings, note)))
    return CommandResult(shown.command, _show_reply(shown.reply, file, hashes))


def _is_root(path: Any, root: str) -> bool:
    relative = resolve_path(root, path)
    return isinstance(relative, str) and posixpath.normpath(relative or ".") == "."


def _outline(path: str, fields: Arguments, hashes: bool) -> OwnSteps:
    command, reply = yield CommandStep("outline", {"paths": [path], **fields})
    short = reads.outline_reply(reply.answer, hashes)
    return CommandResult(command, msgspec.structs.replace(short, warnings=reply.warnings))


def _outline_directory(path: str, fields: Arguments, hashes: bool) -> OwnSteps:
    """Return the symbols of a directory, reduced to as many levels as fit into the limit."""
    command, reply = yield from _outline(path, fields, hashes)
    files: reads.OutlineAnswer = reply.answer
    count = _count_rows(files)
    if count <= MAX_LINES:
        return CommandResult(command, reply)
    shown = next(
        (less for depth in (1, 0) if _count_rows(less := reads.cut_levels(files, depth)) <= MAX_LINES), None
    )
    shown = reads.cut_levels(files, 0)[:MAX_LINES] if shown is None else shown
    note = f"there are {count - len(files)} symbols in {len(files)} files"
    note += f", of which {MAX_LINES} are shown" if len(shown) < len(files) else ""
    note += ": name a folder or a file to see more of it, or look for a name with find, [name=f]"
    short = reads.outline_reply(shown, hashes)
    return CommandResult(command, msgspec.structs.replace(short, warnings=(*reply.warnings, note)))


def _count_rows(found: reads.OutlineAnswer) -> int:
    pending, rows = [file.symbols for file in found], len(found)
    while pending:
        symbols = pending.pop()
        rows += len(symbols)
        pending += [symbol.children for symbol in symbols]
    return rows


def _show_reply(reply: Reply, shown: Shown, hashes: bool) -> Reply:
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


def edit_schema() -> Schema:
    fields, _ = command_call.request_properties("apply", _TRANSACTION)
    operation = {
        "type": "object",
        "description": _OPERATION,
        "properties": {"op": {"enum": list(OPERATION_TYPES)}, **_operation_fields()},
        "required": ["op"],
    }
    return object_schema(
        {
            "ops": {"type": "array", "items": operation},
            "patch": {"type": "string", "description": "Instead: a diff, SEARCH/REPLACE, *** Begin Patch, …"},
            **fields,
            "imports": {"enum": ["auto"], "description": "Add the imports that new code needs."},
        }
    )


def _operation_fields() -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for kind in OPERATION_TYPES.values():
        schema = command_call.resolve_schema(msgspec.json.schema(kind))
        for name, field in schema["properties"].items():
            if name != "op" and name not in _UNLISTED and name not in fields:
                fields[name] = {n: v for n, v in simplify_schema(field).items() if n != "description"}
    return fields


def run_edit(arguments: Arguments) -> OwnSteps:
    """Apply operations, or a patch in one of the formats that models write.

    Raises:
        ScalpelError: the edit fails. Nothing is changed.
    """
    if {"ops", "patch", "op"}.isdisjoint(arguments):
        wrong = [name for name in arguments if suggest_field(name, ("ops",)) == "ops"]
        require_known(wrong, edit_schema()["properties"])
    fields = normalise_arguments(arguments)
    _require_known_arguments(fields)
    patch = fields.pop("patch", None)
    ops = fields.pop("ops", None)
    if (patch is None) == (ops is None):
        raise BadCall(
            "invalid_args",
            "edit needs either `ops` or `patch`",
            'give the operations, such as ops: [{"op": "text", …}]',
        )
    if patch is None:
        root = yield FindRoot()
        changeset = {name: fields.pop(name) for name in _CHANGESET if name in fields}
        changeset["ops"] = [resolve_paths(root, op) for op in ops] if isinstance(ops, list) else ops
        patch = msgspec.json.encode(changeset).decode()
    result: CommandResult = yield CommandStep("apply", {**fields, "changeset": patch})
    return result


def _require_known_arguments(fields: Arguments) -> None:
    """Raise ``BadCall`` for unknown arguments; the hint lists those of the schema."""
    listed = edit_schema()["properties"]
    accepted = {*listed, *_CHANGESET, *command_call.request_properties("apply")[0]} - {"changeset"}
    require_known((name for name in fields if name not in accepted), listed)


def normalise_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with ``ops`` as a list. Models also send one operation, or JSON text."""
    known_names = {*edit_schema()["properties"], *_CHANGESET}
    fields = {name: value for name, value in arguments.items() if name in known_names}
    single = {name: value for name, value in arguments.items() if name not in known_names}
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


def resolve_paths(root: str, op: Any) -> Any:
    return command_call.resolve_fields(root, op) if isinstance(op, dict) else op


def retry_arguments(arguments: dict[str, Any], op: int | None, better: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a retry, with corrected fields of operation ``op`` or of the whole call."""
    sent = normalise_arguments(arguments)
    ops = sent.get("ops")
    if op is None or not isinstance(ops, list) or op >= len(ops):
        return {**arguments, **better}
    corrected = {name: value for name, value in {**ops[op], **better}.items() if value is not None}
    return {**sent, "ops": [*ops[:op], corrected, *ops[op + 1 :]]}
