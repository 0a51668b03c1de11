"""Random diffs with the mistakes of models are applied completely and correctly, or refused."""

from __future__ import annotations

import difflib
import random
import re
from collections.abc import Iterator

import pytest

from gitscalpel.errors import ScalpelError
from tests.edit.patches.patch_helpers import apply_patch

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
TEMPLATES = [
    "{}",
    "{}\n\n",
    "```diff\n{}```\n\nThat is all.\n- one\n",
    "Here:\n\n{}\n\nDone.\n",
    "{}-- \n2.39.2\n\n",
]


def _make_header(kind: str, old: str, new: str, extra: int) -> str:
    """Make the header of a hunk with correct or wrong counts."""
    if kind.startswith("@@"):
        return kind
    extra *= {"right": 0, "large": 1, "small": -1}[kind]
    return f"@@ -{_change_count(old, extra)} +{_change_count(new, extra)} @@"


def _change_count(span: str, extra: int) -> str:
    first, _, count = span.partition(",")
    return f"{first},{max(0, int(count or 1) + extra)}"


def _draw_line(rng: random.Random) -> str:
    line = rng.choice(LINES)
    return line % rng.randrange(30) if "%" in line else line


def _change_lines(lines: list[str], rng: random.Random) -> list[str]:
    new = lines[:]
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(new))
        new[at : at + rng.randrange(2)] = [_draw_line(rng) + "N"] * rng.randrange(2)
    return [*new, "end"]


def _mangle_diff(old: list[str], new: list[str], name: str, rng: random.Random) -> Iterator[str]:
    header, is_bare, is_stripped = rng.choice(HEADERS), rng.random() < 0.4, rng.random() < 0.5
    for line in difflib.unified_diff(
        old, new, f"a/{name}", f"b/{name}", lineterm="", n=rng.choice([1, 2, 3])
    ):
        counts = re.fullmatch(r"@@ -(\S+) \+(\S+) @@", line)
        if counts:
            yield _make_header(header, counts[1], counts[2], rng.randrange(1, 4))
        elif line == " ":
            yield "" if is_stripped else line
        elif is_bare and re.match(r" [^-+@ \\]", line) and rng.random() < 0.5:
            yield line[1:]
        else:
            yield line


@pytest.mark.parametrize("seed", range(20))
def test_mangled_diff_is_applied_correctly_or_refused(seed: int) -> None:
    rng, applied = random.Random(seed), 0  # noqa: S311 - a sample
    for _ in range(25):
        before = {
            name: [*(_draw_line(rng) for _ in range(rng.randrange(4, 20))), "end"] for name in ("f", "g")
        }
        expected = {name: _change_lines(lines[:-1], rng) for name, lines in before.items()}
        if any(before[name] == expected[name] for name in before):
            continue
        body = [line for name in before for line in _mangle_diff(before[name], expected[name], name, rng)]
        diff = rng.choice(TEMPLATES).format("\n".join([*body, ""]))
        try:
            result = apply_patch(
                {name: "\n".join([*lines, ""]) for name, lines in before.items()}, diff.encode()
            )
        except ScalpelError:
            continue
        applied += 1
        for name, lines in expected.items():
            assert result.overlay.content(name) == "\n".join([*lines, ""]).encode(), diff
    assert applied > 5
