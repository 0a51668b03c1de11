"""A statement that binds several names is not split by an insert at one of its names."""

from __future__ import annotations

import pytest

from tests.edit.editing import edit_file, expect_refusal, insert

ONE_STATEMENT = [
    pytest.param("a.sh", "readonly A=1 B=2\n", "A", "B", "C=3", id="bash-readonly"),
    pytest.param("a.js", "const A = 1, B = 2;\n", "A", "B", "const C = 3;", id="javascript"),
    pytest.param("a.ts", "let A = 1, B = 2;\n", "A", "B", "let C = 3;", id="typescript"),
    pytest.param("a.cs", "class K {\n  int A, B;\n}\n", "A", "B", "int C;", id="csharp"),
    pytest.param("a.php", "<?php\nconst A = 1, B = 2;\n", "A", "B", "const C = 3;", id="php"),
    pytest.param("a.dart", "int A = 1, B = 2;\n", "A", "B", "int C = 3;", id="dart"),
    pytest.param(
        "a.ml", "let rec a n = b n\nand b n = a n\n", "a", "b", "let three = 3", id="ocaml-functions"
    ),
    pytest.param(
        "a.ml",
        "class a = object end\nand b = object end\n",
        "a",
        "b",
        "class c = object end",
        id="ocaml-class",
    ),
    pytest.param("a.ml", "type a = A of b\nand b = B of a\n", "a", "b", "type c = C", id="ocaml-types"),
]
"""A file, two names that one of its statements binds, and another statement."""


@pytest.mark.parametrize(("path", "before", "first", "second", "code"), ONE_STATEMENT)
def test_insert_that_would_split_a_statement_is_refused(
    path: str, before: str, first: str, second: str, code: str
) -> None:
    for op in (insert(first, "after", code), insert(second, "before", code)):
        assert expect_refusal(before, op, path=path).code == "syntax_error"


def test_error_reports_the_end_of_the_statement() -> None:
    error = expect_refusal("readonly A=1 B=2\n", insert("A", "after", "C=3"), path="a.sh")
    assert error.data["definitions"] == ["A", "B"]
    assert "after B" in str(error.hint)


@pytest.mark.parametrize(
    ("path", "before", "symbol", "code", "after"),
    [
        ("a.sh", "readonly A=1 B=2\n", "B", "C=3", "readonly A=1 B=2\nC=3\n"),
        ("a.js", "const a = 1, b = 2;\n", "b", "const c = 3;", "const a = 1, b = 2;\nconst c = 3;\n"),
        ("a.c", "int a, b;\n", "a", "int c;", "int a, b;\nint c;\n"),
    ],
)
def test_insert_after_the_last_name_follows_the_statement(
    path: str, before: str, symbol: str, code: str, after: str
) -> None:
    assert edit_file(before, insert(symbol, "after", code), path=path) == after.encode()


def test_part_of_a_statement_is_inserted_between_its_parts() -> None:
    before = "let rec even n = odd n\nand odd n = even n\n"
    op = insert("even", "after", "and three n = odd n")
    after = b"let rec even n = odd n\nand three n = odd n\nand odd n = even n\n"
    assert edit_file(before, op, path="a.ml") == after
