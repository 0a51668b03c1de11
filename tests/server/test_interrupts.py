"""Killed and interrupted processes: a call ends with its caller, and other processes go on."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox import Sandbox
from tests.server.serving import ServerHarness, any_client, wait_until

SLEEPS = b'[[gates.command]]\nname = "slow"\nrun = "echo > %s; sleep 60"\n'
EDIT = ("text", "a.py", "--old", "1", "--new", "2", "-m", "two")


@pytest.fixture(autouse=True)
def _reset_sighup() -> Iterator[None]:
    """Restore the default action of SIGHUP, which ``nohup`` ignores."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def _start_slow_call(tmp_path: Path, server: ServerHarness) -> tuple[Sandbox, subprocess.Popen[bytes]]:
    """Start a call, and return when its gate runs."""
    started_file = tmp_path / "begun"
    rules = SLEEPS % os.fsencode(started_file)
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"x = 1\n", ".gitscalpel.toml": rules})
    call = server.start_call(repo.root, *EDIT, SCALPEL_TRUST="1")
    wait_until(started_file.exists)
    return repo, call


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGHUP, 130)]
)
def test_signal_reaches_the_command(server: ServerHarness, tmp_path: Path, number: int, status: int) -> None:
    repo, call = _start_slow_call(tmp_path, server)
    call.send_signal(number)
    _, err = call.communicate(timeout=30)
    assert call.returncode == status, err
    assert b"interrupted" in err
    assert repo.files()["a.py"] == b"x = 1\n"
    assert server.stop_and_count_calls() == 1


def test_killed_caller_ends_its_call(server: ServerHarness, tmp_path: Path) -> None:
    repo, call = _start_slow_call(tmp_path, server)
    child = _call_process(server)
    call.kill()
    call.communicate()
    wait_until(lambda: not Path(f"/proc/{child}").exists() or _is_dead(child))
    assert repo.files()["a.py"] == b"x = 1\n"
    assert server.call(repo.root, "recover").status == 0
    assert server.stop_and_count_calls() == 2


def test_killed_call_returns_its_signal(server: ServerHarness, tmp_path: Path) -> None:
    _, call = _start_slow_call(tmp_path, server)
    os.kill(_call_process(server), signal.SIGKILL)
    call.communicate(timeout=30)
    assert call.returncode == -signal.SIGKILL
    assert server.stop_and_count_calls() == 1


@any_client
def test_killed_server_does_not_end_calls(server: ServerHarness, tmp_path: Path) -> None:
    started_file = tmp_path / "begun"
    rules = b'[[gates.command]]\nname = "slow"\nrun = "echo > %s; sleep 1"\n' % os.fsencode(started_file)
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"x = 1\n", ".gitscalpel.toml": rules})
    call = server.start_call(repo.root, *EDIT, SCALPEL_TRUST="1")
    wait_until(started_file.exists)
    assert server.process is not None
    server.process.kill()
    server.process.communicate()
    _, err = call.communicate(timeout=60)
    assert call.returncode == 0, err
    assert repo.files()["a.py"] == b"x = 2\n"


def test_call_stops_and_continues_with_its_caller(server: ServerHarness, tmp_path: Path) -> None:
    _, call = _start_slow_call(tmp_path, server)
    child = _call_process(server)
    call.send_signal(signal.SIGTSTP)
    wait_until(lambda: _state(child) == "T" and _state(call.pid) == "T")
    call.send_signal(signal.SIGCONT)
    wait_until(lambda: _state(child) != "T")
    call.send_signal(signal.SIGINT)
    call.communicate(timeout=30)
    assert call.returncode == 130


@any_client
def test_idle_server_ends(harness: ServerHarness) -> None:
    process = harness.start("--idle", "0.2")
    out, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    assert b'"calls":0' in out
    assert harness.sockets() == []


@any_client
def test_stopped_server_finishes_running_calls(server: ServerHarness, tmp_path: Path) -> None:
    started_file = tmp_path / "begun"
    rules = b'[[gates.command]]\nname = "slow"\nrun = "echo > %s; sleep 1"\n' % os.fsencode(started_file)
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"x = 1\n", ".gitscalpel.toml": rules})
    call = server.start_call(repo.root, *EDIT, SCALPEL_TRUST="1")
    wait_until(started_file.exists)
    assert server.stop_and_count_calls() == 1
    call.communicate()
    assert call.returncode == 0
    assert repo.files()["a.py"] == b"x = 2\n"


@any_client
def test_stop_ends_all_servers(harness: ServerHarness, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"x = 1\n"})
    assert harness.call(repo.root, "show", "a.py").status == 0
    answer = harness.call(repo.root, "serve", "--stop")  # the server that the call has started
    assert b"takes no more calls\n" in answer.out
    assert (harness.server_pids(), harness.sockets()) == (set(), [])
    assert harness.call(repo.root, "serve", "--stop").out == b"there is none\n"


@any_client
def test_server_started_during_a_stop_serves_later(harness: ServerHarness) -> None:
    harness.start()
    (socket,) = harness.sockets()
    harness.stop_and_count_calls()
    with socket.with_suffix(".lock").open() as lock_file:
        fcntl.flock(lock_file, fcntl.LOCK_EX)
        process = subprocess.Popen(
            [*harness.client, "serve", "--json"], env=harness.env, cwd=harness.runtime, stdout=subprocess.PIPE
        )
        time.sleep(1.0)
        assert (process.poll(), harness.sockets()) == (None, [])
    wait_until(lambda: bool(harness.sockets()))
    process.terminate()
    out, _ = process.communicate(timeout=30)
    assert (process.returncode, b'"state":"ended"' in out) == (0, True)


def _call_process(server: ServerHarness) -> int:
    """Return the process of the one running call: the older child of the server."""
    assert server.process is not None
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
    return min(map(int, children))


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def _is_dead(pid: int) -> bool:
    time.sleep(0.01)
    try:
        return _state(pid) == "Z"
    except OSError:
        return True
