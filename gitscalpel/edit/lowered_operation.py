"""Name operations lowered to plain edits of files, with the places that are left for review.

This package does not resolve names. The caller that applies operations passes in the function that
lowers them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from gitscalpel.changesets.answers import Affected
from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.changesets.operations import Following
from gitscalpel.edit.source import Source
from gitscalpel.text.splice import Splice


class FileSplices(msgspec.Struct, frozen=True):
    """A file in which names are put.

    Attributes:
        path: of the file.
        splices: on its text as it is, ascending, without overlap.
    """

    path: str
    splices: tuple[Splice, ...]


class Lowered(msgspec.Struct, frozen=True):
    """An operation as edits.

    Attributes:
        inside: one for each file.
        affected: what had to follow.
        made: files that were not there, with their bytes.
        moved: paths of files that go to another path, after the edits, with that path.
        unchecked: what may have to, and why nobody can tell, in words.
    """

    inside: tuple[FileSplices, ...]
    affected: tuple[Affected, ...] = ()
    unchecked: tuple[str, ...] = ()
    made: tuple[tuple[str, bytes], ...] = ()
    moved: tuple[tuple[str, str], ...] = ()


OpenSource: TypeAlias = Callable[[str, bytes], Source]
"""Opens a file of a path with its bytes."""
Lower: TypeAlias = Callable[[Following, Overlay, OpenSource], Lowered]
"""Raises a ``ScalpelError`` where the operation is refused."""
