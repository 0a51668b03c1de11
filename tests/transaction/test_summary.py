"""The commit message of a changeset that came without one."""

from __future__ import annotations

import pytest

from gitscalpel.transaction.stage.summary import steps
from gitscalpel.transaction.stage.trailers import message as written
from tests.edit.editing import outcome

BEFORE = "class A:\n    def f(self):\n        return 1\n"


@pytest.mark.parametrize(
    ("op", "message"),
    [
        ({"op": "replace", "symbol": "f", "code": "def f(self):\n    return 2"}, "Change A.f in a.py"),
        ({"op": "insert", "symbol": "A.f", "code": "def g(self): pass"}, "Add A.g in a.py"),
        ({"op": "text", "old": "return 1", "new": "return 2"}, "Change A.f in a.py"),
    ],
)
def test_it_names_what_was_done(op: dict[str, str], message: str) -> None:
    assert written(steps(outcome(BEFORE, op))) == message
