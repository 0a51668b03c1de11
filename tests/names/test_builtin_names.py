"""``refs`` of built-in names, which ``rename`` refuses; places are marked as in ``marked.py``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.command import scalpel
from tests.names.marked_files import remove_marks, split_files
from tests.sandbox import Sandbox

BUILTINS = {
    "a type of Rust": """
        // a.rs
        fn f(x: &«str», y: u8) -> Vec<«str»> { let z = y as «str»; «str»::from_utf8(x) }
        // b.rs
        mod n { struct str; fn f(x: str) {} }
        fn g(x: [«str»; 2]) {}
    """,
    "a function of Go": """
        // a.go
        package a
        func f(x string) int { return «len»(x) }
        func g(len func() int) int { return len() }
        // b/b.go
        package b
        func len() int { return 1 }
        func f() int { return len() }
        // c/c.go
        package c
        var n = «len»("x")
    """,
}


@pytest.mark.parametrize("text", BUILTINS.values(), ids=BUILTINS)
def test_references_of_a_builtin(tmp_path: Path, text: str) -> None:
    read = {path: remove_marks(part) for path, part in split_files(text).items()}
    Sandbox.of(tmp_path / "r", {path: plain.encode() for path, (plain, _, _) in read.items()})

    def format_place(path: str, at: int) -> str:
        before = read[path][0][:at]
        return f"{path}:{before.count(chr(10)) + 1}:{at - before.rfind(chr(10))}"

    certain = {format_place(path, at) for path, (_, places, _) in read.items() for at in places}
    unknown = {format_place(path, at) for path, (_, _, places) in read.items() for at in places}
    path, (plain, (first, *_), _) = next((path, each) for path, each in read.items() if each[1])
    word = re.match(r"\w+", plain[first:])
    assert word is not None
    name = f"{path}:{plain[:first].count(chr(10)) + 1}:{word[0]}"
    rows = [row.split("  ") for row in scalpel(tmp_path / "r", "refs", name).out.splitlines()]
    assert {row[0] for row in rows if len(row) == 2} == certain
    assert {row[0] for row in rows if len(row) > 2} == unknown
    assert scalpel(tmp_path / "r", "rename", name, "other").status != 0


def test_name_from_an_external_star_import_is_not_builtin(tmp_path: Path) -> None:
    Sandbox.of(tmp_path / "r", {"a.py": b"from numpy import *\nx = abs(1)\n"})
    assert "defined outside the repository" in scalpel(tmp_path / "r", "refs", "a.py:2:abs").err
