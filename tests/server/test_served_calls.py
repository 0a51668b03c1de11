"""A served call has the output, status and effects of the same call without a server."""

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
from tests.server.serving import CallResult, ServerHarness, any_client, wait_until

FILES = {"a.py": b"def f():\n    return 1\n", "sub/b.py": b"x = 1\n"}
REPLACE = ("replace", "a.py::f", "-m", "new", "--dry-run")


READ_ONLY_CALLS = {
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
"""Calls that change nothing, with their standard input."""


def test_served_answer_is_the_same(server: ServerHarness, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    for words, stdin in READ_ONLY_CALLS.items():
        alone = server.call(repo.root, *words, stdin=stdin, SCALPEL_SERVER="off")
        assert server.call(repo.root, *words, stdin=stdin) == alone
    assert server.stop_and_count_calls() == len(READ_ONLY_CALLS)


@any_client
def test_server_loads_languages_while_idle(harness: ServerHarness) -> None:
    process = harness.start()
    wait_until(lambda: "cpp" in Path(f"/proc/{process.pid}/maps").read_text())
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    wait_until(lambda: len(children.read_text().split()) == 3)
    assert harness.stop_and_count_calls() == 0


def test_descriptor_of_the_caller_is_read_unserved(server: ServerHarness, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    words = ("write", "n.txt", "--code-file", "/dev/fd/0")
    answer = server.call(repo.root, *words, stdin=b"n\n")
    assert (answer.status, repo.files().get("n.txt"), server.stop_and_count_calls()) == (0, b"n\n", 0), answer


def test_served_edit_lands_and_is_undone(server: ServerHarness, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    landed = server.call(repo.root, *REPLACE[:-1], stdin=b"def f():\n    return 2\n")
    assert landed.status == 0, landed
    assert repo.files()["a.py"] == b"def f():\n    return 2\n"
    assert server.call(repo.root, "undo").status == 0
    assert repo.files()["a.py"] == FILES["a.py"]
    assert server.stop_and_count_calls() == 2


def test_directory_umask_and_environment_are_the_callers(server: ServerHarness, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    before = os.umask(0o077)
    try:
        answer = server.call(
            repo.root / "sub", "write", "n.txt", "-m", "n", stdin=b"n\n", GIT_AUTHOR_NAME="Bo"
        )
    finally:
        os.umask(before)
    assert answer.status == 0, answer
    assert (repo.root / "sub/n.txt").stat().st_mode & 0o777 == 0o600
    assert repo.git("log", "-1", "--format=%an") == "Bo"
    assert server.stop_and_count_calls() == 1


def test_resource_limits_are_the_callers(server: ServerHarness, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    words = f"ulimit -f 1; exec {shlex.join(server.client)} write big.txt -m big --json"
    answer = subprocess.run(
        ["sh", "-c", words],
        cwd=repo.root,
        env=server.env,
        input=b"7" * 9999,
        capture_output=True,
        check=False,
    )
    assert answer.returncode == 74, answer
    assert not (repo.root / "big.txt").exists()
    assert repo.status() == ""


def test_terminal_is_the_callers(server: ServerHarness, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    ours, theirs = pty.openpty()
    with subprocess.Popen([*server.client, "-h"], cwd=repo.root, env=server.env, stdout=theirs) as child:
        os.close(theirs)
        assert os.read(ours, 5) == b"Usage"
        os.close(ours)
        child.wait()
    assert server.stop_and_count_calls() == 1


def test_concurrent_first_calls_start_one_server(harness: ServerHarness, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    calls = [harness.start_call(repo.root, "status") for _ in range(4)]
    for call in calls:
        call.communicate()
        assert call.returncode == 0
    wait_until(lambda: bool(harness.sockets()))
    status = json.loads(harness.call(repo.root, "serve", "--json").out)["data"]
    assert status["state"] == "there"
    wait_until(lambda: harness.server_pids() == {status["pid"]})


def test_concurrent_calls_all_get_answers(server: ServerHarness, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    calls = [server.start_call(repo.root, "show", "a.py") for _ in range(16)]
    answers = {CallResult(call.wait(), *call.communicate()) for call in calls}
    assert answers == {server.call(repo.root, "show", "a.py", SCALPEL_SERVER="off")}
    assert server.stop_and_count_calls() == 16


SCHEDULED = """
import os
def said():
    io = os.popen("ionice -p %d" % os.getpid()).read().strip()
    return [os.sched_getscheduler(0), os.nice(0), open("/proc/self/oom_score_adj").read().strip(), io,
            open("/proc/self/timerslack_ns").read().strip(), len(os.sched_getaffinity(0))]
"""
LOW_PRIORITY = f"""{SCHEDULED}
import sys
os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
os.nice(3)
os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
open("/proc/self/oom_score_adj", "w").write("500")
open("/proc/self/timerslack_ns", "w").write("70000")
os.system("ionice -c 3 -p %d" % os.getpid())
os.execvp(sys.argv[1], sys.argv[1:])
"""


def hook_scheduling(server: ServerHarness, repo: Sandbox, *before: str) -> str:
    """Return the scheduling of a hook that the call starts."""
    result_file = repo.root.parent / "scheduled"
    result_file.unlink(missing_ok=True)
    hook = repo.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!{sys.executable}\n{SCHEDULED}\nopen({str(result_file)!r}, 'w').write(repr(said()))\n")
    hook.chmod(0o755)
    words = [*before, *server.client, "write", f"{repo.tip()}.txt", "--code", "n", "-m", "n"]
    env = {**server.env, "SCALPEL_TRUST": "1"}
    answer = subprocess.run(words, cwd=repo.root, env=env, capture_output=True, check=False)
    assert answer.returncode == 0, answer.stderr
    return result_file.read_text()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can raise its priority again")
def test_scheduling_is_that_of_each_caller(harness: ServerHarness, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    low_priority = (sys.executable, "-c", LOW_PRIORITY)
    normal = hook_scheduling(harness, repo, "env", "SCALPEL_SERVER=off")
    low = hook_scheduling(harness, repo, *low_priority, "env", "SCALPEL_SERVER=off")
    assert normal != low
    words = [*low_priority, *harness.client, "show", "a.py"]
    subprocess.run(words, cwd=repo.root, env=harness.env, capture_output=True, check=True)
    wait_until(lambda: bool(harness.sockets()))
    for _ in range(2):
        assert hook_scheduling(harness, repo) == normal
        assert hook_scheduling(harness, repo, *low_priority) == low
