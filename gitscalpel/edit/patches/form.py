"""What every patch format is read into: per file, where its lines come from and what becomes of them."""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec


class Line(NamedTuple):
    """One line of a hunk.

    Attributes:
        mark: ``b" "`` stays, ``b"-"`` goes, ``b"+"`` comes.
        text: without its line feed; a carriage return before that is part of it.
        bare: no line feed follows it in the file.
    """

    mark: bytes
    text: bytes
    bare: bool = False


class Hunk(msgspec.Struct, frozen=True, kw_only=True):
    """Lines that stand together in a file, and what becomes of them.

    Attributes:
        index: which one of its file it is, from 1.
        lines: old and new ones in order.
        number: the line at which the old ones are said to begin; None if nothing is said.
        exact: the header agrees with the body, so that ``number`` may be believed where there are no
            old lines to look for.
        anchors: lines above it, each in the block of the one before, in whose block it stands.
        at_end: it is said to end where the file ends.
        corrections: what was mended in reading it, in words.
    """

    index: int
    lines: tuple[Line, ...]
    number: int | None = None
    exact: bool = False
    anchors: tuple[bytes, ...] = ()
    at_end: bool = False
    corrections: tuple[str, ...] = ()

    @property
    def old(self) -> list[bytes]:
        """The lines that must stand in the file."""
        return [line.text for line in self.lines if line.mark != b"+"]

    @property
    def new(self) -> list[bytes]:
        """The lines that stand there afterwards."""
        return [line.text for line in self.lines if line.mark != b"-"]


class Binary(NamedTuple):
    """New content that is no text: as it is, or as a delta on the old content."""

    data: bytes
    is_delta: bool


Kind = Literal["edit", "create", "delete", "rename", "copy"]


class FilePatch(msgspec.Struct, frozen=True, kw_only=True):
    """What a patch does to one file.

    Attributes:
        path: the file afterwards, or the one that is deleted.
        source: where its content comes from; for all but ``rename`` and ``copy`` the same.
        kind: what happens to it as a whole.
        hunks: what happens inside; they are looked up in the text before the patch.
        mode: the file mode it gets; None keeps it.
        link: it is a symbolic link and means the link itself.
        base: the (perhaps shortened) blob id that it was made from, where the format says so.
        binary: new content that is no text.
        by_hand: the format is one in which edits are written by hand, hunk by hunk, so that the
            structure gate judges each as it judges a text edit.
    """

    path: str
    source: str
    kind: Kind = "edit"
    hunks: tuple[Hunk, ...] = ()
    mode: str | None = None
    link: bool = False
    base: str | None = None
    binary: Binary | None = None
    by_hand: bool = False
