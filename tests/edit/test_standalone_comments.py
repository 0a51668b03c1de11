"""A comment that stands alone at the end of a block does not become the lead of what is inserted below it."""

from __future__ import annotations

import pytest

from tests.edit.editing import Op, delete, edited, insert

OF_FILE: Op = {"op": "insert", "position": "last"}


@pytest.mark.parametrize(
    ("path", "before", "op", "after", "new"),
    [
        (
            "a.xml",
            "<r>\n  <a/>\n  <!-- of nothing -->\n</r>\n",
            insert("r", "last", "<b/>"),
            "<r>\n  <a/>\n  <!-- of nothing -->\n\n  <b/>\n</r>\n",
            "r.b",
        ),
        (
            "a.html",
            "<r>\n  <a></a>\n  <!-- of nothing -->\n</r>\n",
            insert("r", "last", "<b></b>"),
            "<r>\n  <a></a>\n  <!-- of nothing -->\n\n  <b></b>\n</r>\n",
            "r.b",
        ),
        (
            "a.yml",
            "r:\n  a: 1\n  # of nothing\n",
            insert("r", "last", "b: 2"),
            "r:\n  a: 1\n  # of nothing\n\n  b: 2\n",
            "r.b",
        ),
        ("a.yml", "a: 1\n# of nothing\n", {**OF_FILE, "code": "b: 2"}, "a: 1\n# of nothing\n\nb: 2\n", "b"),
        (
            "a.py",
            "class A:\n    x = 1\n    # of nothing\n",
            insert("A", "last", "y = 2"),
            "class A:\n    x = 1\n    # of nothing\n\n    y = 2\n",
            "y",
        ),
        (
            "a.js",
            "class A {\n  x = 1;\n  // of nothing\n}\n",
            insert("A", "last", "y = 2;"),
            "class A {\n  x = 1;\n  // of nothing\n\n  y = 2;\n}\n",
            "y",
        ),
        (
            "a.go",
            "package a\n\ntype A struct {\n\tx int\n\t// of nothing\n}\n",
            insert("A", "last", "y int"),
            "package a\n\ntype A struct {\n\tx int\n\t// of nothing\n\n\ty int\n}\n",
            "y",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("a.") else "",
)
def test_a_blank_line_parts_them_and_goes_again(path: str, before: str, op: Op, after: str, new: str) -> None:
    assert edited(before, op, path=path).decode() == after
    assert edited(after, delete(new), path=path).decode() == before


def test_a_comment_behind_the_last_one_needs_none() -> None:
    before = "r:\n  a: 1 # of a\n"
    assert edited(before, insert("r", "last", "b: 2"), path="a.yml") == b"r:\n  a: 1 # of a\n  b: 2\n"


@pytest.mark.parametrize("path", ["a.xml", "a.html"])
def test_a_comment_that_ends_the_line_goes_with_its_element(path: str) -> None:
    before = "<r>\n  <b>a</b>\n  <i>3</i> <!-- at most -->\n  <u>b</u>\n</r>\n"
    assert edited(before, delete("r.i"), path=path) == b"<r>\n  <b>a</b>\n  <u>b</u>\n</r>\n"


def test_a_comment_between_two_elements_of_a_line_stays() -> None:
    before = "<r>\n  <b/> <!-- of u --> <u/>\n</r>\n"
    assert b"<!-- of u --> <u/>" in edited(before, delete("r.b"), path="a.xml")
