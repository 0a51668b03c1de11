"""The hint of an error leads to a call that works."""

from __future__ import annotations

import pytest

from tests.edit.editing import Op, edit_file, expect_refusal, replace

RUST = "pub enum E {\n    A,\n}\n\nimpl E {\n    fn x(self) -> bool {\n        true\n    }\n}\n"
METHOD = "pub fn y(self) -> bool {\n    false\n}"
INSERT_INTO_ENUM: Op = {"op": "insert", "symbol": "E", "position": "last", "code": METHOD}
REPLACE_WITH_IMPL = replace("E", "impl E {\n    fn x(self) -> bool {\n        false\n    }\n}")


@pytest.mark.parametrize("op", [INSERT_INTO_ENUM, REPLACE_WITH_IMPL], ids=["insert", "replace"])
def test_hint_names_the_kind_of_a_block(op: Op) -> None:
    error = expect_refusal(RUST, op, path="a.rs")
    assert "impl" in error.hint
    assert error.data["retry"] == {"kind": "impl"}
    assert b"false" in edit_file(RUST, {**op, **error.data["retry"]}, path="a.rs")


def test_kind_is_written_with_its_article() -> None:
    error = expect_refusal("pub enum E {\n    A,\n}\n", replace("E", "struct E {}"), path="a.rs")
    assert "E is an enum, the code defines a struct" in error.message


def test_hint_shows_a_list_item_with_its_dash() -> None:
    op: Op = {"op": "insert", "symbol": "e", "position": "last", "code": "B=2"}
    assert "- B=2" in expect_refusal("e:\n  - A=1\n", op, path="c.yml").hint


def test_hint_suggests_a_file_of_the_same_name() -> None:
    block = "a.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"
    error = expect_refusal({"pkg/a.py": "x = 1\n"}, {"op": "patch", "diff": block, "path": ""})
    assert (error.code, "did you mean pkg/a.py?" in error.hint) == ("file_not_found", True)


LONG = """x = 1


def f():
    return len(())


def g(c: int = None) -> int:
    '''Doc: text.'''
    if c is not None:
        return c

    return None
"""


def test_unclosed_bracket_is_reported_at_its_position() -> None:
    """The grammar reports the start of the file, and the language's parser the bracket."""
    error = expect_refusal(LONG, replace("f", "def f():\n    return len(()"))
    assert error.code == "syntax_error"
    assert "line 2 of code, column 15: '(' was never closed" in error.message


def test_syntax_error_has_the_message_of_the_parser() -> None:
    error = expect_refusal("def f():\n    return 1\n", replace("f", "def f():\n    return g("))
    assert "line 2 of code, column 13: '(' was never closed" in error.message


def test_line_with_two_uses_is_listed_once() -> None:
    op: Op = {"op": "delete", "symbol": "f", "safe": True}
    assert expect_refusal("def f(): ...\n\n\nf(f)\n", op).message == "f is still used: a.py:4"


def test_copied_line_numbers_are_removed() -> None:
    op = replace("f", "4| def f():\n5|     return 2\n")
    assert edit_file("def f():\n    return 1\n", op) == b"def f():\n    return 2\n"
    assert (
        expect_refusal("def f():\n    return 1\n", replace("f", "4| def f():\n6|     return 2\n")).code
        == "syntax_error"
    )
