"""Which lines became which: git itself is asked, of random edits and of what this project's files were."""

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


def gits(folder: Path, old: bytes, new: bytes) -> str:
    """The hunks by ``git diff``, without the functions in which they are."""
    for name, text in (("old", old), ("new", new)):
        (folder / name).write_bytes(text)
    command = ["git", "diff", "--no-index", "--text", "--no-color", "old", "new"]
    said = subprocess.run(command, cwd=folder, capture_output=True, check=False).stdout
    at = said.find(b"\n@@ ") + 1
    hunks = re.sub(rb"(?m)^(@@ -\S+ \+\S+ @@).*$", rb"\1", said[at:]) if at else b""
    return hunks.decode("utf-8", "replace")


def edited(by: random.Random, size: int, rounds: int) -> tuple[bytes, bytes]:
    """A text of lines of which many are alike, and what some edits made of it."""
    stems = STEMS[: by.randint(2, len(STEMS))]

    def some(count: int) -> list[bytes]:
        return [by.choice(stems) if by.random() < 0.7 else b"%d" % by.randrange(10**6) for _ in range(count)]

    old = some(by.randint(0, size))
    new = list(old)
    for _ in range(rounds):
        start = by.randint(0, len(new))
        end = min(len(new), start + by.randint(0, 6))
        moved, new[start:end] = new[start:end], some(by.choice([0, 0, 1, 2, 5]))
        if by.random() < 0.3:
            to = by.randint(0, len(new))
            new[to:to] = moved
    ends = [by.choice([b"", b"\n"]) for _ in range(2)]
    return b"\n".join(old) + ends[0], b"\n".join(new) + ends[1]


@pytest.mark.parametrize(("size", "rounds", "cases"), [(5, 1, 60), (30, 2, 60), (30, 12, 60), (400, 30, 20)])
def test_the_hunks_of_random_edits_are_gits_own(tmp_path: Path, size: int, rounds: int, cases: int) -> None:
    by = random.Random(f"{size} {rounds}")  # noqa: S311 - the same ones each time
    for _ in range(cases):
        old, new = edited(by, size, rounds)
        assert diff_texts(old, new).hunks == gits(tmp_path, old, new)


def shuffled(by: random.Random, lines: list[bytes]) -> list[bytes]:
    return by.sample(lines, len(lines))


def test_so_they_are_where_git_gives_up_the_shortest_way(tmp_path: Path) -> None:
    by = random.Random(7)  # noqa: S311
    several = [b"%d" % by.randrange(40) for _ in range(900)]
    once = [b"%d" % number for number in range(900)]
    code = [[b"def f%d():" % (n // 4), b"    a = %d" % n, b"    return a", b""][n % 4] for n in range(1200)]
    blocks = [code[at : at + 200] for at in range(0, len(code), 200)]
    pairs = [(lines, shuffled(by, lines)) for lines in (several, once, code)]
    turned = [[line for block in order for line in block] for order in (blocks[::-1], by.sample(blocks, 6))]
    pairs += [(once, once[::-1]), *((code, each) for each in turned)]
    for old, new in pairs:
        texts = b"\n".join(old), b"\n".join(new)
        assert diff_texts(*texts).hunks == gits(tmp_path, *texts)


def test_so_they_are_for_what_the_files_of_this_project_were(tmp_path: Path) -> None:
    count = 0
    for old, new in past(60):
        assert diff_texts(old, new).hunks == gits(tmp_path, old, new)
        count += 1
    if not count:
        pytest.skip("nothing is known here of what the files were")


def past(most: int) -> Iterator[tuple[bytes, bytes]]:
    """Files before and after some commits of the project, where its history is here."""

    def git(*args: str) -> bytes:
        return subprocess.run(["git", "-C", str(ROOT), *args], capture_output=True, check=False).stdout

    rows = git("log", "--no-merges", "--raw", "--no-abbrev", "--no-renames", "--format=", "--diff-filter=M")
    ids = [(row.split()[2].decode(), row.split()[3].decode()) for row in rows.splitlines()]
    by = random.Random(1)  # noqa: S311
    for pair in by.sample(ids, min(most, len(ids))):
        old, new = (git("cat-file", "blob", each) for each in pair)
        if b"\0" not in old + new and old and new:
            yield old, new


@given(LINES, LINES)
def test_changes_make_one_text_of_the_other(old: list[bytes], new: list[bytes]) -> None:
    for found in (diff_lines(old, new), diff_items(old, new)):
        at, out = 0, []
        for a, b, c, d in found:
            assert at <= a
            assert a < b or c < d
            out += [*old[at:a], *new[c:d]]
            at = b
        assert [*out, *old[at:]] == new


@given(LINES, LINES)
def test_a_rough_search_makes_one_text_of_the_other_too(old: list[bytes], new: list[bytes]) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(line_diff, "STEPS", -1)
        patched.setattr(line_diff, "SHORT", 1)
        ranges = diff_items(old, new)
    at, out = 0, []
    for a, b, c, d in ranges:
        out += [*old[at:a], *new[c:d]]
        at = b
    assert [*out, *old[at:]] == new


def test_lines_follow_what_changed_above_them() -> None:
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
        shuffled(random.Random(2), JSON),  # noqa: S311
    ],
    ids=["two lines", "many lines", "without many lines", "backwards", "in any order"],
)
def test_no_change_takes_long(new: list[bytes]) -> None:
    began = time.process_time()
    found = diff_lines(JSON, new)
    assert time.process_time() - began < 8
    assert len(JSON) + sum((d - c) - (b - a) for a, b, c, d in found) == len(new)
