"""Errors for patches that cannot be read, or that name a place which the file does not have."""

from __future__ import annotations

from typing import Any

from gitscalpel.errors import DoesNotFit, WorldMoved
from gitscalpel.text.document import Document

_HINT = "make the patch again from the files as they are on the target branch"


def patch_error(message: str, hint: str = _HINT, **data: Any) -> DoesNotFit:
    """A patch that cannot be applied."""
    return DoesNotFit("patch_failed", message, hint, **data)


def out_of_range_error(label: str, what: str, size: str) -> DoesNotFit:
    """A position that the file does not have."""
    return DoesNotFit("out_of_range", f"{label} names {what}, and the file has {size}", _HINT)


def outdated_error(path: str, label: str, document: Document, start: int, end: int) -> WorldMoved:
    """A place that holds other text than the patch was made for."""
    first = document.line_at(start)
    now = document.text[start:end].decode("utf-8", "replace")
    return WorldMoved(
        "stale",
        f"{label} was made for other text than line {first} of the file holds now",
        _HINT,
        path=path,
        line=first,
        content=now,
    )


def no_change_error(path: str, label: str = "the patch") -> DoesNotFit:
    """A patch, or the part of one that ``label`` names, that leaves a file as it is."""
    return DoesNotFit(
        "no_change",
        f"{label} leaves {path} as it is",
        "check whether the change was made before",
        path=path,
    )
