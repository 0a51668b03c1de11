"""Suggestions in GitLab's discussions and notes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.edit.patches.patching import patched, refusal

FOUR = "a\nb\nc\nd\n"


def note(body: str, line: int | None = 2, **more: Any) -> dict[str, Any]:
    position = {"position_type": "text", "new_path": "a.txt", "old_path": "a.txt", "new_line": line}
    return {"id": 1, "type": "DiffNote", "body": body, "position": position, **more}


def given(first: int, last: int, old: str, new: str) -> dict[str, Any]:
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
def test_the_lines_around_a_note(body: str, after: bytes) -> None:
    assert patched(FOUR, note(body)) == after
    assert patched(FOUR, [note("no change"), note(body)]) == after
    assert patched(FOUR, [{"id": "d", "notes": [note(body), {"id": 2, "body": "thanks"}]}]) == after


def test_several_suggestions_of_one_note_for_different_lines() -> None:
    body = "```suggestion:-1+0\nX\n```\nand\n```suggestion:-0+0\nY\n```"
    assert refusal({"a.txt": FOUR}, note(body)).code == "ambiguous"
    both = [given(1, 1, "a\n", "X\n"), given(4, 4, "d\n", "Y\n")]
    assert patched(FOUR, note(body, suggestions=both)) == b"X\nb\nc\nY\n"


def test_lines_that_are_no_longer_what_was_suggested_for() -> None:
    said = note("```suggestion:-0+0\nB\n```", suggestions=[given(2, 2, "gone\n", "B\n")])
    assert refusal({"a.txt": FOUR}, said).code in ("stale", "patch_failed")


def test_what_cannot_be_applied() -> None:
    assert refusal({"a.txt": FOUR}, note("no change")).code == "invalid_args"
    assert refusal({"a.txt": FOUR}, note("```suggestion:-0+0\nB\n```", None)).code == "patch_failed"
    applied = {**given(2, 2, "b\n", "B\n"), "applied": True}
    assert refusal({"a.txt": FOUR}, note("```suggestion:-0+0\nB\n```", suggestions=[applied])).code
