"""Who is confined to some paths changes no other file, on whichever road."""

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

Deed = Callable[[], object]
Way = Callable[[Repository, Repository], Deed]
"""What another one, who is not confined, has done before; and what the confined one does then."""
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


def _edit(*operations: dict[str, Any], onto: str | None = None) -> Way:
    return lambda me, _: lambda: me.edit(*operations, onto=onto)


def _to_open(then: Callable[[Repository, str], object]) -> Way:
    """Something is done to another one's open transaction."""

    def way(me: Repository, you: Repository) -> Deed:
        theirs = you.begin("Theirs")
        theirs.edit(CHANGE)
        return lambda: then(me, theirs.id)

    return way


def _to_done(then: Callable[[Repository, str], object], onto: str | None = None) -> Way:
    """Something is done to what another one has landed, or edited in the checkout."""

    def way(me: Repository, you: Repository) -> Deed:
        done = you.edit(CHANGE, onto=onto)
        return lambda: then(me, str(done.tx))

    return way


def _redone(me: Repository, you: Repository) -> Deed:
    you.edit(CHANGE)
    you.undo()
    return me.redo


def _reverted(me: Repository, you: Repository) -> Deed:
    done = you.edit(CHANGE)
    you.edit(ALLOWED)
    return lambda: me.undo(done.tx)


def _restored(me: Repository, you: Repository) -> Deed:
    taken = you.snapshot("before")
    you.edit(CHANGE, onto="@checkout")
    return lambda: me.restore(taken.id)


def _adopted(me: Repository, you: Repository) -> Deed:
    assert you.root is not None
    (you.root / YOURS).write_text(OTHER)
    return lambda: me.begin("Mine", adopt=[YOURS]).land()


def _staged(me: Repository, _: Repository) -> Deed:
    tx = me.begin("Mine")
    (tx.worktree() / YOURS).write_text(OTHER)

    def deed() -> object:
        tx.stage()
        return tx.land()

    return deed


def _run(me: Repository, _: Repository) -> Deed:
    tx = me.begin("Mine")

    def deed() -> object:
        tx.run("sh", "-c", f"echo 'f = 1' > {YOURS}")
        return tx.land()

    return deed


def _added(me: Repository, _: Repository) -> Deed:
    tx = me.begin("Mine")
    tx.edit(ALLOWED)

    def deed() -> object:
        tx.edit(CHANGE)
        return tx.land()

    return deed


def _queued(me: Repository, you: Repository) -> Deed:
    theirs = you.begin("Theirs")
    theirs.edit(CHANGE)

    def deed() -> None:
        for stayed in me.queue(theirs.id).stayed:
            raise stayed.error

    return deed


WAYS: dict[str, Way] = {
    "text": _edit(CHANGE),
    "text, in the checkout": _edit(CHANGE, onto="@checkout"),
    "replace": _edit({"op": "replace", "path": YOURS, "symbol": "f", "code": OTHER}),
    "lines": _edit({"op": "lines", "path": YOURS, "start": 2, "end": 2, "code": "    return 2\n"}),
    "insert": _edit({"op": "insert", "path": YOURS, "symbol": "f", "position": "after", "code": "x = 1"}),
    "signature": _edit({"op": "signature", "path": YOURS, "symbol": "f", "code": "def f(x=1):"}),
    "delete": _edit({"op": "delete", "path": "src/b/user.py", "start": 3}),
    "write over": _edit({"op": "write", "path": YOURS, "content": OTHER, "overwrite": True}),
    "write": _edit({"op": "write", "path": "new.py", "content": OTHER}),
    "write, a dot in between": _edit({"op": "write", "path": "src/a/../b/new.py", "content": OTHER}),
    "write, in other letters": _edit({"op": "write", "path": "SRC/B/new.py", "content": OTHER}),
    "remove": _edit({"op": "remove", "path": YOURS}),
    "move in": _edit({"op": "move_file", "path": YOURS, "to": "src/a/theirs.py"}),
    "move out": _edit({"op": "move_file", "path": MINE, "to": "src/b/mine.py"}),
    "copy out": _edit({"op": "copy_file", "path": MINE, "to": "src/b/mine.py"}),
    "a patch": _edit({"op": "patch", "diff": PATCH}),
    "rename, whose uses are there": _edit({"op": "rename", "path": YOURS, "symbol": "f", "to": "g"}),
    "one of several": _edit(ALLOWED, CHANGE),
    "the rules": _edit({"op": "write", "path": ".gitscalpel.toml", "content": "[gates]\nsyntax = false\n"}),
    "added to an own transaction": _added,
    "added to another's": _to_open(lambda me, tx: me.transaction(tx).edit(ALLOWED)),
    "landing another's": _to_open(lambda me, tx: me.transaction(tx).land()),
    "dropping another's": _to_open(lambda me, tx: me.transaction(tx).drop()),
    "rewording another's": _to_open(lambda me, tx: me.transaction(tx).reword("Mine")),
    "approving another's": _to_open(lambda me, tx: me.transaction(tx).approve()),
    "rejecting another's": _to_open(lambda me, tx: me.transaction(tx).reject("no")),
    "queueing another's": _queued,
    "undoing another's": _to_done(lambda me, tx: me.undo(tx)),
    "undoing another's, in the checkout": _to_done(lambda me, tx: me.undo(tx, onto="@checkout"), "@checkout"),
    "undoing another's, under later work": _reverted,
    "redoing another's": _redone,
    "restoring a snapshot": _restored,
    "adopting what is uncommitted": _adopted,
    "by hand in a worktree": _staged,
    "by a command": _run,
}


def _state(repo: Sandbox, name: str) -> dict[str, object]:
    """What stands in the checkout, on the branch, and in another one's transaction."""
    files: dict[str, object] = {
        str(path): path.read_bytes() for path in repo.root.rglob("*.*") if ".git" not in path.parts
    }
    theirs = repo.git("for-each-ref", TX) if "another's" in name else ""
    return {**files, "branch": repo.git("ls-tree", "-r", "main"), "theirs": theirs}


@pytest.mark.parametrize("name", WAYS)
def test_no_way_leads_out(repo: Sandbox, name: str) -> None:
    with Repository(repo.root, within=["src/a/**"]) as me, Repository(repo.root) as you:
        deed = WAYS[name](me, you)
        before = _state(repo, name)
        with pytest.raises(NotAllowed) as refused:
            deed()
    assert refused.value.code == "policy_denied"
    assert _state(repo, name) == before


@pytest.mark.parametrize("name", WAYS)
def test_all_of_them_are_open_to_who_is_not_confined(repo: Sandbox, name: str) -> None:
    """What is refused above is refused for the paths; but nobody approves of what is his own."""
    with Repository(repo.root) as me, Repository(repo.root) as you:
        deed = WAYS[name](me, you)
        if name == "approving another's":
            with pytest.raises(ScalpelError) as refused:
                deed()
            assert refused.value.code == "invalid_args"
        else:
            deed()


@pytest.mark.parametrize("onto", [None, "@checkout"])
def test_what_is_inside_is_edited_landed_and_undone(repo: Sandbox, onto: str | None) -> None:
    with Repository(repo.root, within=["src/a/**"]) as me:
        me.edit(ALLOWED, onto=onto)
        assert (repo.root / MINE).read_text() == OTHER
        me.undo(onto=onto)
        assert (repo.root / MINE).read_text() == CODE
        me.redo(onto=onto)
        assert (repo.root / MINE).read_text() == OTHER
