"""The commit message of a changeset that came without one."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitscalpel import Repository, changeset
from gitscalpel.transaction.change import describe_steps as written
from gitscalpel.transaction.summary import describe_outcome
from tests.edit.editing import outcome
from tests.sandbox import Sandbox

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
    assert written(describe_outcome(outcome(BEFORE, op))) == message


def test_a_definition_that_goes_to_another_file_is_one_move(tmp_path: Path) -> None:
    files = {"a.py": b"def f():\n    return 1\n\n\nx = 1\n", "b.py": b"y = 1\n"}
    repo = Sandbox.of(tmp_path / "moved", files)
    gone = {"op": "delete", "path": "a.py", "symbol": "f"}
    new = {"op": "insert", "path": "b.py", "position": "last", "code": "def f():\n    return 1"}
    other = {**new, "code": "def f():\n    return 2"}
    with Repository(repo.root) as opened:
        moved = opened.apply(changeset(gone, new), dry_run=True).facts.intents
        apart = opened.apply(changeset(gone, other), dry_run=True).facts.intents
        asked = opened.apply(
            changeset({"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py"}), dry_run=True
        ).facts.intents
    assert [(row.kind, row.symbol, row.path, row.to) for row in moved] == [("move", "f", "a.py", "b.py::f")]
    assert asked == moved
    assert [row.kind for row in apart] == ["delete", "add"]
