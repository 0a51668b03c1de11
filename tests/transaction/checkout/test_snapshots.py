"""Snapshots of the checkout are recorded and restored, and move neither a branch nor the index."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.command import scalpel, started
from tests.sandbox import Sandbox
from tests.transaction.checkout.editing import TWO, edit, git_state, return_op, text_op


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    repo = Sandbox.init(tmp_path / "shop")
    repo.commit(
        {"a.py": TWO, "b.txt": b"one\n", "sub/run.sh": ("100755", b"true\n"), ".gitignore": b"*.log\n"}
    )
    return repo


def take_snapshot(repo: Sandbox, *arguments: str) -> Any:
    before, files = git_state(repo), repo.files()
    data = scalpel(repo.root, "snapshot", *arguments, "--json").data
    assert (git_state(repo), repo.files()) == (before, files)
    return data["id"]


def restore(repo: Sandbox, *arguments: str) -> Any:
    before = git_state(repo)
    data = scalpel(repo.root, "restore", *arguments, "--json").data
    assert git_state(repo) == before
    return data


def test_restore_brings_back_all_files(repo: Sandbox) -> None:
    repo.write({"a.py": b"# mine\r\n" + TWO, "new.txt": b"n\n", "link": ("120000", b"a.py"), "x.log": b"1\n"})
    repo.write({"b.txt": None})
    files, snapshot = repo.files(), take_snapshot(repo)
    repo.write({"a.py": None, "b.txt": b"back\n", "new.txt": b"other\n", "late/deep.txt": b"d\n"})
    repo.write({"link": b"a file\n", "sub/run.sh": ("100644", b"true\n"), "x.log": b"2\n"})
    wild = repo.files()
    data = restore(repo, snapshot)
    assert repo.files() == {**files, "x.log": b"2\n"}  # snapshots do not contain ignored files
    assert data["state"] == "edited"
    assert "what was there is snapshot" in data["note"]
    assert restore(repo, snapshot)["state"] == "unchanged"
    scalpel(repo.root, "undo", "--json").data  # noqa: B018
    assert repo.files() == wild
    assert not (repo.root / "late" / "none").exists()


def test_restore_of_some_paths(repo: Sandbox) -> None:
    snapshot = take_snapshot(repo)
    repo.write({"a.py": b"", "b.txt": b"two\n", "sub/run.sh": None, "sub/more.txt": b"m\n"})
    restore(repo, snapshot, "sub", "a.py")
    assert repo.files() == {
        "a.py": TWO,
        "b.txt": b"two\n",
        ".gitignore": b"*.log\n",
        "sub/run.sh*": b"true\n",
    }
    call = ("restore", snapshot, "nowhere", "--json")
    assert scalpel(repo.root, *call).error["code"] == "file_not_found"
    assert scalpel(repo.root, "restore", "zzzz", "--json").error["code"] == "tx_not_found"


def test_snapshot_stores_content_without_filters(repo: Sandbox) -> None:
    repo.commit({".gitattributes": b"*.c text eol=crlf\n*.s filter=strip\n", "c.c": b"int a;\n"})
    repo.git("config", "filter.strip.clean", "grep -v secret")
    repo.git("config", "filter.strip.smudge", "cat")
    repo.write({"c.c": b"int a;\nint b;\r\n", "k.s": b"secret 1\nplain\n"})
    files, env = repo.files(), {"SCALPEL_TRUST": "1"}
    first = scalpel(repo.root, "snapshot", "--json", env=env).data["id"]
    repo.write({"k.s": b"secret 2\nplain\n"})
    assert scalpel(repo.root, "snapshot", "--json", env=env).data["id"] != first
    repo.git("checkout", "-q", "c.c")
    clean = repo.files()["c.c"]
    second = scalpel(repo.root, "snapshot", "--json", env=env).data["id"]
    assert scalpel(repo.root, "restore", first, env=env).status == 0
    assert repo.files() == files
    assert scalpel(repo.root, "restore", second, env=env).status == 0
    assert (repo.files()["c.c"], repo.files()["k.s"]) == (clean, b"secret 2\nplain\n")


def test_unchanged_checkout_returns_the_same_snapshot(repo: Sandbox) -> None:
    first = take_snapshot(repo)
    assert take_snapshot(repo) == first
    assert take_snapshot(repo, "-m", "why") != first
    repo.write({"b.txt": b"two\n"})
    late = take_snapshot(repo)
    rows = scalpel(repo.root, "snapshot", "--list", "--json").data
    assert [row["message"] for row in rows] == ["", "why", ""]
    assert (rows[0]["id"], rows[2]["id"]) == (late, first)
    assert repo.git("show", f"refs/scalpel/snapshot/{late}:b.txt") == "two"


def test_snapshot_before_the_first_commit_and_during_a_merge(repo: Sandbox, tmp_path: Path) -> None:
    new = Sandbox.init(tmp_path / "new")
    new.write({"a.py": TWO})
    first = take_snapshot(new)
    new.write({"a.py": b""})
    restore(new, first)
    assert new.files() == {"a.py": TWO}
    repo.git("checkout", "-q", "-b", "side")
    repo.commit({"b.txt": b"side\n"})
    repo.git("checkout", "-q", "main")
    repo.commit({"b.txt": b"main\n"})
    repo.git("merge", "side", check=False)
    conflicted = repo.files()
    middle = take_snapshot(repo)
    repo.write({"b.txt": b"both\n"})
    restore(repo, middle)
    assert repo.files() == conflicted


def test_nested_repository_is_reported(repo: Sandbox) -> None:
    inner = Sandbox.init(repo.root / "inner")
    inner.write({"x": b"1\n"})
    answer = scalpel(repo.root, "snapshot", "--json")
    assert answer.status == 0
    assert any("inner" in warning for warning in answer.json["warnings"])


def test_damaged_snapshot_index_is_rebuilt(repo: Sandbox) -> None:
    take_snapshot(repo)
    own = repo.root / ".git" / "scalpel" / "captured" / "index"
    own.write_bytes(b"damaged")
    repo.write({"b.txt": b"two\n"})
    take_snapshot(repo)


def test_assume_unchanged_file_is_in_the_snapshot(repo: Sandbox) -> None:
    repo.git("update-index", "--assume-unchanged", "b.txt")
    repo.write({"b.txt": b"two\n"})
    snapshot = take_snapshot(repo)
    repo.write({"b.txt": b"three\n"})
    restore(repo, snapshot)
    assert repo.files()["b.txt"] == b"two\n"


SCRIPT = "echo said; echo two > b.txt; rm a.py; mkdir d; echo n > d/n.txt; exit 3"


@pytest.mark.parametrize("call", [("snapshot", "--watch-command"), ("run", "--checkout")])
def test_changes_of_a_command_are_one_operation(repo: Sandbox, call: tuple[str, ...]) -> None:
    repo.write({"b.txt": b"mine\n"})
    files, before = repo.files(), git_state(repo)
    answer = started(repo.root, *call, "--", "sh", "-c", SCRIPT)
    assert (answer.status, answer.out) == (3, "said\n")
    assert "git scalpel undo" in answer.err
    assert repo.files()["b.txt"] == b"two\n"
    scalpel(repo.root, "undo", "--json").data  # noqa: B018
    assert (repo.files(), git_state(repo)) == (files, before)
    data = started(repo.root, *call, "--json", "--", "sh", "-c", "echo >> b.txt; echo said")
    assert (data.data["status"], data.err) == (0, "said\n")
    assert [row["path"] for row in data.data["files"]] == ["b.txt"]
    assert scalpel(repo.root, "show-tx", data.data["tx"], "--json").data["state"] == "edited"


def test_command_without_changes_is_not_an_operation(repo: Sandbox) -> None:
    watch = ("snapshot", "--watch-command", "--json", "--")
    assert scalpel(repo.root, *watch, "true").data["tx"] is None
    repo.git("branch", "side")
    answer = scalpel(repo.root, *watch, "sh", "-c", "git checkout -q side; echo > b.txt")
    assert answer.data["tx"] is None
    assert "HEAD has moved" in answer.json["warnings"][0]
    before = answer.data["before"]["id"]
    assert scalpel(repo.root, "restore", before, "b.txt").status == 0
    assert repo.files()["b.txt"] == b"one\n"
    assert scalpel(repo.root, *watch, "no-such-program").error["code"] == "invalid_args"
    assert scalpel(repo.root, "snapshot", "--watch-command", "--json").error["code"] == "invalid_args"


def test_undo_all_since_undoes_own_operations(repo: Sandbox) -> None:
    edit(repo, return_op("a.py", "f", 5)).data  # noqa: B018
    first = edit(repo, return_op("a.py", "f", 10)).data["tx"]
    call = ("text", "b.txt", "--old", "one", "--new", "1", "--checkout", "--agent", "ada", "--json")
    scalpel(repo.root, *call).data  # noqa: B018
    edit(repo, return_op("a.py", "f", 20), text_op("b.txt", "1", "2")).data  # noqa: B018
    assert scalpel(repo.root, "undo", "--all-since", first, "--json").data[0]["state"] == "undone"
    assert repo.files()["a.py"] == TWO.replace(b"1", b"5")
    assert repo.files()["b.txt"] == b"1\n"
    assert scalpel(repo.root, "undo", "--all-since", first, "--json").error["code"] == "nothing_to_undo"


def test_undo_all_since_is_atomic(repo: Sandbox) -> None:
    first = edit(repo, return_op("a.py", "f", 10)).data["tx"]
    edit(repo, text_op("b.txt", "one", "two")).data  # noqa: B018
    repo.write({"a.py": TWO.replace(b"1", b"11")})
    before = repo.state()
    assert scalpel(repo.root, "undo", "--all-since", first, "--json").error["code"] == "merge_conflict"
    assert repo.state() == before


def test_undo_all_since_undoes_landings(repo: Sandbox) -> None:
    base = repo.tip()
    call = ("text", "b.txt", "--old", "one", "--new", "two", "--json")
    first = scalpel(repo.root, *call).data["tx"]
    scalpel(repo.root, "write", "c.txt", "--content", "c", "--json").data  # noqa: B018
    steps = scalpel(repo.root, "undo", "--all-since", first, "--json").data
    assert (len(steps), repo.tip()) == (2, base)


def test_snapshots_expire(repo: Sandbox) -> None:
    snapshot = take_snapshot(repo)
    commit = repo.git("rev-parse", f"refs/scalpel/snapshot/{snapshot}")
    raw = repo.git("cat-file", "commit", commit)
    aged = re.sub(r"^committer (.*>) \d+ ", r"committer \1 1600000000 ", raw, flags=re.MULTILINE)
    oid = repo.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=aged + "\n")
    repo.git("update-ref", f"refs/scalpel/snapshot/{snapshot}", oid)
    assert scalpel(repo.root, "gc").status == 0
    assert scalpel(repo.root, "snapshot", "--list", "--json").data == []


def test_tracked_ignored_file_is_in_the_snapshot(repo: Sandbox) -> None:
    take_snapshot(repo)
    repo.write({"x.log": b"1\n"})
    repo.git("add", "-f", "x.log")
    repo.git("commit", "-q", "-m", "x")
    snapshot = take_snapshot(repo)
    repo.write({"x.log": b"2\n"})
    restore(repo, snapshot)
    assert repo.files()["x.log"] == b"1\n"
    data = scalpel(repo.root, "snapshot", "--watch-command", "--json", "--", "rm", "x.log").data
    assert [row["path"] for row in data["files"]] == ["x.log"]


def test_newly_ignored_file_is_not_in_the_snapshot(repo: Sandbox) -> None:
    repo.write({".env": b"KEY=1\n"})
    take_snapshot(repo)
    repo.write({".env": b"KEY=2\n", ".gitignore": b"*.log\n.env\n"})
    snapshot = take_snapshot(repo)
    assert ".env" not in repo.git("ls-tree", "-r", "--name-only", f"refs/scalpel/snapshot/{snapshot}")


def test_line_endings_changed_by_git_are_restored(repo: Sandbox) -> None:
    repo.git("config", "core.autocrlf", "true")
    repo.git("config", "filter.strip.clean", "sed /secret/d")
    repo.git("config", "filter.bad.clean", "false")
    repo.git("config", "filter.bad.required", "true")
    repo.write({"lf.txt": b"one\ntwo\n", "k.st": b"a\nsecret\n"})
    repo.git("add", "lf.txt", "k.st", check=False)
    repo.git("commit", "-q", "-m", "lf")
    repo.write({".gitattributes": b"*.st filter=strip\n*.bad filter=bad\n", "x.bad": b"x\n"})
    files = repo.files()
    script = "rm lf.txt k.st x.bad"
    assert scalpel(repo.root, "snapshot", "--watch-command", "--", "sh", "-c", script).status == 0
    scalpel(repo.root, "undo", "--json").data  # noqa: B018
    assert repo.files() == files


def test_nested_repository_is_not_restored_over(repo: Sandbox) -> None:
    repo.write({"inner/x.txt": b"x\n"})
    snapshot = take_snapshot(repo)
    inner = Sandbox.init(repo.root / "inner")
    inner.commit({"x.txt": b"theirs\n"})
    assert scalpel(repo.root, "restore", snapshot, "--json").error["code"] == "path_denied"
    assert (repo.root / "inner" / "x.txt").read_bytes() == b"theirs\n"
    call = ("restore", snapshot, "a.py", "--json")
    assert scalpel(repo.root, *call).data["state"] == "unchanged"


def test_concurrent_agent_is_named(repo: Sandbox) -> None:
    call = f"{sys.executable} -m gitscalpel text b.txt --old one --new two --checkout --agent ada"
    answer = scalpel(repo.root, "snapshot", "--watch-command", "--json", "--", "sh", "-c", call)
    assert any("by ada" in warning for warning in answer.json["warnings"])
    scalpel(repo.root, "undo", "--json").data  # noqa: B018
    assert repo.files()["b.txt"] == b"one\n"
