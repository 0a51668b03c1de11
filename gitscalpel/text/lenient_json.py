"""JSON as tools and language models write it: fenced, several values in a row, or within prose.

A duplicate key is refused, since an edit depends on it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from gitscalpel.errors import BadCall
from gitscalpel.system import serialization

T = TypeVar("T")
_FENCED = re.compile(rb"\A\s*(`{3,})(?:json[a-z]*)?[ \t]*\r?\n((?:(?!\n\1).)*)\n\1\s*\Z", re.DOTALL)
_HALF = re.compile(r"[\ud800-\udfff]")


def strip_json_fence(raw: bytes) -> bytes | None:
    """Return ``raw`` without a Markdown fence around it, or None if it does not begin as JSON."""
    fenced = _FENCED.match(raw)
    text = (fenced[2] if fenced else raw).strip()
    return text if text[:1] in (b"{", b"[") else None


def read_objects(raw: bytes) -> list[dict[str, Any]]:
    """Return the objects in ``raw``, including those in lists. Raises ``BadCall``: ``invalid_args``."""
    try:
        values = _decode_values(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise BadCall("invalid_args", f"this is not JSON: {why}", "send well-formed JSON") from None
    flat = [item for value in values for item in _list_items(value)]
    objects = [item for item in flat if isinstance(item, dict)]
    if len(objects) != len(flat):
        raise BadCall("invalid_args", "the list must contain objects only", "send objects only")
    return objects


def _list_items(value: Any) -> list[Any]:
    """Return the items of a list; a list of texts only is one command with its arguments."""
    if not isinstance(value, list):
        return [value]
    if value and all(isinstance(item, str) for item in value):
        return [{"command": value}]
    return value


def _decode_values(text: str) -> list[Any]:
    decoder = json.JSONDecoder(object_pairs_hook=_make_object, parse_constant=_refuse_constant)
    values, at = [], 0
    while at < len(text):
        value, at = decoder.raw_decode(text, at)
        values.append(value)
        at += len(text[at:]) - len(text[at:].lstrip())
    if "\\u" in text and _HALF.search(json.dumps(values, ensure_ascii=False)):
        raise ValueError("it contains half of a surrogate pair")
    return values


def _make_object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key, value in pairs:
        if key in fields:
            raise ValueError(f"duplicate key {key!r}")
        fields[key] = value
    return fields


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def require_given(value: Any, field: str) -> Any:
    """Return ``value``, or raise ``BadCall`` (``invalid_args``) if it is missing."""
    if value is None:
        raise BadCall("invalid_args", f"an edit has no {field}", f"give {field}")
    return value


def convert_value(value: Any, kind: type[T], description: str) -> T:
    """Return ``value`` converted to a ``kind``.

    Raises:
        BadCall: ``invalid_args``, with the place that does not match.
    """
    try:
        return serialization.convert(value, kind)
    except (msgspec.ValidationError, OverflowError) as error:
        raise BadCall(
            "invalid_args",
            f"this is not a valid {description}: {error}",
            "send the output of the tool unchanged",
        ) from None


# Matches the start of a value: the beginning of a line, or of a ``<tool_call>`` tag there.
_VALUE_LINE = re.compile(r"(?:^|(?<=</tool_call>))[ \t]*(?:<tool_call>[ \t]*)?(?=[\[{])", re.MULTILINE)


def find_json_values(text: str) -> list[str]:
    """Return the JSON objects, and lists of objects, that begin a line or a call in ``text``, in order."""
    decoder = json.JSONDecoder()
    values: list[str] = []
    at = 0
    while (match := _VALUE_LINE.search(text, at)) is not None:
        start = at = match.end()
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            at = start + 1
            continue
        if value and (isinstance(value, dict) or (isinstance(value, list) and isinstance(value[0], dict))):
            values.append(text[start:end])
        at = end
    return values
