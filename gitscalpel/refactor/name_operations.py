"""Lower the operations that follow names to plain edits.

`lower_missing_imports` adds the imports that a changeset needs to its files, and removes those that it makes
unused. An import is added for an unbound name if there is exactly one way to import it. Names that were
unbound and imports that were unused before stay unchanged.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable

from gitscalpel.changesets import paths
from gitscalpel.changesets.answers import quoted
from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.changesets.operations import Following, Imports, Missing, Move, Moved, Rename, Unused
from gitscalpel.edit.outcome import FileSplices, Lowered, OpenSource
from gitscalpel.errors import DoesNotFit
from gitscalpel.names.files import Files
from gitscalpel.names.language_registry import importing
from gitscalpel.refactor import definition_uses, move, move_file, rename
from gitscalpel.refactor.cross_check import CrossChecker

_COMPLETING_MODULE = {"python": "import_order", "javascript": "import_edits"}
"""Module that completes imports, by package of a language."""
_ImportCompleter = Callable[[Files, Files, str], tuple[bytes, list[str]]]
"""Returns the text of a file with its imports, and messages about names that remain unbound."""


def lower_missing_imports(overlay: Overlay, read: OpenSource) -> Lowered:
    """Return the edits of the imports in changed files."""
    before, files = Files(Overlay(overlay.below), read), Files(overlay, read)
    inside: list[FileSplices] = []
    left: list[str] = []
    for path in [each.path for each in overlay.changes if each.new is not None]:
        source = files.source(path)
        if source is None or source.language is None or source.language.data:
            continue
        folder = importing(source.language.name)
        if not folder or files.lexical(path) is None:
            left.append(f"{quoted(path)}: its imports are unchanged: imports of this language are not read")
            continue
        imported: _ImportCompleter = importlib.import_module(
            f"gitscalpel.refactor.{folder}.{_COMPLETING_MODULE[folder]}"
        ).complete_imports
        text, why = imported(before, files, path)
        left += why
        splices = tuple(move.line_splices(source.document, text))
        inside += [FileSplices(path, splices)] if splices else []
    return Lowered(tuple(inside), unchecked=tuple(left))


def lower(op: Following, overlay: Overlay, read: OpenSource, witness: CrossChecker | None = None) -> Lowered:
    """Lower an operation that follows names; see :data:`gitscalpel.edit.outcome.Lower`.

    Args:
        op: the operation.
        overlay: the tree.
        read: opens a file of the tree.
        witness: language server to ask about uncertain references, or None.
    """
    if isinstance(op, Rename):
        return rename.lower_rename(op, overlay, read, witness)
    if isinstance(op, Move):
        return move.lower_move(op, overlay, read)
    if isinstance(op, Moved):
        return move_file.lower_moved_files(op, overlay, read)
    if isinstance(op, Unused):
        return definition_uses.lower_unused(op, overlay, read)
    if isinstance(op, Missing):
        return lower_missing_imports(overlay, read)
    assert isinstance(op, Imports)  # noqa: S101 - there is no other
    return _lower_imports(op, Files(overlay, read))


def _lower_imports(op: Imports, files: Files) -> Lowered:
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
    splices = tuple(move.line_splices(source.document, changed(op, path, files)))
    return Lowered((FileSplices(path, splices),) if splices else ())
