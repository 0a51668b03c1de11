"""Suggestions in discussions and notes of GitLab."""

from __future__ import annotations

from typing import Any

import pytest

from tests.edit.patches.patch_helpers import expect_error, patch_file

FOUR_LINES = "a\nb\nc\nd\n"


def make_note(body: str, line: int | None = 2, **more: Any) -> dict[str, Any]:
    position = {"position_type": "text", "new_path": "a.txt", "old_path": "a.txt", "new_line": line}
    return {"id": 1, "type": "DiffNote", "body": body, "position": position, **more}


def make_suggestion(first: int, last: int, old: str, new: str) -> dict[str, Any]:
    return {"id": 1, "from_line": first, "to_line": last, "from_content": old, "to_content": new}


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("why?\n```suggestion:-0+0\nB\n```", b"a\nB\nc\nd\n"),
        ("```suggestion\nB\n```", b"a\nB\nc\nd\n"),
        ("```suggestion:-1+0\nX\n```", b"X\nc\nd\n"),
        ("```suggestion:-0+2\nX\nY\n```", b"a\nX\nY\n"),
        ("```suggestion:-1+1\n```", b"d\n"),
        ("````suggestion:-0+0\n```py\n````", b"a\n```py\nc\nd\n"),
    ],
)
def test_suggestion_replaces_the_lines_around_a_note(body: str, after: bytes) -> None:
    assert patch_file(FOUR_LINES, make_note(body)) == after
    assert patch_file(FOUR_LINES, [make_note("no change"), make_note(body)]) == after
    assert (
        patch_file(FOUR_LINES, [{"id": "d", "notes": [make_note(body), {"id": 2, "body": "thanks"}]}])
        == after
    )


def test_several_suggestions_of_one_note_are_applied() -> None:
    body = "```suggestion:-1+0\nX\n```\nand\n```suggestion:-0+0\nY\n```"
    assert expect_error({"a.txt": FOUR_LINES}, make_note(body)).code == "ambiguous"
    suggestions = [make_suggestion(1, 1, "a\n", "X\n"), make_suggestion(4, 4, "d\n", "Y\n")]
    assert patch_file(FOUR_LINES, make_note(body, suggestions=suggestions)) == b"X\nb\nc\nY\n"


def test_suggestion_for_changed_lines_is_refused() -> None:
    stale_note = make_note("```suggestion:-0+0\nB\n```", suggestions=[make_suggestion(2, 2, "gone\n", "B\n")])
    assert expect_error({"a.txt": FOUR_LINES}, stale_note).code in ("stale", "patch_failed")


def test_inapplicable_suggestion_is_refused() -> None:
    assert expect_error({"a.txt": FOUR_LINES}, make_note("no change")).code == "invalid_args"
    assert (
        expect_error({"a.txt": FOUR_LINES}, make_note("```suggestion:-0+0\nB\n```", None)).code
        == "patch_failed"
    )
    applied = {**make_suggestion(2, 2, "b\n", "B\n"), "applied": True}
    assert expect_error(
        {"a.txt": FOUR_LINES}, make_note("```suggestion:-0+0\nB\n```", suggestions=[applied])
    ).code
