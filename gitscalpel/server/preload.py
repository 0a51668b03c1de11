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

_OFTEN = {
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
"""A file of each of the languages that are edited most."""
_ELSEWHERE = ("gitscalpel.ci", "gitscalpel.demo", "gitscalpel.mcp", "gitscalpel.review")
"""What no server does: each is a process of its own."""
_LOAD = Path("/proc/loadavg")
PAUSE = 0.05
"""Seconds without a call, after which there may be time for one of them."""
_LATEST = 5.0
"""Seconds without a call, after which they are read though no processor is idle."""


def up() -> None:
    """Import what a call may need, and look types up."""
    for module in pkgutil.walk_packages([str(Path(__file__).parent.parent)], "gitscalpel."):
        if not module.name.startswith(_ELSEWHERE) and not module.name.endswith("__main__"):
            with suppress(ImportError):  # a part that needs what is not installed
                importlib.import_module(module.name)
    importlib.import_module("locale")  # which argparse of Python 3.10 loads with its first command line
    serialization.look_all_up()


class Languages:
    """A little of each is read while nobody calls: to compile what is looked for takes half a second.

    Attributes:
        left: those that were not read yet, a file of each.
    """

    def __init__(self) -> None:
        self.left = deque(_OFTEN.items())

    def has_time(self, since: float) -> bool:
        """Whether a processor is idle; where none ever is, whether nobody has called since long ago.

        Who calls meanwhile waits for it, and where others compute as well, longer than he has patience for.
        """
        return bool(self.left) and (_is_idle() or time.monotonic() - since > _LATEST)

    def read_one(self) -> None:
        """Read one of those that are left."""
        name, text = self.left.popleft()
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
"""Of each file, its inode, and when it was changed in nanoseconds."""


def list_watched_paths() -> list[str]:
    """An installer replaces our folder, and writes names beside it; who works on us, single files."""
    package = Path(__file__).parent.parent
    is_installed = any(package.parent.glob("gitscalpel-*.dist-info"))
    own = [package] if is_installed else [*package.rglob("*.py")]
    installed = [*site.getsitepackages(), site.getusersitepackages()]
    return [str(Path(sys.executable).resolve()), *installed, *map(str, own)]


WATCHED_PATHS = list_watched_paths()


def look() -> Known:
    """The interpreter, where packages are installed, and our own files, as they are now."""
    return [_seen(file) for file in WATCHED_PATHS]


def _seen(file: str) -> tuple[int, int]:
    try:
        found = os.stat(file)  # noqa: PTH116 - pathlib would take longer than the system
    except OSError:
        return (0, 0)
    return (found.st_ino, found.st_mtime_ns)
