"""Suggestions in comments of Bitbucket, Cloud and Data Center."""

from __future__ import annotations

from typing import Any

import pytest

from tests.edit.patches.patching import patched, refusal

FOUR = "a\nb\nc\nd\n"
SUGGESTED = "why?\n```suggestion\nB\n```"


def cloud(body: str, to: int | None = 2, **more: Any) -> dict[str, Any]:
    inline = {"path": "a.txt", "from": None, "to": to, **more}
    return {"id": 1, "type": "pullrequest_comment", "content": {"raw": body}, "inline": inline}


def center(body: str, line: int = 2, **more: Any) -> dict[str, Any]:
    anchor = {"path": "a.txt", "line": line, "lineType": "ADDED", "fileType": "TO", **more}
    return {"id": 1, "text": body, "anchor": anchor}


def activity(body: str, **more: Any) -> dict[str, Any]:
    said = center(body, **more)
    return {"id": 5, "action": "COMMENTED", "comment": {"text": body}, "commentAnchor": said["anchor"]}


@pytest.mark.parametrize("form", [cloud, center, activity])
def test_a_suggestion_takes_the_place_of_the_commented_line(form: Any) -> None:
    after = b"a\nB\nc\nd\n"
    assert patched(FOUR, form(SUGGESTED)) == after
    assert patched(FOUR, [form("no change"), form(SUGGESTED)]) == after
    assert patched(FOUR, {"values": [form("no change"), form(SUGGESTED)], "size": 2}) == after


def test_a_suggestion_for_several_lines() -> None:
    body = "```suggestion\nX\nY\nZ\n```"
    assert patched(FOUR, cloud(body, 3, start_to=2)) == b"a\nX\nY\nZ\nd\n"
    assert patched(FOUR, center(body, 3, multilineMarker={"startLine": 2})) == b"a\nX\nY\nZ\nd\n"


def test_other_comments_are_passed_over() -> None:
    general = {"id": 3, "content": {"raw": "thanks"}, "type": "pullrequest_comment"}
    deleted = {**cloud("```suggestion\nX\n```"), "deleted": True}
    applied = {**center("```suggestion\nX\n```"), "properties": {"suggestionState": "APPLIED"}}
    approved = {"id": 6, "action": "APPROVED"}
    for others in ([general, deleted], [applied, approved]):
        assert patched(FOUR, {"values": [*others, cloud(SUGGESTED)]}) == b"a\nB\nc\nd\n"


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (cloud("no change"), "invalid_args"),
        (cloud(SUGGESTED, None), "patch_failed"),
        (cloud(SUGGESTED, 2, start_to=3), "invalid_range"),
        (cloud(SUGGESTED, 2, outdated=True), "stale"),
        (cloud(SUGGESTED + "\n" + SUGGESTED), "ambiguous"),
        (center(SUGGESTED, lineType="REMOVED", fileType="FROM"), "patch_failed"),
        (center(SUGGESTED, orphaned=True), "stale"),
        (cloud(SUGGESTED, 9), "patch_failed"),
    ],
)
def test_what_cannot_be_applied(said: dict[str, Any], code: str) -> None:
    assert refusal({"a.txt": FOUR}, said).code in (code, "out_of_range")
