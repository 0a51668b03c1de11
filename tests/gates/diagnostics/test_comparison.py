"""Comparison of the diagnostics of two texts finds the new ones."""

from __future__ import annotations

import re

import pytest

from gitscalpel.gates import diagnostics
from gitscalpel.gates.diagnostics import Diagnostic, Severity


def make_diagnostics(path: str, text: str) -> list[Diagnostic]:
    """Return an error for each ``bad`` and a warning for each ``odd``; messages name the line."""
    severities: dict[str, Severity] = {"bad": "error", "odd": "warning"}
    return [
        Diagnostic(
            path=path,
            line=number,
            message=f"{found[0]}: see line {number}",
            severity=severities[found[1]],
            rule="r",
        )
        for number, line in enumerate(text.split("\n"), 1)
        for found in re.finditer(r"(bad|odd)\d*", line)
    ]


def find_new_lines(before: str, after: str, *, path: str = "a.py", origin: str = "a.py") -> list[int]:
    """Return the lines of diagnostics that ``after`` has and ``before`` has not."""
    texts = {origin: before.encode()}.get, {path: after.encode()}.get
    origins = {path: origin} if path != origin else {}
    return [
        each.line
        for each in diagnostics.find_new(
            make_diagnostics(path, after), make_diagnostics(origin, before), texts, origins
        )
    ]


CASES: dict[str, tuple[str, str, list[int]]] = {
    "nothing": ("bad", "bad", []),
    "the first": ("", "x\nbad", [2]),
    "moved down": ("x\nbad", "1\n2\n3\nx\nbad", []),
    "moved up, past another": ("1\nbad x\nbad y", "bad y\n1\nbad x", []),
    "indented": ("bad x", "if y:\n    bad x", []),
    "a second of the same text": ("bad x\n1", "bad x\n1\nbad x", [3]),
    "one of two is gone": ("bad x\nbad x", "bad x", []),
    "twice in a line": ("bad bad", "bad bad bad", [1]),
    "of another text": ("bad x\n1\n2\n3", "1\n2\n3\nbad y", [4]),
    "in a line that was changed": ("1\nbad x\n2", "1\nbad y\n2", []),
    "in a line that was changed, and another beside it": ("1\nbad x\n2", "1\nbad y\nbad z\n2", [3]),
    "another message": ("bad1", "bad2", [1]),
    "worse": ("odd x", "bad x", [1]),
    "a warning": ("", "odd", [1]),
}


@pytest.mark.parametrize("name", CASES)
def test_new_diagnostics_are_found(name: str) -> None:
    before, after, expected = CASES[name]
    assert find_new_lines(before, after) == expected


def test_renamed_file_keeps_its_old_diagnostics() -> None:
    assert find_new_lines("bad x", "1\nbad x", path="b.py", origin="a.py") == []
    assert find_new_lines("bad x", "bad y z\n1\nbad x\nbad x", path="b.py", origin="a.py") == [1, 4]


def test_diagnostics_are_compared_per_file() -> None:
    after = [*make_diagnostics("a.py", "bad"), *make_diagnostics("b.py", "bad")]
    texts = {"a.py": b"bad"}.get, {"a.py": b"bad", "b.py": b"bad"}.get
    assert [
        each.path for each in diagnostics.find_new(after, make_diagnostics("a.py", "bad"), texts, {})
    ] == ["b.py"]


def test_diagnostics_without_a_file_are_compared_by_message() -> None:
    before = [Diagnostic(path="", line=3, message="x.h:3: no")]
    after = [*before, Diagnostic(path="", line=3, message="y.h:3: no")]
    no_files = dict[str, bytes]().get
    assert [each.message for each in diagnostics.find_new(after, before, (no_files, no_files), {})] == [
        "y.h:3: no"
    ]
