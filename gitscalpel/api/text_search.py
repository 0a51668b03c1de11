"""Text search for ``find``: the places of a text or pattern in any file, with hashes for edits."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from gitscalpel.api.queries import File
from gitscalpel.changesets import paths
from gitscalpel.changesets.answers import Match, quoted
from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, TREE, Overlay
from gitscalpel.errors import BadCall, DoesNotFit
from gitscalpel.text import line_refs
from gitscalpel.workspace import Target, Workspace

_TEXT_SELECTOR = re.compile(
    r"""\s*text\(\s*(?P<quoted>"(?:[^"\\]|\\.)*"|'[^']*'|/.*/)\s*\)\s*\Z""", re.DOTALL
)
_SELECTOR_START = re.compile(r"\s*text\s*\(")


class Wanted(NamedTuple):
    """A text to search.

    Attributes:
        spans: returns the matches in a text in UTF-8.
        line: line that every matching file contains. Empty if it is not known.
    """

    spans: Callable[[bytes], Iterable[tuple[int, int]]]
    line: str


def wanted(selector: str) -> Wanted | None:
    """Return the text in a selector ``text("words")``, ``text('words')`` or ``text(/regex/)``.

    Returns:
        None for any other selector.

    Raises:
        BadCall: ``query_syntax``.
    """
    found = _TEXT_SELECTOR.match(selector)
    if found is None:
        if _SELECTOR_START.match(selector):
            raise _syntax_error(selector, "it needs one text in quotes, or a pattern between slashes")
        return None
    mark, inner = found["quoted"][0], found["quoted"][1:-1]
    if not inner:
        raise _syntax_error(selector, "it is empty")
    try:
        if mark == "/":
            return Wanted(_find_pattern(inner.encode("utf-8", "surrogateescape")), "")
        words = str(json.loads(found["quoted"], strict=False)) if mark == '"' else inner
    except (re.error, ValueError) as error:
        raise _syntax_error(selector, str(error)) from None
    line = max(words.split("\n"), key=len)
    literal = re.compile(re.escape(words.encode("utf-8", "surrogateescape")))
    return Wanted(lambda text: (found.span() for found in literal.finditer(text)), line)


def _find_pattern(sent: bytes) -> Callable[[bytes], Iterable[tuple[int, int]]]:
    from gitscalpel.system.regex_worker import Sent

    pattern = Sent(sent, re.MULTILINE)
    return lambda text: (match[0] for match in pattern.matches(text))


def search(
    ws: Workspace, target: Target, asked: Wanted, given: Iterable[str], limit: int | None = None
) -> list[Match]:
    """Return up to ``limit`` matches of a text in files and below directories, in order.

    Raises:
        DoesNotFit: ``file_not_found``, ``too_slow``.
    """
    rows: list[Match] = []
    for path in _iter_files(target, asked, tuple(given)):
        try:
            rows += _find_in_file(File(ws, target, path), asked.spans)
        except DoesNotFit as error:
            if error.code != "binary_file":
                raise
        if limit is not None and len(rows) >= limit:
            return rows[:limit]
    return rows


def _iter_files(target: Target, asked: Wanted, given: tuple[str, ...]) -> Iterator[str]:
    overlay = Overlay(target.snapshot)
    found: list[str] = []
    for path in given:
        place = "" if path in ("", ".") else paths.resolve(path, overlay)
        entry = overlay.entry(place)
        is_folder = entry is not None and entry.mode == TREE
        found += target.snapshot.under(place) if is_folder else [paths.existing(path, overlay)[0]]
    holding = {*target.snapshot.mentions(asked.line)} if asked.line else {*found}
    for path in dict.fromkeys(found):
        entry = overlay.entry(path) if path in holding else None
        if entry is not None and entry.mode in (REGULAR, EXECUTABLE):
            yield path


def _find_in_file(file: File, spans: Callable[[bytes], Iterable[tuple[int, int]]]) -> Iterator[Match]:
    document = file.document
    for start, end in spans(document.text):
        if start == end:
            continue
        first, last = document.line_at(start), document.line_at(end - 1)
        text = document.text[slice(*document.span(first, last))]
        yield Match(
            node_id="",
            kind="text",
            type="text",
            name="",
            qualname="",
            path=quoted(file.path),
            blob=file.blob,
            start_line=first,
            start_column=start - document.starts[first - 1] + 1,
            end_line=last,
            end_column=end - document.starts[last - 1] + 1,
            code=text.rstrip(b"\r\n").decode("utf-8", "replace"),
            range=line_refs.format_reference(document, first, last),
        )


def _syntax_error(selector: str, why: str) -> BadCall:
    hint = """write text("words"), or text(/a pattern of Python's re/)"""
    return BadCall("query_syntax", f"{selector!r}: {why}", hint, column=1)
