"""Statements that bind several names."""

from __future__ import annotations

import pytest

from tests.edit.editing import edit_file, expect_refusal

PAIR = "a, b = 1, 2\nc = 3\n"


def test_statement_is_replaced_through_one_of_its_names() -> None:
    op = {"op": "replace", "symbol": "b", "code": "a, b = 2, 1"}
    assert edit_file(PAIR, op) == b"a, b = 2, 1\nc = 3\n"


@pytest.mark.parametrize("code", ["b = 2", "a, b, d = 1, 2, 3"])
def test_replacement_with_other_names_is_refused(code: str) -> None:
    assert expect_refusal(PAIR, {"op": "replace", "symbol": "b", "code": code}).code in (
        "extra_definitions",
        "syntax_error",
    )


def test_delete_of_one_of_two_names_is_refused() -> None:
    error = expect_refusal(PAIR, {"op": "delete", "symbol": "a"})
    assert error.code == "extra_definitions"
    assert error.data["definitions"] == ["b"]


def test_destructured_names_are_symbols() -> None:
    before = "const { a, b: c } = f();\nconst [d, e] = g();\n"
    op = {"op": "replace", "symbol": "c", "code": "const { a, b: c } = h();"}
    assert edit_file(before, op, path="a.js") == b"const { a, b: c } = h();\nconst [d, e] = g();\n"
    op = {"op": "replace", "symbol": "e", "code": "const [d, e] = h();"}
    assert edit_file(before, op, path="a.js") == b"const { a, b: c } = f();\nconst [d, e] = h();\n"
