"""Edits of nodes that LibCST alone knows: the same operations, by selector and by reference."""

from __future__ import annotations

import pytest

from gitscalpel.syntax.selectors import select
from tests.edit.editing import Op, blob_id, edited, refused
from tests.syntax.reading import read

TEXT = """\
y = x and 1


class A:
    # note
    async def f(self, x: int = 3):
        return [1, x] or self.y

    def g(self):
        a = 1; b = 2  # two
"""


def by(query: str, op: str = "replace", **more: str) -> Op:
    return {"op": op, "query": query, **more}


@pytest.mark.parametrize(
    ("op", "old", "new"),
    [
        (by("And", code="or"), "x and 1", "x or 1"),
        (by("method Or", code="and"), "] or self", "] and self"),
        (by("Param[name=x] > Annotation", code="str"), "x: int", "x: str"),
        (by("Asynchronous", "delete"), "async def", "def"),
        (by("List > Element:first", "delete"), "[1, x]", "[x]"),
        (by("List > Element:last", "insert", code="2", position="after"), "[1, x]", "[1, x, 2]"),
        (by("SimpleStatementLine:first", code="y = 2"), "y = x and 1", "y = 2"),
        (
            by("SimpleStatementLine:has(Semicolon)", code="c = 3\nd = 4"),
            "a = 1; b = 2",
            "c = 3\n        d = 4",
        ),
        (
            by("SimpleStatementLine:has(Semicolon)", "insert", code="if x:\n    c = 3", position="before"),
            "        a = 1;",
            "        if x:\n            c = 3\n        a = 1;",
        ),
        (
            by("SimpleStatementLine:has(Semicolon)", "insert", code="c = 3", position="after"),
            "# two\n",
            "# two\n        c = 3\n",
        ),
        (by("SimpleStatementLine:has(Semicolon)", "delete", fill="pass"), "a = 1; b = 2", "pass"),
        (by("TrailingWhitespace:has(Comment)", code="  # 2"), "  # two", "  # 2"),
        (by('SimpleWhitespace[value="  "]', code="    "), "  # two", "    # two"),
        (by("EmptyLine:has(Comment)", "delete"), "    # note\n", ""),
        (by("EmptyLine:has(Comment)", code="# other"), "# note", "# other"),
        (
            by("EmptyLine:has(Comment)", "insert", code="# more", position="before"),
            "    # note",
            "    # more\n    # note",
        ),
        (by("EmptyLine:first", code="# here"), "1\n\n\n", "1\n# here\n\n"),
    ],
)
def test_edits(op: Op, old: str, new: str) -> None:
    assert TEXT.count(old) == 1
    for text in (TEXT, TEXT.replace("\n", "\r\n")):
        ending = "\r\n" if "\r" in text else "\n"
        after = TEXT.replace(old, new).replace("\n", ending)
        assert edited(text.encode(), {**op, "path": "a.py"}).decode() == after


@pytest.mark.parametrize(
    ("op", "code"),
    [
        (by("And", "delete"), "syntax_error"),
        (by("And", code="foo"), "syntax_error"),
        (by("SimpleStatementLine:has(Semicolon)", "delete"), "syntax_error"),
        (by("And", "insert", code="x", position="first"), "invalid_position"),
        (by("And", "signature", code="def f():"), "kind_mismatch"),
        (by("SimpleStatementLine", code="x"), "query_ambiguous"),
        (by("BitOr", code="+"), "query_no_match"),
        (by("method[name=g]", code="  "), "invalid_args"),
    ],
)
def test_refusals(op: Op, code: str) -> None:
    assert refused(TEXT, {**op, "path": "a.py"}).code == code


def test_candidates_have_their_own_lines() -> None:
    listed = refused(TEXT, {**by("Semicolon, And, Or", "delete"), "path": "a.py"}).data["candidates"]
    assert [each["line"] for each in listed] == [1, 7, 10]


def test_a_reference_holds_for_its_blob_and_is_followed() -> None:
    (place,) = select(read(TEXT), "Or")
    op = {"op": "replace", "path": "a.py", "node": str(place.ref), "base": blob_id(TEXT), "code": "and"}
    after = TEXT.replace("] or", "] and")
    assert edited(TEXT, op).decode() == after
    first = {"op": "replace", "path": "a.py", "query": "And", "code": "or"}
    assert edited(TEXT, first, op).decode() == after.replace("x and", "x or")
    assert refused(TEXT, {**op, "node": "Or:1-3"}).code == "invalid_ref"


def test_a_reference_to_empty_white_space() -> None:
    refs = [str(place.ref) for place in select(read("f(a)\n"), "Call > SimpleWhitespace")]
    assert refs == ["SimpleWhitespace:1-1", "SimpleWhitespace:2-2"]
    op = {"op": "replace", "path": "a.py", "node": refs[1], "base": blob_id("f(a)\n"), "code": " "}
    assert edited("f(a)\n", op) == b"f( a)\n"


@pytest.mark.parametrize("query", ["Arg", "GeneratorExp", "Arg:has(CompFor):not(:has(And))"])
def test_a_generator_alone_in_a_call_leaves_the_parentheses(query: str) -> None:
    text = "a = sum( x for x in y )\n"
    assert edited(text, {**by(query, code="z"), "path": "a.py"}) == b"a = sum( z )\n"
    assert edited(text, {**by(query, "delete"), "path": "a.py"}).replace(b" ", b"") == b"a=sum()\n"


def test_an_elif_is_an_if_of_its_own() -> None:
    text = "if a:\n    b\nelif c:\n    d\nelse:\n    e\n"
    second = {"op": "replace", "path": "a.py", "query": "If:last", "code": "elif f:\n    g"}
    assert edited(text, second) == text.replace("elif c:\n    d", "elif f:\n    g").encode()
    gone = {"op": "delete", "path": "a.py", "query": "If:last"}
    assert edited(text, gone) == text.replace("elif c:\n    d\n", "").encode()
