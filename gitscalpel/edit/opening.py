"""Opens a file for editing, or says why it cannot be edited."""

from __future__ import annotations

from gitscalpel.edit.source import Source
from gitscalpel.errors import DoesNotFit
from gitscalpel.phrases import arg
from gitscalpel.syntax.states import States
from gitscalpel.text.document import Document

_BLOCKS = (b"<<<<<<< SEARCH", b"<<<<<<< ORIGINAL", b">>>>>>> REPLACE", b">>>>>>> UPDATED")
"""How a search/replace block begins and ends, which no branch is called."""


def editable(path: str, content: bytes, states: States) -> Source:
    """A file with this content, ready to be edited; ``states`` is what was parsed of it before.

    Raises:
        DoesNotFit: ``binary_file`` or ``conflicted``.
    """
    source = Source.read(path, content, states)
    if source.document.is_binary:
        raise DoesNotFit(
            "binary_file",
            f"{path} is binary",
            f"replace it whole: write with {arg('content_b64')} and {arg('overwrite')}",
        )
    conflict = conflict_line(source.document)
    if conflict:
        raise DoesNotFit(
            "conflicted",
            f"{path} has conflict markers (line {conflict})",
            f"resolve the conflict and commit first; write with {arg('overwrite')} replaces the file whole",
            line=conflict,
        )
    return source


def conflict_line(document: Document) -> int | None:
    """The first line of a complete set of conflict markers, as git writes them.

    Texts that show search/replace blocks (documentation, tests) hold no conflict.
    """
    if b"<<<<<<< " not in document.text:
        return None
    marks = []
    for number in range(1, document.line_count + 1):
        line = document.line(number)
        if line in _BLOCKS:
            continue
        if line.startswith((b"<<<<<<< ", b">>>>>>> ")) or line == b"=======":
            marks.append((line[:1], number))
    kinds = b"".join(kind for kind, _ in marks)
    at = kinds.find(b"<=>")
    return marks[at][1] if at >= 0 else None
