"""Regressions: bytes next to an edit that changed, and inserts at the wrong place."""

from __future__ import annotations

import pytest

from gitscalpel.changesets.file_tree import SUBMODULE
from tests.edit.editing import Op, apply_changeset, expect_refusal, insert
from tests.edit.editing import edit_file as edit_bytes
from tests.gates.gate_calls import judge_structure as judge

METHOD = "def q(self):\n    pass"
ENDINGS = (
    "class A:\n    x = 1\n\n    def m(self):\n        pass\r\n\n    def n(self):\n        pass\r\n\n\ny = 1\n"
)
BLANKS = (
    "class A:\n    x = 1\n    \n    def m(self):\n        pass   \n    \n    def n(self):\n        pass\n"
)


def edit_text(before: str, op: Op, path: str = "a.py") -> str:
    return edit_bytes(before, op, path=path).decode()


@pytest.mark.parametrize("before", [ENDINGS, BLANKS], ids=["mixed endings", "white space in blank lines"])
@pytest.mark.parametrize(
    ("symbol", "position"), [("A.m", "before"), ("A.m", "after"), ("A.n", "after"), ("A", "last")]
)
def test_insert_and_delete_restore_the_bytes(before: str, symbol: str, position: str) -> None:
    after = edit_text(before, insert(symbol, position, METHOD))
    assert edit_text(after, {"op": "delete", "symbol": "A.q"}) == before


def test_line_above_an_insert_keeps_its_ending() -> None:
    before = "def f():\r\n    a = 1\n    return a\r\n\n\ny = 1\n"
    after = "def f():\r\n    a = 1\n    return a\r\n\r\n\r\ndef q():\r\n    pass\r\n\n\ny = 1\n"
    assert edit_text(before, insert("f", "after", "def q():\n    pass")) == after


def test_form_feed_is_not_a_blank_line() -> None:
    before = "def f():\n    pass\n\n\n\x0c\ndef g():\n    pass\n\n\ny = 1\n"
    assert edit_text(before, {"op": "delete", "symbol": "g"}) == "def f():\n    pass\n\n\n\x0c\n\n\ny = 1\n"


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_missing_comma_is_added_before_the_comment(eol: str) -> None:
    before = "enum E {\n  A, // a\n  B = 2 // b\n  // c\n}\n".replace("\n", eol)
    after = "enum E {\n  A, // a\n  B = 2, // b\n  // c\n\n  C\n}\n".replace("\n", eol)
    assert edit_text(before, insert("E", "last", "C"), path="a.ts") == after


def test_last_child_is_inserted_below_a_trailing_comment() -> None:
    before = "def f():\n    foo()  # c\n\n\nx = 1\n"
    after = "def f():\n    foo()  # c\n    bar()\n\n\nx = 1\n"
    assert edit_text(before, insert("f", "last", "bar()")) == after


LATIN = "h\xe9llo\nworld\n".encode("latin-1")


@pytest.mark.parametrize(
    "op",
    [
        {"op": "text", "old": "world", "new": "w\xf6rld"},
        {"op": "lines", "start": 2, "code": "w\xf6rld"},
        {"op": "text", "old": "h", "new": "h\xf6"},
        {"op": "text", "old": "llo", "new": "\xf6llo"},
    ],
)
def test_non_ascii_in_an_unknown_encoding_is_refused(op: Op) -> None:
    assert expect_refusal(LATIN, op, path="a.txt").code == "unencodable"


def test_ascii_edit_in_an_unknown_encoding_works() -> None:
    ascii_only = {"op": "text", "old": "world", "new": "earth"}
    assert edit_bytes(LATIN, ascii_only, path="a.txt") == b"h\xe9llo\nearth\n"


@pytest.mark.parametrize(("old", "new"), [(",", ""), (",", ", ")])
def test_adjacent_bytes_do_not_form_a_character(old: str, new: str) -> None:
    before = b"\xc3,\xa9\n"
    op = {"op": "text", "old": old, "new": new}
    assert edit_bytes(before, op, path="a.txt") == before.replace(old.encode(), new.encode())


@pytest.mark.parametrize("before", [b"a = 1\n", b"# coding: latin-1\na = 1\n"], ids=["utf-8", "latin-1"])
def test_surrogate_escape_is_refused_in_text(before: bytes) -> None:
    op = {"op": "text", "old": "a = 1", "new": "a = '\udcff'"}
    assert expect_refusal(before, op).code == "unencodable"


def test_submodule_is_not_overwritten() -> None:
    files = {"sub": (SUBMODULE, b"")}
    assert (
        expect_refusal(files, {"op": "write", "path": "sub", "content": "x", "overwrite": True}).code
        == "path_denied"
    )


def test_quoted_path_that_is_not_utf8_is_accepted() -> None:
    path = "d/\udcff.txt"
    op = {"op": "text", "path": '"d/\\377.txt"', "old": "a", "new": "b"}
    assert apply_changeset({path: "a\n"}, op).overlay.content(path) == b"b\n"


@pytest.mark.parametrize(
    "before", ["a = 1\nb = 2\n", "a = 1\nb = 2"], ids=["final newline", "no final newline"]
)
@pytest.mark.parametrize(
    "op",
    [{"start": 2, "code": ""}, {"start": 2, "position": "after", "code": "c = 3"}],
    ids=["delete", "add"],
)
def test_last_line_counts_as_one_line(before: str, op: Op) -> None:
    assert judge(apply_changeset(before, {"op": "lines", **op}), "block").error is None


@pytest.mark.parametrize("code", ["one() { return 2; }", "one() { return 2; },", "one() { return 2; },\n"])
def test_member_with_a_comma_gets_no_second_comma(code: str) -> None:
    before = "const o = {\n  one() { return 1; },\n  two: 2,\n};\n"
    after = "const o = {\n  one() { return 2; },\n  two: 2,\n};\n"
    assert edit_text(before, {"op": "replace", "symbol": "o.one", "code": code}, path="a.js") == after


def test_name_and_header_that_are_not_utf8_are_edited() -> None:
    before = b"class A {\n  '\xff';\n}\n"
    op = {"op": "text", "old": "'\udcff'", "new": "'\udcfe'"}
    assert [i.kind for i in apply_changeset({"a.js": before}, op, path="a.js").done[0].intents] == ["rename"]
    op = {"op": "signature", "symbol": "f", "code": "def f(a='\udcff'):"}
    assert edit_bytes(b"# \xff\ndef f():\n    pass\n", op) == b"# \xff\ndef f(a='\xff'):\n    pass\n"


@pytest.mark.parametrize(
    "op",
    [
        {"op": "replace", "symbol": "f", "code": "def f():\n    return '\ud800'"},
        {"op": "text", "old": "f", "new": "\ud800"},
        {"op": "write", "content": "\ud800"},
        {"op": "remove", "path": "\ud800"},
    ],
)
def test_lone_surrogate_is_invalid(op: Op) -> None:
    assert expect_refusal("def f():\n    pass\n", op).code == "invalid_args"


def test_escapes_in_code_are_decoded_once() -> None:
    op = {"op": "replace", "symbol": "f", "code": r"def f():\n    print(\"a\\nb\")"}
    assert edit_text("def f():\n    pass\n", op) == 'def f():\n    print("a\\nb")\n'
