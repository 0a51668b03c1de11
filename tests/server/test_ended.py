"""Whoever is killed or interrupted: the call ends with its caller, and nothing else does."""

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
from tests.server.serving import Served, any_client, until

SLEEPS = b'[[gates.command]]\nname = "slow"\nrun = "echo > %s; sleep 60"\n'
EDIT = ("text", "a.py", "--old", "1", "--new", "2", "-m", "two")


@pytest.fixture(autouse=True)
def _hangs_up() -> Iterator[None]:
    """A hang-up ends who is called, also where the tests themselves are to survive one (``nohup``)."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def _slow(tmp_path: Path, server: Served) -> tuple[Sandbox, subprocess.Popen[bytes]]:
    """A call that is in the middle of its gate."""
    begun = tmp_path / "begun"
    rules = SLEEPS % os.fsencode(begun)
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"x = 1\n", ".gitscalpel.toml": rules})
    call = server.started(repo.root, *EDIT, SCALPEL_TRUST="1")
    until(begun.exists)
    return repo, call


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGHUP, 130)]
)
def test_a_signal_reaches_the_command(server: Served, tmp_path: Path, number: int, status: int) -> None:
    repo, call = _slow(tmp_path, server)
    call.send_signal(number)
    _, err = call.communicate(timeout=30)
    assert call.returncode == status, err
    assert b"interrupted" in err
    assert repo.files()["a.py"] == b"x = 1\n"
    assert server.calls() == 1


def test_a_caller_that_is_killed_takes_its_call_along(server: Served, tmp_path: Path) -> None:
    repo, call = _slow(tmp_path, server)
    child = _child_of(server)
    call.kill()
    call.communicate()
    until(lambda: not Path(f"/proc/{child}").exists() or _is_dead(child))
    assert repo.files()["a.py"] == b"x = 1\n"
    assert server.call(repo.root, "recover").status == 0
    assert server.calls() == 2


def test_a_call_that_is_killed_is_told_as_killed(server: Served, tmp_path: Path) -> None:
    _, call = _slow(tmp_path, server)
    os.kill(_child_of(server), signal.SIGKILL)
    call.communicate(timeout=30)
    assert call.returncode == -signal.SIGKILL
    assert server.calls() == 1


@any_client
def test_a_server_that_is_killed_kills_nobody(server: Served, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    rules = b'[[gates.command]]\nname = "slow"\nrun = "echo > %s; sleep 1"\n' % os.fsencode(begun)
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"x = 1\n", ".gitscalpel.toml": rules})
    call = server.started(repo.root, *EDIT, SCALPEL_TRUST="1")
    until(begun.exists)
    assert server.process is not None
    server.process.kill()
    server.process.communicate()
    _, err = call.communicate(timeout=60)
    assert call.returncode == 0, err
    assert repo.files()["a.py"] == b"x = 2\n"


def test_it_is_paused_and_goes_on_with_its_caller(server: Served, tmp_path: Path) -> None:
    _, call = _slow(tmp_path, server)
    child = _child_of(server)
    call.send_signal(signal.SIGTSTP)
    until(lambda: _state(child) == "T" and _state(call.pid) == "T")
    call.send_signal(signal.SIGCONT)
    until(lambda: _state(child) != "T")
    call.send_signal(signal.SIGINT)
    call.communicate(timeout=30)
    assert call.returncode == 130


@any_client
def test_it_ends_when_nobody_calls(nobody: Served) -> None:
    process = nobody.start("--idle", "0.2")
    out, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    assert b'"calls":0' in out
    assert nobody.sockets() == []


@any_client
def test_what_has_begun_is_finished_when_it_is_stopped(server: Served, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    rules = b'[[gates.command]]\nname = "slow"\nrun = "echo > %s; sleep 1"\n' % os.fsencode(begun)
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"x = 1\n", ".gitscalpel.toml": rules})
    call = server.started(repo.root, *EDIT, SCALPEL_TRUST="1")
    until(begun.exists)
    assert server.calls() == 1
    call.communicate()
    assert call.returncode == 0
    assert repo.files()["a.py"] == b"x = 2\n"


@any_client
def test_when_it_is_stopped_nobody_serves_nor_is_about_to(nobody: Served, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"x = 1\n"})
    assert nobody.call(repo.root, "show", "a.py").status == 0
    told = nobody.call(repo.root, "serve", "--stop")  # the one that has begun beside the call
    assert b"takes no more calls\n" in told.out
    assert (nobody.servers(), nobody.sockets()) == (set(), [])
    assert nobody.call(repo.root, "serve", "--stop").out == b"there is none\n"


@any_client
def test_one_that_is_started_while_another_ends_serves_after_it(nobody: Served) -> None:
    nobody.start()
    (place,) = nobody.sockets()
    nobody.calls()
    with place.with_suffix(".lock").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        process = subprocess.Popen(
            [*nobody.client, "serve", "--json"], env=nobody.env, cwd=nobody.runtime, stdout=subprocess.PIPE
        )
        time.sleep(1.0)
        assert (process.poll(), nobody.sockets()) == (None, [])
    until(lambda: bool(nobody.sockets()))
    process.terminate()
    out, _ = process.communicate(timeout=30)
    assert (process.returncode, b'"state":"ended"' in out) == (0, True)


def _child_of(server: Served) -> int:
    """The process of the one call that is under way: the older of the server's children."""
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
