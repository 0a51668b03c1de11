"""Opens a file for editing, or says why it cannot be edited."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitscalpel.edit.source import Source
from gitscalpel.errors import DoesNotFit
from gitscalpel.errors.messages import arg
from gitscalpel.syntax.syntax_errors import faults
from gitscalpel.text.document import Document

_BLOCKS = (b"<<<<<<< SEARCH", b"<<<<<<< ORIGINAL", b">>>>>>> REPLACE", b">>>>>>> UPDATED")
"""How a search/replace block begins and ends, which no branch is called."""
_PROSE = (".rst", ".rest", ".adoc", ".asciidoc", ".org", ".textile", ".mdx", ".markdown", ".pod", ".tex")
"""Suffixes of documents that no parser here reads."""


def require_editable(source: Source) -> Source:
    """Return a file that can be edited inside.

    Raises:
        DoesNotFit: ``binary_file`` or ``conflicted``.
    """
    path = source.path
    if source.document.is_binary:
        raise DoesNotFit(
            "binary_file",
            f"{path} is binary",
            f"replace it whole: write with {arg('content_b64')} and {arg('overwrite')}",
        )
    conflict = conflict_line(source)
    if conflict:
        raise DoesNotFit(
            "conflicted",
            f"{path} has conflict markers (line {conflict})",
            f"resolve the conflict and commit first; write with {arg('overwrite')} replaces the file whole",
            line=conflict,
        )
    return source


def conflict_line(source: Source) -> int | None:
    """Return the line of the first conflict marker that is no content of the file.

    Markers in prose are content, and so are those that a file parses with (in strings, in comments). Where no
    grammar can tell, a complete set of markers, as git writes them, is a conflict. Texts that show
    search/replace blocks contain none.
    """
    if b"<<<<<<< " not in source.text or _is_prose(source):
        return None
    sets = list(_marker_sets(source.document))
    if not sets or source.language is None or source.language.parses not in ("strictly", "partly"):
        return sets[0][0] if sets else None
    try:
        syntax = source.syntax
    except DoesNotFit:  # too large to be parsed
        return sets[0][0]
    if syntax is None:
        return sets[0][0]
    places = [(fault.line, source.document.line_at(fault.end)) for fault in faults(syntax)]
    for first, last in sets:
        if any(begin <= last and first <= end for begin, end in places):
            return first
    return None


def first_marker_line(source: Source) -> int | None:
    """Return the line of the first complete set of conflict markers, quoted ones too."""
    return next((first for first, _ in _marker_sets(source.document)), None)


def _is_prose(source: Source) -> bool:
    if source.language is None:
        return source.path.lower().endswith(_PROSE)
    return source.language.blocks == "prose"


def _marker_sets(document: Document) -> Iterator[tuple[int, int]]:
    """Yield the first and the last line of each complete set of conflict markers."""
    marks = []
    for number in range(1, document.line_count + 1):
        line = document.line(number)
        if line in _BLOCKS:
            continue
        if line.startswith((b"<<<<<<< ", b">>>>>>> ")) or line == b"=======":
            marks.append((line[:1], number))
    kinds = b"".join(kind for kind, _ in marks)
    for found in re.finditer(b"<=>", kinds):
        yield marks[found.start()][1], marks[found.end() - 1][1]
