"""Multi-line text and line edits must not change definitions."""

from __future__ import annotations

import sys

import pytest

from gitscalpel.changesets.rules import Structure
from tests.edit.editing import Op, apply_changeset
from tests.gates.gate_calls import judge_structure as judge

TWO = "def f():\n    a = 1\n    return a\n\n\ndef g():\n    return 2\n"


def text(old: str, new: str, **more: object) -> Op:
    return {"op": "text", "old": old, "new": new, **more}


ALLOWED = {
    "body over lines": text("    a = 1\n    return a", "    b = 1\n    return b"),
    "single line": text("def f():", "def f(a):"),
    "single line with its ending": text("def f():\n", "def f(a):\n"),
    "rename in one line": text("def g", "def h"),
    "comment that looks like a definition": text("    a = 1\n", "    a = 1\n    # def x():\n"),
    "string that looks like a definition": text("    a = 1\n", '    a = """\ndef x(): pass\n"""\n'),
    "local function": text("    a = 1\n", "    def a(): pass\n    x = 1\n"),
    "variable's value": text("    return a\n\n", "    return a\n"),
    "line edit in a body": {"op": "lines", "start": 2, "end": 3, "code": "    return 1"},
    "symbol edit": {"op": "replace", "symbol": "f", "code": "def f(x):\n    return x"},
    "addition that stands whole in the new text": text(
        "    return 2\n", "    return 2\n\n\ndef h():\n    pass\n"
    ),
    "constant added": text("    return 2\n", "    return 2\n\n\nx = 1\n"),
    "lines inserted": {"op": "lines", "start": 5, "position": "after", "code": "def h():\n    pass"},
    "one line that becomes two": text("def g():", "def h(): pass\ndef g():"),
    "variable bound again": text("    return 2\n", "    return 2\n\n\nx = f()\nx = x + 1\n"),
    "comment in a header": text("def f():\n    a = 1", "def f(  # why\n):\n    a = 1"),
    "decorator over a header": text("def g():\n", "@cache\ndef g():\n"),
    "lines around a header that stays": {"op": "lines", "start": 1, "end": 2, "code": "def f():\n    a = 3"},
}
REFUSED = {
    "signature": (text("def f():\n    a = 1", "def f(x):\n    a = 1"), "signature"),
    "removed": (text("def g():\n    return 2\n", "x()\n"), "delete"),
    "renamed": (text("def g():\n    return 2", "def h():\n    return 2"), "rename"),
    "lines": ({"op": "lines", "start": 6, "end": 7, "code": ""}, "delete"),
    "replace by lines": (
        {"op": "replace", "start": 6, "end": 7, "code": "def g(a):\n    return a"},
        "signature",
    ),
    "addition that takes lines that were there": (
        text("    a = 1\n", "    a = 1\n\n\ndef h():\n    b = 2\n"),
        "insert",
    ),
    "regex": (text(r"def g.*", "x()\n", regex=True), "delete"),
    "regex, in its second match": (text(r"    a = 1|def g.*2\n", "    x()", regex=True, all=True), "delete"),
}


@pytest.mark.parametrize("op", ALLOWED.values(), ids=ALLOWED)
def test_edit_within_a_definition_is_allowed(op: Op) -> None:
    assert judge(apply_changeset(TWO, op), "block").status == "passed"


@pytest.mark.parametrize(("op", "instead"), REFUSED.values(), ids=REFUSED)
def test_refusal_suggests_an_operation(op: Op, instead: str) -> None:
    verdict = judge(apply_changeset(TWO, op), "block")
    assert verdict.status == "failed"
    assert verdict.error is not None
    assert (verdict.error.code, verdict.error.op) == ("structural_gate", 0)
    assert instead in verdict.error.hint


@pytest.mark.parametrize("body", ["    return 2", "    return 3"])
def test_possible_rename_suggests_rename(body: str) -> None:
    error = judge(apply_changeset(TWO, text("def g():\n    return 2", f"def h():\n{body}")), "block").error
    assert error is not None
    assert error.hint.startswith("to rename, use rename with symbol g and to h; else")
    assert (error.data["operation"], error.data["symbol"], error.data["to"]) == ("rename", "g", "h")
    lua = "function g()\n  return 2\nend\n"
    op = text("function g()\n  return 2", "function h()\n  return 2")
    unfollowed = judge(apply_changeset(lua, op, path="a.lua"), "block").error
    assert unfollowed is not None
    assert "use rename" not in unfollowed.hint


def test_arrow_functions_are_checked() -> None:
    op = text("const f = () => {\n  1\n", "const f = (a) => {\n  2\n")
    assert judge(apply_changeset("const f = () => {\n  1\n};\n", op, path="a.js"), "block").status == "failed"


@pytest.mark.parametrize(("path", "status"), [("a.py", "failed"), ("a.txt", "skipped"), ("a.md", "skipped")])
def test_languages_without_definitions_are_skipped(path: str, status: str) -> None:
    op = text("def g():\n    return 2\n", "x()\n")
    assert judge(apply_changeset(TWO, op, path=path), "block").status == status


@pytest.mark.parametrize(
    ("level", "op", "status"),
    [
        ("off", REFUSED["signature"][0], "skipped"),
        ("warn", REFUSED["signature"][0], "passed"),
        ("strict", ALLOWED["single line"], "failed"),
        ("strict", ALLOWED["lines around a header that stays"], "failed"),
        ("strict", ALLOWED["body over lines"], "passed"),
        ("strict", ALLOWED["symbol edit"], "passed"),
        ("strict", text("return 2", "return 3"), "passed"),
    ],
)
def test_level_sets_the_status(level: Structure, op: Op, status: str) -> None:
    assert judge(apply_changeset(TWO, op), level).status == status


GET_AND_PUT = "class A:\n    def get(self):\n        return 1\n\n    def put(self):\n        return 2\n"
DIFF = (
    "--- a/a.py\n+++ b/a.py\n@@ -5,2 +5,2 @@\n-    def put(self):\n+    def get(self):\n         return 2\n"
)
COLLIDING = {
    "renamed onto a sibling, in one line": text("def put(self)", "def get(self)"),
    "added a second time": text(
        "        return 2\n", "        return 2\n\n    def put(self):\n        return 3\n"
    ),
    "by a diff that fits exactly": {"op": "patch", "diff": DIFF},
    "in letters that Python takes for the same": text("def put(self)", "def \uff47et(self)"),
    "by line": {"op": "lines", "start": 5, "code": "    def get(self):"},
}
SECOND_OF_ITS_NAME = {
    "accessors": (
        "class A:\n    @property\n    def x(self):\n        return 1\n\n"
        "    @x.setter\n    def y(self, v):\n        pass\n",
        text("def y(self, v)", "def x(self, v)"),
        "a.py",
    ),
    "overloads": (
        "class A {\n  void f() {}\n  void g(int a) {}\n}\n",
        text("void g(int", "void f(int"),
        "A.java",
    ),
    "a namespace that is opened again": (
        "namespace A { class X {}; }\n\nnamespace B { class Z {}; }\n",
        text("namespace B", "namespace A { class Y {}; }\n\nnamespace B"),
        "a.cpp",
    ),
    "in letters that JavaScript tells apart": (
        "function a() {}\nfunction b() {}\n",
        text("function b", "function \uff41"),
        "a.js",
    ),
    "other conditions": (
        "try:\n    def f():\n        return 1\nexcept E:\n    def g():\n        return 2\n",
        text("def g", "def f"),
        "a.py",
    ),
    "other scopes": (
        "def f():\n    return 1\n\n\nclass A:\n    def g(self):\n        return 2\n",
        text("def g", "def f"),
        "a.py",
    ),
}


@pytest.mark.parametrize("level", ["block", "strict"])
@pytest.mark.parametrize("op", COLLIDING.values(), ids=COLLIDING)
def test_duplicate_definition_is_refused(level: Structure, op: Op) -> None:
    error = judge(apply_changeset(GET_AND_PUT, op), level).error
    assert error is not None
    assert error.code == "duplicate_symbol"


@pytest.mark.parametrize(("before", "op", "path"), SECOND_OF_ITS_NAME.values(), ids=SECOND_OF_ITS_NAME)
def test_shareable_name_is_accepted(before: str, op: Op, path: str) -> None:
    assert judge(apply_changeset(before, op, path=path), "block").status == "passed"


SWALLOWED = {
    "string": (
        "a.py",
        TWO,
        text("    return a\n", '    return """\n'),
        text("    return 2\n", '    return 2"""\n'),
    ),
    "comment": (
        "a.c",
        "int f(void) { return 1; }\nint g(void) { return 2; }\nint h(void) { return 3; }\n",
        text("return 1; }", "return 1; } /*"),
        text("int h", "*/ int h"),
    ),
}


@pytest.mark.parametrize(("path", "before", "opens", "closes"), SWALLOWED.values(), ids=SWALLOWED)
def test_swallowed_definition_is_refused(path: str, before: str, opens: Op, closes: Op) -> None:
    diffs = apply_changeset(before, opens, closes, path=path)
    error = judge(diffs, "block").error
    assert error is not None
    assert (error.code, error.data["gone"]) == ("structural_gate", ["g"])


PATCH = "--- a/a.py\n+++ b/a.py\n@@ -5,3 +5,3 @@\n \n-def g():\n+def g(x):\n     return 2\n"


@pytest.mark.parametrize(("level", "status"), [("block", "passed"), ("strict", "failed")])
def test_unified_diffs_are_exempt_below_strict(level: Structure, status: str) -> None:
    verdict = judge(apply_changeset(TWO, text("return a", "return 3"), {"op": "patch", "diff": PATCH}), level)
    assert verdict.status == status
    assert verdict.error is None or verdict.error.op == 1


def test_warning_describes_the_change() -> None:
    (finding,) = judge(apply_changeset(TWO, REFUSED["signature"][0]), "warn").findings
    assert finding.severity == "warning"
    assert "changes the signature of f" in finding.message


def test_each_operation_is_judged() -> None:
    ops = [text("return a", "return 3"), {**REFUSED["removed"][0]}]
    verdict = judge(apply_changeset(TWO, *ops), "block")
    assert verdict.error is not None
    assert verdict.error.op == 1


@pytest.mark.parametrize(
    ("path", "before", "op"),
    [
        ("a.php", "<?php\nclass Q {\n  const A = 1, B = 2;\n  const C = 3;\n}\n", text("C = 3", "B = 3")),
        ("a.dart", "class S {\n  int? count, other;\n  final String name;\n}\n", text("ng name", "ng count")),
        ("a.cs", "class S {\n  event E A, B;\n}\n", text("event E A, B;", "event E A, B;\n  event E A, B;")),
        ("a.scala", "enum C:\n  case Red, Green\n  case Blue\n", text("Blue", "Green")),
        (
            "a.go",
            "package a\n\nconst (\n\tA = 1\n\tB = 2\n)\n\nconst (\n\tC = 3\n)\n",
            text("C = 3", "A = 3"),
        ),
    ],
)
def test_duplicate_in_a_multiple_declaration_is_refused(path: str, before: str, op: Op) -> None:
    error = judge(apply_changeset(before, op, path=path), "block").error
    assert error is not None
    assert error.code == "duplicate_symbol"


@pytest.mark.parametrize(
    ("path", "before", "declaration"),
    [
        ("a.go", "package a\n\nvar x = 1\n", "var x = 2"),
        ("a.kt", "val x = 1\n", "val x = 2"),
        ("a.swift", "let x = 1\n", "let x = 2"),
        ("a.dart", "var x = 1;\n", "var x = 2;"),
        ("a.zig", "var x: u8 = 1;\n", "var x: u8 = 2;"),
        ("a.cs", "class A {\n    int x = 1;\n}\n", "    int x = 2;"),
    ],
)
def test_duplicate_variable_declaration_is_refused(path: str, before: str, declaration: str) -> None:
    line = next(line for line in before.splitlines() if "x" in line)
    verdict = judge(
        apply_changeset(before, text(f"{line}\n", f"{line}\n{declaration}\n"), path=path), "block"
    )
    assert verdict.error is not None
    assert verdict.error.code == "duplicate_symbol"
    assert (
        judge(apply_changeset(before, text(f"{line}\n", f"{declaration}\n"), path=path), "block").status
        == "passed"
    )


@pytest.mark.parametrize(
    ("path", "before", "op"),
    [
        ("a.go", "package a\n\ntype X struct{}\n\nfunc Y() {}\n", text("func Y", "func X")),
        ("a.py", "class X:\n    pass\n\n\ndef y():\n    pass\n", text("def y", "def X")),
        ("a.js", "class X {}\n\nfunction y() {}\n", text("function y", "function X")),
        ("a.rs", "struct X;\n\nenum Y {}\n", text("enum Y", "enum X")),
        ("a.java", "class X {}\n\ninterface Y {}\n", text("interface Y", "interface X")),
        ("a.py", "x = 1\n\n\ndef y():\n    pass\n", text("def y", "def x")),
        ("a.go", "package a\n\ntype (\n\tX int\n)\n\nvar (\n\tY = 1\n)\n", text("Y", "X")),
        ("a.rb", "X = 1\n\nclass Y\nend\n", text("class Y", "class X")),
        ("a.ts", "class X {}\n\nfunction Y() {}\n", text("function Y", "function X")),
    ],
)
def test_duplicate_of_another_kind_in_one_namespace_is_refused(path: str, before: str, op: Op) -> None:
    error = judge(apply_changeset(before, op, path=path), "block").error
    assert error is not None
    assert error.code == "duplicate_symbol"


@pytest.mark.parametrize(
    ("path", "before", "ops"),
    [
        ("a.rs", "struct X;\n\nfn y() {}\n", [text("fn y", "fn X")]),
        ("a.ts", "interface X {}\n\nclass Y {}\n", [text("class Y", "class X")]),
        ("a.py", "def f():\n    pass\n\n\nx = 1\n", [text("x = 1", "x = 1\nf = g(f)")]),
        ("a.py", "a = 1\nb = 2\n", [text("a = 1", "c = 1"), text("b = 2", "b = 2\nb = 3")]),
    ],
)
def test_name_in_another_namespace_is_accepted(path: str, before: str, ops: list[Op]) -> None:
    assert judge(apply_changeset(before, *ops, path=path), "block").status == "passed"


def move(path: str, to: str, op: str = "move_file") -> Op:
    return {"op": op, "path": path, "to": to}


HIDDEN_CUT = text("def g():\n    return 2\n", "x()\n", path="a.txt")
HIDDEN = {
    "moved away and back": [move("a.py", "a.txt"), HIDDEN_CUT, move("a.txt", "a.py")],
    "over two names": [
        move("a.py", "b.txt"),
        move("b.txt", "a.txt"),
        HIDDEN_CUT,
        move("a.txt", "c"),
        move("c", "a.py"),
    ],
    "back under another name": [move("a.py", "a.txt"), HIDDEN_CUT, move("a.txt", "b.py")],
    "as a copy": [
        move("a.py", "a.txt", "copy_file"),
        HIDDEN_CUT,
        {"op": "remove", "path": "a.py"},
        move("a.txt", "a.py"),
    ],
    "as data": [
        move("a.py", "a.md"),
        {**HIDDEN_CUT, "path": "a.md"},
        move("a.md", "a.py"),
    ],
    "as another language": [
        move("a.py", "a.css"),
        {**HIDDEN_CUT, "path": "a.css"},
        move("a.css", "a.py"),
    ],
    "moved by patches": [
        {"op": "patch", "diff": "diff --git a/a.py b/a.txt\nrename from a.py\nrename to a.txt\n"},
        HIDDEN_CUT,
        {"op": "patch", "diff": "diff --git a/a.txt b/a.py\nrename from a.txt\nrename to a.py\n"},
    ],
    "by lines": [
        move("a.py", "a.txt"),
        {"op": "lines", "path": "a.txt", "start": 6, "end": 7, "code": "x()"},
        move("a.txt", "a.py"),
    ],
}


@pytest.mark.parametrize("level", ["block", "strict"])
@pytest.mark.parametrize("ops", HIDDEN.values(), ids=HIDDEN)
def test_detour_over_a_text_file_is_refused(ops: list[Op], level: Structure) -> None:
    verdict = judge(apply_changeset({"a.py": TWO}, *ops), level)
    assert verdict.error is not None
    assert (verdict.error.code, "removes g" in verdict.error.message) == ("structural_gate", True)


@pytest.mark.parametrize(
    ("ops", "level", "status"),
    [
        ([move("a.py", "a.txt"), HIDDEN_CUT], "strict", "skipped"),  # it is not code any more
        ([move("a.py", "a.txt"), HIDDEN_CUT, move("a.txt", "a.py")], "warn", "passed"),
        ([move("a.py", "a.txt"), HIDDEN_CUT, move("a.txt", "a.py")], "off", "skipped"),
        (
            [
                move("a.py", "a.txt"),
                text("    a = 1\n    return a", "    b = 1\n    return b", path="a.txt"),
                move("a.txt", "a.py"),
            ],
            "block",
            "passed",
        ),
        (
            [
                move("a.py", "a.txt"),
                HIDDEN_CUT,
                {"op": "write", "path": "a.txt", "content": "x = 1\n", "overwrite": True},
                move("a.txt", "a.py"),
            ],
            "block",
            "skipped",
        ),  # as a whole, it may be written so under its own name
        ([move("a.py", "b.py"), text("def g", "def h", path="b.py")], "block", "passed"),
    ],
)
def test_edit_of_a_text_file_is_not_restricted(ops: list[Op], level: Structure, status: str) -> None:
    assert judge(apply_changeset({"a.py": TWO}, *ops), level).status == status


def _count_calls(definitions: int) -> int:
    """Return the number of function calls that edit and judge so many definitions of one name."""
    before = "def f():\n    return 1\n\n\n" * definitions
    calls = 0

    def count(_: object, event: str, __: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        done = apply_changeset(before, text("return 1", "return 2", all=True))
        verdict = judge(done, "block")
    finally:
        sys.setprofile(None)
    assert verdict.status == "passed"
    return calls


def test_cost_is_linear_in_the_number_of_definitions() -> None:
    _count_calls(1)  # fills caches
    assert _count_calls(200) < 3 * _count_calls(100)
