"""Intents describe how an edit changed the symbols of a file."""

from __future__ import annotations

import pytest

from gitscalpel.syntax.symbol_changes import find_changes
from tests.syntax.outlines import read

F = "def f(a):\n    return a\n"
CLASS = "class A:\n    def m(self):\n        return 1\n\n    def n(self):\n        return 2\n"


def find_intents(before: str | None, after: str | None, path: str = "a.py") -> list[tuple[str, ...]]:
    old, new = (None if text is None else read(text, path) for text in (before, after))
    found = find_changes(old, new)
    return [(i.kind, i.symbol, *([i.to] if i.to else [])) for i in found]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (F, F, []),
        (F, "\n\n# why\n\n" + F + "\n", []),
        (F, F.replace("return a", "return  a"), [("body_change", "f")]),
        (F, F.replace("(a)", "( a )"), []),
        (F, F.replace("(a)", "(b)"), [("signature_change", "f")]),
        (F, F.replace("(a)", "(\n    a,\n)"), []),
        (F, F.replace("(a)", "(\n    a,  # why\n)"), [("body_change", "f")]),
        (F.replace("(a)", "(a=(1,))"), F.replace("(a)", "(a=(1))"), [("signature_change", "f")]),
        (CLASS.replace("A:", "A(B):"), CLASS.replace("A:", "A(\n    B,\n):"), []),
        (
            F,
            F.replace("(a)", "(a, b=1)").replace("return a", "return b"),
            [("signature_change", "f"), ("body_change", "f")],
        ),
        (F, F.replace("def f", "async def f"), [("signature_change", "f")]),
        (F, "@d\n" + F, [("body_change", "f")]),
        (F, F.replace("def f", "def g"), [("rename", "f", "g")]),
        (F, F.replace("def f", "def g").replace("return a", "return 1"), [("add", "g"), ("delete", "f")]),
        (F, F + "\nx = 1\n", [("add", "x")]),
        (F, "", [("delete", "f")]),
        (None, CLASS, [("add", "A")]),
        (CLASS, None, [("delete", "A")]),
        (CLASS, CLASS.replace("class A", "class B"), [("rename", "A", "B")]),
        (CLASS, CLASS.replace("def m", "def o"), [("rename", "A.m", "A.o")]),
        (CLASS, CLASS.replace("return 1", "return 3"), [("body_change", "A.m")]),
        (
            CLASS,
            CLASS.replace("class A", "class B").replace("return 1", "return 3"),
            [("rename", "A", "B"), ("body_change", "B.m")],
        ),
        (CLASS, CLASS.replace("class A:", "class A(B):"), [("signature_change", "A")]),
        ("x = 1\n", "x = 2\n", [("body_change", "x")]),
        ("x = 1\n", "x: int = 1\n", [("signature_change", "x")]),
        ("x = 1\n", "y = 1\n", [("rename", "x", "y")]),
        (F + F, F, [("delete", "f")]),
        ("def f():\n    pass\n", "class g:\n    pass\n", [("delete", "f"), ("add", "g")]),
    ],
)
def test_python_intents(before: str | None, after: str | None, expected: list[tuple[str, ...]]) -> None:
    assert sorted(find_intents(before, after)) == sorted(expected)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("const f = () => 1;\n", "const f = () => 2;\n", [("body_change", "f")]),
        ("const f = () => 1;\n", "const f = (a) => 1;\n", [("signature_change", "f")]),
        ("const f = () => 1;\n", "const g = () => 1;\n", [("rename", "f", "g")]),
        ("function f() {}\n", "export function f() {}\n", [("signature_change", "f")]),
        ("// function f() {}\n", "// function g() {}\n", []),
        ("const s = `function f() {}`;\n", "const s = `function g() {}`;\n", [("body_change", "s")]),
    ],
)
def test_javascript_intents(before: str, after: str, expected: list[tuple[str, ...]]) -> None:
    assert find_intents(before, after, "a.js") == expected


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", F, "def f(  # why\n    a\n    # and\n):\n    return a\n"),
        ("a.py", "class A:\n    a: int\n", "class A:\n    a: int  # why\n"),
        (
            "a.go",
            "package p\n\ntype A struct {\n\ta int\n}\n",
            "package p\n\ntype A struct {\n\ta int // why\n}\n",
        ),
        ("a.ts", "interface A {\n  a(): void; // why\n}\n", "interface A {\n  a(): void; // what\n}\n"),
        ("A.java", "class A {\n  int a; /* why */\n}\n", "class A {\n  int a;\n}\n"),
        ("a.rs", "trait A {\n    fn a();\n}\n", "trait A {\n    fn a(/* none */); // why\n}\n"),
    ],
)
def test_comment_in_a_header_is_not_part_of_the_signature(path: str, before: str, after: str) -> None:
    assert [kind for kind, _ in find_intents(before, after, path)] == ["body_change"]


def test_intents_are_in_document_order_with_parents_first() -> None:
    after = "y = 0\n" + CLASS.replace("class A:", "class A(B):").replace("def m", "def o") + "z = 0\n"
    assert find_intents(CLASS, after) == [
        ("add", "y"),
        ("signature_change", "A"),
        ("rename", "A.m", "A.o"),
        ("add", "z"),
    ]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.ts", "function f<T>(a: T): T {}\n", "function f<T,>(\n  a: T,\n): T {}\n"),
        ("a.js", "const f = (a) => {};\n", "const f = (\n  a,\n) => {};\n"),
        ("a.go", "func F(a int) (int, error) {}\n", "func F(\n\ta int,\n) (\n\tint,\n\terror,\n) {}\n"),
        ("a.rs", "fn f<T>(a: T) {}\n", "fn f<T,>(\n    a: T,\n) {}\n"),
    ],
)
def test_trailing_comma_is_not_part_of_the_signature(path: str, before: str, after: str) -> None:
    assert find_intents(before, after, path) == find_intents(after, before, path) == []


def test_class_with_equal_member_names_and_other_bodies_is_new() -> None:
    code = "class B:\n    def m(self):\n        open(x).read()\n\n    def n(self):\n        close(x, y, z)\n"
    assert [kind for kind, *_ in find_intents(CLASS, code)] == ["delete", "add"]
