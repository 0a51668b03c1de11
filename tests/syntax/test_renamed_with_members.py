"""A definition that is renamed together with its members is renamed, and so are they."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import scalpel
from tests.sandbox import Sandbox

PY_ONE = ("class A:\n    def m(self):\n        return 1\n", "class B:\n    def n(self):\n        return 1\n")
PY_MORE = (
    "class A:\n    def f(self):\n        return self.g() + A.x\n\n    def g(self):\n        return self.f()\n"
    "\n    x = 1\n",
    "class B:\n    def h(self):\n        return self.k() + B.x\n\n    def k(self):\n        return self.h()\n"
    "\n    x = 1\n",
)
PY_DEEP = (
    "class A:\n    class C:\n        def m(self):\n            return 1\n",
    "class B:\n    class D:\n        def n(self):\n            return 1\n",
)
TS = (
    "class A {\n  m() {\n    return 1;\n  }\n}\n",
    "class B {\n  n() {\n    return 1;\n  }\n}\n",
)
JAVA = (
    "class A {\n  int m() { return 1; }\n}\n",
    "class B {\n  int n() { return 1; }\n}\n",
)
CASES = {
    "one method": ("a.py", PY_ONE, [("A", "B"), ("A.m", "B.n")]),
    "several that mention each other": ("a.py", PY_MORE, [("A", "B"), ("A.f", "B.h"), ("A.g", "B.k")]),
    "nested": ("a.py", PY_DEEP, [("A", "B"), ("A.C", "B.D"), ("A.C.m", "B.D.n")]),
    "TypeScript": ("a.ts", TS, [("A", "B"), ("A.m", "B.n")]),
    "Java": ("a.java", JAVA, [("A", "B"), ("A.m", "B.n")]),
}


@pytest.mark.parametrize("case", CASES)
def test_both_are_told_as_renames(tmp_path: Path, case: str) -> None:
    path, (before, after), expected = CASES[case]
    repo = Sandbox.of(tmp_path / "repo", {path: before.encode()})
    data = scalpel(repo.root, "replace", f"{path}::A", "--code", after, "--rename", "--json").data
    told = [(row["kind"], row["symbol"], row["to"]) for row in data["intents"]]
    assert told == [("rename", *names) for names in expected]


def test_a_body_that_mentions_its_own_name(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"def f(n):\n    return f(n - 1)\n"})
    patch = (
        "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-def f(n):\n-    return f(n - 1)\n"
        "+def g(n):\n+    return g(n - 1)\n"
    )
    told = scalpel(repo.root, "apply", "-", "--json", stdin=patch).data["intents"]
    assert told == [{"kind": "rename", "symbol": "f", "path": "a.py", "to": "g"}]


def test_another_body_is_another_definition(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"class A:\n    def m(self):\n        return 1\n"})
    patch = (
        "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n-class A:\n-    def m(self):\n-        return 1\n"
        "+class B:\n+    def n(self):\n+        return 2\n"
    )
    intents = scalpel(repo.root, "apply", "-", "--json", stdin=patch).data["intents"]
    assert {row["kind"] for row in intents} == {"delete", "add"}
