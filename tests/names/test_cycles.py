"""Resolution of cyclic references ends, although the number of paths grows exponentially."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.names.entities import Binding
from gitscalpel.names.files import Files as Tree
from gitscalpel.names.references import find_references
from gitscalpel.names.resolver import Resolver, dialect
from tests.command import scalpel
from tests.edit.editing import Files
from tests.sandbox import Sandbox

_COUNT = 60


def _make_function(number: int) -> str:
    """Return a function that returns calls of four others."""
    called = [(number * 7 + more * 3 + 1) % _COUNT for more in range(4)]
    return f"def f{number}(a):\n" + "".join(f"    if a == {n}:\n        return f{n}(a)\n" for n in called)


def test_mutually_recursive_functions_are_resolved_in_time(tmp_path: Path) -> None:
    parts = ["class A:\n    x = 1\n", *map(_make_function, range(_COUNT)), "y = f0(1).x\nz = A().x\n"]
    text = "\n".join(parts)
    repo = Sandbox.of(tmp_path / "repo", {"a.py": text.encode()})
    start = time.monotonic()
    data = scalpel(repo.root, "refs", "a.py::A.x", "--json").data
    assert time.monotonic() - start < 15
    last = text.count("\n")
    assert [row["line"] for row in data["references"]] == [last]
    assert [(row["line"], row["why"]) for row in data["unsure"]] == [(last - 1, "it is too far to follow")]


def test_chain_of_imports_takes_linear_time() -> None:
    def steps(count: int) -> int:
        files = {f"c{at}.py": f"from c{at + 1} import small\n" for at in range(count)}
        files[f"c{count}.py"] = "def small(): pass\n"
        resolver = Resolver(Tree(Overlay(Files(files))), dialect)
        (mention,) = resolver.lexical(f"c{count}.py").occurrences_of("small")
        target = {each for each in resolver.meanings(f"c{count}.py", mention) if isinstance(each, Binding)}
        counted = 0

        def count_step(*_: object) -> Any:
            nonlocal counted
            counted += 1
            return count_step

        before = sys.gettrace()
        sys.settrace(count_step)
        try:
            found = find_references(resolver, target)
        finally:
            sys.settrace(before)
        assert {each.path for each in found.certain} == {*files}
        return counted

    steps(3)  # loads the modules of the language
    assert steps(120) < 3.5 * steps(60)
