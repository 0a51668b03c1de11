"""A walk finds the same nodes as a search from the root does, and passes each sibling once."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from gitscalpel.api.search import TreeWalk
from gitscalpel.syntax.languages import recognise
from gitscalpel.syntax.parse import Syntax

SHAPES = Path(__file__).parent / "shapes"


@pytest.mark.parametrize("suffix", ["c", "js", "py", "rb", "swift", "scala", "sql"])
def test_a_walk_finds_what_a_search_finds(suffix: str) -> None:
    text = (SHAPES / f"shapes.{suffix}.txt").read_bytes()
    language = recognise(f"a.{suffix}", text)
    assert language is not None
    root = Syntax(language, text).root
    drawn = random.Random(1)  # noqa: S311 - any numbers will do
    for _ in range(20):
        walk = TreeWalk(root)
        steps = sorted(drawn.sample(range(len(text)), 40))
        for at in [*steps, steps[3]]:  # the last one lies behind
            found, expected = walk.to(at)[-1], root.descendant_for_byte_range(at, at + 1)
            assert expected is not None
            assert (found.type, found.range) == (expected.type, expected.range)


def test_a_walk_is_linear() -> None:
    text = b"// of small\n" * 50_000
    language = recognise("a.swift", text)
    assert language is not None
    walk = TreeWalk(Syntax(language, text).root)
    began = time.process_time()
    assert {walk.to(at)[-1].type for at in range(0, len(text), 4)} == {"comment"}
    assert time.process_time() - began < 3  # from the root on, this takes 30 s
