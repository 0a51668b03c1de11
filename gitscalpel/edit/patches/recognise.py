"""Finds out in which format a patch is written; adding a format is one line here."""

from __future__ import annotations

from gitscalpel.edit.patches import unified
from gitscalpel.edit.patches.form import FilePatch
from gitscalpel.errors import BadCall

FORMATS = ((unified.recognises, unified.read),)
"""Most telling marks first, since one format may be quoted inside another."""


def read(diff: str, path: str) -> tuple[FilePatch, ...]:
    """The files that ``diff`` changes; ``path`` is meant where it names none.

    Raises:
        BadCall: ``invalid_args``, if it is in no known format or says nothing.
        DoesNotFit: ``patch_failed``, if the format is known and this cannot be read.
    """
    raw = diff.encode("utf-8", "surrogateescape").removeprefix(b"\xef\xbb\xbf")
    files = next((reader(raw, path) for recognises, reader in FORMATS if recognises(raw)), ())
    if not files:
        raise BadCall(
            "invalid_args",
            "diff holds no patch in a known format",
            "send a unified diff with --- a/PATH, +++ b/PATH and @@ lines",
        )
    return files
