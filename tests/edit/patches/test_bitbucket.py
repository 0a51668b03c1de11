"""Suggestions in comments of Bitbucket Cloud and Data Center."""

from __future__ import annotations

from typing import Any

import pytest

from tests.edit.patches.patch_helpers import expect_error, patch_file

FOUR_LINES = "a\nb\nc\nd\n"
SUGGESTED = "why?\n```suggestion\nB\n```"


def cloud_comment(body: str, to: int | None = 2, **more: Any) -> dict[str, Any]:
    inline = {"path": "a.txt", "from": None, "to": to, **more}
    return {"id": 1, "type": "pullrequest_comment", "content": {"raw": body}, "inline": inline}


def data_center_comment(body: str, line: int = 2, **more: Any) -> dict[str, Any]:
    anchor = {"path": "a.txt", "line": line, "lineType": "ADDED", "fileType": "TO", **more}
    return {"id": 1, "text": body, "anchor": anchor}


def comment_activity(body: str, **more: Any) -> dict[str, Any]:
    comment = data_center_comment(body, **more)
    return {"id": 5, "action": "COMMENTED", "comment": {"text": body}, "commentAnchor": comment["anchor"]}


@pytest.mark.parametrize("make_comment", [cloud_comment, data_center_comment, comment_activity])
def test_suggestion_replaces_the_commented_line(make_comment: Any) -> None:
    after = b"a\nB\nc\nd\n"
    assert patch_file(FOUR_LINES, make_comment(SUGGESTED)) == after
    assert patch_file(FOUR_LINES, [make_comment("no change"), make_comment(SUGGESTED)]) == after
    assert (
        patch_file(FOUR_LINES, {"values": [make_comment("no change"), make_comment(SUGGESTED)], "size": 2})
        == after
    )


def test_suggestion_replaces_several_lines() -> None:
    body = "```suggestion\nX\nY\nZ\n```"
    assert patch_file(FOUR_LINES, cloud_comment(body, 3, start_to=2)) == b"a\nX\nY\nZ\nd\n"
    assert (
        patch_file(FOUR_LINES, data_center_comment(body, 3, multilineMarker={"startLine": 2}))
        == b"a\nX\nY\nZ\nd\n"
    )


def test_other_comments_are_ignored() -> None:
    general = {"id": 3, "content": {"raw": "thanks"}, "type": "pullrequest_comment"}
    deleted = {**cloud_comment("```suggestion\nX\n```"), "deleted": True}
    applied = {**data_center_comment("```suggestion\nX\n```"), "properties": {"suggestionState": "APPLIED"}}
    approved = {"id": 6, "action": "APPROVED"}
    for others in ([general, deleted], [applied, approved]):
        assert patch_file(FOUR_LINES, {"values": [*others, cloud_comment(SUGGESTED)]}) == b"a\nB\nc\nd\n"


@pytest.mark.parametrize(
    ("comment", "code"),
    [
        (cloud_comment("no change"), "invalid_args"),
        (cloud_comment(SUGGESTED, None), "patch_failed"),
        (cloud_comment(SUGGESTED, 2, start_to=3), "invalid_range"),
        (cloud_comment(SUGGESTED, 2, outdated=True), "stale"),
        (cloud_comment(SUGGESTED + "\n" + SUGGESTED), "ambiguous"),
        (data_center_comment(SUGGESTED, lineType="REMOVED", fileType="FROM"), "patch_failed"),
        (data_center_comment(SUGGESTED, orphaned=True), "stale"),
        (cloud_comment(SUGGESTED, 9), "patch_failed"),
    ],
)
def test_inapplicable_suggestion_is_refused(comment: dict[str, Any], code: str) -> None:
    assert expect_error({"a.txt": FOUR_LINES}, comment).code in (code, "out_of_range")
