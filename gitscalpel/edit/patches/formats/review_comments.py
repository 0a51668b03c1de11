"""Suggestions in review comments of GitHub, GitLab and Bitbucket, as their APIs return them.

Resolved threads, applied suggestions and comments without a suggestion are skipped. If an API shows the
commented lines, the file must contain them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, takewhile
from typing import Annotated, Any

import msgspec

from gitscalpel.edit.patches.formats import fenced_blocks
from gitscalpel.edit.patches.formats.patch_model import FilePatch, JsonFormat, LineEdit, patch_error
from gitscalpel.errors import BadCall, DoesNotFit, WorldMoved
from gitscalpel.text import lenient_json

_HEADER = re.compile(r"@@ -\d{1,9}(?:,\d+)? \+(\d{1,9})(?:,\d+)? @@")
# GraphQL fields of threads and comments, and their names in the REST API.
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
_Number = Annotated[int, msgspec.Meta(ge=1)]


class GithubComment(msgspec.Struct, frozen=True):
    """A comment; its ``original`` lines are those of the commit on which it was written, as in its hunk."""

    path: str
    body: str
    line: _Number | None = None
    start_line: _Number | None = None
    original_line: _Number | None = None
    original_start_line: _Number | None = None
    side: str | None = "RIGHT"
    start_side: str | None = "RIGHT"
    diff_hunk: str | None = None


def is_github_comment(value: Mapping[str, Any]) -> bool:
    return ("path" in value and "body" in value) or any(True for _ in _iter_comments(value))


def _iter_comments(value: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the review comments in a review, an event of a webhook, or a GraphQL response."""
    comment, comments = value.get("comment"), value.get("comments")
    if isinstance(comment, dict) and "path" in comment and "body" in comment:
        yield comment
    for each in comments if isinstance(comments, list) else ():
        if isinstance(each, dict) and "path" in each and "body" in each:
            yield each
    if isinstance(value.get("data"), dict):
        yield from _iter_graphql_comments(value["data"])


def _iter_graphql_comments(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    pending: list[Any] = [value]
    while pending:
        each = pending.pop(0)
        if not isinstance(each, dict):
            continue
        threads = each.get("reviewThreads")
        for thread in _connection_nodes(threads):
            if not thread.get("isResolved"):
                yield from (
                    {**_rename_fields(thread), **_rename_fields(comment)}
                    for comment in _connection_nodes(thread.get("comments"))
                )
        pending += [inner for key, inner in each.items() if key != "reviewThreads"]


def _connection_nodes(value: Any) -> list[dict[str, Any]]:
    nodes = value.get("nodes") if isinstance(value, dict) else None
    return [each for each in nodes or () if isinstance(each, dict)] if isinstance(nodes, list) else []


def _rename_fields(value: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value[key] for key, name in _GRAPHQL.items() if value.get(key) is not None}


def read_github(values: Sequence[dict[str, Any]], _path: str) -> tuple[FilePatch, ...]:
    """Return the files that the suggestions change.

    Accepts a comment or a list of comments (``gh api repos/OWNER/REPO/pulls/N/comments``), a review with its
    ``comments``, the event of a webhook, or ``reviewThreads`` of GraphQL. Raises ``invalid_args``,
    ``ambiguous`` for several suggestions in one comment, ``patch_failed``, or ``stale`` if the lines no
    longer exist.
    """
    found = (each for value in values for each in ([value] if "path" in value else _iter_comments(value)))
    comments = (lenient_json.convert_value(value, GithubComment, "review comment") for value in found)
    return _collect_files(
        (each.path, _make_github_rows(each, lines))
        for each in comments
        for lines in _read_single_suggestion(each.path, each.body)
    )


def _read_single_suggestion(path: str, body: str) -> list[tuple[bytes, ...]]:
    """Return the lines of the only suggestion in a comment as a list, which is empty without one."""
    fences = [fence for fence in fenced_blocks.iter_fences(body) if fence.info == "suggestion"]
    if len(fences) > 1:
        raise _ambiguous_error(f"a comment on {path}", len(fences), path)
    return [tuple(map(str.encode, fence.lines)) for fence in fences]


def _ambiguous_error(label: str, count: int, path: str) -> DoesNotFit:
    return DoesNotFit(
        "ambiguous",
        f"{label} suggests {count} texts for the same lines",
        "keep the one that you mean, and remove the others",
        path=path,
    )


def _outdated_error(path: str, detail: str = "") -> WorldMoved:
    return WorldMoved(
        "stale",
        f"a comment on {path} is outdated: its lines have changed since{detail}",
        "make the change by hand, or ask for a new suggestion",
        path=path,
    )


def _check_order(rows: LineEdit) -> LineEdit:
    if rows.last < rows.first:
        raise BadCall("invalid_range", f"line {rows.last} is before line {rows.first}", "swap the two lines")
    return rows


def _collect_files(
    suggestions: Iterable[tuple[str, LineEdit]], noun: str = "comments", range_: str = ""
) -> tuple[FilePatch, ...]:
    """Return a patch for each path; ``noun`` and ``range_`` are for the error without suggestions."""
    edits_by_path: dict[str, list[LineEdit]] = {}
    for path, each in suggestions:
        edits = edits_by_path.setdefault(path, [])
        edits.append(msgspec.structs.replace(each, index=len(edits) + 1))
    if not edits_by_path:
        hint = f"fence each suggestion: ```suggestion{range_}"
        raise BadCall("invalid_args", f"the {noun} contain no suggestion", hint)
    return tuple(
        FilePatch(path=path, source=path, pieces=tuple(each), by_hand=True, as_text=True)
        for path, each in edits_by_path.items()
    )


def _make_github_rows(comment: GithubComment, lines: tuple[bytes, ...]) -> LineEdit:
    if not {comment.side, comment.start_side} <= {"RIGHT", None}:
        raise patch_error(
            f"a suggestion for {comment.path} is on the left side, whose lines no longer exist",
            "comment on lines of the right side",
            path=comment.path,
        )
    if comment.line is None:
        raise _outdated_error(comment.path, ", and it has no line number")
    first = comment.start_line or comment.line
    rows = _check_order(LineEdit(index=0, first=first, last=comment.line, new=lines))
    return msgspec.structs.replace(rows, shown=_read_shown_lines(comment, first))


def _read_shown_lines(comment: GithubComment, first: int) -> tuple[bytes, ...] | None:
    if comment.diff_hunk is None or comment.line is None:
        return None
    last_shown = comment.original_line or comment.line
    first_shown = (comment.original_start_line or last_shown) if comment.original_line else first
    shown = range(first_shown, last_shown + 1)
    lines = tuple(line for number, line in _iter_right_side(comment.diff_hunk) if number in shown)
    if len(lines) != comment.line + 1 - first:
        raise patch_error(
            f"the diff_hunk of a comment on {comment.path} does not contain the commented lines",
            "send the comment as the API gives it, or without diff_hunk",
            path=comment.path,
        )
    return lines


def _iter_right_side(hunk: str) -> Iterator[tuple[int, bytes]]:
    lines = hunk.split("\n")
    header = _HEADER.match(lines[0])
    number = int(header[1]) if header else 0
    for line in takewhile(lambda line: not line.startswith("@@"), lines[1:]):
        if not line.startswith(("-", "\\")):
            yield number, line[1:].removesuffix("\r").encode()
            number += 1


_INFO = re.compile(r"suggestion(?::-(\d{1,3})\+(\d{1,3}))?")


class NotePosition(msgspec.Struct, frozen=True):
    """The line of a note, in the file after the merge request."""

    new_path: str | None = None
    new_line: _Number | None = None


class Suggestion(msgspec.Struct, frozen=True):
    """A suggestion as GitLab parsed it from the note."""

    from_line: _Number
    to_line: _Number
    from_content: str
    to_content: str
    applied: bool = False


class GitlabNote(msgspec.Struct, frozen=True):
    """A comment of a discussion."""

    body: str
    position: NotePosition | None = None
    suggestions: tuple[Suggestion, ...] = ()
    system: bool = False


def is_gitlab_note(value: Mapping[str, Any]) -> bool:
    is_note = "body" in value and isinstance(value.get("position"), dict)
    return is_note or isinstance(value.get("notes"), list)


def read_gitlab(values: Sequence[dict[str, Any]], _path: str) -> tuple[FilePatch, ...]:
    """Return the files that the suggestions change, from discussions or notes.

    The API is ``projects/ID/merge_requests/N/discussions``. Raises ``invalid_args``, ``ambiguous`` for
    several suggestions for the same lines in one note, or ``patch_failed``.
    """
    note_values = (each for value in values for each in value.get("notes", [value]))
    notes = (lenient_json.convert_value(each, GitlabNote, "GitLab note") for each in note_values)
    suggestions = (each for note in notes if not note.system for each in _iter_suggestions(note))
    return _collect_files(suggestions, "notes", ":-0+0")


def _iter_suggestions(note: GitlabNote) -> Iterator[tuple[str, LineEdit]]:
    """Yield the suggestions of a note: as parsed by GitLab, or else from its text."""
    parsed = [_read_suggestion(each) for each in note.suggestions if not each.applied]
    suggestions = parsed if note.suggestions else list(_iter_fenced(note))
    if not suggestions:
        return
    path = note.position.new_path if note.position else None
    if path is None:
        raise patch_error("a suggestion is on no line of a file", "send the note with its position")
    if any(a.first <= b.last and b.first <= a.last for a, b in combinations(suggestions, 2)):
        raise _ambiguous_error(f"a note on {path}", len(suggestions), path)
    yield from ((path, each) for each in suggestions)


def _read_suggestion(suggestion: Suggestion) -> LineEdit:
    new, shown = _split_content(suggestion.to_content), _split_content(suggestion.from_content)
    return _check_order(
        LineEdit(index=0, first=suggestion.from_line, last=suggestion.to_line, new=new, shown=shown)
    )


def _iter_fenced(note: GitlabNote) -> Iterator[LineEdit]:
    for fence in fenced_blocks.iter_fences(note.body):
        info = _INFO.fullmatch(fence.info)
        if info is None:
            continue
        line = note.position.new_line if note.position else None
        if line is None:
            raise patch_error(
                "a suggestion is on a line that the merge request removes, or on none",
                "comment on lines of the new side",
            )
        above, below = (int(each or 0) for each in info.groups())
        first = max(line - above, 1)
        yield LineEdit(index=0, first=first, last=line + below, new=tuple(map(str.encode, fence.lines)))


def _split_content(content: str) -> tuple[bytes, ...]:
    if not content:
        return ()
    lines = content.removesuffix("\n").split("\n")
    return tuple(line.removesuffix("\r").encode() for line in lines)


class Inline(msgspec.Struct, frozen=True):
    """Lines of a Bitbucket Cloud comment; ``to`` is on the new side, ``from`` on the old one."""

    path: str
    to: _Number | None = None
    start_to: _Number | None = None
    from_: _Number | None = msgspec.field(default=None, name="from")
    outdated: bool = False


class Marker(msgspec.Struct, frozen=True, rename="camel"):
    """First line of a Bitbucket Data Center comment on several lines."""

    start_line: _Number
    start_line_type: str = "ADDED"


class Anchor(msgspec.Struct, frozen=True, rename="camel"):
    """Lines of a Bitbucket Data Center comment."""

    path: str | dict[str, Any]
    line: _Number | None = None
    line_type: str = "CONTEXT"
    file_type: str = "TO"
    multiline_marker: Marker | None = None
    orphaned: bool = False


class BitbucketComment(msgspec.Struct, frozen=True):
    """A comment on lines of a file."""

    body: str  # the text in Markdown
    path: str
    first: int | None  # the lines on the new side, from 1; None if the comment is on lines of the old side
    last: int | None
    is_outdated: bool = False


def is_bitbucket_comment(value: Mapping[str, Any]) -> bool:
    rows = value.get("values")
    if isinstance(rows, list):
        return any(isinstance(each, dict) and is_bitbucket_comment(each) for each in rows)
    return any(all(isinstance(value.get(key), dict) for key in keys) for keys in _KEYS) or (
        isinstance(value.get("anchor"), dict) and isinstance(value.get("text"), str)
    )


_KEYS = (("inline", "content"), ("comment", "commentAnchor"))


def read_bitbucket(values: Sequence[dict[str, Any]], _path: str) -> tuple[FilePatch, ...]:
    """Return the files that the suggestions change.

    Bitbucket Cloud sends a comment or a page (``repositories/W/R/pullrequests/N/comments``). Data Center
    sends comments with an ``anchor``, or activities that contain comments. Raises ``invalid_args``,
    ``ambiguous`` for several suggestions in one comment, ``patch_failed``, or ``stale`` if the lines have
    changed.
    """
    comments = (each for value in values for each in _iter_line_comments(value))
    return _collect_files(
        (each.path, _make_bitbucket_rows(each, lines))
        for each in comments
        for lines in _read_single_suggestion(each.path, each.body)
    )


def _iter_line_comments(value: dict[str, Any]) -> Iterator[BitbucketComment]:
    if isinstance(value.get("values"), list):
        for each in value["values"]:
            yield from _iter_line_comments(each) if isinstance(each, dict) else ()
    elif isinstance(value.get("inline"), dict) and not value.get("deleted"):
        inline = lenient_json.convert_value(value["inline"], Inline, "place of a Bitbucket comment")
        content = value.get("content")
        body = content.get("raw") if isinstance(content, dict) else None
        yield BitbucketComment(
            str(body or ""), inline.path, inline.start_to or inline.to, inline.to, inline.outdated
        )
    else:
        comment = value.get("comment", value)
        anchor = value.get("commentAnchor", value.get("anchor"))
        if isinstance(comment, dict) and isinstance(anchor, dict) and not _is_applied(comment):
            yield _read_anchored(
                str(comment.get("text") or ""), lenient_json.convert_value(anchor, Anchor, "Bitbucket anchor")
            )


def _is_applied(comment: Mapping[str, Any]) -> bool:
    properties = comment.get("properties")
    return isinstance(properties, dict) and properties.get("suggestionState") == "APPLIED"


def _read_anchored(body: str, anchor: Anchor) -> BitbucketComment:
    path = anchor.path if isinstance(anchor.path, str) else str(anchor.path.get("toString") or "")
    marker, is_new = anchor.multiline_marker, anchor.line_type != "REMOVED" and anchor.file_type == "TO"
    if not is_new or (marker and marker.start_line_type == "REMOVED"):
        return BitbucketComment(body, path, None, None)
    return BitbucketComment(
        body, path, marker.start_line if marker else anchor.line, anchor.line, anchor.orphaned
    )


def _make_bitbucket_rows(comment: BitbucketComment, lines: tuple[bytes, ...]) -> LineEdit:
    if comment.is_outdated:
        raise _outdated_error(comment.path)
    if comment.first is None or comment.last is None:
        raise patch_error(
            f"a suggestion for {comment.path} is on a line that the pull request removes, or on none",
            "comment on lines of the new side",
            path=comment.path,
        )
    return _check_order(LineEdit(index=0, first=comment.first, last=comment.last, new=lines))


FORMATS = (
    JsonFormat(
        name="GitLab discussions with suggestions",
        priority=40,
        claims=is_gitlab_note,
        read=read_gitlab,
        example='{"body": "```suggestion:-0+0\\nnew\\n```", '
        '"position": {"new_path": "a.txt", "new_line": 1}}',
    ),
    JsonFormat(
        name="Bitbucket comments with suggestions",
        priority=50,
        claims=is_bitbucket_comment,
        read=read_bitbucket,
        example='{"content": {"raw": "```suggestion\\nnew\\n```"}, "inline": {"path": "a.txt", "to": 1}}',
    ),
    JsonFormat(
        name="GitHub review comments with suggestions",
        priority=60,
        claims=is_github_comment,
        read=read_github,
        example='{"path": "a.txt", "body": "```suggestion\\nnew\\n```", "line": 1}',
    ),
)
