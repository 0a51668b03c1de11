"""Lost or doubled characters are damage; syntax that a grammar does not know is reported as unchecked."""

from __future__ import annotations

import pytest

from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.edit.error_attribution import OverlayMacros
from gitscalpel.edit.source import Source
from gitscalpel.gates.syntax_gate import SyntaxResult, compare_syntax
from tests.edit.editing import Files

UNKNOWN = {
    "a template in front of a name": (
        "a.cc",
        "auto f(J j) {\n  return g(j.template get<T>(), h<T>{}->*p);\n}\n",
    ),
    "a loop that no file defines": (
        "a.c",
        "int f(struct list *head) {\n  for_each_entry(pos, head, member, struct item) {\n    g(pos);\n  }\n"
        "  return 0;\n}\n",
    ),
    "an attribute between a type and a name": (
        "a.c",
        "static void on_read(struct ref unused_ s, enum kind unused_ kind, void *data) {\n  run(data);\n}\n",
    ),
    "a condition that a macro ends": (
        "a.cc",
        "#define BEGIN_QUIET_(x)\n"
        "void f() {\n  BEGIN_QUIET_(4065)\n\n  switch (0)\n  default:\n    g();\n}\n",
    ),
    "ownership in Swift": (
        "a.swift",
        "struct A: ~Copyable {\n"
        "  consuming func f(with x: borrowing B, on: isolated (any Actor)? = #isolation) {}\n}\n",
    ),
}
DAMAGED = {
    "a lost comma in a call": (
        "a.c",
        "void f(void) {\n  set(handle, OPTION, 1);\n  g(name WRITE_TEXT);\n}\n",
    ),
    "a lost comma behind a macro": (
        "a.c",
        "void f(void) {\n  set(h, OPTION_A, x);\n  set(h, OPTION_B NULL);\n  set(h, OPTION_C, y);\n}\n",
    ),
    "a lost comma between parameters": ("a.c", "int f(struct a *x size_t size);\n"),
    "a lost comma between numbers": ("a.c", "int x[] = {1, 2 3, 4};\n"),
    "a lost comma behind a name": ("a.c", "void f(void) {\n  int one, two three;\n  g(&one);\n}\n"),
    "a lost semicolon before a macro": (
        "a.cc",
        "TEST(A, B) {\n  Results results\n  EXPECT_EQ(0, results.size());\n}\n",
    ),
    "a lost semicolon behind a step": ("a.c", "void f(int x) {\n  if (x) y++\n  else y--;\n}\n"),
    "a lost semicolon behind an enumeration": (
        "a.c",
        "int f(void) {\n  enum { SIZE = 4 }\n  char x[SIZE];\n  return 0;\n}\n",
    ),
    "a lost colon of a label": (
        "a.c",
        "int f(int x) {\n  switch (x) {\n    case ACCESS_ERROR\n    case OTHER_ERROR:\n      return 1;\n  }\n"
        "  return 0;\n}\n",
    ),
    "a lost colon of an access label": ("a.cc", "class A {\n protected\n  void f();\n};\n"),
    "half a scope": ("a.cc", "void f() {\n  ASSERT_EQ(std:string(200, 'x'), g());\n}\n"),
    "a doubled half of a scope": ("a.cc", "void f() {\n  REQUIRE(a->level() == log::level:::trace);\n}\n"),
    "a doubled comma": ("a.cc", "void f() {\n  ASSERT_OK(DB::Open(options,, path, &db));\n}\n"),
    "a lost quote": ("a.cc", 'void f() {\n  print(cannot find \\"%s\\".\\n", name);\n}\n'),
    "a comment without its beginning": ("a.c", "int x;\n * the second line of it\n */\nint y;\n"),
    "half a hunk": ("a.c", "int f(void) {\n  return 0;\n}\n-\n+\n"),
    "a directive that is cut off": ("a.c", "#if A\nint x;\n#end"),
    "a function that is cut off": ("a.c", "int x;\n\nint mai"),
    "operators without operands": ("a.c", "int f(void) {\n  int x = ;\n  return x;\n}\n"),
    "a lost comma in Swift": ("a.swift", "let x = f(a: 1, b 2)\nlet y = g(key: k required: true)\n"),
    "a lost colon in Swift": ("a.swift", "struct A {\n  let errors [Error]\n}\n"),
    "a parenthesis too many in a string of Swift": ("a.swift", 'let x = "deleted \\((id)"\n'),
}


def judge(path: str, text: str) -> SyntaxResult:
    return compare_syntax(None, Source.read(path, text.encode()), lambda: OverlayMacros(Overlay(Files({}))))


@pytest.mark.parametrize(("path", "text"), UNKNOWN.values(), ids=UNKNOWN)
def test_unknown_syntax_is_not_refused(path: str, text: str) -> None:
    assert judge(path, text).findings == ()


@pytest.mark.parametrize(("path", "text"), DAMAGED.values(), ids=DAMAGED)
def test_damage_is_refused(path: str, text: str) -> None:
    assert judge(path, text).findings


def test_unchecked_line_is_reported() -> None:
    found = judge(*UNKNOWN["a template in front of a name"])
    assert found.unchecked == (
        "a.cc: line 1 contains syntax that the grammar of cpp does not know, so it was not checked there",
    )


def test_macros_with_half_blocks_are_accepted() -> None:
    text = (
        "#define BEGIN_TEST(x) { int rc; if (!(x)) return 1; {\n#define END_TEST } return rc; }\n"
        "int f(int x) {\n  BEGIN_TEST(x)\n  g(x);\n  END_TEST\n}\n"
    )
    assert judge("a.c", text).findings == ()
    assert judge("a.c", text.replace("g(x);", "g(x;")).findings


@pytest.mark.parametrize(
    ("text", "is_accepted"), [("[1E+34, 1.5e-7]\n", True), ("[NaN]\n", False), ("[1, 2\n", False)]
)
def test_json_reader_decides(text: str, is_accepted: bool) -> None:
    found = compare_syntax(None, Source.read("a.json", text.encode()))
    assert (not found.findings, found.unchecked) == (is_accepted, ())
