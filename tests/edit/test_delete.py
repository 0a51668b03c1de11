"""Delete a definition: the remaining gap, empty blocks, and uses."""

from __future__ import annotations

import pytest

from tests.edit.editing import assert_edit, edit_file, expect_refusal


@pytest.mark.parametrize(
    ("before", "symbol", "after"),
    [
        # the larger of the gaps before and after remains
        ("a = 1\n\ndef f(): pass\n\n\nb = 2\n", "f", "a = 1\n\n\nb = 2\n"),
        ("a = 1\n\n\ndef f(): pass\n\nb = 2\n", "f", "a = 1\n\n\nb = 2\n"),
        ("a = 1\nb = 2\nc = 3\n", "b", "a = 1\nc = 3\n"),
        # no gap remains at the start and end of a file
        ("def f(): pass\n\n\nb = 2\n", "f", "b = 2\n"),
        ("a = 1\n\n\ndef f(): pass\n", "f", "a = 1\n"),
        ("a = 1\n\n\ndef f(): pass", "f", "a = 1"),
        ("def f(): pass\n", "f", ""),
        # its lead is deleted too, comments further away stay
        ("# far\n\n# near\n@deco\ndef f(): pass\n\n\nb = 2\n", "f", "# far\n\n\nb = 2\n"),
        ("a = 1\n\n\n@deco\ndef f():\n    pass  # end\n\n\nb = 2\n", "f", "a = 1\n\n\nb = 2\n"),
        # at the start and end of a block
        ("class A:\n    def m(self): pass\n\n    x = 1\n", "m", "class A:\n    x = 1\n"),
        (
            "class A:\n    x = 1\n\n    def m(self): pass\n\n\ny = 1\n",
            "m",
            "class A:\n    x = 1\n\n\ny = 1\n",
        ),
    ],
)
def test_python_symbol_is_deleted(before: str, symbol: str, after: str) -> None:
    assert edit_file(before, {"op": "delete", "symbol": symbol}).decode() == after


@pytest.mark.parametrize(
    ("before", "symbol", "after", "path"),
    [
        ("class A {\n  m() {}\n\n  n() {}\n}\n", "m", "class A {\n  n() {}\n}\n", "a.js"),
        ("class A {\n  m() {}\n\n  n() {}\n}\n", "n", "class A {\n  m() {}\n}\n", "a.js"),
        ("class A {\n  m() {}\n}\n", "m", "class A {\n}\n", "a.js"),
        ("const a = 1;\nconst b = 2;\n", "a", "const b = 2;\n", "a.js"),
        ("export const a = 1;\nconst b = 2;\n", "a", "const b = 2;\n", "a.js"),
        ("enum E {\n    A,\n    B,\n}\n", "A", "enum E {\n    B,\n}\n", "a.rs"),
        ("enum E { A, B }\n", "A", "enum E { B }\n", "a.rs"),
        ("#[test]\nfn f() {}\n\nfn g() {}\n", "f", "fn g() {}\n", "a.rs"),
        ("interface I {\n  a: string;\n  b: number;\n}\n", "a", "interface I {\n  b: number;\n}\n", "a.ts"),
    ],
)
def test_symbol_of_another_language_is_deleted(before: str, symbol: str, after: str, path: str) -> None:
    assert edit_file(before, {"op": "delete", "symbol": symbol}, path=path).decode() == after


def test_delete_keeps_crlf_and_tabs() -> None:
    before = b"class A:\r\n\tdef m(self): pass\r\n\r\n\tdef n(self): pass\r\n"
    assert edit_file(before, {"op": "delete", "symbol": "m"}) == b"class A:\r\n\tdef n(self): pass\r\n"


def test_delete_of_the_last_statement_needs_fill() -> None:
    before = """
        class A:
            # about m
            def m(self):
                pass
        """
    error = expect_refusal(before, {"op": "delete", "symbol": "m"})
    assert error.code == "syntax_error"
    assert error.data["retry"] == {"fill": "pass"}
    assert_edit(
        before,
        {"op": "delete", "symbol": "m", "fill": "pass"},
        """
        class A:
            pass
        """,
    )


def test_fill_is_used_for_the_last_statement_only() -> None:
    assert_edit(
        "class A:\n    x = 1\n\n    y = 2\n",
        {"op": "delete", "symbol": "x", "fill": "pass"},
        "class A:\n    y = 2\n",
    )


def test_safe_delete_lists_uses_in_every_file() -> None:
    files = {
        "a.py": "def f(): pass\n\n\ndef g():\n    return f()\n",
        "b.py": "from a import f\n\n# f is a comment here\nx = 'f'\n",
        "c.txt": "f\n",
    }
    error = expect_refusal(files, {"op": "delete", "symbol": "f", "safe": True})
    assert error.code == "referenced"
    assert [(use["path"], use["line"]) for use in error.data["references"]] == [("a.py", 5), ("b.py", 1)]
    assert edit_file(files["a.py"], {"op": "delete", "symbol": "g", "safe": True}) == b"def f(): pass\n"


def test_recursive_definition_is_not_in_use() -> None:
    before = "def f(n):\n    return f(n - 1)\n\n\nx = 1\n"
    assert edit_file(before, {"op": "delete", "symbol": "f", "safe": True}) == b"x = 1\n"


def test_fill_is_inserted_into_braces() -> None:
    op = {"op": "delete", "symbol": "m", "fill": "// empty"}
    assert edit_file("class A {\n  m() {}\n}\n", op, path="a.js") == b"class A {\n  // empty\n}\n"


def test_delete_accepts_lines_and_a_query() -> None:
    assert edit_file("a = 1\nb = 2\nc = 3\n", {"op": "delete", "start": 2, "end": 3}) == b"a = 1\n"
    assert edit_file("def f(): pass\n\n\nb = 2\n", {"op": "delete", "query": "function"}) == b"b = 2\n"
