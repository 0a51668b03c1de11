"""A transaction lands while others commit to the same branch at the worst moments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gitscalpel.changesets.requests import Changeset, parse_operations
from gitscalpel.errors import ScalpelError
from gitscalpel.landing import landing
from gitscalpel.transaction import branch_update
from gitscalpel.transaction.branch_update import Landed
from gitscalpel.workspace.workspace import Session, Workspace
from tests.sandbox import Sandbox

BEFORE = b"def f():\n    return 1\n\n\ndef g():\n    return 2\n"
OP = {"op": "replace", "path": "a.py", "symbol": "f", "code": "def f():\n    return 10\n"}


def perform(repo: Sandbox, monkeypatch: pytest.MonkeyPatch, *acts: Callable[[], Any]) -> None:
    """Perform ``OP``, and run one of ``acts`` right before each attempt to land."""
    pending, move = list(acts), branch_update.move

    def act_and_move(*args: Any) -> tuple[Landed, ...]:
        if pending:
            pending.pop(0)()
        return move(*args)

    monkeypatch.setattr(branch_update, "move", act_and_move)
    with Workspace(Session(folder=repo.root)) as ws:
        landing.submit(ws, Changeset(operations=parse_operations([OP])), ws.repo.branch())


def test_change_lands_on_commits_to_other_lines(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit({"a.py": BEFORE})
    elsewhere = lambda: repo.commit({"other.txt": b"x\n"})  # noqa: E731
    other_function = lambda: repo.commit({"a.py": BEFORE.replace(b"return 2", b"return 20")})  # noqa: E731
    perform(repo, monkeypatch, elsewhere, other_function)
    assert repo.files()["a.py"] == b"def f():\n    return 10\n\n\ndef g():\n    return 20\n"
    assert repo.status() == ""
    assert not repo.git("for-each-ref", "refs/scalpel/tx", "refs/scalpel/meta")


def test_change_of_the_same_symbol_is_stale(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit({"a.py": BEFORE})
    elsewhere = lambda: repo.commit({"other.txt": b"x\n"})  # noqa: E731
    same_function = lambda: repo.commit({"a.py": BEFORE.replace(b"return 1", b"return 3")})  # noqa: E731
    with pytest.raises(ScalpelError) as caught:
        perform(repo, monkeypatch, elsewhere, same_function)
    assert caught.value.code == "stale"
    assert repo.files()["a.py"] == BEFORE.replace(b"return 1", b"return 3")
    assert not repo.git("for-each-ref", "refs/scalpel/tx", "refs/scalpel/meta")
