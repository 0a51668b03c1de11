"""JSON schemas of tools, from what verbs take: short, for every agent reads them before it does anything."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import msgspec

from gitscalpel.errors.messages import call, spelt
from gitscalpel.verbs.table import VERBS

HIDDEN = frozenset({"checkout", "wait", "expect", "base", "watch_command", "command", "list", "lead", "idle"})
"""Fields that no tool offers: what a session knows by itself, and what starts programs."""
_BRIEF = {
    "The file.": "",
    "The branch (default: the one checked out).": "A branch, or @checkout.",
    "The transaction; in its worktree it need not be named.": "",
    "The transactions; in the worktree of one it need not be named.": "",
    "The commit message; of several, each is a paragraph.": "",
    "Show the diff and write nothing.": "Only show the diff.",
    f"Leave it staged; `{spelt(call('land', tx='ID'))}` lands it.": "Leave it open.",
    "The last three together.": "Remove unused and repeated ones, and order.",
    "Whom to believe where a language server reads a place otherwise; both: refuse then.": (
        "Whom to believe where a language server says otherwise."
    ),
}
"""What fields that many tools have are said to be, in fewer words; "": their names say it."""
_STRINGS = {"type": "array", "items": {"type": "string"}}
_FAILURE = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("code", "message", "hint")},
    "required": ["code", "message", "hint"],
}


def properties(verb: str, names: Iterable[str] | None = None) -> tuple[dict[str, Any], list[str]]:
    """The fields of a verb, and those that it must be given."""
    whole = definition(msgspec.json.schema(VERBS[verb].request))
    known: dict[str, Any] = whole.get("properties", {})
    chosen = [name for name in known if name not in HIDDEN] if names is None else list(names)
    required = [name for name in whole.get("required", ()) if name in chosen]
    return {name: _told(plain(known[name])) for name in chosen}, required


def _told(field: dict[str, Any]) -> dict[str, Any]:
    said = field.get("description", "")
    rest = {key: value for key, value in field.items() if key != "description"}
    brief = _BRIEF.get(said, said)
    return {**({"description": brief} if brief else {}), **rest}


def envelope(verb: str | None) -> dict[str, Any]:
    """What a call answers: the envelope of every face, with the names and types of what ``data`` holds.

    ``git scalpel schema`` has all of it, and no agent has to read that. None: several verbs may answer.
    """
    data: dict[str, Any] = {}
    if verb is not None:
        with suppress(TypeError):  # one of several structs, which have no schema in common
            found = definition(msgspec.json.schema(VERBS[verb].answer))
            data = {"type": found.get("type", "object")}
            if "properties" in found:
                data["properties"] = {name: _kind(field) for name, field in found["properties"].items()}
    said = {"command": {"type": "string"}, "data": data, "warnings": _STRINGS, "next": _STRINGS}
    return whole({"ok": {"type": "boolean"}, **said, "error": _FAILURE}, ["ok", "command"])


def _kind(field: dict[str, Any]) -> dict[str, Any]:
    """A field of an answer by its type alone."""
    kinds = [kind.get("type") for kind in field.get("anyOf", [field])]
    known = [kind for kind in kinds if kind is not None]
    return {"type": known[0] if len(known) == 1 else known} if known and len(known) == len(kinds) else {}


def whole(properties: dict[str, Any], required: Iterable[str] = ()) -> dict[str, Any]:
    """The schema of an object."""
    needed = list(required)
    return {"type": "object", "properties": properties, **({"required": needed} if needed else {})}


def plain(field: dict[str, Any]) -> dict[str, Any]:
    """A field without what says no more than that it may be left out."""
    kinds = [kind for kind in field.get("anyOf", ()) if kind != {"type": "null"}]
    more = kinds[0] if len(kinds) == 1 else {"anyOf": kinds} if kinds else {}
    kept = {name: value for name, value in field.items() if name not in ("anyOf", "default")}
    merged = {**kept, **more}
    types = [kind.get("type") for kind in merged.get("anyOf", ())]
    if types and all(types) and all(len(kind) == 1 for kind in merged["anyOf"]):
        merged = {**{n: v for n, v in merged.items() if n != "anyOf"}, "type": types}
    return merged


def definition(schema: dict[str, Any]) -> dict[str, Any]:
    """What a schema is about, which it may only name."""
    name = schema.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = schema["$defs"][name] if name else schema
    return found
