"""What placing a piece gives."""

from __future__ import annotations

import msgspec

from gitscalpel.edit.patches.refusals import failed
from gitscalpel.edit.source import Source
from gitscalpel.text.splice import Splice

EXACT = "exact"


class Placed(msgspec.Struct, frozen=True):
    """A piece at its place.

    Attributes:
        splices: on the current text, ascending.
        old, new: the text that it replaces and the text that it writes, as the structure gate counts
            their lines.
        notes: what is to be told, in words.
        strategy: what had to be forgiven for it to fit.
    """

    splices: tuple[Splice, ...]
    old: bytes
    new: bytes
    notes: tuple[str, ...] = ()
    strategy: str = EXACT


def carried(source: Source, start: int, end: int, label: str) -> tuple[int, int]:
    """Where the original range ``[start, end)`` is in the text as it is now.

    Raises:
        DoesNotFit: ``patch_failed``, if an earlier edit changed it.
    """
    if not source.track.rounds:
        return start, end
    now = source.track.forward(start, end)
    if source.text[slice(*now)] != source.original.text[start:end]:
        raise failed(
            f"{label} lies in line {source.original.line_at(start)}, which an earlier edit changed",
            "put both changes into one edit, or send the second one after the first has landed",
            path=source.path,
        )
    return now
