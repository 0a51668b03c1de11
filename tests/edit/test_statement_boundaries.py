"""An edit makes no one statement of the two that stand around it, nor a part of its neighbour of itself."""

from __future__ import annotations

import pytest

from tests.edit.editing import delete, edited, insert, refused


@pytest.mark.parametrize(
    ("path", "above", "gone", "below"),
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
def test_a_delete_leaves_its_neighbours_two_statements(path: str, above: str, gone: str, below: str) -> None:
    error = refused(above + gone + below, delete("bar"), path=path)
    assert error.code == "syntax_error"
    assert "run together" in error.message


@pytest.mark.parametrize(
    ("path", "above", "gone", "below"),
    [
        ("a.js", "foo();\n", "function bar() {}\n", "(function () { run() })()\n"),
        ("a.js", "foo()\n", "function bar() {}\n", "--c\n"),
        ("a.go", "package a\n\nvar x = 1\n", "func bar() {}\n", "var y = 2\n"),
        ("a.swift", "let x = foo\n", "func bar() {}\n", "(1 + 2).p()\n"),
    ],
)
def test_a_delete_between_what_is_ended(path: str, above: str, gone: str, below: str) -> None:
    assert edited(above + gone + below, delete("bar"), path=path).decode() == above + below


@pytest.mark.parametrize(
    ("path", "before", "op", "after"),
    [
        ("a.js", "let f = g\n", insert("f", "after", "(a)()"), "let f = g;\n(a)()\n"),
        ("a.lua", "local f = g\n", insert("f", "after", "(a)()"), "local f = g;\n(a)()\n"),
        ("a.js", "let f = () => {\n  (a)()\n}\n", insert("f", "first", "g()"), None),
    ],
)
def test_an_insert_is_parted_from_its_neighbour(
    path: str, before: str, op: dict[str, str], after: str | None
) -> None:
    expected = after or before.replace("  (a)", "  g();\n  (a)")
    assert edited(before, op, path=path).decode() == expected


def test_the_documentation_of_a_module_is_not_the_lead_of_what_follows() -> None:
    assert edited("//! Doc.\nstruct A;\nstruct B;\n", delete("A"), path="a.rs") == b"//! Doc.\nstruct B;\n"
