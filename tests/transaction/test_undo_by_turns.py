"""Several agents take turns on one branch, and each takes back and makes again what it has landed."""

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


def by(agent: str, repo: Sandbox, *arguments: str) -> Answer:
    return scalpel(repo.root, *arguments, "--json", env={"SCALPEL_AGENT": agent})


def landed(agent: str, repo: Sandbox, target: str, value: int, *options: str) -> str:
    """Replace a function as an agent; the transaction."""
    code = f"def {target[-1]}():\n    return {value}"
    return str(by(agent, repo, "replace", target, "--code", code, *options).data["tx"])


def test_a_bare_undo_takes_back_the_own_landing_under_those_of_others(repo: Sandbox) -> None:
    first = landed("one", repo, "a.py::f", 1)
    landed("two", repo, "b.py::h", 1)
    theirs = repo.files()["b.py"]
    foreseen = by("one", repo, "undo", "--dry-run").data
    assert (foreseen["tx"], foreseen["revert"]) == (first, True)
    done = by("one", repo, "undo").data
    assert (done["tx"], done["revert"], done["landed"]) == (first, True, repo.tip())
    assert repo.files() == {"a.py": FILES["a.py"], "b.py": theirs}
    assert repo.status() == ""


def test_each_walks_back_through_what_it_has_landed_and_forth_again(repo: Sandbox) -> None:
    landed("one", repo, "a.py::f", 1)
    landed("two", repo, "a.py::g", 1)
    landed("one", repo, "a.py::f", 2)
    landed("two", repo, "b.py::h", 1)
    full = repo.files()
    one = [by("one", repo, "undo").data["tx"] for _ in range(2)]
    assert repo.files()["a.py"] == FILES["a.py"].replace(b"g():\n    return 0", b"g():\n    return 1")
    assert by("one", repo, "undo").error["code"] == "nothing_to_undo"
    two = [by("two", repo, "undo").data["tx"] for _ in range(2)]
    assert repo.files() == FILES
    assert [by("one", repo, "redo").data["tx"] for _ in range(2)] == one[::-1]
    assert [by("two", repo, "redo").data["tx"] for _ in range(2)] == two[::-1]
    assert repo.files() == full
    assert by("two", repo, "redo").error["code"] == "nothing_to_undo"


def test_a_landing_of_another_does_not_end_what_can_be_redone(repo: Sandbox) -> None:
    first = landed("one", repo, "a.py::f", 1)
    by("one", repo, "undo").data  # noqa: B018
    landed("two", repo, "b.py::h", 1)
    assert by("one", repo, "redo").data["tx"] == first
    assert repo.files()["a.py"] == FILES["a.py"].replace(b"f():\n    return 0", b"f():\n    return 1")
    by("one", repo, "undo").data  # noqa: B018
    landed("one", repo, "b.py::h", 2)
    assert by("one", repo, "redo").error["code"] == "nothing_to_undo"


def test_another_user_is_another_as_well(repo: Sandbox) -> None:
    first = landed("", repo, "a.py::f", 1)
    bob = {"GIT_COMMITTER_EMAIL": "bob@example.org", "GIT_AUTHOR_EMAIL": "bob@example.org"}
    call = ("text", "b.py", "--old", "0", "--new", "1", "--json")
    theirs = scalpel(repo.root, *call, env=bob).data["tx"]
    assert by("", repo, "undo").data["tx"] == first
    assert scalpel(repo.root, "undo", "--json", env=bob).data["tx"] == theirs
    error = scalpel(repo.root, "undo", "--json", env=bob).error
    assert error["code"] == "nothing_to_undo"


def test_with_nothing_of_its_own_the_last_step_is_named(repo: Sandbox) -> None:
    theirs = landed("one", repo, "a.py::f", 1)
    for options in ((), ("--dry-run",)):
        error = by("two", repo, "undo", *options).error
        assert (error["code"], error["data"]["tx"]) == ("nothing_to_undo", theirs)
        assert f"git scalpel undo {theirs}" in error["hint"]
    assert by("two", repo, "undo", theirs).data["tx"] == theirs
    assert by("one", repo, "undo").error["code"] == "nothing_to_undo"  # it is taken back


def test_edits_of_the_checkout_between_stay(repo: Sandbox) -> None:
    first = landed("one", repo, "a.py::f", 1)
    landed("two", repo, "a.py::g", 5, "--checkout")
    landed("two", repo, "b.py::h", 5, "--checkout")
    assert by("one", repo, "undo").data["tx"] == first
    assert repo.files() == {
        "a.py": FILES["a.py"].replace(b"g():\n    return 0", b"g():\n    return 5"),
        "b.py": FILES["b.py"].replace(b"0", b"5"),
    }
    edited = landed("one", repo, "a.py::f", 7, "--checkout")
    landed("two", repo, "a.py::g", 6, "--checkout")
    assert by("one", repo, "undo").data["tx"] == edited
    assert by("one", repo, "redo").data["tx"] == edited


def test_a_later_landing_in_the_same_lines_is_named(repo: Sandbox) -> None:
    first = landed("one", repo, "a.py::f", 1)
    landed("two", repo, "b.py::h", 1)
    later = landed("two", repo, "a.py::f", 2)
    before = repo.state()
    for options in ((), ("--dry-run",)):
        error = by("one", repo, "undo", *options).error
        assert error["code"] == "merge_conflict"
        assert f"git scalpel undo {later}" in error["hint"]
    assert repo.state() == before
    assert by("one", repo, "undo", later).status == 0
    assert by("one", repo, "undo").data["tx"] == first


def test_a_later_commit_in_the_same_lines_is_shown(repo: Sandbox) -> None:
    landed("one", repo, "a.py::f", 1)
    repo.commit({"a.py": FILES["a.py"].replace(b"f():\n    return 0", b"f():\n    return 9")})
    error = by("one", repo, "undo").error
    assert (error["code"], "git log " in error["hint"]) == ("merge_conflict", True)


def test_a_redo_under_a_landing_in_the_same_lines_names_that(repo: Sandbox) -> None:
    landed("one", repo, "a.py::f", 1)
    by("one", repo, "undo").data  # noqa: B018
    later = landed("two", repo, "a.py::f", 2)
    error = by("one", repo, "redo").error
    assert error["code"] == "merge_conflict"
    assert f"git scalpel undo {later}" in error["hint"]
    assert by("two", repo, "undo").status == 0
    assert by("one", repo, "redo").status == 0


def test_on_a_branch_that_is_not_checked_out(repo: Sandbox) -> None:
    repo.git("branch", "other")
    first = landed("one", repo, "a.py::f", 1, "--onto", "other")
    landed("two", repo, "a.py::f", 2, "--onto", "other")
    hint = by("one", repo, "undo", "--onto", "other").error["hint"]
    assert "--onto other" in hint
    assert by("two", repo, "undo", "--onto", "other").status == 0
    assert by("one", repo, "undo", "--onto", "other").data["tx"] == first


def test_in_python_each_opens_the_repository_for_itself(repo: Sandbox) -> None:
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


def test_rules_that_nobody_can_be_judged_by_stop_an_undo_and_its_dry_run_alike(repo: Sandbox) -> None:
    landed("one", repo, "a.py::f", 1)
    repo.commit({".gitscalpel.toml": b"[gate]\n"})
    for options in ((), ("--dry-run",)):
        assert by("one", repo, "undo", *options).error["code"] == "config_error"
