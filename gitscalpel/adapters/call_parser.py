"""Read a changeset from adapters' tool calls that were sent to ``apply``."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from gitscalpel.changesets.requests import Changeset, changeset, is_changeset
from gitscalpel.changesets.requests import parse_request as parsed
from gitscalpel.edit.patches.formats.tool_call_edits import PLACES
from gitscalpel.errors import BadCall

if TYPE_CHECKING:
    from gitscalpel.adapters.tool import EditStep
    from gitscalpel.edit.patches.formats.tool_call_edits import SentEdit

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
    said = _parse_calls(raw)
    if said is None:
        return parsed(raw)
    ops, structure = said
    return changeset(*ops, structure=structure or None)


def _parse_calls(raw: bytes) -> tuple[list[dict[str, Any]], Literal["", "headers", "strict"]] | None:
    """Return the operations and the structure level of calls, or None if all of them are patches."""
    from gitscalpel.edit.patches.formats import format_detection

    sent = format_detection.read_sent(raw.decode("utf-8", "surrogateescape")) or []
    edits = [_parse_edit(each) for each in sent]
    if not any(edits):
        return None
    steps = [edit.ops if edit else (_patch_operation(each),) for edit, each in zip(edits, sent, strict=True)]
    levels = [edit.structure for edit in edits if edit is not None]
    return [op for ops in steps for op in ops], max(levels, key=("", "headers", "strict").index)


def _parse_edit(sent: SentEdit) -> EditStep | None:
    """Return the edit that an adapter's call makes, or None if the call is unknown or is read as a patch."""
    from gitscalpel.adapters.registry import find_tool, find_tool_by_fields
    from gitscalpel.adapters.tool import EditStep
    from gitscalpel.edit.patches.formats import tool_call_edits

    if not isinstance(sent.value, dict) or tool_call_edits.knows(sent.value):
        return None
    tool, arguments = find_tool(sent.name, sent.value) if sent.name else None, sent.value
    if not sent.name:
        tool, arguments = find_tool_by_fields(sent.value)
    if tool is None:
        return None
    asked = next(tool.start(arguments))
    if not isinstance(asked, EditStep) or asked.dry_run:
        words = f"this call of {tool.name} does not only edit: it looks at files first, or is a trial"
        raise BadCall("invalid_args", words, "send calls that say all that is to be done")
    return asked


def _patch_operation(sent: SentEdit) -> dict[str, Any]:
    if isinstance(sent.value, str):
        return {"op": "patch", "diff": sent.value, "path": sent.path}
    return {"op": "patch", "diff": msgspec.json.encode({"name": sent.name, "input": sent.value}).decode()}
