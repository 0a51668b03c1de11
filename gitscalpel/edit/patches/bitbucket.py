"""Reads suggestions in comments on pull requests, as Bitbucket's REST APIs give them.

Cloud gives a comment, or a page of them (``repositories/W/R/pullrequests/N/comments``), with a place
``inline``; Data Center gives comments with an ``anchor``, or activities that contain comments. Comments
without a suggestion are passed over, and so are suggestions that have been applied.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import msgspec

from gitscalpel.edit.patches import fences, jsons
from gitscalpel.edit.patches.form import FilePatch
from gitscalpel.edit.patches.pieces import Rows
from gitscalpel.edit.patches.refusals import failed
from gitscalpel.errors import BadCall, DoesNotFit, WorldMoved

NAME = "Bitbucket comments with suggestions"
_Number = Annotated[int, msgspec.Meta(ge=1)]


class Inline(msgspec.Struct, frozen=True):
    """The lines of a comment of Cloud; ``to`` is on the new side, ``from`` on the old one."""

    path: str
    to: _Number | None = None
    start_to: _Number | None = None
    from_: _Number | None = msgspec.field(default=None, name="from")
    outdated: bool = False


class Marker(msgspec.Struct, frozen=True, rename="camel"):
    """The first line of a comment of Data Center on several lines."""

    start_line: _Number
    start_line_type: str = "ADDED"


class Anchor(msgspec.Struct, frozen=True, rename="camel"):
    """The lines of a comment of Data Center."""

    path: str | dict[str, Any]
    line: _Number | None = None
    line_type: str = "CONTEXT"
    file_type: str = "TO"
    multiline_marker: Marker | None = None
    orphaned: bool = False


class Comment(msgspec.Struct, frozen=True):
    """A comment on lines of a file.

    Attributes:
        body: the text in Markdown.
        path: the file.
        first, last: the lines on the new side, from 1; None if the comment is on lines of the old side.
        is_outdated: True if the lines have changed since.
    """

    body: str
    path: str
    first: int | None
    last: int | None
    is_outdated: bool = False


def claims(value: Mapping[str, Any]) -> bool:
    """Return True if this is a comment on a line, a page of comments, or an activity with one."""
    rows = value.get("values")
    if isinstance(rows, list):
        return any(isinstance(each, dict) and claims(each) for each in rows)
    return any(all(isinstance(value.get(key), dict) for key in keys) for keys in _KEYS) or (
        isinstance(value.get("anchor"), dict) and isinstance(value.get("text"), str)
    )


_KEYS = (("inline", "content"), ("comment", "commentAnchor"))


def read(found: Sequence[dict[str, Any]], _path: str) -> tuple[FilePatch, ...]:
    """Return the files that the suggestions change.

    Raises:
        BadCall: ``invalid_args``.
        DoesNotFit: ``ambiguous``, for several suggestions in one comment; ``patch_failed``.
        WorldMoved: ``stale``, for a comment whose lines have changed.
    """
    rows: dict[str, list[Rows]] = {}
    for comment in (each for value in found for each in _comments(value)):
        suggested = [fence.lines for fence in fences.blocks(comment.body) if fence.info == "suggestion"]
        if len(suggested) > 1:
            raise DoesNotFit(
                "ambiguous",
                f"a comment on {comment.path} suggests {len(suggested)} texts for the same lines",
                "leave the one that is meant, and remove the others",
                path=comment.path,
            )
        for lines in suggested:
            known = rows.setdefault(comment.path, [])
            known.append(_rows(comment, lines, len(known) + 1))
    if not rows:
        raise BadCall("invalid_args", "the comments suggest nothing", "a suggestion is fenced: ```suggestion")
    return tuple(
        FilePatch(path=path, source=path, pieces=tuple(each), by_hand=True, as_text=True)
        for path, each in rows.items()
    )


def _comments(value: dict[str, Any]) -> Iterator[Comment]:
    """Yield the comments on lines in an object, answers to them aside."""
    if isinstance(value.get("values"), list):
        for each in value["values"]:
            yield from _comments(each) if isinstance(each, dict) else ()
    elif isinstance(value.get("inline"), dict) and not value.get("deleted"):
        inline = jsons.typed(value["inline"], Inline, "place of a Bitbucket comment")
        content = value.get("content")
        body = content.get("raw") if isinstance(content, dict) else None
        yield Comment(str(body or ""), inline.path, inline.start_to or inline.to, inline.to, inline.outdated)
    else:
        comment = value.get("comment", value)
        anchor = value.get("commentAnchor", value.get("anchor"))
        if isinstance(comment, dict) and isinstance(anchor, dict) and not _is_applied(comment):
            yield _anchored(str(comment.get("text") or ""), jsons.typed(anchor, Anchor, "Bitbucket anchor"))


def _is_applied(comment: Mapping[str, Any]) -> bool:
    properties = comment.get("properties")
    return isinstance(properties, dict) and properties.get("suggestionState") == "APPLIED"


def _anchored(body: str, anchor: Anchor) -> Comment:
    path = anchor.path if isinstance(anchor.path, str) else str(anchor.path.get("toString") or "")
    marker, is_new = anchor.multiline_marker, anchor.line_type != "REMOVED" and anchor.file_type == "TO"
    if not is_new or (marker and marker.start_line_type == "REMOVED"):
        return Comment(body, path, None, None)
    return Comment(body, path, marker.start_line if marker else anchor.line, anchor.line, anchor.orphaned)


def _rows(comment: Comment, lines: tuple[str, ...], index: int) -> Rows:
    path = comment.path
    if comment.is_outdated:
        raise WorldMoved(
            "stale",
            f"a comment on {path} is outdated: its lines have changed since",
            "make the change by hand, or ask for a new suggestion",
            path=path,
        )
    if comment.first is None or comment.last is None:
        raise failed(
            f"a suggestion for {path} is on a line that the pull request removes, or on none",
            "only lines of the new side can be replaced",
            path=path,
        )
    if comment.last < comment.first:
        words = f"line {comment.last} stands before line {comment.first}"
        raise BadCall("invalid_range", words, "swap the two")
    new = tuple(line.encode() for line in lines)
    return Rows(index=index, first=comment.first, last=comment.last, new=new, shown=None)
