"""The tool that edits: a changeset, or a patch as models write them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import msgspec

from gitscalpel.api import BadCall
from gitscalpel.changesets.operations import KINDS
from gitscalpel.mcp import schemas
from gitscalpel.mcp.asking import PLACES, Answered, Here

_TRANSACTION = ("message", "onto", "tx", "dry_run", "no_land", "require_approval")
_CHANGESET = ("request_id", "allow_broken", "imports")
_UNSAID = ("expect", "base", "match", "node", "content_b64", "mode", "keep_imports", "kind")
"""Fields of operations that are taken, and left out of what every agent has to read."""
_OPERATION = (
    "replace, insert (position before|after|first|last), delete, signature: at symbol (Outer.inner), query "
    "(selector) or lines start, end; text: old, new; lines: start, end, code; write: content; rename: to; "
    "move: symbol, to_path; imports: add, remove; move_file, copy_file: to; remove; patch: diff."
)


def takes() -> tuple[dict[str, Any], list[str]]:
    """Its arguments."""
    fields, _ = schemas.properties("apply", _TRANSACTION)
    operation = {
        "type": "object",
        "description": _OPERATION,
        "properties": {"op": {"enum": list(KINDS)}, **_fields()},
        "required": ["op"],
    }
    return {
        "ops": {"type": "array", "items": operation},
        "patch": {"type": "string", "description": "Instead: a diff, SEARCH/REPLACE, *** Begin Patch, …"},
        **fields,
        "imports": {"enum": ["auto"], "description": "Add the imports that new code needs."},
    }, []


def _fields() -> dict[str, Any]:
    """The fields of all operations."""
    found: dict[str, Any] = {}
    for kind in KINDS.values():
        schema = schemas.definition(msgspec.json.schema(kind))
        for name, field in schema["properties"].items():
            if name != "op" and name not in _UNSAID and name not in found:
                found[name] = {n: v for n, v in schemas.plain(field).items() if n != "description"}
    return found


def perform(here: Here, given: dict[str, Any]) -> Answered:
    """Do it.

    Raises:
        ScalpelError: it is refused, as a whole.
    """
    fields = gathered(given)
    patch = fields.pop("patch", None)
    ops = fields.pop("ops", None)
    if (patch is None) == (ops is None):
        raise BadCall("invalid_args", "edit takes ops or a patch", 'such as ops: [{"op": "text", …}]')
    if patch is not None:
        return here.ask("apply", {**fields, "changeset": patch})
    sent = {name: fields.pop(name) for name in _CHANGESET if name in fields}
    sent["ops"] = [located(here, op) for op in ops] if isinstance(ops, list) else ops
    return here.ask("apply", {**fields, "changeset": msgspec.json.encode(sent).decode()})


def gathered(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with a list of operations, where models send one without it, or the list as text."""
    own = {*takes()[0], *_CHANGESET}
    fields = {name: value for name, value in given.items() if name in own}
    single = {name: value for name, value in given.items() if name not in own}
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


def located(here: Here, op: Any) -> Any:
    """An operation with its paths as the repository names them."""
    if not isinstance(op, dict):
        return op
    return {name: here.relative(name, value) if name in PLACES else value for name, value in op.items()}


def again(given: dict[str, Any], op: int | None, better: dict[str, Any]) -> dict[str, Any]:
    """The arguments once more, with what is better of an operation, or of the whole."""
    sent = gathered(given)
    ops = sent.get("ops")
    if op is None or not isinstance(ops, list) or op >= len(ops):
        return {**given, **better}
    corrected = {name: value for name, value in {**ops[op], **better}.items() if value is not None}
    return {**sent, "ops": [*ops[:op], corrected, *ops[op + 1 :]]}
