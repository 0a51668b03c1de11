"""The arguments of the calls by which coding agents edit files."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

PLACES = frozenset(
    {
        *("symbol", "symbol_name", "name_path", "target", "target_name", "target_type", "query", "selector"),
        *("start_line", "end_line", "startLine", "endLine", "start", "end", "line", "lines", "line_number"),
        *("position", "insert", "node_id", "occurrence", "occurrences", "match_index", "regex", "overwrite"),
    }
)
"""Fields by which other tools name a place or a deed, which no call that is read here has."""


class Exchange(msgspec.Struct, frozen=True):
    """Old and new text, in either spelling."""

    old_str: str | None = None
    old_string: str | None = None
    new_str: str | None = None
    new_string: str | None = None
    replace_all: bool = False
    expected_replacements: Annotated[int, msgspec.Meta(ge=1)] | None = None


class Call(Exchange, frozen=True):
    """The arguments of one call."""

    path: str | None = None
    file_path: str | None = None
    command: Literal["str_replace", "insert", "create"] | None = None
    edits: list[Exchange] | None = None
    insert_line: Annotated[int, msgspec.Meta(ge=0)] | None = None
    insert_text: str | None = None
    file_text: str | None = None
    content: str | None = None
    base: str | None = None
