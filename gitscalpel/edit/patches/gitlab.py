"""Reads suggestions in GitLab's discussions and notes, as its REST API gives them.

That is one discussion or a list, or one note or a list, as ``projects/ID/merge_requests/N/discussions``
gives them. A suggestion says how many lines above and below the noted line it replaces. Where the API
gives the suggestion's own lines, the file must contain them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import msgspec

from gitscalpel.edit.patches import fences, jsons
from gitscalpel.edit.patches.form import FilePatch
from gitscalpel.edit.patches.pieces import Rows
from gitscalpel.edit.patches.refusals import failed
from gitscalpel.errors import BadCall, DoesNotFit

NAME = "GitLab discussions with suggestions"
_INFO = re.compile(r"suggestion(?::-(\d{1,3})\+(\d{1,3}))?")
_Number = Annotated[int, msgspec.Meta(ge=1)]


class Position(msgspec.Struct, frozen=True):
    """The line of a note, in the file as the merge request leaves it."""

    new_path: str | None = None
    new_line: _Number | None = None


class Suggestion(msgspec.Struct, frozen=True):
    """A suggestion as GitLab has read it from the note's text."""

    from_line: _Number
    to_line: _Number
    from_content: str
    to_content: str
    applied: bool = False


class Note(msgspec.Struct, frozen=True):
    """A comment of a discussion."""

    body: str
    position: Position | None = None
    suggestions: tuple[Suggestion, ...] = ()
    system: bool = False


def claims(value: Mapping[str, Any]) -> bool:
    """Return True if this is a discussion, or a note on a diff."""
    is_note = "body" in value and isinstance(value.get("position"), dict)
    return is_note or isinstance(value.get("notes"), list)


def read(found: Sequence[dict[str, Any]], _path: str) -> tuple[FilePatch, ...]:
    """Return the files that the suggestions change; notes without a suggestion are passed over.

    Raises:
        BadCall: ``invalid_args``.
        DoesNotFit: ``ambiguous``, for several suggestions for the same lines in one note; ``patch_failed``.
    """
    rows: dict[str, list[Rows]] = {}
    for value in found:
        for each in value.get("notes", [value]):
            note = jsons.typed(each, Note, "GitLab note")
            for path, made in () if note.system else _suggested(note):
                known = rows.setdefault(path, [])
                known.append(msgspec.structs.replace(made, index=len(known) + 1))
    if not rows:
        raise BadCall(
            "invalid_args", "the notes suggest nothing", "a suggestion is fenced: ```suggestion:-0+0"
        )
    return tuple(
        FilePatch(path=path, source=path, pieces=tuple(each), by_hand=True, as_text=True)
        for path, each in rows.items()
    )


def _suggested(note: Note) -> Iterator[tuple[str, Rows]]:
    """Yield the suggestions of a note: those that GitLab has read, else those of its text."""
    given = [_given(each) for each in note.suggestions if not each.applied]
    made = given if note.suggestions else list(_fenced(note))
    if not made:
        return
    path = note.position.new_path if note.position else None
    if path is None:
        raise failed("a suggestion is on no line of a file", "send the note with its position")
    if any(a.first <= b.last and b.first <= a.last for at, a in enumerate(made) for b in made[at + 1 :]):
        raise DoesNotFit(
            "ambiguous",
            f"a note on {path} suggests {len(made)} texts for the same lines",
            "leave the one that is meant, and remove the others",
            path=path,
        )
    yield from ((path, each) for each in made)


def _given(said: Suggestion) -> Rows:
    if said.to_line < said.from_line:
        words = f"line {said.to_line} stands before line {said.from_line}"
        raise BadCall("invalid_range", words, "swap the two")
    return Rows(
        index=0,
        first=said.from_line,
        last=said.to_line,
        new=_lines(said.to_content),
        shown=_lines(said.from_content),
    )


def _fenced(note: Note) -> Iterator[Rows]:
    for fence in fences.blocks(note.body):
        info = _INFO.fullmatch(fence.info)
        if info is None:
            continue
        line = note.position.new_line if note.position else None
        if line is None:
            raise failed(
                "a suggestion is on a line that the merge request removes, or on none",
                "only lines of the new side can be replaced",
            )
        above, below = (int(each or 0) for each in info.groups())
        first = max(line - above, 1)
        yield Rows(
            index=0, first=first, last=line + below, new=tuple(map(str.encode, fence.lines)), shown=None
        )


def _lines(content: str) -> tuple[bytes, ...]:
    if not content:
        return ()
    lines = content.removesuffix("\n").split("\n")
    return tuple(line.removesuffix("\r").encode() for line in lines)
