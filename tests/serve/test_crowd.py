"""Of many calls at once that find no server, most wait for one and are served."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from gitscalpel.serve import mark as starting
from tests.sandbox import Sandbox
from tests.serve.serving import Served, any_client, until

pytestmark = any_client
FILES = {"a.py": b"def f():\n    return 1\n"}
SHOW = ("show", "a.py::f")
BUSY = "import os; os.nice(19)\nwhile True: pass"


@contextmanager
def crowd() -> Iterator[None]:
    """Three that run, or wait to run, for each processor; whoever else wants to run goes first."""
    with ExitStack() as ending:
        for _ in range(3 * (os.cpu_count() or 1)):
            busy = ending.enter_context(subprocess.Popen([sys.executable, "-c", BUSY]))
            ending.callback(busy.kill)
        yield


def mark(callers: Served, *, age: float) -> Path:
    """What says that a server is being started, since ``age`` seconds."""
    folder = callers.runtime / "git-scalpel"
    folder.mkdir(mode=0o700)
    (own,) = _marks(callers)
    own.touch()
    os.utime(own, (time.time() - age,) * 2)
    return own


def _marks(callers: Served) -> list[Path]:
    """Where a server of theirs says that it starts, as one says that has been started."""
    process = callers.start()
    listening = [each.with_suffix(starting.ENDING) for each in callers.sockets()]
    process.terminate()
    process.communicate()
    callers.process = None
    return listening


def test_in_a_crowd_a_call_waits_for_a_server_that_is_being_started(nobody: Served, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    own = mark(nobody, age=-60.0)
    with crowd():
        waiting = nobody.started(repo.root, *SHOW)
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(timeout=2.0)
        nobody.start()
        assert not own.exists()
        assert b"return 1" in waiting.communicate()[0]
    assert nobody.calls() == 1


def test_who_waits_can_be_interrupted(nobody: Served, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    mark(nobody, age=-60.0)
    with crowd():
        waiting = nobody.started(repo.root, *SHOW)
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(timeout=2.0)
        waiting.send_signal(signal.SIGINT)
        _, err = waiting.communicate()
    assert (waiting.returncode, err.splitlines()[0]) == (130, b"error: interrupted: interrupted")


def test_nobody_waits_for_one_that_does_not_come(nobody: Served, tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    own = mark(nobody, age=4.0)
    with crowd():
        assert nobody.call(repo.root, *SHOW).status == 0
    assert own.exists()


def test_who_is_first_in_a_crowd_has_one_started_and_does_his_call_meanwhile(
    nobody: Served, tmp_path: Path
) -> None:
    repo = Sandbox.of(tmp_path / "repo", FILES)
    with crowd():
        assert nobody.call(repo.root, *SHOW).status == 0
        until(lambda: bool(nobody.sockets()))
    assert len(nobody.servers()) == 1
