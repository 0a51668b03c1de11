"""Lower the operations that follow names to plain edits."""

from __future__ import annotations

import importlib

from gitscalpel.changesets import paths
from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.changesets.operations import Following, Imports, Missing, Move, Moved, Rename, Unused
from gitscalpel.edit.lowered_operation import FileSplices, Lowered, OpenSource
from gitscalpel.errors import DoesNotFit
from gitscalpel.names.files import Files
from gitscalpel.names.language_registry import importing
from gitscalpel.refactor import definition_uses, move, move_file, rename, tree_diff
from gitscalpel.refactor.cross_check import CrossChecker


def lower(op: Following, overlay: Overlay, read: OpenSource, witness: CrossChecker | None = None) -> Lowered:
    """See :data:`gitscalpel.edit.lowered_operation.Lower`; ``witness``: see ``rename.lower_rename``."""
    if isinstance(op, Rename):
        return rename.lower_rename(op, overlay, read, witness)
    if isinstance(op, Move):
        return move.lower_move(op, overlay, read)
    if isinstance(op, Moved):
        return move_file.lower_moved_files(op, overlay, read)
    if isinstance(op, Unused):
        return definition_uses.lower_unused(op, overlay, read)
    if isinstance(op, Missing):
        from gitscalpel.refactor import auto_imports

        return auto_imports.lower_missing_imports(overlay, read)
    assert isinstance(op, Imports)  # noqa: S101 - there is no other
    return _imports(op, Files(overlay, read))


def _imports(op: Imports, files: Files) -> Lowered:
    path, _ = paths.existing(op.path, files.overlay)
    source = files.source(path)
    folder = importing(source.language.name) if source is not None and source.language is not None else ""
    if source is None or not folder or files.lexical(path) is None:
        raise DoesNotFit(
            "unsupported_language",
            f"{path}: {files.why_unread(path, 'imports are not read in this type of file yet')}",
            "edit them as text or lines",
        )
    changed = importlib.import_module(f"gitscalpel.refactor.{folder}.import_edits").edit_imports
    splices = tuple(tree_diff.line_splices(source.document, changed(op, path, files)))
    return Lowered((FileSplices(path, splices),) if splices else ())
