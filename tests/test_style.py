"""Style and types are checked by ruff and mypy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    "command",
    [("ruff", "check", "--no-cache"), ("ruff", "format", "--check", "--no-cache"), ("mypy",)],
    ids=" ".join,
)
def test_command_reports_nothing(command: tuple[str, ...]) -> None:
    cache = ["--cache-dir", os.devnull] if command[0] == "mypy" else ["."]
    done = subprocess.run(
        [sys.executable, "-m", *command, *cache], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
