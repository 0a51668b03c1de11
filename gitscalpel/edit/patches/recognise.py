"""Finds out in which format a patch is written; adding a format is one line here."""

from __future__ import annotations

from gitscalpel.edit.patches import envelope, searched, unified
from gitscalpel.edit.patches.form import FilePatch
from gitscalpel.errors import BadCall

FORMATS = (
    (unified.SIGN, unified.read),
    (searched.SIGN, searched.read),
    (envelope.SIGN, envelope.read),
)
"""The pattern of each format's first mark, and its reader."""


def read(diff: str, path: str) -> tuple[FilePatch, ...]:
    """The files that ``diff`` changes; ``path`` is meant where it names none.

    The format is the one whose mark comes first, since what a patch writes may quote another.

    Raises:
        BadCall: ``invalid_args``, if it is in no known format or says nothing.
        DoesNotFit: ``patch_failed``, if the format is known and this cannot be read.
    """
    raw = diff.encode("utf-8", "surrogateescape").removeprefix(b"\xef\xbb\xbf")
    found = [(mark.start(), reader) for sign, reader in FORMATS if (mark := sign.search(raw))]
    files = min(found, key=lambda said: said[0])[1](raw, path) if found else ()
    if not files:
        raise BadCall(
            "invalid_args",
            "diff holds no patch in a known format",
            "send a unified diff with --- a/PATH, +++ b/PATH and @@ lines, <<<<<<< SEARCH blocks below "
            "the name of their file, or *** Begin Patch",
        )
    return files
