"""Statements that bind several names at once."""

from __future__ import annotations

import pytest

from tests.edit.editing import edited, refused

PAIR = "a, b = 1, 2\nc = 3\n"


def test_both_names_are_symbols_and_are_replaced_together() -> None:
    op = {"op": "replace", "symbol": "b", "code": "a, b = 2, 1"}
    assert edited(PAIR, op) == b"a, b = 2, 1\nc = 3\n"


@pytest.mark.parametrize("code", ["b = 2", "a, b, d = 1, 2, 3"])
def test_a_name_that_would_vanish_or_come_is_refused(code: str) -> None:
    assert refused(PAIR, {"op": "replace", "symbol": "b", "code": code}).code in (
        "extra_definitions",
        "syntax_error",
    )


def test_one_of_two_names_is_not_deleted() -> None:
    error = refused(PAIR, {"op": "delete", "symbol": "a"})
    assert error.code == "extra_definitions"
    assert error.data["definitions"] == ["b"]


def test_destructuring_binds_symbols() -> None:
    before = "const { a, b: c } = f();\nconst [d, e] = g();\n"
    op = {"op": "replace", "symbol": "c", "code": "const { a, b: c } = h();"}
    assert edited(before, op, path="a.js") == b"const { a, b: c } = h();\nconst [d, e] = g();\n"
    op = {"op": "replace", "symbol": "e", "code": "const [d, e] = h();"}
    assert edited(before, op, path="a.js") == b"const { a, b: c } = f();\nconst [d, e] = h();\n"
