"""Files that git cannot add and names that differ by case work or give a clear error."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import scalpel
from tests.sandbox import Sandbox
from tests.unprivileged import run_unprivileged

FILES = {"a.py": b"x = 1\n", "b.py": b"y = 1\n"}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "shop", FILES)


def bind(path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"/proc/self/fd/{folder}/{path.name}")
    os.close(folder)


@pytest.mark.parametrize("make", [os.mkfifo, bind])
def test_pipe_or_socket_in_place_of_a_file_is_reported(repo: Sandbox, make: Callable[[Path], None]) -> None:
    before = scalpel(repo.root, "snapshot", "--json").data["id"]
    (repo.root / "a.py").unlink()
    make(repo.root / "a.py")
    for call in (("begin", "--adopt", "a.py"), ("check", "@checkout")):
        error = scalpel(repo.root, *call, "--json").error
        assert (error["code"], "a.py" in error["message"]) == ("not_a_file", True)
        assert "report" not in error["hint"]
    answer = scalpel(repo.root, "run", "--checkout", "--json", "--", "sh", "-c", "echo > new")
    assert [row["path"] for row in answer.data["files"]] == ["new"]
    assert any("a.py" in words for words in answer.json["warnings"])
    scalpel(repo.root, "undo", "--json").data  # noqa: B018
    error = scalpel(repo.root, "restore", before, "--json").error
    assert "a.py" in error["message"]
    (repo.root / "a.py").unlink()
    scalpel(repo.root, "restore", before, "--json").data  # noqa: B018
    assert repo.files() == FILES


def test_command_that_makes_a_pipe_is_reported(repo: Sandbox) -> None:
    script = "rm a.py; mkfifo a.py"
    error = scalpel(repo.root, "run", "--json", "--", "sh", "-c", script).error
    assert (error["code"], "a.py" in error["message"]) == ("not_a_file", True)
    answer = scalpel(repo.root, "run", "--checkout", "--json", "--", "sh", "-c", script)
    assert [row["path"] for row in answer.data["files"]] == ["a.py"]
    assert scalpel(repo.root, "undo", "--json").status != 0
    (repo.root / "a.py").unlink()
    scalpel(repo.root, "undo", "--json").data  # noqa: B018
    assert repo.files() == FILES


def test_unreadable_file_is_reported(repo: Sandbox) -> None:
    (repo.root / "a.py").chmod(0)
    for call in (("begin", "--adopt", "a.py"), ("check", "@checkout")):
        completed = run_unprivileged(repo.root, "git", "scalpel", *call)
        assert completed.returncode == 74
        assert "a.py" in completed.stderr
        assert "permission denied" in completed.stderr
        assert "report" not in completed.stderr


def test_names_that_differ_by_case_work_with_ignorecase(repo: Sandbox) -> None:
    (repo.root / "A.py").write_bytes(b"")
    if (repo.root / "a.py").read_bytes() == b"":
        pytest.skip("names do not differ by case here")
    repo.commit({"A.py": b"z = 1\n", "c": b"1\n"})
    repo.git("config", "core.ignoreCase", "true")
    files = repo.files()
    snapshot = scalpel(repo.root, "snapshot", "--json").data["id"]
    script = (
        "echo 'x = 2' >> a.py; echo 'x = 3' >> A.py; mkdir D d; echo 1 > D/x; echo 2 > d/x; rm c; echo > C"
    )
    answer = scalpel(repo.root, "run", "--checkout", "--json", "--", "sh", "-c", script)
    paths = ["A.py", "C", "D/x", "a.py", "c", "d/x"]
    assert sorted(row["path"] for row in answer.data["files"]) == paths
    changed = repo.files()
    tx = scalpel(repo.root, "begin", "--adopt", ".", "--json").data["tx"]
    shown = scalpel(repo.root, "show-tx", tx, "--json").data["files"]
    assert sorted(row["path"] for row in shown) == paths
    scalpel(repo.root, "check", "@checkout", "--json").data  # noqa: B018
    scalpel(repo.root, "undo", "--json").data  # noqa: B018
    assert repo.files() == files
    scalpel(repo.root, "redo", "--json").data  # noqa: B018
    assert repo.files() == changed
    scalpel(repo.root, "restore", snapshot, "--json").data  # noqa: B018
    assert repo.files() == files


def test_ignore_rules_match_names_in_another_case(repo: Sandbox) -> None:
    rules = b"TOKEN\nBuild/\n*.LOG\n!Keep.log\n"
    repo.commit({".gitignore": rules, "Token": b"tracked\n"})
    repo.git("config", "core.ignoreCase", "true")
    if (repo.root / "A.py").exists():
        pytest.skip("names do not differ by case here")
    secrets = {"token": "s1", "sub/token": "s2", "build/deep/x": "s3", "new/build/x": "s4", "a.log": "s5"}
    for name, content in {**secrets, "keep.log": "kept", "new/y": "new"}.items():
        (repo.root / name).parent.mkdir(parents=True, exist_ok=True)
        (repo.root / name).write_text(f"{content}\n")
    before = repo.files()
    snapshot = scalpel(repo.root, "snapshot", "--json").data["id"]
    script = "echo > keep.log; echo more >> token; rm new/y"
    answer = scalpel(repo.root, "run", "--checkout", "--json", "--", "sh", "-c", script)
    assert sorted(row["path"] for row in answer.data["files"]) == ["keep.log", "new/y"]
    scalpel(repo.root, "undo", "--json").data  # noqa: B018
    assert repo.files() == {**before, "token": b"s1\nmore\n"}
    error = scalpel(repo.root, "begin", "--adopt", "token", "--json").error
    assert (error["code"], "token" in error["message"]) == ("path_denied", True)
    assert scalpel(repo.root, "begin", "--adopt", "build/deep/x", "--json").error["code"] == "path_denied"
    tx = scalpel(repo.root, "begin", "--adopt", ".", "--json").data["tx"]
    shown = scalpel(repo.root, "show-tx", tx, "--json").data["files"]
    assert sorted(row["path"] for row in shown) == ["keep.log", "new/y"]
    script = "echo more >> token; mkdir build; echo > build/x; echo > z"
    answer = scalpel(repo.root, "run", "--json", "--", "sh", "-c", script)
    assert [row["path"] for row in answer.data["files"]] == ["z"]
    scalpel(repo.root, "restore", snapshot, "--json").data  # noqa: B018
    assert {name: (repo.root / name).read_text() for name in secrets} == {
        name: f"{content}\n" + "more\n" * (name == "token") for name, content in secrets.items()
    }
    blobs = repo.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)")
    names = [row.split()[0] for row in blobs.splitlines() if row.endswith("blob")]
    stored = {repo.git("cat-file", "-p", name).strip() for name in names}
    assert not stored & {*secrets.values(), "s1\nmore"}
    assert "kept" in stored
