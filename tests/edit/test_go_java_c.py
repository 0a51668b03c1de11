"""Edits in languages with groups, receivers, labels, directives and macros."""

from __future__ import annotations

import pytest

from tests.edit.editing import Op, assert_edit, edit_file, expect_refusal, insert


@pytest.mark.parametrize(
    ("path", "before", "op", "after"),
    [
        (
            "a.go",
            "const (\n\tA = 1\n\tB = 2\n)\n",
            insert("A", "after", "C = 3"),
            "const (\n\tA = 1\n\tC = 3\n\tB = 2\n)\n",
        ),
        ("a.go", "const (\n\tA = 1\n\tB = 2\n)\n", {"op": "delete", "symbol": "A"}, "const (\n\tB = 2\n)\n"),
        ("a.go", "type I interface{}\n", insert("I", "last", "M()"), "type I interface{\n    M()\n}\n"),
        (
            "a.go",
            "func f() {\n\ta()\n\tb()\n}\n",
            insert("f", "last", "c()"),
            "func f() {\n\ta()\n\tb()\n\tc()\n}\n",
        ),
        (
            "a.go",
            "type S struct {\n\ta int\n\tb int\n}\n",
            insert("S", "first", "c int"),
            "type S struct {\n\tc int\n\ta int\n\tb int\n}\n",
        ),
        (
            "a.go",
            "type T struct {\n\ta int\n}\n",
            {"op": "signature", "symbol": "T", "code": "type T[K any] struct"},
            "type T[K any] struct {\n\ta int\n}\n",
        ),
        (
            "a.go",
            "type I interface {\n\tM()\n}\n",
            {"op": "signature", "symbol": "I", "code": "type I[K any] interface"},
            "type I[K any] interface {\n\tM()\n}\n",
        ),
        (
            "A.java",
            "class A {\n    @B\n    public void m() {}\n}\n",
            {"op": "replace", "symbol": "A.m", "code": "public void m() { n(); }"},
            "class A {\n    @B\n    public void m() { n(); }\n}\n",
        ),
        (
            "A.java",
            "enum A {\n    B,\n    C\n}\n",
            insert("A.C", "after", "D"),
            "enum A {\n    B,\n    C,\n    D\n}\n",
        ),
        (
            "a.c",
            "struct s {\n    int a;\n#define A 1\n};\n",
            insert("s", "last", "int b;"),
            "struct s {\n    int a;\n#define A 1\n    int b;\n};\n",
        ),
        (
            "a.cpp",
            "class A {\npublic:\n    A();\n    int f();\n};\n",
            insert("A", "first", "int g();"),
            "class A {\npublic:\n    int g();\n    A();\n    int f();\n};\n",
        ),
        (
            "a.cpp",
            "class A {\npublic:\n    void f() {}\n\n    void g() {}\n};\n",
            insert("A.f", "before", "void h() {}"),
            "class A {\npublic:\n    void h() {}\n\n    void f() {}\n\n    void g() {}\n};\n",
        ),
        (
            "a.cpp",
            "class A {\npublic:\n    void f() {}\n\nprivate:\n    int x;\n};\n",
            {"op": "delete", "symbol": "A.f"},
            "class A {\npublic:\nprivate:\n    int x;\n};\n",
        ),
        (
            "a.cpp",
            "A::A(int a) : x(a) {\n}\n",
            {"op": "signature", "symbol": "A.A", "code": "A::A(int a, int b)"},
            "A::A(int a, int b) : x(a) {\n}\n",
        ),
        (
            "a.cpp",
            "API_OLD\nint f() { return 1; }\n",
            {"op": "replace", "symbol": "f", "code": "int f() { return 2; }"},
            "API_OLD\nint f() { return 2; }\n",
        ),
    ],
)
def test_symbol_is_edited(path: str, before: str, op: Op, after: str) -> None:
    assert edit_file(before, op, path=path).decode() == after


@pytest.mark.parametrize("indent", ["", "    "])
def test_directives_stay_in_column_0(indent: str) -> None:
    code = f"{indent}void f() {{\n#ifdef X\n{indent}    g();\n#endif\n{indent}}}"
    assert_edit(
        "namespace n {\n    void f() {}\n}\n",
        {"op": "replace", "symbol": "f", "code": code},
        "namespace n {\n    void f() {\n#ifdef X\n        g();\n#endif\n    }\n}\n",
        "a.cpp",
    )


def test_tabs_of_the_old_code_are_kept() -> None:
    before = "int f() {\n\treturn 1;\n}\nint g() {\n  if (a)\n    b();\n  return 1;\n}\n"
    op = {"op": "replace", "symbol": "f", "code": "int f() {\n\treturn 2;\n}"}
    assert edit_file(before, op, path="a.c").decode() == before.replace("\treturn 1", "\treturn 2")


def test_string_content_does_not_set_the_indent_unit() -> None:
    before = "func f() {\n\tg(`\n    a\n    b\n    c`)\n}\n"
    op = {"op": "replace", "symbol": "f", "code": "func f() {\n\th()\n}"}
    assert edit_file(before, op, path="a.go") == b"func f() {\n\th()\n}\n"


def test_names_of_one_declaration_are_replaced_together() -> None:
    before = "int a = 1, *b;\n"
    op = {"op": "replace", "symbol": "b", "code": "int a = 2, *b;"}
    assert edit_file(before, op, path="a.c") == b"int a = 2, *b;\n"
    assert expect_refusal(before, {"op": "delete", "symbol": "b"}, path="a.c").code == "extra_definitions"


def test_prototype_may_be_added_to_a_definition() -> None:
    before = "int f(int a) { return a; }\n"
    op = insert("f", "before", "int f(int a);")
    assert edit_file(before, op, path="a.c").decode() == "int f(int a);\n\n" + before
    again = expect_refusal(before, insert("f", "after", "int f(int a) { return 1; }"), path="a.c")
    assert again.code == "duplicate_symbol"


def test_broken_code_may_be_replaced_by_code_with_the_same_error() -> None:
    before = "int f(void) { return ODD int; }\nint g(void) { return 1; }\n"
    op = {"op": "replace", "symbol": "f", "code": "int f(void) { return ODD char; }"}
    assert edit_file(before, op, path="a.c").decode() == before.replace("int; }", "char; }")
    worse = {"op": "replace", "symbol": "g", "code": "int g(void) { return (ODD; }"}
    assert expect_refusal(before, worse, path="a.c").code == "syntax_error"
