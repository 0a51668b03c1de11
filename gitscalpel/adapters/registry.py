"""Adapters by name, and changesets from tool calls that were sent to ``apply``."""

from __future__ import annotations

import codecs
import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from gitscalpel.changesets.requests import Changeset, changeset, is_changeset
from gitscalpel.changesets.requests import parse_request as parsed
from gitscalpel.edit.patches.formats import format_detection, tool_call_edits
from gitscalpel.edit.patches.formats.tool_call_edits import PLACES
from gitscalpel.errors import BadCall

if TYPE_CHECKING:
    from gitscalpel.adapters.tool import Adapter, EditStep, Tool
    from gitscalpel.edit.patches.formats.tool_call_edits import SentEdit


_PROGRAMS = Path(__file__).with_name("programs")


@cache
def names() -> tuple[str, ...]:
    """Return the names of all adapters, without importing them."""
    return tuple(sorted(found.name.replace("_", "-") for found in pkgutil.iter_modules([str(_PROGRAMS)])))


@cache
def load(name: str) -> Adapter:
    """Load an adapter.

    Raises:
        BadCall: ``invalid_args``: there is no adapter with this name.
    """
    if name not in names():
        raise BadCall("invalid_args", f"no such dialect: {name!r}", f"choose one of {', '.join(names())}")
    module = importlib.import_module(f"{__package__}.programs.{name.replace('-', '_')}")
    adapter: Adapter = module.ADAPTER
    return adapter


def _iter_tools() -> Iterator[Tool]:
    return (tool for name in names() for tool in load(name).tools)


_EXCLUDING = (
    ("symbol", ("old_string", "start_line", "content")),
    ("start_line", ("old_string", "content", "symbol")),
    ("content", ("new_string",)),
)
"""Fields, and those that must not occur with them in a call that does not name its tool."""


_SPELLINGS = {
    **dict.fromkeys(("path", "file", "filePath", "filename"), "file_path"),
    **dict.fromkeys(("newString", "new_str", "new_text", "newText", "replacement"), "new_string"),
    **dict.fromkeys(("oldString", "old_str", "old_text", "oldText"), "old_string"),
    "startLine": "start_line",
    "endLine": "end_line",
    "symbol_name": "symbol",
}
"""Alternative field names in a call that does not name its tool."""


def find_tool_by_fields(arguments: Mapping[str, Any]) -> tuple[Tool | None, dict[str, Any]]:
    """Return the only tool that takes all fields of a call without a tool's name, and its arguments.

    The tool is None if no field is a path, or if no tool takes the fields.

    Raises:
        BadCall: ``invalid_args``: the fields contradict each other, or several tools take them.
    """
    sent_names = {name for name, value in arguments.items() if value is not None}
    if not sent_names & PLACES:
        return None, {}
    for field, others in _EXCLUDING:
        if field in sent_names and (conflicting := [name for name in others if name in sent_names]):
            message = f"a call without the name of its tool gives {field} and {' and '.join(conflicting)}"
            raise BadCall("invalid_args", message, "give one of them, or the name of the tool")
    tools: dict[str, Tool] = {}
    for tool in (each for each in _iter_tools() if each.is_editing):
        if sent_names <= tool.parameters.keys() | tool.aliases.keys() and _accepts(tool, arguments):
            tools.setdefault(tool.name, tool)
    if len(tools) > 1:
        message = f"a call without the name of its tool may be one of {', '.join(tools)}"
        raise BadCall("invalid_args", message, 'send {"name": …, "arguments": {…}}')
    if tools:
        return next(iter(tools.values())), dict(arguments)
    respelled = {_SPELLINGS.get(name, name): value for name, value in arguments.items() if value is not None}
    if respelled.keys() == sent_names or len(respelled) < len(sent_names):
        return None, {}
    return find_tool_by_fields(respelled)


def _accepts(tool: Tool, arguments: Mapping[str, Any]) -> bool:
    try:
        tool.validate(arguments)
    except BadCall:
        return False
    return True


def find_tool(name: str, arguments: Mapping[str, Any]) -> Tool | None:
    """Return the tool with this name that accepts the arguments.

    None if the call is for no adapter, or contains a patch.

    Raises:
        BadCall: ``invalid_args``: no tool with this name accepts the arguments.
    """
    bare = name.rpartition("__")[2].rpartition(".")[2]  # clients prefix the server's name
    candidates = [tool for tool in _iter_tools() if tool.name == bare]
    first_error: BadCall | None = None
    for tool in candidates:
        try:
            tool.validate(arguments)
        except BadCall as error:
            first_error = first_error or error
        else:
            return tool
    if first_error is not None and not tool_call_edits.claims(dict(arguments)):
        raise first_error
    return None


_CALL = re.compile(
    rb'"name"\s*:|^[ \t]*(?:<(?:antml:)?function_calls>)?[ \t]*'
    rb"<(?:(?:antml:)?invoke |function=|\w+(?:\s[^<>]*)?>\s*<)",
    re.MULTILINE,
)
"""Start of a call that names its tool."""
_FIELD = re.compile(rb'"(?:' + "|".join(sorted(PLACES)).encode() + rb')"\s*:')
"""Fields of a call that does not name its tool. A request without either is not parsed as a call."""


def parse_request(raw: bytes) -> Changeset:
    """Read a changeset from JSON, a patch, or tool calls that agents know.

    Calls that contain a patch are read as patches, whichever adapter they belong to.

    Raises:
        BadCall: as :func:`gitscalpel.parse_changeset`.
    """
    is_nameless = _FIELD.search(raw) is not None and b'"op"' not in raw
    if not (is_nameless or _CALL.search(raw)) or is_changeset(raw.removeprefix(codecs.BOM_UTF8)):
        return parsed(raw)
    calls = _parse_calls(raw)
    if calls is None:
        return parsed(raw)
    ops, structure = calls
    return changeset(*ops, structure=structure or None)


def _parse_calls(raw: bytes) -> tuple[list[dict[str, Any]], Literal["", "headers", "strict"]] | None:
    """Return the operations and the structure level of calls, or None if all of them are patches."""
    sent = format_detection.read_sent(raw.decode("utf-8", "surrogateescape")) or []
    edits = [_parse_edit(each) for each in sent]
    if not any(edits):
        return None
    steps = [edit.ops if edit else (_patch_operation(each),) for edit, each in zip(edits, sent, strict=True)]
    levels = [edit.structure for edit in edits if edit is not None]
    return [op for ops in steps for op in ops], max(levels, key=("", "headers", "strict").index)


def _parse_edit(sent: SentEdit) -> EditStep | None:
    """Return the edit that an adapter's call makes, or None if the call is unknown or is read as a patch."""
    if not isinstance(sent.value, dict) or tool_call_edits.knows_all_fields(sent.value):
        return None
    tool, arguments = find_tool(sent.name, sent.value) if sent.name else None, sent.value
    if not sent.name:
        tool, arguments = find_tool_by_fields(sent.value)
    if tool is None:
        return None
    edit = tool.find_only_edit(arguments)
    if edit is None:
        message = f"this call of {tool.name} does more than edit: it reads files first, or is a dry run"
        raise BadCall("invalid_args", message, "send only calls that edit, with the complete new text")
    return edit


def _patch_operation(sent: SentEdit) -> dict[str, Any]:
    if isinstance(sent.value, str):
        return {"op": "patch", "diff": sent.value, "path": sent.path}
    return {"op": "patch", "diff": msgspec.json.encode({"name": sent.name, "input": sent.value}).decode()}
