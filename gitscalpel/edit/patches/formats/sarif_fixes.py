"""Fixes in SARIF 2.1.0 logs (sections 3.55 to 3.57, regions 3.30).

If a run does not state the unit of its columns, both readings must give the same place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal
from urllib.parse import urljoin

import msgspec

from gitscalpel.edit.patches.formats import patch_model
from gitscalpel.edit.patches.formats.patch_model import (
    BytePosition,
    CharacterPosition,
    EquivalentPositions,
    FilePatch,
    JsonFormat,
    LineColumn,
    Position,
    Span,
    Unit,
    patch_error,
)
from gitscalpel.errors import BadCall, DoesNotFit
from gitscalpel.text import lenient_json

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
    """A region and its new content."""

    deleted_region: Region
    inserted_content: Content = Content()


class Location(msgspec.Struct, frozen=True, rename="camel"):
    """A file: by URI, or by its index in the run's artifacts."""

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
    """One way to fix a result."""

    artifact_changes: list[ArtifactChange]


class Result(msgspec.Struct, frozen=True, rename="camel"):
    """One finding of a tool."""

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
    """A SARIF log."""

    runs: list[Run]


_UNITS: Mapping[str | None, Unit] = {"utf16CodeUnits": "utf16", "unicodeCodePoints": "points", None: "unsaid"}


def claims(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("runs"), list)


def read(values: Sequence[dict[str, Any]], _path: str) -> tuple[FilePatch, ...]:
    """Return the files that the fixes in logs change; results without a fix are skipped.

    Raises ``invalid_args``, ``ambiguous`` for a result with several fixes, ``patch_failed``, or
    ``path_denied`` for a URI that is not a file.
    """
    spans: dict[str, list[Span]] = {}
    first_uses: dict[tuple[str, Replacement], tuple[int, int]] = {}
    runs = [run for value in values for run in lenient_json.convert_value(value, Log, "SARIF log").runs]
    for run_index, run in enumerate(runs):
        for number, name, replacement in _iter_replacements(run):
            if first_uses.setdefault((name, replacement), (run_index, number)) != (run_index, number):
                continue  # two results, or two tools, report one fault: its fix is made once
            file_spans = spans.setdefault(name, [])
            file_spans.append(_make_span(run, replacement, len(file_spans) + 1))
    return tuple(FilePatch(path=name, source=name, pieces=tuple(each)) for name, each in spans.items())


def _iter_replacements(run: Run) -> Iterator[tuple[int, str, Replacement]]:
    for number, result in enumerate(run.results or [], 1):
        fixes = [fix for index, fix in enumerate(result.fixes) if fix not in result.fixes[:index]]
        if len(fixes) > 1:
            rule = f" ({result.rule_id})" if result.rule_id else ""
            raise DoesNotFit(
                "ambiguous",
                f"result {number}{rule} has {len(fixes)} fixes to choose from",
                "keep the fix that you mean, and remove the others",
                result=number,
            )
        for change in (change for fix in fixes for change in fix.artifact_changes):
            path = _resolve_path(run, change.artifact_location)
            yield from ((number, path, each) for each in change.replacements)


def _resolve_path(run: Run, location: Location) -> str:
    if location.uri is None and 0 <= location.index < len(run.artifacts):
        location = run.artifacts[location.index].location
    if location.uri is None:
        raise BadCall("invalid_args", "a fix names no file", "set uri in the artifactLocation of the fix")
    uri, seen = location.uri, set[str]()
    while location.uri_base_id is not None and location.uri_base_id not in seen:
        seen.add(location.uri_base_id)
        location = run.original_uri_base_ids.get(location.uri_base_id, Location())
        uri = _join_uri(location.uri or "", uri)
    return patch_model.path_of_uri(uri)


def _join_uri(base: str, uri: str) -> str:
    try:
        return urljoin(base, uri)
    except ValueError as error:
        raise BadCall(
            "invalid_args", f"{uri[:80]!r} is not a URI: {error}", "give a relative URI, such as src/app.py"
        ) from None


def _make_span(run: Run, replacement: Replacement, index: int) -> Span:
    if replacement.inserted_content.text is None and replacement.inserted_content.binary is not None:
        raise patch_error(
            "a fix inserts bytes instead of text", "replace the file with write and content_b64"
        )
    starts, ends = zip(*_list_positions(run, replacement.deleted_region), strict=True)
    new = (replacement.inserted_content.text or "").encode()
    return Span(index=index, start=EquivalentPositions(starts), end=EquivalentPositions(ends), new=new)


def _list_positions(run: Run, region: Region) -> list[tuple[Position, Position]]:
    """Return the start and end in every form in which the region gives them."""
    unit = _UNITS[run.column_kind]
    positions: list[tuple[Position, Position]] = []
    if region.start_line is not None:
        if region.char_length is not None and region.char_offset < 0:
            raise patch_error(
                "a fix gives its start as a column and its length in characters",
                "give both as columns, or both as offsets",
            )
        breaks = "|".join(re.escape(each) for each in sorted(run.newline_sequences, key=len, reverse=True))
        last_line = region.end_line or region.start_line
        column = None if region.end_column is None else region.end_column - 1
        start = LineColumn(region.start_line - 1, region.start_column - 1, unit, breaks.encode())
        positions.append((start, LineColumn(last_line - 1, column, unit, breaks.encode())))
    if region.char_offset >= 0:
        end = region.char_offset + (region.char_length or 0)
        positions.append((CharacterPosition(region.char_offset, unit), CharacterPosition(end, unit)))
    if region.byte_offset >= 0:
        end = region.byte_offset + region.byte_length
        positions.append((BytePosition(region.byte_offset), BytePosition(end)))
    if not positions:
        raise BadCall(
            "invalid_args",
            "a fix names no region",
            "set startLine or an offset in the deletedRegion of the fix",
        )
    return positions


FORMATS = (
    JsonFormat(
        name="SARIF logs with fixes",
        priority=20,
        claims=claims,
        read=read,
        example='{"runs": [{"results": [{"fixes": [{"artifactChanges": [{"artifactLocation": '
        '{"uri": "a.txt"}, "replacements": [{"deletedRegion": {"startLine": 1, "endColumn": 4}, '
        '"insertedContent": {"text": "new"}}]}]}]}]}]}',
    ),
)
