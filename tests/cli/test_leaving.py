"""How a call ends: nothing that was said, or is to be done at the end, is lost on the short way out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_CALL = [sys.executable, "-m", "gitscalpel", "--version"]
_BUFFERED = {**os.environ, "PYTHONUNBUFFERED": ""}


def test_what_could_not_be_written_at_the_end_is_told() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            _CALL, env=_BUFFERED, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        75,
        "error: busy: the disk is full: [Errno 28] No space left on device",
    )


def test_who_has_closed_the_output_hears_nothing() -> None:
    done = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *_CALL], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_what_others_have_asked_for_at_the_end_is_done(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import atexit\natexit.register(print, 'measured')\n")
    environment = {**_BUFFERED, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(_CALL, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.splitlines()[1:] == ["measured"]
