"""Operations that follow names, each lowered to plain edits."""

from __future__ import annotations

import importlib

from gitscalpel.changesets import paths
from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.changesets.operations import Following, Imports, Missing, Move, Moved, Rename, Unused
from gitscalpel.edit.lowered_operation import FileSplices, Lowered, OpenSource
from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning import between, move, relocated, remaining, rename
from gitscalpel.meaning.dialects import importing
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.witness import Witness


def lower(op: Following, overlay: Overlay, read: OpenSource, witness: Witness | None = None) -> Lowered:
    """See :data:`gitscalpel.edit.lowered_operation.Lower`; ``witness``: see ``rename.lowered``."""
    if isinstance(op, Rename):
        return rename.lowered(op, overlay, read, witness)
    if isinstance(op, Move):
        return move.lowered(op, overlay, read)
    if isinstance(op, Moved):
        return relocated.lowered(op, overlay, read)
    if isinstance(op, Unused):
        return remaining.refused(op, overlay, read)
    if isinstance(op, Missing):
        from gitscalpel.meaning import missing

        return missing.lowered(overlay, read)
    assert isinstance(op, Imports)  # noqa: S101 - there is no other
    return _imports(op, Files(overlay, read))


def _imports(op: Imports, files: Files) -> Lowered:
    path, _ = paths.existing(op.path, files.overlay)
    source = files.source(path)
    folder = importing(source.language.name) if source is not None and source.language is not None else None
    if source is None or folder is None or files.lexical(path) is None:
        raise DoesNotFit(
            "unsupported_language",
            f"{path}: {files.why_unread(path, 'imports are not read in this type of file yet')}",
            "edit them as text or lines",
        )
    changed = importlib.import_module(f"gitscalpel.meaning.{folder}.importing.change").changed
    splices = tuple(between.lines(source.document, changed(op, path, files)))
    return Lowered((FileSplices(path, splices),) if splices else ())
