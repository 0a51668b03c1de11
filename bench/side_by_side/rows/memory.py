"""The memory that an edit by the command line takes at its peak: of its largest process, against git's."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.side_by_side.bench import Bench
from bench.side_by_side.pairs import paired
from bench.side_by_side.values import Row
from bench.side_by_side.ways.scalpel import command
from bench.side_by_side.ways.way import back_or_forth

_MEASURE = """
import os, sys
null = os.open(os.devnull, os.O_RDWR)
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
_, status, used = os.wait4(child, 0)
print(used.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""
"""A small interpreter in between: a child's peak is at least what its parent had when it was started."""
_UNITS = 2**20 if sys.platform == "darwin" else 1024


def rows(bench: Bench) -> Iterator[Row]:
    """Measure it in every size."""
    for files in bench.files:
        root = bench.sides(files).subject
        pair = paired(
            lambda _, root=root: _ours(root),  # type: ignore[misc]
            lambda _, root=root: _peak(root, "git", "commit", "-q", "--allow-empty", "-m", "empty"),  # type: ignore[misc]
            bench.few,
        )
        yield Row(
            row="memory",
            what="peak memory of one symbol replaced and landed",
            way="git scalpel, cold",
            against="git commit",
            files=files,
            value=pair.value,
            other=pair.other,
            ratio=pair.ratio,
            unit="MB",
            budget=120.0,
            on="value",
        )


def _ours(root: Path) -> float:
    edit = back_or_forth(root)
    return _peak(root, *command(edit), stdin=edit.new)


def _peak(root: Path, *words: str, stdin: str = "") -> float:
    """Megabytes."""
    done = subprocess.run(
        [sys.executable, "-S", "-c", _MEASURE, *words],
        cwd=root,
        env=os.environ,
        input=stdin,
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout) / _UNITS
