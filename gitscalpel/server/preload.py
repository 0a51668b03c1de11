"""Load and compute in the server what is the same for every call, and detect a changed installation."""

from __future__ import annotations

import importlib
import os
import pkgutil
import site
import sys
import time
from collections import deque
from contextlib import suppress
from pathlib import Path

from gitscalpel.edit.source import Source
from gitscalpel.names.scope_rules import is_followed
from gitscalpel.syntax.occurrences import Mentions
from gitscalpel.syntax.syntax_errors import faults
from gitscalpel.system import serialization

_SAMPLE_FILES = {
    "a.py": b"def f():\n    return 1\n",
    "a.js": b"function f() {}\n",
    "a.ts": b"function f() {}\n",
    "a.tsx": b"function f() {}\n",
    "a.go": b"package a\n",
    "a.rs": b"fn f() {}\n",
    "a.java": b"class A {}\n",
    "a.c": b"int f;\n",
    "a.cpp": b"int f;\n",
    "a.json": b"{}\n",
    "a.md": b"# A\n",
    "a.yaml": b"a: 1\n",
    "a.toml": b"a = 1\n",
}
"""Sample files of the languages that are edited most."""
_EXCLUDED_PACKAGES = ("gitscalpel.ci", "gitscalpel.demo", "gitscalpel.mcp", "gitscalpel.review")
"""Packages that run in processes of their own, never in a server."""
_LOAD = Path("/proc/loadavg")
PAUSE = 0.05
"""Seconds without a call after which a language may be loaded."""
_MAX_DELAY_S = 5.0
"""Seconds without a call after which a language is loaded even if no processor is idle."""


def up() -> None:
    """Import what a call may need, and resolve types."""
    for module in pkgutil.walk_packages([str(Path(__file__).parent.parent)], "gitscalpel."):
        if not module.name.startswith(_EXCLUDED_PACKAGES) and not module.name.endswith("__main__"):
            with suppress(ImportError):  # needs an optional package
                importlib.import_module(module.name)
    importlib.import_module("locale")  # imported late by argparse of Python 3.10
    serialization.look_all_up()


class Languages:
    """Languages to load while there are no calls: compiling their queries takes half a second.

    Attributes:
        left: sample files of the languages not loaded yet.
    """

    def __init__(self) -> None:
        self.remaining = deque(_SAMPLE_FILES.items())

    def has_time(self, since: float) -> bool:
        """Return True if a processor is idle, or the last call was long ago.

        A call that arrives meanwhile waits. With busy processors it could wait longer than its patience.
        """
        return bool(self.remaining) and (_is_idle() or time.monotonic() - since > _MAX_DELAY_S)

    def read_one(self) -> None:
        """Load the next language."""
        name, text = self.remaining.popleft()
        source = Source.read(name, text)
        if source.outline is not None:
            any(faults(syntax) for syntax in source.readings)
        syntax = source.syntax
        if syntax is not None and is_followed(syntax.language.name):
            Mentions(syntax).of("f")


def _is_idle() -> bool:
    """Return True if no more processes run than there are processors; see proc(5)."""
    running, _, _ = _LOAD.read_text("ascii").split()[3].partition("/")
    return int(running) <= (os.cpu_count() or 1)


Known = list[tuple[int, int]]
"""Inode and modification time in nanoseconds of each file."""


def list_watched_paths() -> list[str]:
    """Return the paths that change with the installation.

    An installer replaces our directory and writes names next to it. A developer changes single files.
    """
    package = Path(__file__).parent.parent
    is_installed = any(package.parent.glob("gitscalpel-*.dist-info"))
    own = [package] if is_installed else [*package.rglob("*.py")]
    installed = [*site.getsitepackages(), site.getusersitepackages()]
    return [str(Path(sys.executable).resolve()), *installed, *map(str, own)]


WATCHED_PATHS = list_watched_paths()


def look() -> Known:
    """Return the current state of the interpreter, the package directories, and our own files."""
    return [_file_state(file) for file in WATCHED_PATHS]


def _file_state(file: str) -> tuple[int, int]:
    try:
        found = os.stat(file)  # noqa: PTH116 - pathlib is slower than the system call
    except OSError:
        return (0, 0)
    return (found.st_ino, found.st_mtime_ns)
