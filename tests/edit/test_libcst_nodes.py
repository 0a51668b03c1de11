"""Edits of nodes that LibCST alone has, by selector and by reference."""

from __future__ import annotations

import pytest

from gitscalpel.syntax.selectors import select
from tests.edit.editing import Op, blob_id, edit_file, expect_refusal
from tests.syntax.outlines import read

TEXT = """\
y = x and 1


class A:
    # note
    async def f(self, x: int = 3):
        return [1, x] or self.y

    def g(self):
        a = 1; b = 2  # two
"""


def query_op(query: str, op: str = "replace", **more: str) -> Op:
    return {"op": op, "query": query, **more}


@pytest.mark.parametrize(
    ("op", "old", "new"),
    [
        (query_op("And", code="or"), "x and 1", "x or 1"),
        (query_op("method Or", code="and"), "] or self", "] and self"),
        (query_op("Param[name=x] > Annotation", code="str"), "x: int", "x: str"),
        (query_op("Asynchronous", "delete"), "async def", "def"),
        (query_op("List > Element:first", "delete"), "[1, x]", "[x]"),
        (query_op("List > Element:last", "insert", code="2", position="after"), "[1, x]", "[1, x, 2]"),
        (query_op("SimpleStatementLine:first", code="y = 2"), "y = x and 1", "y = 2"),
        (
            query_op("SimpleStatementLine:has(Semicolon)", code="c = 3\nd = 4"),
            "a = 1; b = 2",
            "c = 3\n        d = 4",
        ),
        (
            query_op(
                "SimpleStatementLine:has(Semicolon)", "insert", code="if x:\n    c = 3", position="before"
            ),
            "        a = 1;",
            "        if x:\n            c = 3\n        a = 1;",
        ),
        (
            query_op("SimpleStatementLine:has(Semicolon)", "insert", code="c = 3", position="after"),
            "# two\n",
            "# two\n        c = 3\n",
        ),
        (query_op("SimpleStatementLine:has(Semicolon)", "delete", fill="pass"), "a = 1; b = 2", "pass"),
        (query_op("TrailingWhitespace:has(Comment)", code="  # 2"), "  # two", "  # 2"),
        (query_op('SimpleWhitespace[value="  "]', code="    "), "  # two", "    # two"),
        (query_op("EmptyLine:has(Comment)", "delete"), "    # note\n", ""),
        (query_op("EmptyLine:has(Comment)", code="# other"), "# note", "# other"),
        (
            query_op("EmptyLine:has(Comment)", "insert", code="# more", position="before"),
            "    # note",
            "    # more\n    # note",
        ),
        (query_op("EmptyLine:first", code="# here"), "1\n\n\n", "1\n# here\n\n"),
    ],
)
def test_libcst_node_is_edited(op: Op, old: str, new: str) -> None:
    assert TEXT.count(old) == 1
    for text in (TEXT, TEXT.replace("\n", "\r\n")):
        ending = "\r\n" if "\r" in text else "\n"
        after = TEXT.replace(old, new).replace("\n", ending)
        assert edit_file(text.encode(), {**op, "path": "a.py"}).decode() == after


@pytest.mark.parametrize(
    ("op", "code"),
    [
        (query_op("And", "delete"), "syntax_error"),
        (query_op("And", code="foo"), "syntax_error"),
        (query_op("SimpleStatementLine:has(Semicolon)", "delete"), "syntax_error"),
        (query_op("And", "insert", code="x", position="first"), "invalid_position"),
        (query_op("And", "signature", code="def f():"), "kind_mismatch"),
        (query_op("SimpleStatementLine", code="x"), "query_ambiguous"),
        (query_op("BitOr", code="+"), "query_no_match"),
        (query_op("method[name=g]", code="  "), "invalid_args"),
    ],
)
def test_invalid_edit_of_a_node_is_refused(op: Op, code: str) -> None:
    assert expect_refusal(TEXT, {**op, "path": "a.py"}).code == code


def test_candidates_have_their_lines() -> None:
    candidates = expect_refusal(TEXT, {**query_op("Semicolon, And, Or", "delete"), "path": "a.py"}).data[
        "candidates"
    ]
    assert [each["line"] for each in candidates] == [1, 7, 10]


def test_reference_is_resolved_in_its_base_and_relocated() -> None:
    (place,) = select(read(TEXT), "Or")
    op = {"op": "replace", "path": "a.py", "node": str(place.ref), "base": blob_id(TEXT), "code": "and"}
    after = TEXT.replace("] or", "] and")
    assert edit_file(TEXT, op).decode() == after
    first = {"op": "replace", "path": "a.py", "query": "And", "code": "or"}
    assert edit_file(TEXT, first, op).decode() == after.replace("x and", "x or")
    assert expect_refusal(TEXT, {**op, "node": "Or:1-3"}).code == "invalid_ref"


def test_reference_to_empty_white_space_is_edited() -> None:
    refs = [str(place.ref) for place in select(read("f(a)\n"), "Call > SimpleWhitespace")]
    assert refs == ["SimpleWhitespace:1-1", "SimpleWhitespace:2-2"]
    op = {"op": "replace", "path": "a.py", "node": refs[1], "base": blob_id("f(a)\n"), "code": " "}
    assert edit_file("f(a)\n", op) == b"f( a)\n"


@pytest.mark.parametrize("query", ["Arg", "GeneratorExp", "Arg:has(CompFor):not(:has(And))"])
def test_edit_of_a_sole_generator_keeps_the_parentheses(query: str) -> None:
    text = "a = sum( x for x in y )\n"
    assert edit_file(text, {**query_op(query, code="z"), "path": "a.py"}) == b"a = sum( z )\n"
    assert edit_file(text, {**query_op(query, "delete"), "path": "a.py"}).replace(b" ", b"") == b"a=sum()\n"


def test_elif_is_edited_as_an_if() -> None:
    text = "if a:\n    b\nelif c:\n    d\nelse:\n    e\n"
    second = {"op": "replace", "path": "a.py", "query": "If:last", "code": "elif f:\n    g"}
    assert edit_file(text, second) == text.replace("elif c:\n    d", "elif f:\n    g").encode()
    delete_op = {"op": "delete", "path": "a.py", "query": "If:last"}
    assert edit_file(text, delete_op) == text.replace("elif c:\n    d\n", "").encode()
