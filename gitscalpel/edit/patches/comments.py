"""Reads suggestions in GitHub's review comments, as its APIs and webhooks give them.

That is one comment or a list, as ``gh api repos/OWNER/REPO/pulls/N/comments`` prints it, a review with its
``comments``, the event of a webhook, or ``reviewThreads`` of GraphQL. Comments without a suggestion and
resolved threads are passed over. Where the API shows the commented lines, the file must contain them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Annotated, Any

import msgspec

from gitscalpel.edit.patches import fences, jsons
from gitscalpel.edit.patches.form import FilePatch
from gitscalpel.edit.patches.pieces import Rows
from gitscalpel.edit.patches.refusals import failed
from gitscalpel.errors import BadCall, DoesNotFit, WorldMoved

NAME = "GitHub review comments with suggestions"
_HEADER = re.compile(r"@@ -\d{1,9}(?:,\d+)? \+(\d{1,9})(?:,\d+)? @@")
_GRAPHQL = {
    "path": "path",
    "body": "body",
    "line": "line",
    "startLine": "start_line",
    "originalLine": "original_line",
    "originalStartLine": "original_start_line",
    "diffHunk": "diff_hunk",
    "diffSide": "side",
    "startDiffSide": "start_side",
}
"""The fields of threads and comments in GraphQL, and their names in the REST API."""
_Number = Annotated[int, msgspec.Meta(ge=1)]


class Comment(msgspec.Struct, frozen=True):
    """A review comment; its ``original`` lines are those that it was written at and that its hunk shows."""

    path: str
    body: str
    line: _Number | None = None
    start_line: _Number | None = None
    original_line: _Number | None = None
    original_start_line: _Number | None = None
    side: str | None = "RIGHT"
    start_side: str | None = "RIGHT"
    diff_hunk: str | None = None


def claims(value: Mapping[str, Any]) -> bool:
    """Return True if this is a review comment, or holds some."""
    return ("path" in value and "body" in value) or any(True for _ in _inside(value))


def _inside(value: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the review comments in a review, an event, or an answer of GraphQL."""
    event, review = value.get("comment"), value.get("comments")
    if isinstance(event, dict) and "path" in event and "body" in event:
        yield event
    for each in review if isinstance(review, list) else ():
        if isinstance(each, dict) and "path" in each and "body" in each:
            yield each
    if isinstance(value.get("data"), dict):
        yield from _of_graphql(value["data"])


def _of_graphql(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    waiting: list[Any] = [value]
    while waiting:
        each = waiting.pop(0)
        if not isinstance(each, dict):
            continue
        threads = each.get("reviewThreads")
        for thread in _nodes(threads):
            if not thread.get("isResolved"):
                yield from ({**_named(thread), **_named(said)} for said in _nodes(thread.get("comments")))
        waiting += [inner for key, inner in each.items() if key != "reviewThreads"]


def _nodes(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a connection of GraphQL."""
    nodes = value.get("nodes") if isinstance(value, dict) else None
    return [each for each in nodes or () if isinstance(each, dict)] if isinstance(nodes, list) else []


def _named(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of GraphQL by the names of the REST API."""
    return {name: value[key] for key, name in _GRAPHQL.items() if value.get(key) is not None}


def read(found: Sequence[dict[str, Any]], _path: str) -> tuple[FilePatch, ...]:
    """The files that the suggestions change.

    Raises:
        BadCall: ``invalid_args``.
        DoesNotFit: ``ambiguous``, for several suggestions in one comment; ``patch_failed``.
        WorldMoved: ``stale``, for a comment whose lines are gone.
    """
    rows: dict[str, list[Rows]] = {}
    held = (each for value in found for each in ([value] if "path" in value else _inside(value)))
    for value in held:
        comment = jsons.typed(value, Comment, "review comment")
        suggestions = [fence.lines for fence in fences.blocks(comment.body) if fence.info == "suggestion"]
        if len(suggestions) > 1:
            raise DoesNotFit(
                "ambiguous",
                f"a comment on {comment.path} suggests {len(suggestions)} texts for the same lines",
                "leave the one that is meant, and remove the others",
                path=comment.path,
            )
        for lines in suggestions:
            known = rows.setdefault(comment.path, [])
            known.append(_rows(comment, lines, len(known) + 1))
    if not rows:
        raise BadCall("invalid_args", "the comments suggest nothing", "a suggestion is fenced: ```suggestion")
    return tuple(
        FilePatch(path=path, source=path, pieces=tuple(each), by_hand=True, as_text=True)
        for path, each in rows.items()
    )


def _rows(comment: Comment, lines: tuple[str, ...], index: int) -> Rows:
    if not {comment.side, comment.start_side} <= {"RIGHT", None}:
        raise failed(
            f"a suggestion for {comment.path} stands on the left side, whose lines are gone already",
            "only lines of the right side can be replaced",
            path=comment.path,
        )
    if comment.line is None:
        raise WorldMoved(
            "stale",
            f"a comment on {comment.path} is outdated: its lines have changed since, and it names none",
            "make the change by hand, or ask for a new suggestion",
            path=comment.path,
        )
    first = comment.start_line or comment.line
    if comment.line < first:
        raise BadCall("invalid_range", f"line {comment.line} stands before line {first}", "swap the two")
    new = tuple(line.encode() for line in lines)
    return Rows(index=index, first=first, last=comment.line, new=new, shown=_shown(comment, first))


def _shown(comment: Comment, first: int) -> tuple[bytes, ...] | None:
    """The commented lines as the hunk shows them; None without a hunk."""
    if comment.diff_hunk is None or comment.line is None:
        return None
    last = comment.original_line or comment.line
    begin = (comment.original_start_line or last) if comment.original_line else first
    lines = tuple(line for number, line in _right(comment.diff_hunk) if begin <= number <= last)
    if len(lines) != comment.line + 1 - first:
        raise failed(
            f"the diff_hunk of a comment on {comment.path} does not show the lines that it is about",
            "send the comment as the API gives it, or without diff_hunk",
            path=comment.path,
        )
    return lines


def _right(hunk: str) -> Iterator[tuple[int, bytes]]:
    """The lines of a hunk's right side with their numbers."""
    lines = hunk.split("\n")
    header = _HEADER.match(lines[0])
    number = int(header[1]) if header else 0
    for line in takewhile(lambda line: not line.startswith("@@"), lines[1:]):
        if not line.startswith(("-", "\\")):
            yield number, line[1:].removesuffix("\r").encode()
            number += 1
