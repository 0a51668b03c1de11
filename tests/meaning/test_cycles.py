"""What leads back to itself in many ways comes to an end: ways grow with the power of their length."""

from __future__ import annotations

import time
from pathlib import Path

from tests.command import scalpel
from tests.sandbox import Sandbox

_COUNT = 60


def _function(number: int) -> str:
    """One that is worth what four others are."""
    called = [(number * 7 + more * 3 + 1) % _COUNT for more in range(4)]
    return f"def f{number}(a):\n" + "".join(f"    if a == {n}:\n        return f{n}(a)\n" for n in called)


def test_functions_that_return_each_other(tmp_path: Path) -> None:
    parts = ["class A:\n    x = 1\n", *map(_function, range(_COUNT)), "y = f0(1).x\nz = A().x\n"]
    text = "\n".join(parts)
    repo = Sandbox.of(tmp_path / "repo", {"a.py": text.encode()})
    began = time.monotonic()
    data = scalpel(repo.root, "refs", "a.py::A.x", "--json").data
    assert time.monotonic() - began < 15
    last = text.count("\n")
    assert [row["line"] for row in data["references"]] == [last]
    assert [(row["line"], row["why"]) for row in data["unsure"]] == [(last - 1, "it is too far to follow")]
