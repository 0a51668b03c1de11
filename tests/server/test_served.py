"""A call through the server is the call itself: the same bytes, the same status, the same files."""

from __future__ import annotations

import json
import os
import pty
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sandbox import Sandbox
from tests.server.serving import Ended, Served, any_client, until

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


SCHEDULED = """
import os
def said():
    io = os.popen("ionice -p %d" % os.getpid()).read().strip()
    return [os.sched_getscheduler(0), os.nice(0), open("/proc/self/oom_score_adj").read().strip(), io,
            open("/proc/self/timerslack_ns").read().strip(), len(os.sched_getaffinity(0))]
"""
LOWERED = f"""{SCHEDULED}
import sys
os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
os.nice(3)
os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
open("/proc/self/oom_score_adj", "w").write("500")
open("/proc/self/timerslack_ns", "w").write("70000")
os.system("ionice -c 3 -p %d" % os.getpid())
os.execvp(sys.argv[1], sys.argv[1:])
"""


def scheduled(server: Served, repo: Sandbox, *before: str) -> str:
    """What a hook that a call starts is to the kernel."""
    seen = repo.root.parent / "scheduled"
    seen.unlink(missing_ok=True)
    hook = repo.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!{sys.executable}\n{SCHEDULED}\nopen({str(seen)!r}, 'w').write(repr(said()))\n")
    hook.chmod(0o755)
    words = [*before, *server.client, "write", f"{repo.tip()}.txt", "--code", "n", "-m", "n"]
    env = {**server.env, "SCALPEL_TRUST": "1"}
    done = subprocess.run(words, cwd=repo.root, env=env, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return seen.read_text()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root takes back what it has given up")
def test_the_kernel_treats_a_call_as_its_caller_and_not_as_the_first_one(
    nobody: Served, tmp_path: Path
) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    lowered = (sys.executable, "-c", LOWERED)
    plain = scheduled(nobody, repo, "env", "SCALPEL_SERVER=off")
    low = scheduled(nobody, repo, *lowered, "env", "SCALPEL_SERVER=off")
    assert plain != low
    words = [*lowered, *nobody.client, "show", "a.py"]
    subprocess.run(words, cwd=repo.root, env=nobody.env, capture_output=True, check=True)
    until(lambda: bool(nobody.sockets()))
    for _ in range(2):
        assert scheduled(nobody, repo) == plain
        assert scheduled(nobody, repo, *lowered) == low
