"""Add the imports that a changeset needs to its files, and remove those that it makes unused.

An import is added for a name that nothing binds after the edit, if there is exactly one way to import
it. Names that were unbound and imports that were unused before stay as they are.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable

from gitscalpel.changesets.answers import quoted
from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.edit.lowered_operation import FileSplices, Lowered, OpenSource
from gitscalpel.names.files import Files
from gitscalpel.names.language_registry import importing
from gitscalpel.refactor import tree_diff

_Imported = Callable[[Files, Files, str], tuple[bytes, list[str]]]
"""The text of a file with its imports, and what could not be brought, in words."""


def lower_missing_imports(overlay: Overlay, read: OpenSource) -> Lowered:
    """The edits of the imports in the files that were changed."""
    before, files = Files(Overlay(overlay.below), read), Files(overlay, read)
    inside: list[FileSplices] = []
    left: list[str] = []
    for path in [each.path for each in overlay.changes if each.new is not None]:
        source = files.source(path)
        if source is None or source.language is None or source.language.data:
            continue
        folder = importing(source.language.name)
        if not folder or files.lexical(path) is None:
            left.append(f"{quoted(path)}: its imports stay as they are: they are not read in this language")
            continue
        imported: _Imported = importlib.import_module(
            f"gitscalpel.refactor.{folder}.auto_imports"
        ).complete_imports
        text, why = imported(before, files, path)
        left += why
        splices = tuple(tree_diff.line_splices(source.document, text))
        inside += [FileSplices(path, splices)] if splices else []
    return Lowered(tuple(inside), unchecked=tuple(left))
