"""Rewrites that ast-grep prints with ``--json``, in each of its styles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec

from gitscalpel.edit.patches.formats.patch_model import BytePosition, FilePatch, JsonFormat, Span
from gitscalpel.errors import BadCall
from gitscalpel.text import lenient_json

_Count = Annotated[int, msgspec.Meta(ge=0)]


class ByteOffsets(msgspec.Struct, frozen=True):
    """Byte range in the file."""

    start: _Count
    end: _Count

    @property
    def positions(self) -> tuple[BytePosition, BytePosition]:
        return BytePosition(self.start), BytePosition(self.end)


class Range(msgspec.Struct, frozen=True, rename="camel"):
    """Range of a match."""

    byte_offset: ByteOffsets


class Match(msgspec.Struct, frozen=True, rename="camel"):
    """A match. The replaced range may differ from the matched one."""

    file: str
    text: str
    range: Range
    replacement: str | None = None
    replacement_offsets: ByteOffsets | None = None


def claims(value: Mapping[str, Any]) -> bool:
    return "file" in value and isinstance(value.get("range"), dict) and "text" in value


def read(values: Sequence[dict[str, Any]], _path: str) -> tuple[FilePatch, ...]:
    """Return the files that the matches rewrite. Raises ``invalid_args`` if no match has a replacement."""
    matches = [lenient_json.convert_value(value, Match, "ast-grep match") for value in values]
    spans: dict[str, list[Span]] = {}
    for match in matches:
        if match.replacement is not None:
            file_spans = spans.setdefault(match.file, [])
            file_spans.append(_make_span(match, match.replacement, len(file_spans) + 1))
    if not spans:
        raise BadCall(
            "invalid_args",
            "the matches have no replacement",
            "run ast-grep with --rewrite, or with a rule that has a fix",
        )
    return tuple(FilePatch(path=path, source=path, pieces=tuple(each)) for path, each in spans.items())


def _make_span(match: Match, new: str, index: int) -> Span:
    match_range = match.range.byte_offset
    start, end = (match.replacement_offsets or match_range).positions
    return Span(
        index=index,
        start=start,
        end=end,
        new=new.encode(),
        shown=(*match_range.positions, match.text.encode()),
    )


FORMATS = (
    JsonFormat(
        name="ast-grep --json matches with a replacement",
        priority=30,
        claims=claims,
        read=read,
        example='{"file": "a.txt", "text": "old", "range": {"byteOffset": {"start": 0, "end": 3}}, '
        '"replacement": "new"}',
    ),
)
