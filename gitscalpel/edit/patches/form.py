"""What every patch format is read into: per file, what becomes of it as a whole and at which places."""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

from gitscalpel.edit.patches.pieces import Hunk, Piece


class Whole(msgspec.Struct, frozen=True):
    """New content of a file: as it is, or as a delta on the old content."""

    data: bytes
    is_delta: bool = False


Kind = Literal["edit", "create", "delete", "rename", "copy"]
Taken = Literal["refuse", "replace", "keep", "fill"]


class Read(NamedTuple):
    """The files that a text says something of, and its lines that are no part of that."""

    files: tuple[FilePatch, ...]
    around: bytes


class FilePatch(msgspec.Struct, frozen=True, kw_only=True):
    """What a patch does to one file.

    Attributes:
        path: the file afterwards, or the one that is deleted.
        source: where its content comes from; for all but ``rename`` and ``copy`` the same.
        kind: what happens to it as a whole.
        pieces: what happens inside; they are looked up in the text before the patch.
        mode: the file mode it gets; None keeps it.
        link: it is a symbolic link and means the link itself.
        base: the blob id that it was made from, where only that will do: whole for what is written
            by hand, perhaps shortened for a binary diff.
        blobs: the ids, perhaps shortened, of its content before and after, where a diff of git says so.
        content: its new content; ``pieces`` of a new file are looked up in that.
        by_hand: the format is one in which edits are written by hand, piece by piece, so that each
            sees the one before.
        as_text: its edits are what text and line operations are, and the structure gate judges them so.
        taken: what becomes of a file that stands where a new or a renamed one goes; ``fill`` takes an
            empty one for none.
        may_miss: a file that is to be deleted need not be there.
        deep: it may be a folder, and all that is in it is meant.
    """

    path: str
    source: str
    kind: Kind = "edit"
    pieces: tuple[Piece, ...] = ()
    mode: str | None = None
    link: bool = False
    base: str | None = None
    blobs: tuple[str, str] | None = None
    content: Whole | None = None
    by_hand: bool = False
    as_text: bool = False
    taken: Taken = "refuse"
    may_miss: bool = False
    deep: bool = False

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        """Those pieces that are hunks."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Hunk))

    @property
    def opens(self) -> bool:
        """Whether it says that there is nothing in the file before, or no file."""
        return any(hunk.opens for hunk in self.hunks)
