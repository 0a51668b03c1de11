from __future__ import annotations

from typing import Any

import pytest

from tests.edit.patches.patching import NUMBERS, Said, after, applied, patched, refusal
from tests.gates.judging import judge_structure as judge

HUNK = "@@ -2,4 +3,4 @@ a title\n 3\n-four\n+4\n 5\n 6"


def comment(*suggestions: str, **more: Any) -> dict[str, Any]:
    body = "".join(f"I would say:\r\n```suggestion\r\n{text}```\r\n" for text in suggestions)
    return {"id": 1, "path": "a.txt", "body": body, "line": 5, "side": "RIGHT", **more}


BYTES: dict[str, tuple[Said, dict[str, str]]] = {
    "one line": (comment("five\r\n"), {"5\n": "five\n"}),
    "several lines": (comment("x\r\ny\r\n", start_line=4, start_side="RIGHT"), {"4\n5\n": "x\ny\n"}),
    "deleted": (comment(""), {"5\n": ""}),
    "a blank line": (comment("\r\n"), {"5\n": "\n"}),
    "as it is given by the API": (
        comment(
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
    "with its hunk, moved since": (
        comment("x\r\n", line=5, start_line=4, original_line=15, original_start_line=14)
        | {"diff_hunk": "@@ -12,4 +13,4 @@\n 3\n-four\n+4\n 5\n"},
        {"4\n5\n": "x\n"},
    ),
    "a list with other comments": (
        [comment(), comment("five\r\n"), {"path": "b", "body": "fine", "line": None}],
        {"5\n": "five\n"},
    ),
    "several comments": (
        [comment("5\r\n6\r\n"), comment("2!\r\n", line=2)],
        {"5\n": "5\n6\n", "2\n": "2!\n"},
    ),
    "a longer fence": (
        comment() | {"body": "````suggestion\n```\n````\n"},
        {"5\n": "```\n"},
    ),
    "a suggestion that is only shown": (
        comment("five\n") | {"body": "````md\n```suggestion\nx\n```\n````\n```suggestion\nfive\n```"},
        {"5\n": "five\n"},
    ),
}


@pytest.mark.parametrize(("diff", "changes"), BYTES.values(), ids=BYTES)
def test_suggestions(diff: Said, changes: dict[str, str]) -> None:
    expected = NUMBERS
    for old, new in changes.items():
        expected = expected.replace("\n" + old, "\n" + new, 1)
    assert patched(NUMBERS, diff).decode() == expected


def test_endings_follow_the_file() -> None:
    assert patched(b"1\r\n2\r\n3", comment("a\nb\n", line=3)) == b"1\r\n2\r\na\r\nb"


def test_several_files() -> None:
    said = [comment("x\n", line=1), comment("y\n", line=1, path="b")]
    assert after({"a.txt": "1\n", "b": "1\n"}, said) == {"a.txt": ("100644", b"x\n"), "b": ("100644", b"y\n")}


REFUSED: dict[str, tuple[Said, str]] = {
    "several suggestions": (comment("x\n", "y\n"), "ambiguous"),
    "the left side": (comment("x\n", side="LEFT"), "patch_failed"),
    "from the left side on": (comment("x\n", start_line=4, start_side="LEFT"), "patch_failed"),
    "outdated": (comment("x\n", line=None, original_line=5), "stale"),
    "other lines there": (comment("x\n", diff_hunk="@@ -1 +5 @@\n+6"), "stale"),
    "other lines there, several": (
        comment("x\n", start_line=4, diff_hunk="@@ -1 +4,2 @@\n 4\n+6"),
        "stale",
    ),
    "a hunk of something else": (comment("x\n", diff_hunk="@@ -1 +1 @@\n+6"), "patch_failed"),
    "a hunk without a header": (comment("x\n", diff_hunk=""), "patch_failed"),
    "beyond the end": (comment("x\n", line=99), "out_of_range"),
    "huge": (comment("x\n", line=10**40, diff_hunk=HUNK), "patch_failed"),
    "backwards": (comment("x\n", start_line=6), "invalid_range"),
    "overlapping": ([comment("x\n", start_line=4), comment("y\n")], "patch_failed"),
    "nothing new": (comment("5\n"), "no_change"),
    "no suggestion": ([comment(), comment()], "invalid_args"),
    "no end": (comment() | {"body": "```suggestion\nx\n"}, "patch_failed"),
    "no file": (comment("x\n", path="n"), "file_not_found"),
    "another type": (comment("x\n", line="5"), "invalid_args"),
    "line 0": (comment("x\n", line=0), "invalid_args"),
}


@pytest.mark.parametrize(("diff", "code"), REFUSED.values(), ids=REFUSED)
def test_refusals(diff: Said, code: str) -> None:
    assert refusal({"a.txt": NUMBERS}, diff).code == code


def test_a_suggestion_is_judged_as_a_text_edit() -> None:
    before = {"a.txt": "", "a.py": "def f():\n    return 1\n"}
    body = comment("    return 2\n", path="a.py", line=2)
    header = comment("def f(x):\n    x += 1\n", path="a.py", line=1)
    assert judge(applied(before, body), "block").status == "passed"
    assert judge(applied(before, [body, header]), "block").status == "failed"


def test_comments_in_a_review_an_event_and_an_answer_of_graphql() -> None:
    body = "```suggestion\nB\n```"
    comment = {"path": "a.txt", "body": body, "line": 2, "side": "RIGHT"}
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
    for said in ({"id": 1, "comments": [comment]}, {"action": "created", "comment": comment}, graphql):
        assert patched("a\nb\nc\n", said) == b"a\nB\nc\n"
