"""Commit message of a changeset without a message."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitscalpel import Repository, changeset
from gitscalpel.transaction.change import describe_steps
from gitscalpel.transaction.summary import describe_outcome
from tests.edit.editing import apply_changeset
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
def test_message_names_the_changed_symbol(op: dict[str, str], message: str) -> None:
    assert describe_steps(describe_outcome(apply_changeset(BEFORE, op))) == message


def test_definition_moved_to_another_file_is_one_intent(tmp_path: Path) -> None:
    files = {"a.py": b"def f():\n    return 1\n\n\nx = 1\n", "b.py": b"y = 1\n"}
    repo = Sandbox.of(tmp_path / "moved", files)
    deletion = {"op": "delete", "path": "a.py", "symbol": "f"}
    insertion = {"op": "insert", "path": "b.py", "position": "last", "code": "def f():\n    return 1"}
    changed_insertion = {**insertion, "code": "def f():\n    return 2"}
    with Repository(repo.root) as opened:
        moved = opened.apply(changeset(deletion, insertion), dry_run=True).facts.intents
        separate = opened.apply(changeset(deletion, changed_insertion), dry_run=True).facts.intents
        move = opened.apply(
            changeset({"op": "move", "path": "a.py", "symbol": "f", "to_path": "b.py"}), dry_run=True
        ).facts.intents
    assert [(row.kind, row.symbol, row.path, row.to) for row in moved] == [("move", "f", "a.py", "b.py::f")]
    assert move == moved
    assert [row.kind for row in separate] == ["delete", "add"]
