"""Which diagnostics are new: two texts, and what is said of them by the word that stands there."""

from __future__ import annotations

import re

import pytest

from gitscalpel.gates import diagnostics
from gitscalpel.gates.diagnostics import Diagnostic, Severity


def said(path: str, text: str) -> list[Diagnostic]:
    """A complaint of each ``bad``, and a warning of each ``odd``, which name the line and a number."""
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


def new(before: str, after: str, *, path: str = "a.py", origin: str = "a.py") -> list[int]:
    """The lines of what ``after`` complains of and ``before`` does not."""
    texts = {origin: before.encode()}.get, {path: after.encode()}.get
    origins = {path: origin} if path != origin else {}
    return [
        each.line for each in diagnostics.find_new(said(path, after), said(origin, before), texts, origins)
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
def test_what_is_new(name: str) -> None:
    before, after, expected = CASES[name]
    assert new(before, after) == expected


def test_a_file_that_was_renamed_takes_its_faults_along() -> None:
    assert new("bad x", "1\nbad x", path="b.py", origin="a.py") == []
    assert new("bad x", "bad y z\n1\nbad x\nbad x", path="b.py", origin="a.py") == [1, 4]


def test_one_file_does_not_excuse_another() -> None:
    after = [*said("a.py", "bad"), *said("b.py", "bad")]
    texts = {"a.py": b"bad"}.get, {"a.py": b"bad", "b.py": b"bad"}.get
    assert [each.path for each in diagnostics.find_new(after, said("a.py", "bad"), texts, {})] == ["b.py"]


def test_what_has_no_file_is_told_by_its_words() -> None:
    before = [Diagnostic(path="", line=3, message="x.h:3: no")]
    after = [*before, Diagnostic(path="", line=3, message="y.h:3: no")]
    nothing = dict[str, bytes]().get
    assert [each.message for each in diagnostics.find_new(after, before, (nothing, nothing), {})] == [
        "y.h:3: no"
    ]
