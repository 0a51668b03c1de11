"""A standalone comment at the end of a block does not become the lead of code inserted below."""

from __future__ import annotations

import pytest

from tests.edit.editing import Op, delete, edit_file, insert

AT_FILE_END: Op = {"op": "insert", "position": "last"}


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
        (
            "a.yml",
            "a: 1\n# of nothing\n",
            {**AT_FILE_END, "code": "b: 2"},
            "a: 1\n# of nothing\n\nb: 2\n",
            "b",
        ),
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
def test_blank_line_separates_the_insert_and_is_deleted_with_it(
    path: str, before: str, op: Op, after: str, new: str
) -> None:
    assert edit_file(before, op, path=path).decode() == after
    assert edit_file(after, delete(new), path=path).decode() == before


def test_trailing_comment_needs_no_blank_line() -> None:
    before = "r:\n  a: 1 # of a\n"
    assert edit_file(before, insert("r", "last", "b: 2"), path="a.yml") == b"r:\n  a: 1 # of a\n  b: 2\n"


@pytest.mark.parametrize("path", ["a.xml", "a.html"])
def test_comment_at_the_end_of_a_line_is_deleted_with_its_element(path: str) -> None:
    before = "<r>\n  <b>a</b>\n  <i>3</i> <!-- at most -->\n  <u>b</u>\n</r>\n"
    assert edit_file(before, delete("r.i"), path=path) == b"<r>\n  <b>a</b>\n  <u>b</u>\n</r>\n"


def test_comment_between_two_elements_of_a_line_stays() -> None:
    before = "<r>\n  <b/> <!-- of u --> <u/>\n</r>\n"
    assert b"<!-- of u --> <u/>" in edit_file(before, delete("r.b"), path="a.xml")
