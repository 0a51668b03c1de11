from __future__ import annotations

from typing import Any

import pytest

from tests.edit.patches.patch_helpers import (
    NUMBERS,
    PatchInput,
    apply_patch,
    changed_files,
    expect_error,
    patch_file,
)
from tests.gates.gate_calls import judge_structure as judge

HUNK = "@@ -2,4 +3,4 @@ a title\n 3\n-four\n+4\n 5\n 6"


def make_comment(*suggestions: str, **more: Any) -> dict[str, Any]:
    body = "".join(f"I would say:\r\n```suggestion\r\n{text}```\r\n" for text in suggestions)
    return {"id": 1, "path": "a.txt", "body": body, "line": 5, "side": "RIGHT", **more}


BYTES: dict[str, tuple[PatchInput, dict[str, str]]] = {
    "one line": (make_comment("five\r\n"), {"5\n": "five\n"}),
    "several lines": (make_comment("x\r\ny\r\n", start_line=4, start_side="RIGHT"), {"4\n5\n": "x\ny\n"}),
    "deleted": (make_comment(""), {"5\n": ""}),
    "a blank line": (make_comment("\r\n"), {"5\n": "\n"}),
    "the format of the API": (
        make_comment(
            "five\r\n",
            line=5,
            original_line=5,
            start_line=None,
            original_start_line=None,
            start_side=None,
            side="RIGHT",
            position=3,
            diff_hunk="@@ -2,4 +3,4 @@ a title\n 3\n-four\n+4\n 5",
            subject_type="line",
            commit_id="0" * 40,
            user={"login": "me"},
        ),
        {"5\n": "five\n"},
    ),
    "with a moved hunk": (
        make_comment("x\r\n", line=5, start_line=4, original_line=15, original_start_line=14)
        | {"diff_hunk": "@@ -12,4 +13,4 @@\n 3\n-four\n+4\n 5\n"},
        {"4\n5\n": "x\n"},
    ),
    "a list with other comments": (
        [make_comment(), make_comment("five\r\n"), {"path": "b", "body": "fine", "line": None}],
        {"5\n": "five\n"},
    ),
    "several comments": (
        [make_comment("5\r\n6\r\n"), make_comment("2!\r\n", line=2)],
        {"5\n": "5\n6\n", "2\n": "2!\n"},
    ),
    "a longer fence": (
        make_comment() | {"body": "````suggestion\n```\n````\n"},
        {"5\n": "```\n"},
    ),
    "a quoted suggestion": (
        make_comment("five\n") | {"body": "````md\n```suggestion\nx\n```\n````\n```suggestion\nfive\n```"},
        {"5\n": "five\n"},
    ),
}


@pytest.mark.parametrize(("diff", "changes"), BYTES.values(), ids=BYTES)
def test_suggestion_replaces_the_commented_lines(diff: PatchInput, changes: dict[str, str]) -> None:
    expected = NUMBERS
    for old, new in changes.items():
        expected = expected.replace("\n" + old, "\n" + new, 1)
    assert patch_file(NUMBERS, diff).decode() == expected


def test_suggestion_uses_the_line_endings_of_the_file() -> None:
    assert patch_file(b"1\r\n2\r\n3", make_comment("a\nb\n", line=3)) == b"1\r\n2\r\na\r\nb"


def test_comments_on_several_files_are_applied() -> None:
    comments = [make_comment("x\n", line=1), make_comment("y\n", line=1, path="b")]
    assert changed_files({"a.txt": "1\n", "b": "1\n"}, comments) == {
        "a.txt": ("100644", b"x\n"),
        "b": ("100644", b"y\n"),
    }


REFUSED: dict[str, tuple[PatchInput, str]] = {
    "several suggestions": (make_comment("x\n", "y\n"), "ambiguous"),
    "the left side": (make_comment("x\n", side="LEFT"), "patch_failed"),
    "start on the left side": (make_comment("x\n", start_line=4, start_side="LEFT"), "patch_failed"),
    "outdated": (make_comment("x\n", line=None, original_line=5), "stale"),
    "other lines in the file": (make_comment("x\n", diff_hunk="@@ -1 +5 @@\n+6"), "stale"),
    "several other lines in the file": (
        make_comment("x\n", start_line=4, diff_hunk="@@ -1 +4,2 @@\n 4\n+6"),
        "stale",
    ),
    "an unrelated hunk": (make_comment("x\n", diff_hunk="@@ -1 +1 @@\n+6"), "patch_failed"),
    "a hunk without a header": (make_comment("x\n", diff_hunk=""), "patch_failed"),
    "beyond the end": (make_comment("x\n", line=99), "out_of_range"),
    "huge": (make_comment("x\n", line=10**40, diff_hunk=HUNK), "patch_failed"),
    "reversed range": (make_comment("x\n", start_line=6), "invalid_range"),
    "overlapping": ([make_comment("x\n", start_line=4), make_comment("y\n")], "patch_failed"),
    "no change": (make_comment("5\n"), "no_change"),
    "no suggestion": ([make_comment(), make_comment()], "invalid_args"),
    "no end": (make_comment() | {"body": "```suggestion\nx\n"}, "patch_failed"),
    "no file": (make_comment("x\n", path="n"), "file_not_found"),
    "another type": (make_comment("x\n", line="5"), "invalid_args"),
    "line 0": (make_comment("x\n", line=0), "invalid_args"),
}


@pytest.mark.parametrize(("diff", "code"), REFUSED.values(), ids=REFUSED)
def test_inapplicable_suggestion_is_refused(diff: PatchInput, code: str) -> None:
    assert expect_error({"a.txt": NUMBERS}, diff).code == code


def test_gates_check_a_suggestion_as_a_text_edit() -> None:
    before = {"a.txt": "", "a.py": "def f():\n    return 1\n"}
    body = make_comment("    return 2\n", path="a.py", line=2)
    header = make_comment("def f(x):\n    x += 1\n", path="a.py", line=1)
    assert judge(apply_patch(before, body), "block").status == "passed"
    assert judge(apply_patch(before, [body, header]), "block").status == "failed"


def test_comments_in_a_review_event_or_graphql_answer_are_applied() -> None:
    body = "```suggestion\nB\n```"
    review_comment = {"path": "a.txt", "body": body, "line": 2, "side": "RIGHT"}
    hunk = "@@ -1,2 +1,2 @@\n a\n-x\n+b"
    thread = {
        "path": "a.txt",
        "line": 2,
        "startLine": None,
        "diffSide": "RIGHT",
        "isResolved": False,
        "comments": {"nodes": [{"body": body, "diffHunk": hunk}, {"body": "thanks"}]},
    }
    resolved = {**thread, "isResolved": True, "line": 1}
    graphql = {"data": {"repository": {"pullRequest": {"reviewThreads": {"nodes": [resolved, thread]}}}}}
    for data in (
        {"id": 1, "comments": [review_comment]},
        {"action": "created", "comment": review_comment},
        graphql,
    ):
        assert patch_file("a\nb\nc\n", data) == b"a\nB\nc\n"
