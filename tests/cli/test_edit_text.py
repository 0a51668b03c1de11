"""Lines of the text answer of an edit: what was not checked, and calls that no longer fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import scalpel
from tests.sandbox import Sandbox


@pytest.mark.parametrize("more", [[], ["--no-land"], ["--dry-run"]], ids=["landed", "staged", "tried"])
def test_a_file_that_nothing_parses_is_named(tmp_path: Path, more: list[str]) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"d/x.vue": b"a\n"})
    said = scalpel(repo.root, "text", "d/x.vue", "--old", "a", "--new", "b", *more)
    assert said.status == 0
    assert "d/x.vue: no parser for this type of file" in said.out


@pytest.mark.parametrize("path", ["a.txt", "LICENSE", ".gitignore", "d/b.log"])
def test_plain_text_is_not(tmp_path: Path, path: str) -> None:
    repo = Sandbox.of(tmp_path / "repo", {path: b"a\n"})
    assert "no parser" not in scalpel(repo.root, "text", path, "--old", "a", "--new", "b").out


def test_of_many_calls_the_first_ten_are_named(tmp_path: Path) -> None:
    calls = "".join(f"f({n});\n" for n in range(12))
    repo = Sandbox.of(tmp_path / "repo", {"a.ts": f"function f(a: number) {{}}\n{calls}".encode()})
    command = ["signature", "a.ts::f", "--code", "function f(a: number, b: number)"]
    text = scalpel(repo.root, *command, "--dry-run").err.splitlines()
    assert len([line for line in text if "the call of f does not fit: b is not given" in line]) == 10
    assert text[-1] == "warning: 2 more calls of f do not fit; `--json` lists all"
    data = scalpel(repo.root, *command, "--json").data
    assert len([row for row in data["unchecked"] if "does not fit" in row]) == 12
