"""Line endings of new text: CRLF stays CRLF, and mixed files keep their mix."""

from __future__ import annotations

import re
from typing import NamedTuple

from gitscalpel.text.document import Document, ending_of
from gitscalpel.text.line_diff import diff_items
from gitscalpel.text.splice import Splice

_BREAK = re.compile(rb"\r?\n")


def convert_to_lf(text: bytes) -> bytes:
    """Return ``text`` with every CRLF as LF; a lone CR is content."""
    return text.replace(b"\r\n", b"\n")


def strip_line_endings(text: bytes) -> bytes:
    return convert_to_lf(text).rstrip(b"\n")


def measure_margins(new: bytes, before: bytes, after: bytes) -> tuple[int, int]:
    """Return the lengths of ``before`` and ``after`` around ``new``, once its line endings are fitted."""
    heads, tails = before.split(b"\n"), after.split(b"\n")
    lines = new.split(b"\n")
    begin = sum(len(line) + 1 for line in lines[: len(heads) - 1]) + len(heads[-1])
    end = sum(len(line) + 1 for line in lines[len(lines) - len(tails) + 1 :]) + len(tails[0])
    at = len(new) - end
    return begin, end + (len(tails) > 1 and new[at - 1 : at] == b"\r")


def fit_line_endings(new: bytes, document: Document, start: int, end: int) -> bytes:
    """Return ``new`` with the line endings of its place ``[start, end)``.

    In a mixed file an unchanged line keeps its own ending. Of the lines between two unchanged ones, the n-th
    new one takes the ending of the n-th replaced one. An added line takes that of the line before it, or at
    the top of the file that of the line after it.
    """
    lines = convert_to_lf(new).split(b"\n")
    if len(lines) == 1:
        return new
    if document.eol != "mixed":
        return (b"\r\n" if document.eol == "crlf" else b"\n").join(lines)
    return _join_lines(lines, _fit_endings(lines, document, start, end))


def make_splice(document: Document, start: int, end: int, new: bytes) -> Splice:
    """Replace ``[start, end)`` by ``new``, with the line endings of its place.

    In a mixed file the ending behind the range is replaced too, if it belonged to a removed line and the line
    that is now there had another.
    """
    if document.eol != "mixed":
        return Splice(start, end, fit_line_endings(new, document, start, end))
    lines = convert_to_lf(new).split(b"\n")
    endings = _fit_endings(lines, document, start, end)
    text = new if len(lines) == 1 else _join_lines(lines, endings)
    follows = _BREAK.match(document.text, end)
    last = endings[len(lines) - 1] if follows and len(endings) >= len(lines) else None
    if follows is None or last is None or not last.is_own or last.text == follows.group():
        return Splice(start, end, text)
    return Splice(start, follows.end(), text + last.text)


class _Ending(NamedTuple):
    """A line ending. ``is_own`` is True if the line existed before with this ending."""

    text: bytes
    is_own: bool


def _join_lines(lines: list[bytes], endings: list[_Ending]) -> bytes:
    pairs = zip(lines[:-1], endings, strict=False)
    return b"".join(piece for line, ending in pairs for piece in (line, ending.text)) + lines[-1]


def _fit_endings(lines: list[bytes], document: Document, start: int, end: int) -> list[_Ending]:
    text = document.text
    begin = text.rfind(b"\n", 0, start) + 1
    until = end if end and text[end - 1 : end] == b"\n" else text.find(b"\n", end) + 1 or len(text)
    old = convert_to_lf(text[begin:until]).split(b"\n")
    new = convert_to_lf(text[begin:start] + b"\n".join(lines) + text[end:until]).split(b"\n")
    above = ending_of(text[max(0, begin - 2) : begin]) or _find_first_ending(text[begin:])
    return _choose_endings(old, _BREAK.findall(text[begin:until]), new, above)


def _choose_endings(old: list[bytes], endings: list[bytes], new: list[bytes], above: bytes) -> list[_Ending]:
    """Return the ending of each new line. Of the old lines the last has none.

    ``above`` is the ending of the line above, used for added lines.
    """
    ranges = [*diff_items(old, new), (len(old), len(old), len(new), len(new))]
    moved: dict[bytes, set[bytes]] = {}
    for first, last, _, _ in ranges:
        for line, ending in zip(old[first:last], endings[first:last], strict=False):
            moved.setdefault(line, set()).add(ending)
    chosen: list[_Ending] = []
    unchanged = 0
    for first, last, begin, end in ranges:
        chosen += (
            _Ending(ending, is_own=True) for ending in endings[unchanged : unchanged + begin - len(chosen)]
        )
        for n, line in enumerate(new[begin:end], first):
            known_endings = moved.get(line, ())
            before = chosen[-1].text if chosen else above
            (text,) = known_endings if len(known_endings) == 1 else endings[n : min(last, n + 1)] or [before]
            chosen.append(_Ending(text, is_own=len(known_endings) == 1 and bool(line)))
        unchanged = last
    return chosen


def _find_first_ending(text: bytes) -> bytes:
    match = _BREAK.search(text)
    return match.group() if match else b"\n"
