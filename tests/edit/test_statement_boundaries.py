"""An edit neither joins the statements around it nor becomes part of its neighbour."""

from __future__ import annotations

import pytest

from tests.edit.editing import delete, edit_file, expect_refusal, insert


@pytest.mark.parametrize(
    ("path", "above", "deleted", "below"),
    [
        ("a.js", "foo()\n", "function bar() {}\n", "(function () { run() })()\n"),
        ("a.js", "foo()\n", "class bar {}\n", "[1].map(x)\n"),
        ("a.js", "a = b\n", "function bar() {}\n", "`x`\n"),
        ("a.js", "a = b\n", "function bar() {}\n", "+ c\n"),
        ("a.ts", "a = b\n", "interface bar {}\n", "(c)\n"),
        ("a.lua", "foo()\n", "function bar() end\n", "(function() end)()\n"),
        ("a.kt", "val x = foo\n", "fun bar() {}\n", "(1 + 2).p()\n"),
        ("a.rb", "x = foo\n", "def bar; end\n", ".p\n"),
        ("a.ml", "let f x = x\n", "let bar = 3 ", "and k = 4\n"),
    ],
)
def test_delete_that_joins_two_statements_is_refused(path: str, above: str, deleted: str, below: str) -> None:
    error = expect_refusal(above + deleted + below, delete("bar"), path=path)
    assert error.code == "syntax_error"
    assert "run together" in error.message


@pytest.mark.parametrize(
    ("path", "above", "deleted", "below"),
    [
        ("a.js", "foo();\n", "function bar() {}\n", "(function () { run() })()\n"),
        ("a.js", "foo()\n", "function bar() {}\n", "--c\n"),
        ("a.go", "package a\n\nvar x = 1\n", "func bar() {}\n", "var y = 2\n"),
        ("a.swift", "let x = foo\n", "func bar() {}\n", "(1 + 2).p()\n"),
    ],
)
def test_delete_between_terminated_statements_works(path: str, above: str, deleted: str, below: str) -> None:
    assert edit_file(above + deleted + below, delete("bar"), path=path).decode() == above + below


@pytest.mark.parametrize(
    ("path", "before", "op", "after"),
    [
        ("a.js", "let f = g\n", insert("f", "after", "(a)()"), "let f = g;\n(a)()\n"),
        ("a.lua", "local f = g\n", insert("f", "after", "(a)()"), "local f = g;\n(a)()\n"),
        ("a.js", "let f = () => {\n  (a)()\n}\n", insert("f", "first", "g()"), None),
    ],
)
def test_insert_is_separated_from_its_neighbour(
    path: str, before: str, op: dict[str, str], after: str | None
) -> None:
    expected = after or before.replace("  (a)", "  g();\n  (a)")
    assert edit_file(before, op, path=path).decode() == expected


def test_module_documentation_is_not_a_lead() -> None:
    assert edit_file("//! Doc.\nstruct A;\nstruct B;\n", delete("A"), path="a.rs") == b"//! Doc.\nstruct B;\n"
