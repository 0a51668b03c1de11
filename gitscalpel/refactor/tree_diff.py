"""Difference between two states of the same files, as line edits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from gitscalpel.edit.lowered_operation import FileSplices
from gitscalpel.names.files import Files
from gitscalpel.text import line_endings
from gitscalpel.text.document import Document
from gitscalpel.text.line_diff import diff_items
from gitscalpel.text.splice import Splice


def changed_files(before: Files, after: Files, ending: bytes = b"\n") -> Iterator[FileSplices]:
    """The edits of the files that were there before; ``ending`` is that of files that have none."""
    for path in sorted(after.touched):
        old, new = before.source(path), after.source(path)
        splices = (
            tuple(line_splices(old.document, new.text, ending)) if old is not None and new is not None else ()
        )
        if splices:
            yield FileSplices(path, splices)


def new_files(before: Files, after: Files, ending: bytes) -> Iterator[tuple[str, bytes]]:
    """The files that were not there, with their bytes: each line ends with ``ending``."""
    for path in sorted(after.touched):
        new = after.source(path)
        if before.source(path) is None and new is not None:
            text = line_endings.plain(new.text).replace(b"\n", ending)
            yield path, new.document.with_text(text).raw


def line_splices(before: Document, after: bytes, ending: bytes = b"\n") -> Iterator[Splice]:
    """The changes from one text to another; new lines end as those around them, or else with ``ending``."""
    old, new = before.text.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0, *accumulate(map(len, old))]
    for start, end, first, last in diff_items(old, new):
        text = b"".join(new[first:last])
        if before.eol == "none":
            yield Splice(starts[start], starts[end], line_endings.plain(text).replace(b"\n", ending))
        else:
            yield line_endings.splice(before, starts[start], starts[end], text)
