"""What is said of a change elsewhere: names are code, whatever they hold; pages are those of the forge."""

from __future__ import annotations

import pytest

from gitscalpel.publish import forge, words


@pytest.mark.parametrize(
    ("text", "span"),
    [("a.py", "`a.py`"), ("a`b", "``a`b``"), ("`a", "`` `a ``"), ("a\nb", "`a b`"), ("<b>@x", "`<b>@x`")],
)
def test_code(text: str, span: str) -> None:
    assert words.code(text) == span


REQUEST = forge.Request("Title", "body", "scalpel/abcd-x", "release/1")


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
def test_page(url: str, page: str | None) -> None:
    assert forge.page(url, REQUEST) == page
