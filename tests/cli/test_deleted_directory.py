"""Commands in a deleted current directory report that it is gone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = """
import os, sys
os.chdir(sys.argv[1])
os.rmdir(sys.argv[1])
os.execv(sys.executable, [sys.executable, "-m", "gitscalpel", *sys.argv[2:]])
"""


@pytest.mark.parametrize(
    "call", [["show", "a"], ["status", "--json"], ["doctor"], ["rm", "a", "--json"], ["mcp"]]
)
def test_deleted_current_directory_is_reported(tmp_path: Path, call: list[str]) -> None:
    deleted = tmp_path / "gone"
    deleted.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, deleted, *call],
        env={**os.environ, "SCALPEL_SERVER": "off"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 74
    output = done.stdout + done.stderr
    assert "the current directory has been deleted" in output
    assert "cd to an existing directory" in output
    assert sys.platform != "linux" or f"deleted: {deleted}" in output
