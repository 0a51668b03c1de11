"""Arguments of a tool: their types by name, which msgspec turns into a JSON schema and validates."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from gitscalpel.errors import BadCall
from gitscalpel.system import serialization

Arguments = dict[str, Any]  # Arguments of a call
Schema = dict[str, Any]
Types = Mapping[str, Any]
"""Types of arguments by name. An argument is required unless its type is :func:`optional`."""


def describe_type(kind: Any, help: str) -> Any:  # noqa: A002 - as in a tool
    return Annotated[kind, Meta(description=help)] if help else kind


def optional(kind: Any, help: str = "") -> Any:  # noqa: A002
    """Return the type of an argument that may be left out."""
    return describe_type(kind, help) | UnsetType


def choice(*values: str) -> Any:
    """Return a type with fixed values. The schema lists them in this order, which msgspec would sort."""
    return Annotated[Literal[values], Meta(extra_json_schema={"type": "string", "ordered": values})]


def object_of(name: str, fields: Types) -> type[msgspec.Struct]:
    """Return a struct type with these fields. Types inside of each other need different names."""
    rows = [
        (field, kind, UNSET) if UnsetType in getattr(kind, "__args__", ()) else (field, kind)
        for field, kind in fields.items()
    ]
    return msgspec.defstruct(name, rows, kw_only=True, forbid_unknown_fields=True)


def non_empty_list(kind: Any) -> Any:
    """Return the type of a list with at least one item."""
    return Annotated[list[kind], Meta(min_length=1)]


def object_schema(properties: Mapping[str, Schema], required: Iterable[str] = ()) -> Schema:
    names = list(required)
    return {"type": "object", "properties": dict(properties), **({"required": names} if names else {})}


def schema_of(kind: type[msgspec.Struct]) -> Schema:
    """Return the schema of a struct type, without references and titles."""
    (schema,), definitions = msgspec.json.schema_components([kind], ref_template="{name}")
    return _inline(schema, definitions)


def _inline(schema: Schema, definitions: Mapping[str, Schema]) -> Schema:
    schema = definitions[schema["$ref"]] if "$ref" in schema else schema
    if "properties" in schema:
        properties = {name: _inline(field, definitions) for name, field in schema["properties"].items()}
        return object_schema(properties, schema["required"])
    simple = simplify_schema(schema)
    if "items" in simple:
        simple["items"] = _inline(simple["items"], definitions)
    if "ordered" in simple:
        simple["enum"] = [*simple.pop("ordered")]
    help_text = {"description": simple.pop("description")} if "description" in simple else {}
    return {"type": simple.pop("type"), **simple, **help_text}


def simplify_schema(field: Schema) -> Schema:
    """Return a field's schema without ``null`` and the default, which only say that the field is optional."""
    kinds = [kind for kind in field.get("anyOf", ()) if kind != {"type": "null"}]
    single = kinds[0] if len(kinds) == 1 else {"anyOf": kinds} if kinds else {}
    others = {name: value for name, value in field.items() if name not in ("anyOf", "default")}
    merged = {**others, **single}
    types = [kind.get("type") for kind in merged.get("anyOf", ())]
    if types and all(types) and all(len(kind) == 1 for kind in merged["anyOf"]):
        merged = {**{n: v for n, v in merged.items() if n != "anyOf"}, "type": types}
    return merged


_PATH = re.compile(r" - at `\$(.+)`\Z")
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+)\]")


def validate(tool: str, sent: Mapping[str, Any], kind: type[msgspec.Struct]) -> Arguments:
    """Return the arguments of a call as valid data. An argument that is null counts as left out.

    Numbers, booleans, lists and objects may be sent as JSON text.

    Raises:
        BadCall: ``invalid_args``.
    """
    values = _drop_nulls(sent)
    while True:
        try:
            return dict(msgspec.to_builtins(serialization.convert(values, kind)))
        except msgspec.ValidationError as error:
            path_match = _PATH.search(str(error))
            steps = [name or int(index) for name, index in _STEP.findall(path_match[1] if path_match else "")]
        if not _decode_json_at(values, steps):
            raise _explain(tool, values, steps, schema_of(kind))


def _drop_nulls(value: Any) -> Any:
    """Return a copy without the fields that are null."""
    if isinstance(value, Mapping):
        return {name: _drop_nulls(item) for name, item in value.items() if item is not None}
    return [_drop_nulls(item) for item in value] if isinstance(value, list) else value


def _decode_json_at(values: Any, steps: list[str | int]) -> bool:
    """Replace a rejected text by the JSON value that it contains. Return False if it contains none."""
    for step in steps[:-1]:
        values = values[step]
    text = values[steps[-1]] if steps else None
    if isinstance(text, str):
        with suppress(msgspec.DecodeError):
            values[steps[-1]] = _drop_nulls(msgspec.json.decode(text.strip()))
    return isinstance(text, str) and not isinstance(values[steps[-1]], str)


def _explain(tool: str, value: Any, steps: list[str | int], schema: Schema) -> BadCall:
    """Return the error for the value at a path that msgspec rejects."""
    for step in steps:
        value = value[step]
        schema = schema["items"] if isinstance(step, int) else schema["properties"][step]
    name = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).lstrip(".")
    kinds = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    if isinstance(value, dict) and kinds == ["object"]:
        message, hint = _explain_fields(value, schema)
        return BadCall("invalid_args", f"{name or tool} {message}", hint)
    if isinstance(value, list) and kinds == ["array"]:
        return BadCall("invalid_args", f"{name} is empty", "give at least 1 item")
    if isinstance(value, str) and "enum" in schema:
        hint = f"it is one of {', '.join(schema['enum'])}"
        return BadCall("invalid_args", f"{name} is not {value!r}", hint)
    wanted = " or ".join(kinds)
    return BadCall("invalid_args", f"{name} is not of type {wanted}", f"send a JSON {wanted}")


def _explain_fields(value: Arguments, schema: Schema) -> tuple[str, str]:
    """Return the message and the hint for an object with unknown or missing fields."""
    known = schema["properties"]
    hint = f"it takes {', '.join(known)}"
    unknown = next((name for name in value if name not in known), None)
    if unknown is not None:
        near = difflib.get_close_matches(unknown, known, 1)
        return f"has no parameter {unknown}", f"did you mean {near[0]}?" if near else hint
    missing = [name for name in schema.get("required", ()) if name not in value]
    return f"needs {' and '.join(missing)}", hint
