"""Holds the arguments of a call against the schemas of a tool's parameters, as deep as these go."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any

import msgspec

from gitscalpel.errors import BadCall

_KINDS: dict[str, type] = {
    "string": str,
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
}


def fields(
    what: str,
    said: Mapping[str, Any],
    takes: Mapping[str, Any],
    needs: Collection[str],
    ignores: Collection[str] = (),
) -> dict[str, Any]:
    """The fields of an object, typed; those that are null count as left out.

    Raises:
        BadCall: ``invalid_args``.
    """
    given = {name: value for name, value in said.items() if value is not None}
    for name in given:
        if name not in takes and name not in ignores:
            near = difflib.get_close_matches(name, takes, 1)
            hint = f"did you mean {near[0]}?" if near else f"it takes {', '.join(takes)}"
            raise BadCall("invalid_args", f"{what} has no parameter {name}", hint)
    missing = [name for name in needs if name not in given]
    if missing:
        raise BadCall("invalid_args", f"{what} needs {' and '.join(missing)}", f"it takes {', '.join(takes)}")
    return {name: _typed(name, value, takes[name]) for name, value in given.items() if name in takes}


def _typed(name: str, value: Any, schema: Mapping[str, Any]) -> Any:
    """A value; where an interface has nothing but text, numbers, flags and lists are read from it."""
    kinds: list[str] = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    if isinstance(value, str) and "string" not in kinds:
        with suppress(msgspec.DecodeError):
            value = msgspec.json.decode(value.strip())
    kind = next((each for each in kinds if type(value) is _KINDS[each]), None)
    if kind is None:
        wanted = " or ".join(kinds)
        raise BadCall("invalid_args", f"{name} is no {wanted}", f"send a JSON {wanted}")
    if "enum" in schema and value not in schema["enum"]:
        raise BadCall("invalid_args", f"{name} is not {value!r}", f"it is one of {', '.join(schema['enum'])}")
    if kind == "array":
        items: list[Any] = value
        if len(items) < schema.get("minItems", 0):
            raise BadCall("invalid_args", f"{name} is empty", f"put at least {schema['minItems']} into it")
        return [_typed(f"{name}[{at}]", each, schema["items"]) for at, each in enumerate(items)]
    if kind == "object":
        return fields(name, dict(value), schema["properties"], schema.get("required", ()))
    return value
