"""Title, body and URL of a pull request, with names as code."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import cast

import pytest

from gitscalpel import Result
from gitscalpel.changesets.answers import Facts, FileRow
from gitscalpel.publish import pull_request


@pytest.mark.parametrize(
    ("text", "span"),
    [("a.py", "`a.py`"), ("a`b", "``a`b``"), ("`a", "`` `a ``"), ("a\nb", "`a b`"), ("<b>@x", "`<b>@x`")],
)
def test_code_span_is_quoted(text: str, span: str) -> None:
    assert pull_request.code_span(text) == span


def make_result(message: str, path: str) -> Result:
    """Make the result of a change to one file, as far as the body needs it."""
    row = FileRow(path=path, status="modified", before=None, after=None, added=1, removed=0)
    return cast(
        "Result",
        SimpleNamespace(
            message=message, tx="abcd2345", base=None, facts=Facts(), patch=SimpleNamespace(rows=(row,))
        ),
    )


@pytest.mark.parametrize("path", ["a|b.py", "a\\|b.py", "`|`.py", "a|\n| x | y |", "<b>|</b>", "||"])
def test_bar_in_a_path_is_escaped(path: str) -> None:
    rows = [
        line for line in pull_request.format_body(make_result("t", path)).splitlines() if "modified" in line
    ]
    assert len(rows) == 1
    assert rows[0].count("|") == 4
    assert "<b>" not in rows[0]


@pytest.mark.parametrize(
    "message", ["t\n\n```\nopen", "t\n\n- ~~~\n  open", "t\n\n<!-- open", "t\n\n<details>\n\n<table><tr>"]
)
def test_message_does_not_affect_the_rest_of_the_body(message: str) -> None:
    body, rest = pull_request.format_body(make_result(message, "a.py")).split("| file |")
    assert not re.search(r"^(- )?(```|~~~)|<[A-Za-z!/]", body, re.MULTILINE)
    assert "`a.py`" in rest


def test_plain_message_is_unchanged() -> None:
    message = "t\n\nFixes #12, see <https://example.org> or <ada@example.org>, if a < b."
    assert pull_request.format_body(make_result(message, "a.py")).startswith(message.partition("\n\n")[2])


REQUEST = pull_request.PullRequestDraft("Title", "body", "scalpel/abcd-x", "release/1")


@pytest.mark.parametrize(
    ("url", "page"),
    [
        ("https://github.com/o/r.git", "https://github.com/o/r/compare/release/1...scalpel/abcd-x?expand=1"),
        ("git@github.com:o/r.git", "https://github.com/o/r/compare/release/1...scalpel/abcd-x?expand=1"),
        (
            "ssh://git@gitlab.example.org:2222/g/s/r",
            "https://gitlab.example.org/g/s/r/-/merge_requests/new?merge_request%5Bsource_branch%5D="
            "scalpel%2Fabcd-x&merge_request%5Btarget_branch%5D=release%2F1",
        ),
        ("https://example.org/r.git", None),
        ("/srv/r.git", None),
    ],
)
def test_url_of_a_new_pull_request(url: str, page: str | None) -> None:
    assert pull_request.new_pull_request_url(url, REQUEST) == page
