"""The objects of SARIF 2.1.0 (section 3) that fixes are made of."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Count = Annotated[int, msgspec.Meta(ge=0)]
Number = Annotated[int, msgspec.Meta(ge=1)]


class Region(msgspec.Struct, frozen=True, rename="camel"):
    """A part of a file: by lines and columns from 1, by characters or by bytes from 0."""

    start_line: Number | None = None
    start_column: Number = 1
    end_line: Number | None = None
    end_column: Number | None = None
    char_offset: int = -1
    char_length: Count | None = None
    byte_offset: int = -1
    byte_length: Count = 0


class Content(msgspec.Struct, frozen=True):
    """New content."""

    text: str | None = None
    binary: str | None = None


class Replacement(msgspec.Struct, frozen=True, rename="camel"):
    """A region, and what comes in its place."""

    deleted_region: Region
    inserted_content: Content = Content()


class Location(msgspec.Struct, frozen=True, rename="camel"):
    """A file: by its URI, or as the one at an index of the run's artifacts."""

    uri: str | None = None
    uri_base_id: str | None = None
    index: int = -1


class Artifact(msgspec.Struct, frozen=True):
    """A file of a run."""

    location: Location = Location()


class ArtifactChange(msgspec.Struct, frozen=True, rename="camel"):
    """The changes of one file."""

    artifact_location: Location
    replacements: list[Replacement]


class Fix(msgspec.Struct, frozen=True, rename="camel"):
    """One way to put a result right."""

    artifact_changes: list[ArtifactChange]


class Result(msgspec.Struct, frozen=True, rename="camel"):
    """What a tool found."""

    rule_id: str = ""
    fixes: list[Fix] = []


class Run(msgspec.Struct, frozen=True, rename="camel"):
    """One run of a tool."""

    results: list[Result] | None = None
    column_kind: Literal["utf16CodeUnits", "unicodeCodePoints"] | None = None
    newline_sequences: tuple[Annotated[str, msgspec.Meta(min_length=1)], ...] = ("\r\n", "\n")
    artifacts: list[Artifact] = []
    original_uri_base_ids: dict[str, Location] = {}


class Log(msgspec.Struct, frozen=True):
    """A log."""

    runs: list[Run]
