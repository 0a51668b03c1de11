"""Exit of a call: output is written and exit handlers run, although the exit is short."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sandbox import Sandbox

_PROGRAM = [sys.executable, "-m", "gitscalpel"]
_CALL = [*_PROGRAM, "--version"]
_BUFFERED = {**os.environ, "PYTHONUNBUFFERED": ""}
_NOWHERE = ["show", "there/is/none.py", "--json"]


@pytest.mark.parametrize("words", [["--version"], ["show", "-h"]])
def test_full_disk_at_exit_is_reported(words: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*_PROGRAM, *words], env=_BUFFERED, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        75,
        "error: busy: the disk is full: [Errno 28] No space left on device",
    )


@pytest.mark.parametrize(
    ("words", "closed", "status"),
    [
        (["--version"], ">&-", 0),
        (["list"], ">&-", 0),
        (_NOWHERE, ">&-", 3),
        (_NOWHERE[:-1], "2>&-", 3),
    ],
)
def test_closed_output_is_not_an_error(tmp_path: Path, words: list[str], closed: str, status: int) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"x = 1\n"})
    command = ["sh", "-c", f'"$@" {closed}', "sh", *_PROGRAM, *words]
    done = subprocess.run(command, cwd=repo.root, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (status, b"", b"")


@pytest.mark.parametrize("words", [["show", "-h"], _NOWHERE])
def test_closed_pipe_prints_no_error(words: list[str]) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    with os.fdopen(writes, "wb") as pipe:
        done = subprocess.run(
            [*_PROGRAM, *words], env=_BUFFERED, stdout=pipe, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (141, b"")


def test_exit_handlers_of_other_code_run(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import atexit\natexit.register(print, 'measured')\n")
    environment = {**_BUFFERED, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(_CALL, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.splitlines()[1:] == ["measured"]


def test_profiler_prints_its_result() -> None:
    profiled = [sys.executable, "-m", "cProfile", *_CALL[1:]]
    alone = {**_BUFFERED, "SCALPEL_SERVER": "off"}
    done = subprocess.run(profiled, env=alone, stdout=subprocess.PIPE, text=True, check=True)
    assert "function calls" in done.stdout


_INTERRUPTED = """
import os, signal, sys
import gitscalpel.__main__ as program

def interrupted(event, about):
    if event == "import" and about[0] == {name!r}:
        os.kill(os.getpid(), signal.SIGINT)

sys.addaudithook(interrupted)
sys.argv = ["git-scalpel", "list"]
program.main()
"""


@pytest.mark.parametrize("name", ["msgspec", "uuid", "gitscalpel.cli", "gitscalpel.commands.table"])
def test_interrupt_during_start_is_reported(tmp_path: Path, name: str) -> None:
    """Interrupt an import, also in a library that would swallow the interrupt and crash later."""
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"x = 1\n"})
    command = [sys.executable, "-c", _INTERRUPTED.format(name=name)]
    env = {**os.environ, "SCALPEL_SERVER": "off"}
    done = subprocess.run(command, cwd=repo.root, env=env, capture_output=True, text=True, check=False)
    message = "error: interrupted: interrupted\nhint: run it again; nothing has landed\n"
    assert (done.returncode, done.stdout, done.stderr) == (130, "", message)
