"""What differs between two states of the same files, as edits by lines."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from gitscalpel.edit.lowered import Respelled
from gitscalpel.meaning.files import Files
from gitscalpel.text import endings
from gitscalpel.text.changes import edits
from gitscalpel.text.document import Document
from gitscalpel.text.splice import Splice


def respelled(before: Files, after: Files) -> Iterator[Respelled]:
    """The edits of the files that were there before."""
    for path in sorted(after.touched):
        old, new = before.source(path), after.source(path)
        splices = tuple(lines(old.document, new.text)) if old is not None and new is not None else ()
        if splices:
            yield Respelled(path, splices)


def made(before: Files, after: Files) -> Iterator[tuple[str, bytes]]:
    """The files that were not there, with their bytes."""
    for path in sorted(after.touched):
        new = after.source(path)
        if before.source(path) is None and new is not None:
            yield path, new.document.raw


def lines(before: Document, after: bytes) -> Iterator[Splice]:
    """The changes from one text to another; new lines end as those around them."""
    old, new = before.text.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0, *accumulate(map(len, old))]
    for start, end, first, last in edits(old, new):
        yield endings.splice(before, starts[start], starts[end], b"".join(new[first:last]))
