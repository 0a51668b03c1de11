"""The tree that lands is byte for byte the tree on which the gate commands ran."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.command import scalpel
from tests.sandbox import Content, Sandbox

_LINES = b"".join(b"line %d\n" % number for number in range(1, 30))
FILES: dict[str, Content] = {"a.txt": _LINES, "b.txt": b"one\n"}


@pytest.fixture
def tested_trees(tmp_path: Path) -> Path:
    """Return the file to which the gate command writes the tree that it found."""
    return tmp_path / "seen"


@pytest.fixture
def repo(tmp_path: Path, tested_trees: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    monkeypatch.setenv("SCALPEL_TRUST", "1")
    sandbox = Sandbox.init(tmp_path / "repo")
    gate_script = tmp_path / "look"
    gate_script.write_text(
        f"#!/bin/sh\nexport GIT_INDEX_FILE={tmp_path}/index\nrm -f $GIT_INDEX_FILE\n"
        f"git add -A && git write-tree >> {tested_trees}\n"
    )
    gate_script.chmod(0o755)
    rules = f'[[gates.command]]\nname = "look"\nrun = "{gate_script}"\n'
    sandbox.commit({**FILES, ".gitscalpel.toml": rules.encode()})
    return sandbox


def stage_text(repo: Sandbox, *words: str) -> str:
    return str(scalpel(repo.root, "text", *words, "--no-land", "--json").data["tx"])


def is_last_tested(repo: Sandbox, tested_trees: Path) -> bool:
    assert repo.status() == ""
    return tested_trees.read_text().split()[-1] == repo.git("rev-parse", "HEAD^{tree}")


def test_edit_lands_the_tested_tree(repo: Sandbox, tested_trees: Path) -> None:
    assert scalpel(repo.root, "text", "b.txt", "--old", "one", "--new", "two").status == 0
    assert is_last_tested(repo, tested_trees)


def test_merge_lands_the_tested_tree(repo: Sandbox, tested_trees: Path) -> None:
    tx = stage_text(repo, "a.txt", "--old", "line 2\n", "--new", "two\n")
    repo.commit({"a.txt": _LINES.replace(b"line 20\n", b"twenty\n"), "c.txt": b"new\n"})
    assert scalpel(repo.root, "land", tx).status == 0
    assert is_last_tested(repo, tested_trees)


def test_batch_lands_the_tested_tree(repo: Sandbox, tested_trees: Path) -> None:
    for number in (2, 12, 22):
        stage_text(repo, "a.txt", "--old", f"line {number}\n", "--new", "changed\n")
    assert len(scalpel(repo.root, "queue", "--json").data["landed"]) == 3
    assert is_last_tested(repo, tested_trees)
    assert len(tested_trees.read_text().split()) == 1


def test_partial_batch_lands_a_tested_tree(repo: Sandbox, tested_trees: Path) -> None:
    (tested_trees.parent / "look").write_text(
        (tested_trees.parent / "look").read_text() + "! grep -q wrong a.txt\n"
    )
    for number, new in ((2, "good"), (12, "wrong"), (22, "good")):
        stage_text(repo, "a.txt", "--old", f"line {number}\n", "--new", f"{new}\n")
    assert len(scalpel(repo.root, "queue", "--json").error["data"]["landed"]) == 2
    assert repo.git("rev-parse", "HEAD^{tree}") in tested_trees.read_text().split()
    assert b"wrong" not in repo.files()["a.txt"]


def test_revert_lands_the_tested_tree(repo: Sandbox, tested_trees: Path) -> None:
    tx = scalpel(repo.root, "text", "a.txt", "--old", "line 2\n", "--new", "two\n", "--json").data["tx"]
    repo.commit({"a.txt": _LINES.replace(b"line 2\n", b"two\n") + b"more\n"})
    assert scalpel(repo.root, "undo", tx).status == 0
    assert is_last_tested(repo, tested_trees)


def test_file_added_by_a_hook_is_tested(repo: Sandbox, tested_trees: Path) -> None:
    hook = repo.root / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\necho of the hook > added.txt\ngit add added.txt\n")
    hook.chmod(0o755)
    assert scalpel(repo.root, "text", "b.txt", "--old", "one", "--new", "two").status == 0
    assert repo.files()["added.txt"] == b"of the hook\n"
    assert is_last_tested(repo, tested_trees)


def test_file_added_by_a_tracked_hook_is_tested(repo: Sandbox, tested_trees: Path) -> None:
    hook = repo.root / ".hooks/pre-commit"
    hook.parent.mkdir()
    hook.write_text("#!/bin/sh\necho of the hook > added.txt\ngit add added.txt\n")
    hook.chmod(0o755)
    repo.commit({})
    repo.git("config", "core.hooksPath", ".hooks")
    assert scalpel(repo.root, "text", "b.txt", "--old", "one", "--new", "two").status == 0
    assert repo.files()["added.txt"] == b"of the hook\n"
    assert is_last_tested(repo, tested_trees)


def test_result_of_a_merge_driver_is_tested(repo: Sandbox, tested_trees: Path) -> None:
    repo.git("config", "merge.mine.driver", "cat %B >> %A; echo of the driver >> %A")
    repo.commit({".gitattributes": b"a.txt merge=mine\n"})
    tx = stage_text(repo, "a.txt", "--old", "line 2\n", "--new", "two\n")
    repo.commit({"a.txt": _LINES.replace(b"line 20\n", b"twenty\n")})
    assert scalpel(repo.root, "land", tx).status == 0
    assert b"of the driver" in repo.files()["a.txt"]
    assert is_last_tested(repo, tested_trees)


def test_change_by_a_gate_command_does_not_land(repo: Sandbox, tested_trees: Path) -> None:
    (tested_trees.parent / "look").write_text("#!/bin/sh\necho more >> a.txt\n")
    error = scalpel(repo.root, "text", "b.txt", "--old", "one", "--new", "two", "--json").error
    assert (error["code"], error["data"]["files"]) == ("gate_failed", ["a.txt"])


@pytest.mark.parametrize("flag", ["--skip-worktree", "--assume-unchanged"])
def test_hidden_change_by_a_gate_command_does_not_land(repo: Sandbox, tested_trees: Path, flag: str) -> None:
    gate_script = tested_trees.parent / "look"
    gate_script.write_text(f"#!/bin/sh\ngit update-index {flag} a.txt && echo more >> a.txt\n")
    edit = ("text", "b.txt", "--old", "one", "--new", "two", "--json")
    assert scalpel(repo.root, *edit).error["data"]["files"] == ["a.txt"]
    gate_script.write_text("#!/bin/sh\n! grep more a.txt\n")
    assert scalpel(repo.root, "text", "a.txt", "--old", "line 2\n", "--new", "two\n").status == 0


@pytest.mark.parametrize("flag", ["--skip-worktree", "--assume-unchanged"])
def test_hidden_edit_in_a_worktree_is_staged(repo: Sandbox, flag: str) -> None:
    tx = scalpel(repo.root, "begin", "--json").data["tx"]
    worktree = Sandbox(Path(scalpel(repo.root, "worktree", tx, "--json").data["worktree"]))
    worktree.git("update-index", flag, "a.txt")
    worktree.write({"a.txt": b"by hand\n"})
    assert scalpel(repo.root, "stage", tx).status == 0
    assert repo.git("show", f"scalpel/tx/{tx}:a.txt") == "by hand"


_IGNORED = 'mkdir -p sub && echo "*" > sub/.gitignore && touch sub/helper'
"""Script that creates ignored files, which do not land and a gate command must not see."""


@pytest.fixture
def fail_on_ignored_file(tested_trees: Path) -> None:
    """Make the gate command fail if it sees the ignored file."""
    (tested_trees.parent / "look").write_text("#!/bin/sh\n! test -e sub/helper\n")


@pytest.mark.usefixtures("fail_on_ignored_file")
def test_ignored_file_of_a_run_is_not_seen_by_gates(repo: Sandbox) -> None:
    answer = scalpel(repo.root, "run", "--", "sh", "-c", f"{_IGNORED} && echo two > b.txt")
    assert answer.status == 0, answer.err
    assert scalpel(repo.root, "text", "b.txt", "--old", "two", "--new", "three").status == 0


@pytest.mark.usefixtures("fail_on_ignored_file")
def test_ignored_file_made_by_hand_is_not_seen_by_gates(repo: Sandbox) -> None:
    tx = stage_text(repo, "b.txt", "--old", "one", "--new", "two")
    worktree = Sandbox(Path(scalpel(repo.root, "worktree", tx, "--json").data["worktree"]))
    subprocess.run(["sh", "-c", _IGNORED], cwd=worktree.root, check=True)
    worktree.write({"a.txt": b"by hand\n"})
    assert scalpel(repo.root, "stage", tx).status == 0
    landed = scalpel(repo.root, "land", tx)
    assert landed.status == 0, landed.err


def test_sparse_worktree_lands_the_whole_tree(repo: Sandbox, tested_trees: Path) -> None:
    repo.commit({"sub/deep/c.txt": b"c\n"})
    tx = stage_text(repo, "b.txt", "--old", "one", "--new", "two")
    worktree = Sandbox(Path(scalpel(repo.root, "worktree", tx, "--json").data["worktree"]))
    worktree.git("sparse-checkout", "set", "--no-cone", "/a.txt")
    worktree.write({"a.txt": b"by hand\n"})
    assert scalpel(repo.root, "stage", tx).status == 0
    assert scalpel(repo.root, "text", "sub/deep/c.txt", "--old", "c", "--new", "d", "--tx", tx).status == 0
    worktree.write({"a.txt": b"by hand again\n"})
    assert scalpel(repo.root, "stage", tx).status == 0
    landed = scalpel(repo.root, "land", tx)
    assert landed.status == 0, landed.err
    files = repo.files()
    assert (files["sub/deep/c.txt"], files["a.txt"]) == (b"d\n", b"by hand again\n")
    assert is_last_tested(repo, tested_trees)
    tx = stage_text(repo, "b.txt", "--old", "two", "--new", "three")
    scalpel(repo.root, "worktree", tx)
    assert (worktree.root / "sub/deep/c.txt").read_bytes() == b"d\n"


@pytest.mark.parametrize("removal", ['rm -rf "$PWD"', 'git worktree remove --force "$PWD"'])
def test_gate_that_removes_its_worktree_fails(repo: Sandbox, tested_trees: Path, removal: str) -> None:
    gate_script, edit = (
        tested_trees.parent / "look",
        ("text", "b.txt", "--old", "one", "--new", "two", "--json"),
    )
    working_script = gate_script.read_text()
    gate_script.write_text(f"#!/bin/sh\n{removal}\n")
    assert scalpel(repo.root, *edit).error["data"]["files"] == ["."]
    gate_script.write_text(working_script)
    assert scalpel(repo.root, *edit).status == 0
    assert is_last_tested(repo, tested_trees)


def test_failed_gate_is_recorded_and_run_again(repo: Sandbox, tested_trees: Path) -> None:
    (tested_trees.parent / "look").write_text("#!/bin/sh\necho more >> a.txt\n")
    tx = stage_text(repo, "b.txt", "--old", "one", "--new", "two")
    for _ in range(2):
        assert scalpel(repo.root, "land", tx, "--json").error["data"]["files"] == ["a.txt"]
    (row,) = [
        row for row in scalpel(repo.root, "show-tx", tx, "--json").data["gates"] if row["name"] == "look"
    ]
    assert row["status"] == "failed"
