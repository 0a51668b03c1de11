"""Conversion at the process boundary: typed values from JSON, and paths as text."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from typing import Any, TypeVar

import msgspec

Kind = TypeVar("Kind")

_resolved_types: set[Any] = set()  # types whose fields msgspec has resolved
_resolve_lock = threading.RLock()


def decode(content: bytes | str, kind: type[Kind]) -> Kind:
    """Decode JSON as a type. Raises ``msgspec.MsgspecError`` if it is not JSON, or not of that type."""
    try:
        return msgspec.json.decode(content, type=_resolve_fields(kind))
    except UnicodeDecodeError as error:  # msgspec (0.22) lets Python raise for invalid UTF-8
        raise msgspec.DecodeError(f"it is not UTF-8: {error}") from None


def convert(value: object, kind: type[Kind]) -> Kind:
    """Convert plain dicts and lists to a type. Raises ``msgspec.ValidationError`` if they do not fit."""
    return msgspec.convert(value, _resolve_fields(kind))


def resolve_all_types() -> None:
    """Resolve the fields of every struct, for a long-lived process."""
    kinds = msgspec.Struct.__subclasses__()
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        with suppress(TypeError, NameError):  # such a type is never decoded
            _resolve_fields(kind)


def _resolve_fields(kind: type[Kind]) -> type[Kind]:
    # msgspec (0.22) stores its data about a struct on the class before it has resolved the fields'
    # types. A second thread that decodes at that moment reads null pointers and crashes.
    if kind not in _resolved_types:
        with _resolve_lock:
            msgspec.json.Decoder(kind)
            _resolved_types.add(kind)
    return kind


def encode_path(path: str | os.PathLike[str]) -> str:
    """Encode a path as text for JSON, which allows no surrogates: each byte becomes a character."""
    return os.fsencode(path).decode("latin-1")


def decode_path(text: str) -> str:
    return os.fsdecode(text.encode("latin-1"))
