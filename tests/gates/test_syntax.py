"""A file that parsed must still parse; one that was broken must not become worse."""

from __future__ import annotations

import pytest

from gitscalpel.gates.syntax import judge
from tests.edit.editing import Op, outcome


@pytest.mark.parametrize(
    ("before", "old", "new", "status"),
    [
        ("x = 1\n", "1", "2", "passed"),
        ("x = 1\n", "1", "(", "failed"),
        ("x = (\n", "x", "y", "passed"),  # as broken as before
        ("x = (\n", "(", "1", "passed"),  # mended
        ("def f(:\n    pass\nx = 1\n", "1", "(", "failed"),  # worse
        ("def f():\n    pass\n", "pass", "# nothing", "failed"),
    ],
)
def test_python(before: str, old: str, new: str, status: str) -> None:
    assert judge(outcome(before, {"op": "text", "old": old, "new": new})).status == status


@pytest.mark.parametrize(
    ("op", "status"),
    [
        ({"op": "write", "path": "new.py", "content": "x = ("}, "failed"),
        ({"op": "write", "path": "new.txt", "content": "x = ("}, "passed"),
        ({"op": "write", "path": "run", "content": "#!/usr/bin/python\nx = ("}, "failed"),
        ({"op": "remove", "path": "a.py"}, "passed"),
    ],
)
def test_whole_files(op: Op, status: str) -> None:
    assert judge(outcome({"a.py": "x = 1\n"}, op)).status == status


def test_several_operations_are_judged_together() -> None:
    ops = [{"op": "lines", "start": 1, "code": "x = ("}, {"op": "lines", "start": 2, "code": ")"}]
    assert judge(outcome("x = 1\ny = 2\n", *ops)).status == "passed"


def test_the_finding_says_where() -> None:
    verdict = judge(outcome("a = 1\nx = 1\n", {"op": "text", "old": "x = 1", "new": "x = )"}))
    assert [(f.path, f.line, f.severity) for f in verdict.findings] == [("a.py", 2, "error")]
    assert verdict.error is not None
    assert (verdict.error.code, verdict.error.op) == ("syntax_error", 0)
