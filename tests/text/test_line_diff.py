"""Line diffs of random edits and of this project's history agree with ``git diff``."""

from __future__ import annotations

import random
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitscalpel.edit.unified_diff import diff_texts
from gitscalpel.text import line_diff
from gitscalpel.text.line_diff import diff_items, diff_lines, find_line_shift

ROOT = Path(__file__).parents[2]
LINES = st.lists(st.sampled_from([b"a", b"b", b"c", b"", b"  d", b"\te", b"}"]), max_size=14)
STEMS = [b"a", b"b", b"", b"  x", b"    y", b"}", b"\tz", b"  ", b"        return"]


def diff_with_git(folder: Path, old: bytes, new: bytes) -> str:
    """Return the hunks of ``git diff`` without the names of their functions."""
    for name, text in (("old", old), ("new", new)):
        (folder / name).write_bytes(text)
    command = ["git", "diff", "--no-index", "--text", "--no-color", "old", "new"]
    output = subprocess.run(command, cwd=folder, capture_output=True, check=False).stdout
    start = output.find(b"\n@@ ") + 1
    hunks = re.sub(rb"(?m)^(@@ -\S+ \+\S+ @@).*$", rb"\1", output[start:]) if start else b""
    return hunks.decode("utf-8", "replace")


def make_edit(rng: random.Random, size: int, rounds: int) -> tuple[bytes, bytes]:
    """Draw a text with many equal lines, and edit it at random."""
    stems = STEMS[: rng.randint(2, len(STEMS))]

    def draw_lines(count: int) -> list[bytes]:
        return [
            rng.choice(stems) if rng.random() < 0.7 else b"%d" % rng.randrange(10**6) for _ in range(count)
        ]

    old = draw_lines(rng.randint(0, size))
    new = list(old)
    for _ in range(rounds):
        start = rng.randint(0, len(new))
        end = min(len(new), start + rng.randint(0, 6))
        moved, new[start:end] = new[start:end], draw_lines(rng.choice([0, 0, 1, 2, 5]))
        if rng.random() < 0.3:
            to = rng.randint(0, len(new))
            new[to:to] = moved
    ends = [rng.choice([b"", b"\n"]) for _ in range(2)]
    return b"\n".join(old) + ends[0], b"\n".join(new) + ends[1]


@pytest.mark.parametrize(("size", "rounds", "cases"), [(5, 1, 60), (30, 2, 60), (30, 12, 60), (400, 30, 20)])
def test_hunks_of_random_edits_equal_those_of_git(tmp_path: Path, size: int, rounds: int, cases: int) -> None:
    rng = random.Random(f"{size} {rounds}")  # noqa: S311 - the same sample each time
    for _ in range(cases):
        old, new = make_edit(rng, size, rounds)
        assert diff_texts(old, new).hunks == diff_with_git(tmp_path, old, new)


def shuffle(rng: random.Random, lines: list[bytes]) -> list[bytes]:
    return rng.sample(lines, len(lines))


def test_hunks_equal_those_of_git_where_git_uses_heuristics(tmp_path: Path) -> None:
    rng = random.Random(7)  # noqa: S311
    repeated = [b"%d" % rng.randrange(40) for _ in range(900)]
    unique = [b"%d" % number for number in range(900)]
    code = [[b"def f%d():" % (n // 4), b"    a = %d" % n, b"    return a", b""][n % 4] for n in range(1200)]
    blocks = [code[at : at + 200] for at in range(0, len(code), 200)]
    pairs = [(lines, shuffle(rng, lines)) for lines in (repeated, unique, code)]
    reordered = [
        [line for block in order for line in block] for order in (blocks[::-1], rng.sample(blocks, 6))
    ]
    pairs += [(unique, unique[::-1]), *((code, each) for each in reordered)]
    for old, new in pairs:
        texts = b"\n".join(old), b"\n".join(new)
        assert diff_texts(*texts).hunks == diff_with_git(tmp_path, *texts)


def test_hunks_of_this_projects_history_equal_those_of_git(tmp_path: Path) -> None:
    count = 0
    for old, new in iter_history(60):
        assert diff_texts(old, new).hunks == diff_with_git(tmp_path, old, new)
        count += 1
    if not count:
        pytest.skip("nothing is known here of what the files were")


def iter_history(limit: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield files before and after some commits of the project, if its history is available."""

    def git(*args: str) -> bytes:
        return subprocess.run(["git", "-C", str(ROOT), *args], capture_output=True, check=False).stdout

    rows = git("log", "--no-merges", "--raw", "--no-abbrev", "--no-renames", "--format=", "--diff-filter=M")
    ids = [(row.split()[2].decode(), row.split()[3].decode()) for row in rows.splitlines()]
    rng = random.Random(1)  # noqa: S311
    for pair in rng.sample(ids, min(limit, len(ids))):
        old, new = (git("cat-file", "blob", each) for each in pair)
        if b"\0" not in old + new and old and new:
            yield old, new


@given(LINES, LINES)
def test_changes_turn_one_text_into_the_other(old: list[bytes], new: list[bytes]) -> None:
    for found in (diff_lines(old, new), diff_items(old, new)):
        at, out = 0, []
        for a, b, c, d in found:
            assert at <= a
            assert a < b or c < d
            out += [*old[at:a], *new[c:d]]
            at = b
        assert [*out, *old[at:]] == new


@given(LINES, LINES)
def test_rough_diff_turns_one_text_into_the_other(old: list[bytes], new: list[bytes]) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(line_diff, "STEPS", -1)
        patched.setattr(line_diff, "SHORT", 1)
        ranges = diff_items(old, new)
    at, out = 0, []
    for a, b, c, d in ranges:
        out += [*old[at:a], *new[c:d]]
        at = b
    assert [*out, *old[at:]] == new


def test_line_shift_counts_changes_above() -> None:
    old = [b"a", b"b", b"c", b"d"]
    assert find_line_shift(old, [b"new", b"a", b"b", b"c"], 1, 3) == 1
    assert find_line_shift(old, [b"a", b"B", b"c", b"d"], 1, 3) is None
    assert find_line_shift([b"f", b"f", b"g"], [b"f", b"f", b"f", b"g"], 1, 2) is None, "it may be either"


BIG = 40_000
JSON = [[b"  {", b'    "id": %d,' % (n // 5), b'    "on": true,', b"  },", b""][n % 5] for n in range(BIG)]


@pytest.mark.parametrize(
    "new",
    [
        [b"1", *JSON[1:-1], b"2"],
        [line if n % 40 else b"new %d" % n for n, line in enumerate(JSON)],
        [line for n, line in enumerate(JSON) if n % 37],
        JSON[::-1],
        shuffle(random.Random(2), JSON),  # noqa: S311
    ],
    ids=["two lines", "many lines", "many deleted lines", "reversed", "shuffled"],
)
def test_large_diff_is_fast(new: list[bytes]) -> None:
    began = time.process_time()
    found = diff_lines(JSON, new)
    assert time.process_time() - began < 8
    assert len(JSON) + sum((d - c) - (b - a) for a, b, c, d in found) == len(new)
