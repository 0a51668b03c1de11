"""What lands is the tree that the commands have seen, to the byte: they say which one that was."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.command import scalpel
from tests.sandbox import Content, Sandbox

_LINES = b"".join(b"line %d\n" % number for number in range(1, 30))
FILES: dict[str, Content] = {"a.txt": _LINES, "b.txt": b"one\n"}


@pytest.fixture
def seen(tmp_path: Path) -> Path:
    """The file in which the command writes the tree of the files that it found."""
    return tmp_path / "seen"


@pytest.fixture
def repo(tmp_path: Path, seen: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    monkeypatch.setenv("SCALPEL_TRUST", "1")
    sandbox = Sandbox.init(tmp_path / "repo")
    look = tmp_path / "look"
    look.write_text(
        f"#!/bin/sh\nexport GIT_INDEX_FILE={tmp_path}/index\nrm -f $GIT_INDEX_FILE\n"
        f"git add -A && git write-tree >> {seen}\n"
    )
    look.chmod(0o755)
    rules = f'[[gates.command]]\nname = "look"\nrun = "{look}"\n'
    sandbox.commit({**FILES, ".gitscalpel.toml": rules.encode()})
    return sandbox


def opened(repo: Sandbox, *words: str) -> str:
    return str(scalpel(repo.root, "text", *words, "--no-land", "--json").data["tx"])


def is_the_one_seen(repo: Sandbox, seen: Path) -> bool:
    assert repo.status() == ""
    return seen.read_text().split()[-1] == repo.git("rev-parse", "HEAD^{tree}")


def test_an_edit(repo: Sandbox, seen: Path) -> None:
    assert scalpel(repo.root, "text", "b.txt", "--old", "one", "--new", "two").status == 0
    assert is_the_one_seen(repo, seen)


def test_a_merge(repo: Sandbox, seen: Path) -> None:
    tx = opened(repo, "a.txt", "--old", "line 2\n", "--new", "two\n")
    repo.commit({"a.txt": _LINES.replace(b"line 20\n", b"twenty\n"), "c.txt": b"new\n"})
    assert scalpel(repo.root, "land", tx).status == 0
    assert is_the_one_seen(repo, seen)


def test_a_batch(repo: Sandbox, seen: Path) -> None:
    for number in (2, 12, 22):
        opened(repo, "a.txt", "--old", f"line {number}\n", "--new", "changed\n")
    assert len(scalpel(repo.root, "queue", "--json").data["landed"]) == 3
    assert is_the_one_seen(repo, seen)
    assert len(seen.read_text().split()) == 1


def test_a_batch_of_which_one_stays(repo: Sandbox, seen: Path) -> None:
    (seen.parent / "look").write_text((seen.parent / "look").read_text() + "! grep -q wrong a.txt\n")
    for number, new in ((2, "good"), (12, "wrong"), (22, "good")):
        opened(repo, "a.txt", "--old", f"line {number}\n", "--new", f"{new}\n")
    assert len(scalpel(repo.root, "queue", "--json").error["data"]["landed"]) == 2
    assert repo.git("rev-parse", "HEAD^{tree}") in seen.read_text().split()
    assert b"wrong" not in repo.files()["a.txt"]


def test_a_revert(repo: Sandbox, seen: Path) -> None:
    tx = scalpel(repo.root, "text", "a.txt", "--old", "line 2\n", "--new", "two\n", "--json").data["tx"]
    repo.commit({"a.txt": _LINES.replace(b"line 2\n", b"two\n") + b"more\n"})
    assert scalpel(repo.root, "undo", tx).status == 0
    assert is_the_one_seen(repo, seen)


def test_what_a_hook_adds(repo: Sandbox, seen: Path) -> None:
    hook = repo.root / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\necho of the hook > added.txt\ngit add added.txt\n")
    hook.chmod(0o755)
    assert scalpel(repo.root, "text", "b.txt", "--old", "one", "--new", "two").status == 0
    assert repo.files()["added.txt"] == b"of the hook\n"
    assert is_the_one_seen(repo, seen)


def test_what_a_hook_inside_the_tree_adds(repo: Sandbox, seen: Path) -> None:
    hook = repo.root / ".hooks/pre-commit"
    hook.parent.mkdir()
    hook.write_text("#!/bin/sh\necho of the hook > added.txt\ngit add added.txt\n")
    hook.chmod(0o755)
    repo.commit({})
    repo.git("config", "core.hooksPath", ".hooks")
    assert scalpel(repo.root, "text", "b.txt", "--old", "one", "--new", "two").status == 0
    assert repo.files()["added.txt"] == b"of the hook\n"
    assert is_the_one_seen(repo, seen)


def test_what_a_merge_driver_makes(repo: Sandbox, seen: Path) -> None:
    repo.git("config", "merge.mine.driver", "cat %B >> %A; echo of the driver >> %A")
    repo.commit({".gitattributes": b"a.txt merge=mine\n"})
    tx = opened(repo, "a.txt", "--old", "line 2\n", "--new", "two\n")
    repo.commit({"a.txt": _LINES.replace(b"line 20\n", b"twenty\n")})
    assert scalpel(repo.root, "land", tx).status == 0
    assert b"of the driver" in repo.files()["a.txt"]
    assert is_the_one_seen(repo, seen)


def test_what_a_command_changes_does_not_land(repo: Sandbox, seen: Path) -> None:
    (seen.parent / "look").write_text("#!/bin/sh\necho more >> a.txt\n")
    refused = scalpel(repo.root, "text", "b.txt", "--old", "one", "--new", "two", "--json").error
    assert (refused["code"], refused["data"]["files"]) == ("gate_failed", ["a.txt"])


@pytest.mark.parametrize("flag", ["--skip-worktree", "--assume-unchanged"])
def test_what_a_command_changes_and_hides_does_not_land(repo: Sandbox, seen: Path, flag: str) -> None:
    look = seen.parent / "look"
    look.write_text(f"#!/bin/sh\ngit update-index {flag} a.txt && echo more >> a.txt\n")
    edit = ("text", "b.txt", "--old", "one", "--new", "two", "--json")
    assert scalpel(repo.root, *edit).error["data"]["files"] == ["a.txt"]
    look.write_text("#!/bin/sh\n! grep more a.txt\n")
    assert scalpel(repo.root, "text", "a.txt", "--old", "line 2\n", "--new", "two\n").status == 0


@pytest.mark.parametrize("flag", ["--skip-worktree", "--assume-unchanged"])
def test_what_is_edited_in_a_worktree_and_hidden_is_kept(repo: Sandbox, flag: str) -> None:
    tx = scalpel(repo.root, "begin", "--json").data["tx"]
    place = Sandbox(Path(scalpel(repo.root, "worktree", tx, "--json").data["worktree"]))
    place.git("update-index", flag, "a.txt")
    place.write({"a.txt": b"by hand\n"})
    assert scalpel(repo.root, "stage", tx).status == 0
    assert repo.git("show", f"scalpel/tx/{tx}:a.txt") == "by hand"


_IGNORED = 'mkdir -p sub && echo "*" > sub/.gitignore && touch sub/helper'
"""Files that do not land, and that a command would see if it ran beside them."""


@pytest.fixture
def blind(seen: Path) -> None:
    """The command fails if it sees them."""
    (seen.parent / "look").write_text("#!/bin/sh\n! test -e sub/helper\n")


@pytest.mark.usefixtures("blind")
def test_what_a_codemod_leaves_and_git_ignores_is_not_seen(repo: Sandbox) -> None:
    answer = scalpel(repo.root, "run", "--", "sh", "-c", f"{_IGNORED} && echo two > b.txt")
    assert answer.status == 0, answer.err
    assert scalpel(repo.root, "text", "b.txt", "--old", "two", "--new", "three").status == 0


@pytest.mark.usefixtures("blind")
def test_what_is_left_by_hand_and_git_ignores_is_not_seen(repo: Sandbox) -> None:
    tx = opened(repo, "b.txt", "--old", "one", "--new", "two")
    place = Sandbox(Path(scalpel(repo.root, "worktree", tx, "--json").data["worktree"]))
    subprocess.run(["sh", "-c", _IGNORED], cwd=place.root, check=True)
    place.write({"a.txt": b"by hand\n"})
    assert scalpel(repo.root, "stage", tx).status == 0
    landed = scalpel(repo.root, "land", tx)
    assert landed.status == 0, landed.err


def test_a_worktree_that_shows_only_a_part_lands_the_whole(repo: Sandbox, seen: Path) -> None:
    repo.commit({"sub/deep/c.txt": b"c\n"})
    tx = opened(repo, "b.txt", "--old", "one", "--new", "two")
    place = Sandbox(Path(scalpel(repo.root, "worktree", tx, "--json").data["worktree"]))
    place.git("sparse-checkout", "set", "--no-cone", "/a.txt")
    place.write({"a.txt": b"by hand\n"})
    assert scalpel(repo.root, "stage", tx).status == 0
    assert scalpel(repo.root, "text", "sub/deep/c.txt", "--old", "c", "--new", "d", "--tx", tx).status == 0
    place.write({"a.txt": b"by hand again\n"})
    assert scalpel(repo.root, "stage", tx).status == 0
    landed = scalpel(repo.root, "land", tx)
    assert landed.status == 0, landed.err
    files = repo.files()
    assert (files["sub/deep/c.txt"], files["a.txt"]) == (b"d\n", b"by hand again\n")
    assert is_the_one_seen(repo, seen)
    tx = opened(repo, "b.txt", "--old", "two", "--new", "three")
    scalpel(repo.root, "worktree", tx)
    assert (place.root / "sub/deep/c.txt").read_bytes() == b"d\n"


@pytest.mark.parametrize("gone", ['rm -rf "$PWD"', 'git worktree remove --force "$PWD"'])
def test_a_command_that_removes_where_it_runs_has_checked_nothing(
    repo: Sandbox, seen: Path, gone: str
) -> None:
    look, edit = seen.parent / "look", ("text", "b.txt", "--old", "one", "--new", "two", "--json")
    works = look.read_text()
    look.write_text(f"#!/bin/sh\n{gone}\n")
    assert scalpel(repo.root, *edit).error["data"]["files"] == ["."]
    look.write_text(works)
    assert scalpel(repo.root, *edit).status == 0
    assert is_the_one_seen(repo, seen)


def test_a_command_that_changes_files_is_on_record_and_asked_again(repo: Sandbox, seen: Path) -> None:
    (seen.parent / "look").write_text("#!/bin/sh\necho more >> a.txt\n")
    tx = opened(repo, "b.txt", "--old", "one", "--new", "two")
    for _ in range(2):
        assert scalpel(repo.root, "land", tx, "--json").error["data"]["files"] == ["a.txt"]
    (row,) = [
        row for row in scalpel(repo.root, "show-tx", tx, "--json").data["gates"] if row["name"] == "look"
    ]
    assert row["status"] == "failed"
