"""Whole files, as JSON and fenced blocks give them."""

from __future__ import annotations

import re

from gitscalpel.edit.patches.form import FilePatch, Whole
from gitscalpel.edit.patches.pieces import Sketch
from gitscalpel.errors import BadCall
from gitscalpel.text.elision import is_elision

_BLOB = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def whole(path: str, text: str, base: str | None, index: int) -> FilePatch:
    """A whole file: with ellipses, in place of the blob ``base``, or where nothing is (None).

    Raises:
        BadCall: ``invalid_ref``, for a base that is not a blob id.
    """
    if base is not None and not _BLOB.fullmatch(base):
        raise BadCall("invalid_ref", f"{base[:80]!r} is not a blob id", "copy the blob id that show printed")
    if any(map(is_elision, lines(text))):
        sketch = Sketch(index=index, lines=lines(text))
        return FilePatch(path=path, source=path, pieces=(sketch,), base=base, by_hand=True, as_text=True)
    if base is None:
        return created(path, text)
    return FilePatch(
        path=path, source=path, content=Whole(encoded(text)), base=base, by_hand=True, as_text=True
    )


def created(path: str, text: str) -> FilePatch:
    """A new file."""
    return FilePatch(
        path=path, source=path, kind="create", content=Whole(encoded(text)), by_hand=True, as_text=True
    )


def lines(text: str) -> tuple[bytes, ...]:
    """The lines of a text without their endings; a last ending opens no further line."""
    return tuple(encoded(text).replace(b"\r\n", b"\n").removesuffix(b"\n").split(b"\n"))


def encoded(text: str) -> bytes:
    """The bytes of a text; those that were no UTF-8 are again what they were."""
    return text.encode("utf-8", "surrogateescape")
