"""Repository in which clients call tools."""

from __future__ import annotations

import subprocess
from pathlib import Path


def make_repository(folder: Path) -> Path:
    """Make a repository in a directory."""
    (folder / "a.py").write_text("def f():\n    return 1\n")
    for words in (["init", "-qb", "main"], ["add", "."], ["commit", "-qm", "first"]):
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
        subprocess.run(["git", *identity, *words], cwd=folder, check=True)
    for name, value in (("user.name", "A"), ("user.email", "a@example.com")):
        subprocess.run(["git", "config", name, value], cwd=folder, check=True)
    return folder
