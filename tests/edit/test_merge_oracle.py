"""Rules for every merge result: no invented lines, no duplicates, and the original order."""

from __future__ import annotations

import pytest

from gitscalpel.edit.merge.file_merge import has_only_known_lines, is_newly_refused
from gitscalpel.edit.source import Source

WRITTEN: dict[str, tuple[str, str, str, str, bool]] = {
    "both changes": ("a\nb\n", "a\nx\nb\n", "a\nb\ny\n", "a\nx\nb\ny\n", True),
    "an invented character": ("a\n", "a\nx;\n", "y;\na\n", "y;\na\nx;;\n", False),
    "an invented character in an unchanged line": ("a\n", "a\nx;\n", "y;\na\n", "y;\na;\nx;\n", False),
    "a comma before more items": ("a\n", "a,\nx\n", "a,\ny\n", "a,\nx,\ny\n", True),
    "a deleted line": ("a\nb\n", "a\n", "a\nb\ny\n", "a\nb\ny\n", False),
    "a missing added line": ("a\n", "a\nx\n", "a\ny\n", "a\nx\n", False),
    "a duplicated added line": ("a\n", "a\nx\n", "y\na\n", "y\na\nx\nx\n", False),
    "equal lines of both sides": ("a\n", "a\nx\nr\n", "y\nr\na\n", "y\nr\na\nx\nr\n", True),
    "a line in the wrong order": ("a\n", "x\nz\na\n", "a\ny\n", "z\nx\na\ny\n", False),
    "a block moved by one side": ("a\nb\nc\n", "b\nc\na\n", "a\nb\nc\ny\n", "b\nc\na\ny\n", True),
    "a line moved by neither side": ("a\nb\nc\n", "a\nb\nc\nx\n", "a\nb\ny\nc\n", "b\na\ny\nc\nx\n", False),
    "two lines of one side": ("a\n", "a\nx\n", "a\ny\n", "a\nx y\n", False),
    "a reindented line": ("a\n", "a\n x\n", "a\ny\n", "a\nx\ny\n", True),
}


@pytest.mark.parametrize(("base", "ours", "theirs", "merged", "valid"), WRITTEN.values(), ids=WRITTEN)
def test_merge_has_only_known_lines(base: str, ours: str, theirs: str, merged: str, valid: bool) -> None:
    texts = (base.encode(), ours.encode(), theirs.encode(), merged.encode())
    assert has_only_known_lines(texts, frozenset) is valid
    assert has_only_known_lines((texts[0], texts[2], texts[1], texts[3]), frozenset) is valid


@pytest.mark.parametrize(
    ("both", "valid"), [("import a, b, c", True), ("import a, b, d", False), ("import a, b, b", False)]
)
def test_import_lines_may_be_joined_but_not_invented(both: str, valid: bool) -> None:
    lines = (b"import a", b"import a, b", b"import a, c", both.encode())
    assert has_only_known_lines(lines, lambda: frozenset(lines)) is valid


SPOILT: dict[str, tuple[str, str, str]] = {
    "an import above the one that must be first": (
        *("a.py", "from __future__ import x_y\n".replace("x_y", "annotations")),
        "import a\nfrom __future__ import annotations\n",
    ),
    "a name twice in a header": ("a.py", "def f(a, b): ...\n", "def f(a, a): ...\n"),
    "a table that is a value": ("a.toml", "[a]\nb = 1\n", "[a]\nb = 1\n[a.b]\nc = 1\n"),
    "an attribute twice in XML": ("a.xml", '<a b="1"/>', '<a b="1" b="2"/>'),
    "an attribute twice in HTML": ("a.html", '<a b="1">x</a>', '<a b="1" B="2">x</a>'),
    "a module in two versions": (
        "go.mod",
        "module a\n\nrequire (\n\tx.org/a v1.0.0\n)\n",
        "module a\n\nrequire (\n\tx.org/a v1.0.0\n\tx.org/a v1.2.0\n)\n",
    ),
}


@pytest.mark.parametrize(("path", "good", "bad"), SPOILT.values(), ids=SPOILT)
def test_result_that_the_parser_refuses_is_not_accepted(path: str, good: str, bad: str) -> None:
    fine, spoilt = (Source.read(path, side.encode()) for side in (good, bad))
    assert is_newly_refused((fine, fine), spoilt)
    assert not is_newly_refused((fine, fine), fine)
    assert not is_newly_refused((fine, spoilt), spoilt)  # it was already refused
