"""Replacing a definition renames it together with its members."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command import blob, scalpel
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
def test_class_and_members_are_reported_as_renames(tmp_path: Path, case: str) -> None:
    path, (before, after), expected = CASES[case]
    repo = Sandbox.of(tmp_path / "repo", {path: before.encode()})
    data = scalpel(repo.root, "replace", f"{path}::A", "--code", after, "--rename", "--json").data
    renames = [(row["kind"], row["symbol"], row["to"]) for row in data["intents"]]
    assert renames == [("rename", *names) for names in expected]


def test_recursive_function_is_reported_as_rename(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"def f(n):\n    return f(n - 1)\n"})
    patch = (
        "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-def f(n):\n-    return f(n - 1)\n"
        "+def g(n):\n+    return g(n - 1)\n"
    )
    found = scalpel(repo.root, "apply", "-", "--json", stdin=patch).data["intents"]
    assert found == [{"kind": "rename", "symbol": "f", "path": "a.py", "to": "g"}]


def test_class_with_another_body_is_a_new_definition(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"class A:\n    def m(self):\n        return 1\n"})
    patch = (
        "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n-class A:\n-    def m(self):\n-        return 1\n"
        "+class B:\n+    def n(self):\n+        return 2\n"
    )
    list_intents = scalpel(repo.root, "apply", "-", "--json", stdin=patch).data["intents"]
    assert {row["kind"] for row in list_intents} == {"delete", "add"}


def replace_with_rename(
    tmp_path: Path, files: dict[str, str], address: str, code: str, *options: str
) -> dict[str, Any]:
    """Replace a definition with ``--rename``, and return the answer's data."""
    repo = Sandbox.of(tmp_path / "repo", {path: text.encode() for path, text in files.items()})
    answer = scalpel(repo.root, "replace", address, "--code", code, "--rename", "--json", *options)
    data: dict[str, Any] = answer.data
    data["text"] = {path: (repo.root / path).read_text() for path in files if (repo.root / path).exists()}
    return data


def list_intents(data: dict[str, Any]) -> list[tuple[str, ...]]:
    return [
        (row["kind"], row["symbol"], *([row["to"]] if "to" in row else []))
        for row in data["intents"]
        if row["path"].startswith("a.")
    ]


NAMES_ALONE = {
    "method": ("a.py", "class A:\n    def m(self):\n        return 1\n", "A.m", "def n(self):\n    return 1"),
    "function": ("a.py", "def m():\n    return 1\n", "m", "def n():\n    return 1"),
    "TypeScript": ("a.ts", "class A {\n  m() {\n    return 1;\n  }\n}\n", "A.m", "n() {\n  return 1;\n}"),
    "Go": ("a.go", "package a\n\nfunc m() int {\n\treturn 1\n}\n", "m", "func n() int {\n\treturn 1\n}"),
}


@pytest.mark.parametrize("case", NAMES_ALONE)
def test_change_of_the_name_alone_is_a_rename(tmp_path: Path, case: str) -> None:
    path, text, symbol, code = NAMES_ALONE[case]
    data = replace_with_rename(tmp_path, {path: text}, f"{path}::{symbol}", code)
    assert list_intents(data) == [("rename", symbol, f"{symbol[:-1]}n")]
    assert data["text"][path] == text.replace("m()", "n()").replace("m(self)", "n(self)")


def test_rename_in_a_changeset_with_other_edits(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"def f():\n    return 1\n\n\nx = f()\n"})
    ops = [
        {"op": "replace", "path": "a.py", "symbol": "f", "rename": True, "code": "def g():\n    return 1\n"},
        {"op": "replace", "path": "a.py", "symbol": "g", "code": "def g():\n    return 2\n"},
    ]
    data = scalpel(repo.root, "apply", "-", "--json", stdin=json.dumps({"ops": ops})).data
    assert {("rename", "f", "g"), ("body_change", "g")} <= {*list_intents(data)}
    assert blob(repo.root, "HEAD:a.py") == b"def g():\n    return 2\n\n\nx = g()\n"


def test_equal_code_raises_no_change(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"def f():\n    return 1\n"})
    code = "def f():\n    return 1\n"
    refused = scalpel(repo.root, "replace", "a.py::f", "--rename", "--code", code, "--json")
    assert refused.error["code"] == "no_change"


USER = "class User:\n    def save(self):\n        return 0\n\n    def load(self, key):\n        return key\n"
USES = "from a import User\n\n\ndef go(u: User):\n    return u.load(1) + u.save()\n"


def test_uses_follow_renamed_members(tmp_path: Path) -> None:
    code = USER.replace("User", "Person").replace("load", "fetch").replace("return key", "return key + 1")
    data = replace_with_rename(tmp_path, {"a.py": USER, "b.py": USES}, "a.py::User", code)
    assert data["text"] == {"a.py": code, "b.py": USES.replace("User", "Person").replace("load", "fetch")}
    assert list_intents(data) == [
        ("rename", "User", "Person"),
        ("rename", "User.load", "Person.fetch"),
        ("body_change", "Person.fetch"),
    ]
    assert "unchecked" not in data or not data["unchecked"]


def test_uses_follow_renamed_members_of_an_unrenamed_class(tmp_path: Path) -> None:
    code = USER.replace("load", "fetch")
    data = replace_with_rename(tmp_path, {"a.py": USER, "b.py": USES}, "a.py::User", code)
    assert data["text"] == {"a.py": code, "b.py": USES.replace("load", "fetch")}
    assert list_intents(data) == [("rename", "User.load", "User.fetch")]


def test_uses_follow_renamed_typescript_members(tmp_path: Path) -> None:
    text = "export class A {\n  m(x: number) {\n    return x;\n  }\n}\n"
    code = "export class B {\n  n(x: number) {\n    return x + 1;\n  }\n}\n"
    uses = "import { A } from './a';\nexport const y = new A().m(1);\n"
    data = replace_with_rename(tmp_path, {"a.ts": text, "b.ts": uses}, "a.ts::A", code)
    assert data["text"]["b.ts"] == "import { B } from './a';\nexport const y = new B().n(1);\n"
    assert list_intents(data)[:2] == [("rename", "A", "B"), ("rename", "A.m", "B.n")]


def test_unfollowed_member_is_reported(tmp_path: Path) -> None:
    files = {
        "a.py": "class A:\n    def m(self, key):\n        return key\n",
        "b.py": "from a import A\n\n\nclass B(A):\n    def n(self):\n        return A().m(1)\n",
    }
    data = replace_with_rename(
        tmp_path, files, "a.py::A", "class A:\n    def n(self, key):\n        return key + 1"
    )
    unchecked = " ".join(data["unchecked"])
    assert "b.py:6" in unchecked
    assert data["text"]["b.py"] == files["b.py"]


def test_member_with_another_shape_is_a_new_one(tmp_path: Path) -> None:
    code = (
        "class Person:\n    def save(self):\n        return 0\n\n"
        "    def close(self):\n        self.file.close()\n"
    )
    data = replace_with_rename(tmp_path, {"a.py": USER, "b.py": USES}, "a.py::User", code)
    found = list_intents(data)
    assert ("rename", "User", "Person") in found
    assert {("delete", "User.load"), ("add", "Person.close")} <= {*found}
    assert "b.py:5" in " ".join(data["unchecked"])


def test_member_is_reported_as_renamed_without_the_option(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"a.py": USER.encode(), "b.py": USES.encode()})
    code = USER.replace("load", "fetch").replace("return key", "return key + 1")
    data = scalpel(repo.root, "replace", "a.py::User", "--code", code, "--json").data
    assert list_intents(data) == [("rename", "User.load", "User.fetch"), ("body_change", "User.fetch")]
    assert data["unchecked"] == ["b.py:5: User.load is left: it is called User.fetch now"]


def test_java_file_is_renamed_with_its_class(tmp_path: Path) -> None:
    files = {
        "a/User.java": b"package a;\n\npublic class User {\n  int load(int k) { return k; }\n}\n",
        "a/B.java": b"package a;\n\nclass B {\n  int go(User u) { return u.load(1); }\n}\n",
    }
    repo = Sandbox.of(tmp_path / "repo", files)
    code = "public class Person {\n  int fetch(int k) { return k + 1; }\n}"
    data = scalpel(repo.root, "replace", "a/User.java::User", "--rename", "--code", code, "--json").data
    rows = [row for row in data["intents"] if row["path"] == "a/Person.java"]
    assert [(row["kind"], row["symbol"], row.get("to")) for row in rows] == [
        ("rename", "User", "Person"),
        ("rename", "User.load", "Person.fetch"),
        ("body_change", "Person.fetch", None),
    ]
    assert blob(repo.root, "HEAD:a/B.java") == files["a/B.java"].replace(b"User", b"Person").replace(
        b"load", b"fetch"
    )


def test_go_method_follows_its_renamed_type(tmp_path: Path) -> None:
    before = "package a\n\ntype T struct {\n\tn int\n}\n\nfunc (t *T) F(x T) int {\n\treturn t.n\n}\n"
    code = "type U struct {\n\tn int\n\tm int\n}"
    data = replace_with_rename(tmp_path, {"a.go": before}, "a.go::T", code)
    assert list_intents(data) == [("rename", "T", "U"), ("add", "U.m")]
    assert "func (t *U) F(x U) int" in data["text"]["a.go"]


def test_uses_do_not_follow_a_member_with_another_body(tmp_path: Path) -> None:
    code = USER.replace("load", "forget").replace("return key", "self.cache.pop(key).close()")
    data = replace_with_rename(tmp_path, {"a.py": USER, "b.py": USES}, "a.py::User", code)
    assert data["text"]["b.py"] == USES
    assert data["unchecked"] == ["b.py:5: User.load is left: it is called User.forget now"]
