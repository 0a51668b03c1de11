"""Takes the colours out of a diff that was copied from a terminal (``git diff --color``)."""

from __future__ import annotations

import re

from gitscalpel.edit.patches.refusals import failed
from gitscalpel.regex import lazy

_COLOUR = rb"(?:\x1b\[[0-9;]*[mK])"
_COLOURED = lazy(rb"^" + _COLOUR + rb"+(?:diff --git |--- |@@)", re.MULTILINE)
_ALL = lazy(_COLOUR)
_HEADER = lazy(
    _COLOUR
    + rb"*(?:diff |index |--- |\+\+\+ |@@|(?:old|new|deleted|similarity|dissimilarity|rename|copy)[ \w]* )"
)
_BEGIN = lazy(rb"\A" + _COLOUR + rb"*([-+ ]?)" + _COLOUR + rb"*")
_BLANKS = lazy(_COLOUR + rb"+([ \t\r]+)(?:" + _COLOUR + rb"|\Z)")
_END = lazy(_COLOUR + rb"+(\r?)\Z")


def strip_colours(raw: bytes) -> bytes:
    """Return a diff without the colours that git gives its lines; other texts as they are.

    Raises:
        DoesNotFit: ``patch_failed``: colours are inside lines, so they may be the file's own.
    """
    if b"\x1b[" not in raw or not _COLOURED.search(raw):
        return raw
    return b"\n".join(map(_strip_line, raw.split(b"\n")))


def _strip_line(line: bytes) -> bytes:
    if b"\x1b[" not in line:
        return line
    if _HEADER.match(line):
        return _ALL.sub(b"", line)
    bare = _BEGIN.sub(rb"\1", line, count=1)
    bare = _END.sub(rb"\1", _BLANKS.sub(rb"\1", bare))
    if b"\x1b[" in bare:
        raise failed(
            "a line of the coloured diff has colours inside, which may be the file's own",
            "send the diff without colours: `git diff --no-color --no-ext-diff`",
        )
    return bare
