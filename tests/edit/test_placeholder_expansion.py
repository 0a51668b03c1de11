"""Placeholder comments are expanded where that is certain, and never written."""

from __future__ import annotations

import pytest

from tests.edit.editing import Op, apply_changeset, edit_file, expect_refusal, replace

F = "def f(a):\n    x = 1\n    y = 2\n    z = 3\n    return x\n"
NULL = """\
public final class Null extends Json {
  /** The one. */
  public static final Null INSTANCE = new Null();

  @Deprecated
  public Null() {
    // Do nothing
  }

  @Override
  public Null copy() {
    return INSTANCE;
  }
}
"""
CLASS = """\
class A:
    def a(self):
        return 1

    def b(self):
        return 2

    def c(self):
        return 3
"""
WITH_LEAD = """\
class A:
    def a(self):
        return 1

    # Of b.
    @property
    def b(self):
        return 2
"""
GUARDED = "def f(a, b):\n    if a is None:\n        return None\n    x = a + b\n    return x\n"
GUARDED_JS = "function f(a, b) {\n  if (!a) {\n    return 0;\n  }\n  return g(a);\n}\n"
EXPANDED = {
    "a block with a new start and a line below": (
        "a.py",
        GUARDED,
        replace(
            "f",
            "def f(a, b):\n    if b is None:\n        return None\n    x = a + b\n    # ... rest ...",
        ),
        GUARDED.replace("if a", "if b"),
    ),
    "in other words": (
        "a.rs",
        "fn f(a: u8) -> u8 {\n    match a {\n        1 => 2,\n        2 => 3,\n        _ => 0,\n    }\n}\n",
        replace(
            "f",
            "fn f(a: u8) -> u8 {\n    match a {\n        // ... existing arms ...\n"
            "        2 => 3,\n        3 => 4,\n        _ => 0,\n    }\n}\n",
        ),
        "fn f(a: u8) -> u8 {\n    match a {\n        1 => 2,\n        2 => 3,\n        3 => 4,\n"
        "        _ => 0,\n    }\n}\n",
    ),
    "lead of the member below": (
        "a.py",
        WITH_LEAD,
        replace(
            "A",
            "class A:\n    def a(self):\n        return 1\n\n    # ... existing code ...\n"
            "    def b(self):\n        return 3",
        ),
        WITH_LEAD.replace("2", "3"),
    ),
    "lead of a member in a text edit": (
        "a.tsx",
        "class P {\n  private count = 0;\n\n  /** Of r. */\n  r() {\n    return 1;\n  }\n}\n",
        {
            "op": "text",
            "old": "class P {\n  private count = 0;\n\n  /** Of r. */\n  r() {\n    return 1;\n  }\n}",
            "new": "class P {\n  private count = 0;\n\n  // ... the rest\n  r() {\n    return 2;\n  }\n}",
        },
        "class P {\n  private count = 0;\n\n  /** Of r. */\n  r() {\n    return 2;\n  }\n}\n",
    ),
    "between lines": (
        "a.py",
        F,
        replace("f", "def f(a, b):\n    x = 1\n    # ... existing code ...\n    z = 3\n    return x + b"),
        "def f(a, b):\n    x = 1\n    y = 2\n    z = 3\n    return x + b\n",
    ),
    "down to the end": (
        "a.py",
        F,
        replace("f", "def f(a):\n    x = 0\n    y = 2\n    # ... rest of the function unchanged ..."),
        "def f(a):\n    x = 0\n    y = 2\n    z = 3\n    return x\n",
    ),
    "below a header that changes": (
        "a.py",
        F,
        replace("f", "def f(a, b):\n    # ... existing code ...\n    return x"),
        "def f(a, b):\n    x = 1\n    y = 2\n    z = 3\n    return x\n",
    ),
    "two placeholders": (
        "a.py",
        F,
        replace(
            "f",
            "def f(a):\n    # ...\n    y = 5\n    z = 3\n    # ... existing code ...".replace(
                "y = 5", "y = 2\n    w = 4"
            ),
        ),
        "def f(a):\n    x = 1\n    y = 2\n    w = 4\n    z = 3\n    return x\n",
    ),
    "members to the end of a class": (
        "Null.java",
        NULL,
        replace(
            "Null",
            "public final class Null extends Other {\n  /** The one. */\n"
            "  public static final Null INSTANCE = new Null();\n  // ... rest of the class unchanged ...\n}",
        ),
        NULL.replace("extends Json", "extends Other"),
    ),
    "members above a new one": (
        "Null.java",
        NULL,
        replace(
            "Null",
            "public final class Null extends Json {\n  // ... existing members ...\n\n"
            "  public int hash() {\n    return 0;\n  }\n}",
        ),
        NULL[:-2] + "\n  public int hash() {\n    return 0;\n  }\n}\n",
    ),
    "members below one that changes": (
        "a.py",
        CLASS,
        replace("A", "class A:\n    def a(self):\n        return 3\n\n    # ... other methods unchanged ..."),
        CLASS.replace("return 1", "return 3"),
    ),
    "members between two that change": (
        "a.py",
        CLASS,
        replace(
            "A",
            "class A:\n    def a(self):\n        return 0\n\n    # ... existing code ...\n\n"
            "    def c(self):\n        return 0",
        ),
        CLASS.replace("return 1", "return 0").replace("return 3", "return 0"),
    ),
    "in a member": (
        "a.py",
        CLASS.replace("return 2", "y = 1\n        z = 2\n        return y"),
        replace(
            "A",
            "class A:\n    # ... existing methods ...\n\n    def b(self):\n        # ... existing code ...\n"
            "        z = 2\n        return 5\n\n    # ... existing code ...",
        ),
        CLASS.replace("return 2", "y = 1\n        z = 2\n        return 5"),
    ),
    "a placeholder that the grammar attaches to another node": (
        "a.dart",
        "enum C {\n  red,\n  green;\n  int get x => 1;\n}\n",
        {
            "op": "text",
            "old": "  red,\n  green;\n  int get x => 1;\n",
            "new": "  blue,\n  red,\n  // ... rest unchanged ...\n  int get x => 1;\n",
        },
        "enum C {\n  blue,\n  red,\n  green;\n  int get x => 1;\n}\n",
    ),
    "keys above and below": (
        "a.yml",
        "z:\n  - 1\n  -\n    q: 1\n    ? w\n    : 2\n",
        {
            "op": "text",
            "old": "  -\n    q: 1\n    ? w\n    : 2",
            "new": "  -\n    # ... existing code ...\n    ? w\n    : 3",
        },
        "z:\n  - 1\n  -\n    q: 1\n    ? w\n    : 3\n",
    ),
    "text": (
        "a.txt",
        "one\ntwo\nthree\nfour\n",
        {"op": "text", "old": "one\ntwo\nthree\nfour\n", "new": "ONE\ntwo\n... rest unchanged ...\n"},
        "ONE\ntwo\nthree\nfour\n",
    ),
    "lines": (
        "a.py",
        F,
        {
            "op": "lines",
            "start": 2,
            "end": 5,
            "code": "    x = 1\n    # ... existing code ...\n    return x + 1",
        },
        None,
    ),
    "a search and replace block": (
        "a.py",
        F,
        {
            "op": "patch",
            "diff": "a.py\n<<<<<<< SEARCH\n    x = 1\n    y = 2\n    z = 3\n=======\n    x = 5\n    y = 2\n"
            "    # ... existing code ...\n>>>>>>> REPLACE\n",
        },
        F.replace("x = 1", "x = 5"),
    ),
    "line endings": (
        "a.py",
        F.replace("\n", "\r\n"),
        replace("f", "def f(b):\n    x = 1\n    # ... existing code ...\n    return x"),
        F.replace("(a)", "(b)").replace("\n", "\r\n"),
    ),
    "strings keep their columns": (
        "a.py",
        'class A:\n    def f(self):\n        s = """\nzero\n  two\n"""\n        t = 1\n        return s\n',
        replace("A.f", "def f(self, x):\n    # ... existing code ...\n    t = 1\n    return x"),
        'class A:\n    def f(self, x):\n        s = """\nzero\n  two\n"""\n        t = 1\n        return x\n',
    ),
}
RUST = "mod a {\n    fn one() {}\n\n    /// Doc.\n    #[test]\n    fn works() {}\n}\n"
EXPANDED["the lead of the member below it"] = (
    "a.rs",
    RUST,
    replace("a", "mod a {\n    // ... existing code ...\n    fn works() {\n        x()\n    }\n}"),
    RUST.replace("fn works() {}", "fn works() {\n        x()\n    }"),
)
EXPANDED["line endings at the end"] = (
    "a.ini",
    "[a]\r\nb = 1\r\nc = 2\r\nd = 3\r\n",
    {"op": "text", "old": "b = 1\nc = 2\nd = 3", "new": "b = 5\nc = 2\n# ... rest unchanged ..."},
    "[a]\r\nb = 5\r\nc = 2\r\nd = 3\r\n",
)
UNCERTAIN = {
    "a comment that belongs to the code below": (
        "A.java",
        "class A {\n  void call();\n\n  // Of sell.\n  int sell(double price);\n}\n",
        replace(
            "A",
            "class A {\n  void call();\n\n  // Of sell.\n  // ... existing code\n"
            "  int sell(double price);\n}",
        ),
    ),
    "no end": (
        "a.py",
        F,
        replace("f", "def f(a, b):\n    # ... rest of the function unchanged ...\n    return x + b"),
    ),
    "only a placeholder in a body": ("a.py", F, replace("f", "def g(a, b):\n    # ... existing code ...")),
    "an ambiguous neighbour": (
        "a.py",
        "def f():\n    a()\n    b()\n    a()\n    c()\n",
        replace("f", "def f():\n    x()\n    a()\n    # ... existing code ...\n    c()"),
    ),
    "omitted code that is repeated": (
        "a.py",
        CLASS,
        replace(
            "A",
            "class A:\n    # ... existing code ...\n\n    def d(self):\n        pass\n\n"
            "    def a(self):\n        pass",
        ),
    ),
    "a repeated method with overloads": (
        "A.java",
        "class A {\n    void a() {}\n\n    void b() {}\n\n    void c() {}\n}\n",
        replace(
            "A",
            "class A {\n    // ... existing code ...\n\n    void c() {}\n\n    void a() { x(); }\n}",
        ),
    ),
    "a neighbour in another block": (
        "a.py",
        GUARDED,
        replace(
            "f",
            "def f(a, b):\n    if b is None:\n        return None\n    # ... rest unchanged ...",
        ),
    ),
    "a neighbour in another block with braces": (
        "a.js",
        GUARDED_JS,
        replace("f", "function f(a, b) {\n  if (!b) {\n    return 0;\n  }\n  // ... existing code ...\n}"),
    ),
    "a neighbour in another block of text": (
        "a.py",
        GUARDED,
        {
            "op": "patch",
            "diff": "a.py\n<<<<<<< SEARCH\n    if a is None:\n        return None\n    x = a + b\n=======\n"
            "    if b is None:\n        return None\n    # ... existing code ...\n>>>>>>> REPLACE\n",
        },
    ),
    "inserted": (
        "a.py",
        F,
        {
            "op": "insert",
            "symbol": "f",
            "position": "after",
            "code": "def g():\n    # ... existing code ...\n    return 1",
        },
    ),
    "lines": (
        "a.py",
        F,
        {"op": "lines", "start": 3, "end": 4, "code": "    # ... existing code ...\n    w = 4"},
    ),
    "added by a diff": (
        "a.py",
        F,
        {
            "op": "patch",
            "diff": "--- a/a.py\n+++ b/a.py\n@@ -3,2 +3,3 @@\n-    y = 2\n-    z = 3\n+    w = 4\n"
            "+    # ... existing code ...\n+    v = 5\n",
        },
    ),
    "at the end of a diff": (
        "a.py",
        F,
        {
            "op": "patch",
            "diff": "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,3 @@\n def f(a):\n-    x = 1\n+    x = 5\n"
            "+    # ... existing code ...\n",
        },
    ),
    "a whole file": (
        "a.py",
        F,
        {"op": "write", "overwrite": True, "content": "import os\n# ... rest of the file unchanged ...\n"},
    ),
}


@pytest.mark.parametrize(("path", "before", "op", "after"), EXPANDED.values(), ids=EXPANDED)
def test_certain_placeholder_is_expanded(path: str, before: str, op: Op, after: str | None) -> None:
    if after is None:
        assert expect_refusal(before, op, path=path).code == "elided"
        return
    assert edit_file(before, op, path=path).decode() == after
    (result,) = apply_changeset(before, op, path=path).done
    assert result.edit is not None
    assert any(note.startswith("replaced ") for note in result.edit.corrections)


@pytest.mark.parametrize(("path", "before", "op"), UNCERTAIN.values(), ids=UNCERTAIN)
def test_uncertain_placeholder_is_refused(path: str, before: str, op: Op) -> None:
    error = expect_refusal(before, op, path=path)
    assert error.code == "elided"
    assert "..." in error.data["placeholder"]


def test_line_of_the_old_text_is_not_a_placeholder() -> None:
    before = "def f():\n    # ... existing code ...\n    return 1\n"
    after = before.replace("return 1", "return 2")
    assert edit_file(before, replace("f", after)).decode() == after


def test_expanded_members_are_not_reported_as_deleted() -> None:
    op = replace("A", "class A:\n    # ... existing code ...\n\n    def d(self):\n        return 4")
    (result,) = apply_changeset(CLASS, op).done
    assert result.warnings == ()
    (result,) = apply_changeset(CLASS, replace("A", "class A:\n    def d(self):\n        return 4")).done
    assert [note.split()[2].strip(",") for note in result.warnings] == ["A.a", "A.b", "A.c"]


def test_new_file_may_contain_a_placeholder() -> None:
    op = {"op": "write", "path": "new.py", "content": "# ... existing code ...\n"}
    assert apply_changeset({"a.py": F}, op).overlay.content("new.py") == b"# ... existing code ...\n"


def test_verbatim_placeholder_is_written() -> None:
    op = {"op": "lines", "start": 3, "code": "    # ... existing code ...\n", "verbatim": True}
    assert b"    # ... existing code ...\n" in edit_file(F, op)
