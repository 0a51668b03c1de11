"""Comparison of a command's output before and after a change finds the new failures."""

from __future__ import annotations

import pytest

from gitscalpel.gates import command_verdict

FILES = {"a.py", "b.py", "t.py", "a.ts"}


def find_new_failures(before: str, after: str) -> list[str]:
    """Return the messages of failures that ``after`` has and ``before`` has not."""
    read = [
        (
            *command_verdict.find_locations(out, FILES.__contains__),
            *command_verdict.find_unlocated(out, FILES.__contains__),
        )
        for out in (before, after)
    ]
    return [failure.finding.message for failure in command_verdict.new_failures(read[1], read[0])]


OTHER = {
    "pytest": ("FAILED t.py::test_v1", "FAILED t.py::test_v2"),
    "pytest, with a reason": ("FAILED t.py::test_v1 - assert 0", "FAILED t.py::test_v2 - assert 0"),
    "pytest, by a parameter": ("FAILED t.py::test[a - 1]", "FAILED t.py::test[a - 2]"),
    "pytest, by a parameter that is a time": ("FAILED t.py::test[(3 s)]", "FAILED t.py::test[(4 s)]"),
    "go": ("--- FAIL: TestV1 (0.00s)", "--- FAIL: TestV2 (0.00s)"),
    "go, within another": ("    --- FAIL: Test/line_1 (0.00s)", "    --- FAIL: Test/line_2 (0.00s)"),
    "TAP": ("not ok 1 - waits 1 s", "not ok 1 - waits 2 s"),
    "node": ("✖ waits 1 s (1.2ms)", "✖ waits 2 s (1.2ms)"),
    "in a form of its own": ("FAIL: line 1", "FAIL: line 2"),
    "unittest": ("FAIL: test_v1 (t.T)", "FAIL: test_v2 (t.T)"),
    "a linter's code": ("a.py:1:1: E501 too long", "a.py:1:1: E502 too long"),
    "a name": ("a.py:1: error: no x1", "a.py:1: error: no x2"),
    "a value": ("a.py:1: error: int32 is no int16", "a.py:1: error: int32 is no int64"),
    "another file": ("a.py:1: error: no", "b.py:1: error: no"),
    "a second one": ("FAILED t.py::test_v1", "FAILED t.py::test_v1\na.py:3: error: no"),
    "worse": ("a.py:1: error: no", "a.py:1: error: no\na.py:2: error: no"),
}


@pytest.mark.parametrize(("before", "after"), OTHER.values(), ids=OTHER)
def test_different_failure_is_new(before: str, after: str) -> None:
    assert len(find_new_failures(before, after)) == 1
    assert find_new_failures(after, after) == []


SAME = {
    "in another line": ("a.py:1:5: error: no", "a.py:20:1: error: no"),
    "in another line, by tsc": ("a.ts(1,5): error TS1: no", "a.ts(20,1): error TS1: no"),
    "about another line": ("a.py:1: x again, first in line 3", "a.py:2: x again, first in line 4"),
    "about lines": ("a.py:1: as lines 3-9", "a.py:2: as lines 13-19"),
    "about a place": ("a.py:1: error: x again, see b.py:3:1", "a.py:1: error: x again, see b.py:4:1"),
    "about a place in a form of its own": ("Error: no (/x/b.py:3:1)", "Error: no (/x/b.py:4:1)"),
    "with a traceback": ('File "b.py", line 3: Error', 'File "b.py", line 4: Error'),
    "after another time": ("FAIL: test_v1 (3 ms)", "FAIL: test_v1 (14.5 ms)"),
    "after another time, by nextest": ("FAIL [   0.005s] c t1", "FAIL [  10.005s] c t1"),
    "of something elsewhere in memory": ("FAIL: <A at 0x7f00aa10>", "FAIL: <A at 0x7f00aa20>"),
    "for other numbers": ("FAILED t.py::test_v1 - assert 1 == 2", "FAILED t.py::test_v1 - assert 1 == 3"),
    "numbered otherwise": ("not ok 1 - adds", "not ok 2 - adds"),
    "after another time, by TAP": ("not ok 1 - adds # time=1ms", "not ok 1 - adds # time=2ms"),
}


@pytest.mark.parametrize(("before", "after"), SAME.values(), ids=SAME)
def test_moved_failure_is_not_new(before: str, after: str) -> None:
    assert find_new_failures(before, after) == []
    assert find_new_failures("", after) != []
