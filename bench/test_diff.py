"""The lines of a diff beside ``git diff``, by the length of the text and the number of changes.

    python -m pytest bench/test_diff.py --benchmark-enable

Compare the rows of one run; git's have the start of a process in them.
"""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from gitscalpel.edit.unified_diff import diff_texts

SIZES = [(lines, count) for lines in (1_000, 10_000, 100_000) for count in (2, 1_000)]


def texts(lines: int, count: int) -> tuple[bytes, bytes]:
    """Records of JSON, of which hardly a line stands once, and the same with some lines changed."""
    rows = ("  {", '    "id": {},', '    "tags": [],', '    "on": true', "  },")
    old = [rows[n % 5].replace("{}", str(n // 5)).encode() + b"\n" for n in range(lines)]
    new = list(old)
    for n in random.Random(lines).sample(range(lines), min(count, lines // 3)):  # noqa: S311
        new[n] = b"new %d\n" % n
    return b"".join(old), b"".join(new)


@pytest.mark.parametrize(("lines", "count"), SIZES)
def test_ours(benchmark: BenchmarkFixture, lines: int, count: int) -> None:
    assert benchmark(diff_texts, *texts(lines, count)).added == min(count, lines // 3)


@pytest.mark.parametrize(("lines", "count"), SIZES)
def test_gits(benchmark: BenchmarkFixture, tmp_path: Path, lines: int, count: int) -> None:
    for name, text in zip("ab", texts(lines, count), strict=True):
        (tmp_path / name).write_bytes(text)

    def git() -> int:
        command = ["git", "diff", "--no-index", "a", "b"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode

    assert benchmark(git) == 1
