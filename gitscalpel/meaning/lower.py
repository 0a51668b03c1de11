"""Operations on names, each lowered to plain edits."""

from __future__ import annotations

from gitscalpel.edit.lowered import Lowered, Read
from gitscalpel.meaning import rename
from gitscalpel.operations import Named, Rename
from gitscalpel.snapshot import Overlay


def lower(op: Named, overlay: Overlay, read: Read) -> Lowered:
    """See :data:`gitscalpel.edit.lowered.Lower`."""
    assert isinstance(op, Rename)  # noqa: S101 - there is no other
    return rename.lowered(op, overlay, read)
