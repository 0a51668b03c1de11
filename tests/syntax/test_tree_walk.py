"""A tree walk finds the same nodes as a search from the root, in linear time."""

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
def test_walk_finds_the_same_nodes_as_a_search(suffix: str) -> None:
    text = (SHAPES / f"shapes.{suffix}.txt").read_bytes()
    language = recognise(f"a.{suffix}", text)
    assert language is not None
    root = Syntax(language, text).root
    generator = random.Random(1)  # noqa: S311 - any numbers will do
    for _ in range(20):
        walk = TreeWalk(root)
        steps = sorted(generator.sample(range(len(text)), 40))
        for at in [*steps, steps[3]]:  # the last offset is a step back
            found, expected = walk.to(at)[-1], root.descendant_for_byte_range(at, at + 1)
            assert expected is not None
            assert (found.type, found.range) == (expected.type, expected.range)


def test_walk_takes_linear_time() -> None:
    text = b"// of small\n" * 50_000
    language = recognise("a.swift", text)
    assert language is not None
    walk = TreeWalk(Syntax(language, text).root)
    start = time.process_time()
    assert {walk.to(at)[-1].type for at in range(0, len(text), 4)} == {"comment"}
    assert time.process_time() - start < 3  # searches from the root take 30 s
