"""Operations on names and imports, each lowered to plain edits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from gitscalpel import paths
from gitscalpel.edit.lowered import Lowered, Read, Respelled
from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning import rename
from gitscalpel.meaning.files import Files
from gitscalpel.operations import Following, Imports, Rename
from gitscalpel.snapshot import Overlay
from gitscalpel.text import endings
from gitscalpel.text.changes import edits
from gitscalpel.text.document import Document
from gitscalpel.text.splice import Splice


def lower(op: Following, overlay: Overlay, read: Read) -> Lowered:
    """See :data:`gitscalpel.edit.lowered.Lower`."""
    if isinstance(op, Rename):
        return rename.lowered(op, overlay, read)
    assert isinstance(op, Imports)  # noqa: S101 - there is no other
    return _imports(op, Files(overlay, read))


def _imports(op: Imports, files: Files) -> Lowered:
    path, _ = paths.existing(op.path, files.overlay)
    source = files.source(path)
    if source is None or source.language is None or source.language.name != "python":
        raise DoesNotFit(
            "unsupported_language",
            f"{path}: imports are not read in this type of file yet",
            "edit them as text or lines",
        )
    from gitscalpel.meaning.python.importing.change import changed

    splices = tuple(_between(source.document, changed(op, path, files)))
    return Lowered((Respelled(path, splices),) if splices else ())


def _between(before: Document, after: bytes) -> Iterator[Splice]:
    """The changes from one text to another, by lines; new ones end as those around them."""
    old, new = before.text.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0, *accumulate(map(len, old))]
    for start, end, first, last in edits(old, new):
        yield endings.splice(before, starts[start], starts[end], b"".join(new[first:last]))
