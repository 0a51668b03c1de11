"""Takes the colours out of a diff that was copied from a terminal (``git diff --color``)."""

from __future__ import annotations

import re

from gitscalpel.edit.patches.refusals import failed

_COLOUR = rb"(?:\x1b\[[0-9;]*[mK])"
_COLOURED = re.compile(rb"^" + _COLOUR + rb"+(?:diff --git |--- |@@)", re.MULTILINE)
_ALL = re.compile(_COLOUR)
_HEADER = re.compile(
    _COLOUR
    + rb"*(?:diff |index |--- |\+\+\+ |@@|(?:old|new|deleted|similarity|dissimilarity|rename|copy)[ \w]* )"
)
_BEGIN = re.compile(rb"\A" + _COLOUR + rb"*([-+ ]?)" + _COLOUR + rb"*")
_BLANKS = re.compile(_COLOUR + rb"+([ \t\r]+)(?:" + _COLOUR + rb"|\Z)")
_END = re.compile(_COLOUR + rb"+(\r?)\Z")


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
