"""Diffs as models send them, made at random from a change: what lands is that change, whole, or nothing."""

from __future__ import annotations

import difflib
import random
import re
from collections.abc import Iterator

import pytest

from gitscalpel.errors import ScalpelError
from tests.edit.patches.patching import applied

LINES = [
    "",
    "",
    "}",
    "```",
    "    y%d",
    "\tz%d",
    "- b%d",
    "+ p%d",
    "-- c%d",
    "--- q%d",
    "+++ w%d",
    "* s%d",
    "@@x",
]
HEADERS = ["right", "large", "small", "@@", "@@ ... @@"]
AROUND = [
    "{}",
    "{}\n\n",
    "```diff\n{}```\n\nThat is all.\n- one\n",
    "Here:\n\n{}\n\nDone.\n",
    "{}-- \n2.39.2\n\n",
]


def _header(kind: str, old: str, new: str, more: int) -> str:
    """A hunk's header, right or with counts that are off."""
    if kind.startswith("@@"):
        return kind
    more *= {"right": 0, "large": 1, "small": -1}[kind]
    return f"@@ -{_grown(old, more)} +{_grown(new, more)} @@"


def _grown(counted: str, more: int) -> str:
    first, _, count = counted.partition(",")
    return f"{first},{max(0, int(count or 1) + more)}"


def _line(by: random.Random) -> str:
    line = by.choice(LINES)
    return line % by.randrange(30) if "%" in line else line


def _changed(lines: list[str], by: random.Random) -> list[str]:
    new = lines[:]
    for _ in range(by.randrange(1, 4)):
        at = by.randrange(len(new))
        new[at : at + by.randrange(2)] = [_line(by) + "N"] * by.randrange(2)
    return [*new, "end"]


def _mangled(old: list[str], new: list[str], name: str, by: random.Random) -> Iterator[str]:
    header, is_bare, is_stripped = by.choice(HEADERS), by.random() < 0.4, by.random() < 0.5
    for line in difflib.unified_diff(old, new, f"a/{name}", f"b/{name}", lineterm="", n=by.choice([1, 2, 3])):
        counts = re.fullmatch(r"@@ -(\S+) \+(\S+) @@", line)
        if counts:
            yield _header(header, counts[1], counts[2], by.randrange(1, 4))
        elif line == " ":
            yield "" if is_stripped else line
        elif is_bare and re.match(r" [^-+@ \\]", line) and by.random() < 0.5:
            yield line[1:]
        else:
            yield line


@pytest.mark.parametrize("seed", range(20))
def test_what_lands_is_what_was_meant(seed: int) -> None:
    by, landed = random.Random(seed), 0  # noqa: S311 - a sample
    for _ in range(25):
        before = {name: [*(_line(by) for _ in range(by.randrange(4, 20))), "end"] for name in ("f", "g")}
        meant = {name: _changed(lines[:-1], by) for name, lines in before.items()}
        if any(before[name] == meant[name] for name in before):
            continue
        body = [line for name in before for line in _mangled(before[name], meant[name], name, by)]
        diff = by.choice(AROUND).format("\n".join([*body, ""]))
        try:
            done = applied({name: "\n".join([*lines, ""]) for name, lines in before.items()}, diff.encode())
        except ScalpelError:
            continue
        landed += 1
        for name, lines in meant.items():
            assert done.overlay.content(name) == "\n".join([*lines, ""]).encode(), diff
    assert landed > 5
