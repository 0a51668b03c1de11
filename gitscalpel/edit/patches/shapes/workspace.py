"""The objects of the Language Server Protocol (3.17) that a WorkspaceEdit is made of."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gitscalpel.edit.patches.positions import LineColumn

_BREAKS = rb"\r\n|\n|\r"
Count = Annotated[int, msgspec.Meta(ge=0)]


class Position(msgspec.Struct, frozen=True):
    """A place in a text."""

    line: Count
    character: Count

    @property
    def place(self) -> LineColumn:
        """The same for placing."""
        return LineColumn(self.line, self.character, "utf16", _BREAKS, clamps=True)


class Range(msgspec.Struct, frozen=True):
    """From where to where."""

    start: Position
    end: Position


class TextEdit(msgspec.Struct, frozen=True, rename="camel"):
    """New text for a range."""

    range: Range
    new_text: str | None = None
    annotation_id: str | None = None
    insert_text_format: int | None = None


class Document(msgspec.Struct, frozen=True):
    """The file of some edits; its version is the editor's and says nothing here."""

    uri: str


class Options(msgspec.Struct, frozen=True, rename="camel"):
    """What to do where a file is, or is not."""

    overwrite: bool = False
    ignore_if_exists: bool = False
    recursive: bool = False
    ignore_if_not_exists: bool = False


class Change(msgspec.Struct, frozen=True, rename="camel"):
    """One step of ``documentChanges``."""

    kind: Literal["create", "rename", "delete"] | None = None
    text_document: Document | None = None
    edits: list[TextEdit] | None = None
    uri: str | None = None
    old_uri: str | None = None
    new_uri: str | None = None
    options: Options | None = None


class Annotation(msgspec.Struct, frozen=True, rename="camel"):
    """What is said about some edits."""

    label: str = ""
    needs_confirmation: bool = False


class WorkspaceEdit(msgspec.Struct, frozen=True, rename="camel"):
    """Edits of several files; ``documentChanges`` is preferred where both are there."""

    changes: dict[str, list[TextEdit]] | None = None
    document_changes: list[Change] | None = None
    change_annotations: dict[str, Annotation] | None = None
