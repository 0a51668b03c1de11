"""Several agents land on one branch in turn, and each undoes and redoes its own landings."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitscalpel import Repository, ScalpelError
from tests.command import Answer, scalpel
from tests.sandbox import Sandbox

FILES = {
    "a.py": b"def f():\n    return 0\n\n\ndef g():\n    return 0\n",
    "b.py": b"def h():\n    return 0\n",
}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", FILES)


def run_as(agent: str, repo: Sandbox, *arguments: str) -> Answer:
    return scalpel(repo.root, *arguments, "--json", env={"SCALPEL_AGENT": agent})


def land_function(agent: str, repo: Sandbox, target: str, value: int, *options: str) -> str:
    """Replace a function as an agent, and return the transaction."""
    code = f"def {target[-1]}():\n    return {value}"
    return str(run_as(agent, repo, "replace", target, "--code", code, *options).data["tx"])


def test_undo_reverts_the_own_landing_below_others(repo: Sandbox) -> None:
    first = land_function("one", repo, "a.py::f", 1)
    land_function("two", repo, "b.py::h", 1)
    other_content = repo.files()["b.py"]
    preview = run_as("one", repo, "undo", "--dry-run").data
    assert (preview["tx"], preview["revert"]) == (first, True)
    undone = run_as("one", repo, "undo").data
    assert (undone["tx"], undone["revert"], undone["landed"]) == (first, True, repo.tip())
    assert repo.files() == {"a.py": FILES["a.py"], "b.py": other_content}
    assert repo.status() == ""


def test_each_agent_undoes_and_redoes_its_landings(repo: Sandbox) -> None:
    land_function("one", repo, "a.py::f", 1)
    land_function("two", repo, "a.py::g", 1)
    land_function("one", repo, "a.py::f", 2)
    land_function("two", repo, "b.py::h", 1)
    full = repo.files()
    one = [run_as("one", repo, "undo").data["tx"] for _ in range(2)]
    assert repo.files()["a.py"] == FILES["a.py"].replace(b"g():\n    return 0", b"g():\n    return 1")
    assert run_as("one", repo, "undo").error["code"] == "nothing_to_undo"
    two = [run_as("two", repo, "undo").data["tx"] for _ in range(2)]
    assert repo.files() == FILES
    assert [run_as("one", repo, "redo").data["tx"] for _ in range(2)] == one[::-1]
    assert [run_as("two", repo, "redo").data["tx"] for _ in range(2)] == two[::-1]
    assert repo.files() == full
    assert run_as("two", repo, "redo").error["code"] == "nothing_to_undo"


def test_landing_of_another_agent_keeps_the_redo(repo: Sandbox) -> None:
    first = land_function("one", repo, "a.py::f", 1)
    run_as("one", repo, "undo").data  # noqa: B018
    land_function("two", repo, "b.py::h", 1)
    assert run_as("one", repo, "redo").data["tx"] == first
    assert repo.files()["a.py"] == FILES["a.py"].replace(b"f():\n    return 0", b"f():\n    return 1")
    run_as("one", repo, "undo").data  # noqa: B018
    land_function("one", repo, "b.py::h", 2)
    assert run_as("one", repo, "redo").error["code"] == "nothing_to_undo"


def test_users_undo_their_own_landings(repo: Sandbox) -> None:
    first = land_function("", repo, "a.py::f", 1)
    bob = {"GIT_COMMITTER_EMAIL": "bob@example.org", "GIT_AUTHOR_EMAIL": "bob@example.org"}
    call = ("text", "b.py", "--old", "0", "--new", "1", "--json")
    other_tx = scalpel(repo.root, *call, env=bob).data["tx"]
    assert run_as("", repo, "undo").data["tx"] == first
    assert scalpel(repo.root, "undo", "--json", env=bob).data["tx"] == other_tx
    error = scalpel(repo.root, "undo", "--json", env=bob).error
    assert error["code"] == "nothing_to_undo"


def test_undo_without_own_landings_names_the_last_one(repo: Sandbox) -> None:
    other_tx = land_function("one", repo, "a.py::f", 1)
    for options in ((), ("--dry-run",)):
        error = run_as("two", repo, "undo", *options).error
        assert (error["code"], error["data"]["tx"]) == ("nothing_to_undo", other_tx)
        assert f"git scalpel undo {other_tx}" in error["hint"]
    assert run_as("two", repo, "undo", other_tx).data["tx"] == other_tx
    assert run_as("one", repo, "undo").error["code"] == "nothing_to_undo"  # it is undone already


def test_undo_keeps_checkout_edits(repo: Sandbox) -> None:
    first = land_function("one", repo, "a.py::f", 1)
    land_function("two", repo, "a.py::g", 5, "--checkout")
    land_function("two", repo, "b.py::h", 5, "--checkout")
    assert run_as("one", repo, "undo").data["tx"] == first
    assert repo.files() == {
        "a.py": FILES["a.py"].replace(b"g():\n    return 0", b"g():\n    return 5"),
        "b.py": FILES["b.py"].replace(b"0", b"5"),
    }
    edit_tx = land_function("one", repo, "a.py::f", 7, "--checkout")
    land_function("two", repo, "a.py::g", 6, "--checkout")
    assert run_as("one", repo, "undo").data["tx"] == edit_tx
    assert run_as("one", repo, "redo").data["tx"] == edit_tx


def test_undo_conflict_names_the_later_landing(repo: Sandbox) -> None:
    first = land_function("one", repo, "a.py::f", 1)
    land_function("two", repo, "b.py::h", 1)
    later = land_function("two", repo, "a.py::f", 2)
    before = repo.state()
    for options in ((), ("--dry-run",)):
        error = run_as("one", repo, "undo", *options).error
        assert error["code"] == "merge_conflict"
        assert f"git scalpel undo {later}" in error["hint"]
    assert repo.state() == before
    assert run_as("one", repo, "undo", later).status == 0
    assert run_as("one", repo, "undo").data["tx"] == first


def test_undo_conflict_with_a_commit_shows_git_log(repo: Sandbox) -> None:
    land_function("one", repo, "a.py::f", 1)
    repo.commit({"a.py": FILES["a.py"].replace(b"f():\n    return 0", b"f():\n    return 9")})
    error = run_as("one", repo, "undo").error
    assert (error["code"], "git log " in error["hint"]) == ("merge_conflict", True)


def test_redo_conflict_names_the_later_landing(repo: Sandbox) -> None:
    land_function("one", repo, "a.py::f", 1)
    run_as("one", repo, "undo").data  # noqa: B018
    later = land_function("two", repo, "a.py::f", 2)
    error = run_as("one", repo, "redo").error
    assert error["code"] == "merge_conflict"
    assert f"git scalpel undo {later}" in error["hint"]
    assert run_as("two", repo, "undo").status == 0
    assert run_as("one", repo, "redo").status == 0


def test_undo_on_a_branch_that_is_not_checked_out(repo: Sandbox) -> None:
    repo.git("branch", "other")
    first = land_function("one", repo, "a.py::f", 1, "--onto", "other")
    land_function("two", repo, "a.py::f", 2, "--onto", "other")
    hint = run_as("one", repo, "undo", "--onto", "other").error["hint"]
    assert "--onto other" in hint
    assert run_as("two", repo, "undo", "--onto", "other").status == 0
    assert run_as("one", repo, "undo", "--onto", "other").data["tx"] == first


def test_python_api_undoes_by_agent(repo: Sandbox) -> None:
    with Repository(repo.root, agent="one") as one, Repository(repo.root, agent="two") as two:
        op = {"op": "text", "path": "a.py", "old": "def f():\n    return 0", "new": "def f():\n    return 1"}
        first = one.edit(op).tx
        two.edit({"op": "text", "path": "b.py", "old": "0", "new": "1"})
        assert one.undoing()[0].tx == first
        step = one.undo()
        assert (step.tx, step.revert) == (first, True)
        two.edit({"op": "text", "path": "b.py", "old": "1", "new": "2"})
        assert one.redo().tx == first
        assert one.undo_since(str(first))[0].tx == first
        with pytest.raises(ScalpelError) as caught:
            one.undo()
        assert caught.value.code == "nothing_to_undo"


def test_invalid_policy_stops_undo_and_its_dry_run(repo: Sandbox) -> None:
    land_function("one", repo, "a.py::f", 1)
    repo.commit({".gitscalpel.toml": b"[gate]\n"})
    for options in ((), ("--dry-run",)):
        assert run_as("one", repo, "undo", *options).error["code"] == "config_error"
