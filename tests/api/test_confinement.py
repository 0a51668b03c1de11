"""A session confined to some paths changes no other file by any operation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gitscalpel import NotAllowed, Repository, ScalpelError
from gitscalpel.git.refs import TX
from tests.sandbox import Sandbox

MINE, YOURS = "src/a/mine.py", "src/b/yours.py"
CODE = "def f():\n    return 1\n"
OTHER = "def f():\n    return 2\n"
PATCH = f"--- a/{YOURS}\n+++ b/{YOURS}\n@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    return 2\n"

Attempt = Callable[[], object]
Scenario = Callable[[Repository, Repository], Attempt]
"""Prepares as an unconfined session, and returns the attempt of the confined session."""
CHANGE = {"op": "text", "path": YOURS, "old": "1", "new": "2"}
ALLOWED = {"op": "text", "path": MINE, "old": "1", "new": "2"}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    files = {
        MINE: CODE.encode(),
        YOURS: CODE.encode(),
        "src/b/user.py": b"from src.b.yours import f\n\nf()\n",
    }
    return Sandbox.of(tmp_path / "repo", files)


def _edit(*operations: dict[str, Any], onto: str | None = None) -> Scenario:
    return lambda confined, _: lambda: confined.edit(*operations, onto=onto)


def _on_open_transaction(act: Callable[[Repository, str], object]) -> Scenario:
    """Return a scenario that acts on an open transaction of another session."""

    def prepare(confined: Repository, other: Repository) -> Attempt:
        transaction = other.begin("Theirs")
        transaction.edit(CHANGE)
        return lambda: act(confined, transaction.id)

    return prepare


def _on_operation(act: Callable[[Repository, str], object], onto: str | None = None) -> Scenario:
    """Return a scenario that acts on a landing or checkout edit of another session."""

    def prepare(confined: Repository, other: Repository) -> Attempt:
        operation = other.edit(CHANGE, onto=onto)
        return lambda: act(confined, str(operation.tx))

    return prepare


def _redo(confined: Repository, other: Repository) -> Attempt:
    other.edit(CHANGE)
    other.undo()
    return confined.redo


def _revert(confined: Repository, other: Repository) -> Attempt:
    operation = other.edit(CHANGE)
    other.edit(ALLOWED)
    return lambda: confined.undo(operation.tx)


def _restore(confined: Repository, other: Repository) -> Attempt:
    snapshot = other.snapshot("before")
    other.edit(CHANGE, onto="@checkout")
    return lambda: confined.restore(snapshot.id)


def _adopt(confined: Repository, other: Repository) -> Attempt:
    assert other.root is not None
    (other.root / YOURS).write_text(OTHER)
    return lambda: confined.begin("Mine", adopt=[YOURS]).land()


def _stage_manual_edit(confined: Repository, _: Repository) -> Attempt:
    tx = confined.begin("Mine")
    (tx.worktree() / YOURS).write_text(OTHER)

    def attempt() -> object:
        tx.stage()
        return tx.land()

    return attempt


def _run(confined: Repository, _: Repository) -> Attempt:
    tx = confined.begin("Mine")

    def attempt() -> object:
        tx.run("sh", "-c", f"echo 'f = 1' > {YOURS}")
        return tx.land()

    return attempt


def _add_to_transaction(confined: Repository, _: Repository) -> Attempt:
    tx = confined.begin("Mine")
    tx.edit(ALLOWED)

    def attempt() -> object:
        tx.edit(CHANGE)
        return tx.land()

    return attempt


def _queue(confined: Repository, other: Repository) -> Attempt:
    transaction = other.begin("Theirs")
    transaction.edit(CHANGE)

    def attempt() -> None:
        for stayed in confined.queue(transaction.id).stayed:
            raise stayed.error

    return attempt


SCENARIOS: dict[str, Scenario] = {
    "text": _edit(CHANGE),
    "text, in the checkout": _edit(CHANGE, onto="@checkout"),
    "replace": _edit({"op": "replace", "path": YOURS, "symbol": "f", "code": OTHER}),
    "lines": _edit({"op": "lines", "path": YOURS, "start": 2, "end": 2, "code": "    return 2\n"}),
    "insert": _edit({"op": "insert", "path": YOURS, "symbol": "f", "position": "after", "code": "x = 1"}),
    "signature": _edit({"op": "signature", "path": YOURS, "symbol": "f", "code": "def f(x=1):"}),
    "delete": _edit({"op": "delete", "path": "src/b/user.py", "start": 3}),
    "write over": _edit({"op": "write", "path": YOURS, "content": OTHER, "overwrite": True}),
    "write": _edit({"op": "write", "path": "new.py", "content": OTHER}),
    "write, with ..": _edit({"op": "write", "path": "src/a/../b/new.py", "content": OTHER}),
    "write, in upper case": _edit({"op": "write", "path": "SRC/B/new.py", "content": OTHER}),
    "remove": _edit({"op": "remove", "path": YOURS}),
    "move in": _edit({"op": "move_file", "path": YOURS, "to": "src/a/theirs.py"}),
    "move out": _edit({"op": "move_file", "path": MINE, "to": "src/b/mine.py"}),
    "copy out": _edit({"op": "copy_file", "path": MINE, "to": "src/b/mine.py"}),
    "a patch": _edit({"op": "patch", "diff": PATCH}),
    "rename, with references outside": _edit({"op": "rename", "path": YOURS, "symbol": "f", "to": "g"}),
    "one of several": _edit(ALLOWED, CHANGE),
    "the policy": _edit({"op": "write", "path": ".gitscalpel.toml", "content": "[gates]\nsyntax = false\n"}),
    "added to an own transaction": _add_to_transaction,
    "added to another's": _on_open_transaction(lambda confined, tx: confined.transaction(tx).edit(ALLOWED)),
    "landing another's": _on_open_transaction(lambda confined, tx: confined.transaction(tx).land()),
    "dropping another's": _on_open_transaction(lambda confined, tx: confined.transaction(tx).drop()),
    "rewording another's": _on_open_transaction(lambda confined, tx: confined.transaction(tx).reword("Mine")),
    "approving another's": _on_open_transaction(lambda confined, tx: confined.transaction(tx).approve()),
    "rejecting another's": _on_open_transaction(lambda confined, tx: confined.transaction(tx).reject("no")),
    "queueing another's": _queue,
    "undoing another's": _on_operation(lambda confined, tx: confined.undo(tx)),
    "undoing another's, in the checkout": _on_operation(
        lambda confined, tx: confined.undo(tx, onto="@checkout"), "@checkout"
    ),
    "undoing another's, under later work": _revert,
    "redoing another's": _redo,
    "restoring a snapshot": _restore,
    "adopting uncommitted work": _adopt,
    "by hand in a worktree": _stage_manual_edit,
    "by a command": _run,
}


def _state(repo: Sandbox, name: str) -> dict[str, object]:
    """Return the files of the checkout, the tree of the branch, and the transactions of the other session."""
    files: dict[str, object] = {
        str(path): path.read_bytes() for path in repo.root.rglob("*.*") if ".git" not in path.parts
    }
    refs = repo.git("for-each-ref", TX) if "another's" in name else ""
    return {**files, "branch": repo.git("ls-tree", "-r", "main"), "theirs": refs}


@pytest.mark.parametrize("name", SCENARIOS)
def test_confined_session_cannot_change_other_paths(repo: Sandbox, name: str) -> None:
    with Repository(repo.root, within=["src/a/**"]) as confined, Repository(repo.root) as other:
        attempt = SCENARIOS[name](confined, other)
        before = _state(repo, name)
        with pytest.raises(NotAllowed) as caught:
            attempt()
    assert caught.value.code == "policy_denied"
    assert _state(repo, name) == before


@pytest.mark.parametrize("name", SCENARIOS)
def test_unconfined_session_can_do_the_same(repo: Sandbox, name: str) -> None:
    """The errors above come from the paths. Only approval fails here, because authors cannot approve."""
    with Repository(repo.root) as session, Repository(repo.root) as other:
        attempt = SCENARIOS[name](session, other)
        if name == "approving another's":
            with pytest.raises(ScalpelError) as caught:
                attempt()
            assert caught.value.code == "invalid_args"
        else:
            attempt()


@pytest.mark.parametrize("onto", [None, "@checkout"])
def test_confined_session_edits_and_undoes_its_paths(repo: Sandbox, onto: str | None) -> None:
    with Repository(repo.root, within=["src/a/**"]) as confined:
        confined.edit(ALLOWED, onto=onto)
        assert (repo.root / MINE).read_text() == OTHER
        confined.undo(onto=onto)
        assert (repo.root / MINE).read_text() == CODE
        confined.redo(onto=onto)
        assert (repo.root / MINE).read_text() == OTHER
