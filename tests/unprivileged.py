"""Commands that may not read what permissions forbid, also when the tests run as root."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

WITHOUT_OVERRIDE = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")
"""Start a program without root's right to ignore permissions."""


def run_unprivileged(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a directory without the right to ignore permissions.

    The test is skipped if root cannot give up this right, or if the directories of git-scalpel
    itself belong to another user and cannot be reached without the right.
    """
    if os.geteuid() != 0:
        return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if shutil.which("setpriv") is None:
        pytest.skip("root reads everything here: setpriv is not on PATH")
    version = (*WITHOUT_OVERRIDE, "git", "scalpel", "--version")
    if subprocess.run(version, cwd=folder, capture_output=True, check=False).returncode != 0:
        pytest.skip("root cannot reach git-scalpel here without the right to ignore permissions")
    words = (*WITHOUT_OVERRIDE, *words)
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
