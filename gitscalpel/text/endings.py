"""Line endings of new text: CRLF stays CRLF, mixed files stay as they are mixed."""

from __future__ import annotations

from gitscalpel.regex import lazy
from gitscalpel.text.document import Document, ending_of
from gitscalpel.text.splice import Splice

_BREAK = lazy(rb"\r?\n")


def plain(text: bytes) -> bytes:
    """``text`` with every CRLF as LF; a lone CR is content, not an ending."""
    return text.replace(b"\r\n", b"\n")


def trim(text: bytes) -> bytes:
    """``text`` without the line endings at its end."""
    return plain(text).rstrip(b"\n")


def margins(new: bytes, before: bytes, after: bytes) -> tuple[int, int]:
    """How long ``before`` and ``after`` are, with which ``new`` begins and ends, after :func:`fit`."""
    heads, tails = before.split(b"\n"), after.split(b"\n")
    lines = new.split(b"\n")
    begin = sum(len(line) + 1 for line in lines[: len(heads) - 1]) + len(heads[-1])
    end = sum(len(line) + 1 for line in lines[len(lines) - len(tails) + 1 :]) + len(tails[0])
    at = len(new) - end
    return begin, end + (len(tails) > 1 and new[at - 1 : at] == b"\r")


def fit(new: bytes, document: Document, start: int, end: int) -> bytes:
    """``new`` with the line endings that belong where ``[start, end)`` stands.

    Uniform files have one ending. In a mixed file the n-th new line keeps the
    ending of the n-th replaced line; an added line takes that of the line
    before it, or at the top of the file that of the line after it.
    """
    lines = plain(new).split(b"\n")
    if len(lines) == 1:
        return new
    if document.eol != "mixed":
        return (b"\r\n" if document.eol == "crlf" else b"\n").join(lines)
    old = _BREAK.findall(document.text[start:end])
    feed = document.text.rfind(b"\n", 0, start)
    above = document.text[max(0, feed - 1) : feed + 1]
    current = ending_of(above) or _first(document.text[start:])
    pieces = [lines[0]]
    for index, line in enumerate(lines[1:]):
        current = old[index] if index < len(old) else current
        pieces += [current, line]
    return b"".join(pieces)


def splice(document: Document, start: int, end: int, new: bytes) -> Splice:
    """Replace ``[start, end)`` by ``new``, which gets the endings that belong there."""
    until = end if document.text[end - 1 : end] == b"\n" and end else document.text.find(b"\n", end) + 1
    # To the end of the line, so that a replaced line keeps its own ending.
    return Splice(start, end, fit(new, document, start, until or len(document.text)))


def _first(text: bytes) -> bytes:
    found = _BREAK.search(text)
    return found.group() if found else b"\n"
