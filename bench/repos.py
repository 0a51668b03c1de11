"""Repositories that are measured, and the surroundings in which that happens: the same for every benchmark.

Nothing of the machine is seen (its configuration, a server that is already there), and every side of a
comparison begins with the same bytes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

EDITED = "pkg0/module0.py"
NAME = "target"
BODIES = ("    return value + 1\n", "    total = value * 2\n    return total + 1\n")
_OTHERS = ("GIT_", "SCALPEL_", "GITSCALPEL_", "XDG_")
_FRESH = {"CI", "PYTHONDONTWRITEBYTECODE"}
"""By which nothing would be served, or every start would compile."""


@contextmanager
def sealed() -> Iterator[Path]:
    """A folder that is gone afterwards; until then nothing of the machine is seen, here and in children."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="scalpel-bench-") as name:
        home = Path(name, "home")
        home.mkdir(mode=0o700)
        for variable in [each for each in before if each.startswith(_OTHERS) or each in _FRESH]:
            del os.environ[variable]
        os.environ.update(_surroundings(home))
        try:
            yield Path(name)
        finally:
            os.environ.clear()
            os.environ.update(before)


def _surroundings(home: Path) -> dict[str, str]:
    places = ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR")
    return {
        **dict.fromkeys(places, str(home)),
        "SCALPEL_SERVER": "off",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "Bench",
        "GIT_AUTHOR_EMAIL": "bench@example.invalid",
        "GIT_COMMITTER_NAME": "Bench",
        "GIT_COMMITTER_EMAIL": "bench@example.invalid",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }


def run(root: Path, *command: str, stdin: str = "", **env: str) -> str:
    """What a command prints; one that fails ends the benchmark."""
    done = subprocess.run(
        command, cwd=root, input=stdin.encode(), env={**os.environ, **env}, capture_output=True, check=False
    )
    if done.returncode:
        said = (done.stdout + done.stderr).decode(errors="replace")
        raise SystemExit(f"{' '.join(command)} failed:\n{said}")
    return done.stdout.decode()


def timed(act: Callable[[], object]) -> float:
    """Its milliseconds."""
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


def code(body: str) -> str:
    """The definition that is edited."""
    return f"def {NAME}(value):\n{body}"


def content(body: str, others: int = 9) -> str:
    """A module of some forty lines, or more, whose function ``target`` has this body."""
    rest = "".join(f"\n\ndef other{n}(value):\n    return value - {n}\n" for n in range(others))
    return f'"""A module."""\n\n\n{code(body)}{rest}'


def make(root: Path, files: int, **more: str) -> Path:
    """A repository with this many files, fifty to a folder, and with ``more``: content by path."""
    paths = {f"pkg{n // 50}/module{n % 50}.py": content(BODIES[0]) for n in range(files)}
    return made(root, {**paths, **more})


def made(root: Path, files: dict[str, str]) -> Path:
    """A repository with these files, in one commit."""
    root.parent.mkdir(parents=True, exist_ok=True)
    run(root.parent, "git", "init", "-q", "-b", "main", str(root))
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    run(root, "git", "add", "-A")
    run(root, "git", "commit", "-q", "-m", "start")
    return root


def copied(root: Path, to: Path) -> Path:
    """The same repository once more."""
    run(root.parent, "cp", "-a", str(root), str(to))
    run(to, "git", "update-index", "-q", "--refresh")
    return to
