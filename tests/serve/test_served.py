"""A call through the server is the call itself: the same bytes, the same status, the same files."""

from __future__ import annotations

import json
import os
import pty
import shlex
import subprocess
from pathlib import Path

from tests.sandbox import Sandbox
from tests.serve.serving import Ended, Served, any_client, until

FILES = {"a.py": b"def f():\n    return 1\n", "sub/b.py": b"x = 1\n"}
REPLACE = ("replace", "a.py::f", "-m", "new", "--dry-run")


SAME = {
    ("show", "a.py"): b"",
    ("show", "a.py::f", "--json"): b"",
    ("outline", "."): b"",
    ("find", "function[name=f]", "."): b"",
    ("list", "--json"): b"",
    REPLACE: b"def f():\n    return 2\n",
    ("show", "nowhere.py"): b"",
    ("shwo",): b"",
    ("show", "-h"): b"",
    ("--version",): b"",
}
"""Calls that change nothing, and what they read."""


def test_the_answer_is_the_same(server: Served, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    for words, stdin in SAME.items():
        alone = server.call(repo.root, *words, stdin=stdin, SCALPEL_SERVER="off")
        assert server.call(repo.root, *words, stdin=stdin) == alone
    assert server.calls() == len(SAME)


@any_client
def test_it_listens_first_and_reads_the_other_languages_where_nobody_calls(nobody: Served) -> None:
    process = nobody.start()
    until(lambda: "cpp" in Path(f"/proc/{process.pid}/maps").read_text())
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    until(lambda: len(children.read_text().split()) == 3)
    assert nobody.calls() == 0


def test_what_only_the_caller_has_open_he_reads_himself(server: Served, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    words = ("write", "n.txt", "--code-file", "/dev/fd/0")
    done = server.call(repo.root, *words, stdin=b"n\n")
    assert (done.status, repo.files().get("n.txt"), server.calls()) == (0, b"n\n", 0), done


def test_an_edit_lands_and_is_undone(server: Served, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    landed = server.call(repo.root, *REPLACE[:-1], stdin=b"def f():\n    return 2\n")
    assert landed.status == 0, landed
    assert repo.files()["a.py"] == b"def f():\n    return 2\n"
    assert server.call(repo.root, "undo").status == 0
    assert repo.files()["a.py"] == FILES["a.py"]
    assert server.calls() == 2


def test_the_folder_the_mask_and_the_variables_are_the_callers(server: Served, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    before = os.umask(0o077)
    try:
        done = server.call(repo.root / "sub", "write", "n.txt", "-m", "n", stdin=b"n\n", GIT_AUTHOR_NAME="Bo")
    finally:
        os.umask(before)
    assert done.status == 0, done
    assert (repo.root / "sub/n.txt").stat().st_mode & 0o777 == 0o600
    assert repo.git("log", "-1", "--format=%an") == "Bo"
    assert server.calls() == 1


def test_limits_are_the_callers(server: Served, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    words = f"ulimit -f 1; exec {shlex.join(server.client)} write big.txt -m big --json"
    done = subprocess.run(
        ["sh", "-c", words],
        cwd=repo.root,
        env=server.env,
        input=b"7" * 9999,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 74, done
    assert not (repo.root / "big.txt").exists()
    assert repo.status() == ""


def test_a_terminal_is_the_callers(server: Served, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    ours, theirs = pty.openpty()
    with subprocess.Popen([*server.client, "-h"], cwd=repo.root, env=server.env, stdout=theirs) as child:
        os.close(theirs)
        assert os.read(ours, 5) == b"Usage"
        os.close(ours)
        child.wait()
    assert server.calls() == 1


def test_the_first_call_starts_one_and_several_start_no_more(nobody: Served, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    calls = [nobody.started(repo.root, "status") for _ in range(4)]
    for call in calls:
        call.communicate()
        assert call.returncode == 0
    until(lambda: bool(nobody.sockets()))
    said = json.loads(nobody.call(repo.root, "serve", "--json").out)["data"]
    assert said["state"] == "there"
    until(lambda: nobody.servers() == {said["pid"]})


def test_who_calls_many_times_gets_many_answers(server: Served, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    calls = [server.started(repo.root, "show", "a.py") for _ in range(16)]
    answers = {Ended(call.wait(), *call.communicate()) for call in calls}
    assert answers == {server.call(repo.root, "show", "a.py", SCALPEL_SERVER="off")}
    assert server.calls() == 16
