"""Text and line edits over several lines must not change definitions."""

from __future__ import annotations

import pytest

from gitscalpel.gates.structure import judge
from gitscalpel.rules import Structure
from tests.edit.editing import Op, outcome

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
    "lines around a header that stays": {"op": "lines", "start": 1, "end": 2, "code": "def f():\n    a = 3"},
}
REFUSED = {
    "signature": (text("def f():\n    a = 1", "def f(x):\n    a = 1"), "signature"),
    "added": (text("    return 2\n", "    return 2\n\n\ndef h():\n    pass\n"), "insert"),
    "removed": (text("def g():\n    return 2\n", "x()\n"), "delete"),
    "renamed": (text("def g():\n    return 2", "def h():\n    return 2"), "rename"),
    "constant added": (text("    return 2\n", "    return 2\n\n\nx = 1\n"), "insert"),
    "lines": ({"op": "lines", "start": 6, "end": 7, "code": ""}, "delete"),
    "replace by lines": (
        {"op": "replace", "start": 6, "end": 7, "code": "def g(a):\n    return a"},
        "signature",
    ),
    "lines inserted": (
        {"op": "lines", "start": 5, "position": "after", "code": "def h():\n    pass"},
        "insert",
    ),
    "one line that becomes two": (text("def g():", "def h(): pass\ndef g():"), "insert"),
    "regex": (text(r"def g.*", "x()\n", regex=True), "delete"),
}


@pytest.mark.parametrize("op", ALLOWED.values(), ids=ALLOWED)
def test_allowed(op: Op) -> None:
    assert judge(outcome(TWO, op), "block").status == "passed"


@pytest.mark.parametrize(("op", "instead"), REFUSED.values(), ids=REFUSED)
def test_refused_with_the_operation_to_use(op: Op, instead: str) -> None:
    verdict = judge(outcome(TWO, op), "block")
    assert verdict.status == "failed"
    assert verdict.error is not None
    assert (verdict.error.code, verdict.error.op) == ("structural_gate", 0)
    assert instead in verdict.error.hint


def test_arrow_functions_cannot_slip_through() -> None:
    op = text("const f = () => {\n  1\n", "const f = (a) => {\n  2\n")
    assert judge(outcome("const f = () => {\n  1\n};\n", op, path="a.js"), "block").status == "failed"


@pytest.mark.parametrize(("path", "status"), [("a.py", "failed"), ("a.txt", "passed"), ("a.md", "passed")])
def test_only_languages_with_definitions(path: str, status: str) -> None:
    op = text("def g():\n    return 2\n", "x()\n")
    assert judge(outcome(TWO, op, path=path), "block").status == status


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
def test_levels(level: Structure, op: Op, status: str) -> None:
    assert judge(outcome(TWO, op), level).status == status


PATCH = "--- a/a.py\n+++ b/a.py\n@@ -5,3 +5,3 @@\n \n-def g():\n+def g(x):\n     return 2\n"


@pytest.mark.parametrize(("level", "status"), [("block", "passed"), ("strict", "failed")])
def test_unified_diffs_are_exempt_unless_it_is_strict(level: Structure, status: str) -> None:
    verdict = judge(outcome(TWO, text("return a", "return 3"), {"op": "patch", "diff": PATCH}), level)
    assert verdict.status == status
    assert verdict.error is None or verdict.error.op == 1


def test_a_warning_tells_what_would_have_been_refused() -> None:
    (finding,) = judge(outcome(TWO, REFUSED["signature"][0]), "warn").findings
    assert finding.severity == "warning"
    assert "changes the signature of f" in finding.message


def test_every_operation_is_judged() -> None:
    ops = [text("return a", "return 3"), {**REFUSED["removed"][0]}]
    verdict = judge(outcome(TWO, *ops), "block")
    assert verdict.error is not None
    assert verdict.error.op == 1
