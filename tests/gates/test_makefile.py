"""Recipes of makefiles that begin with spaces."""

from __future__ import annotations

import pytest

from gitscalpel.edit.source import Source
from gitscalpel.gates.syntax_gate import compare_syntax

TABS = "all: x\n\techo hi\n"


def find_error_lines(before: str | None, after: str, path: str = "Makefile") -> list[int]:
    old = None if before is None else Source.read(path, before.encode())
    return [each.line for each in compare_syntax(old, Source.read(path, after.encode())).findings]


@pytest.mark.parametrize("path", ["Makefile", "sub/GNUmakefile", "rules.mk"])
def test_recipe_with_leading_spaces_is_found(path: str) -> None:
    assert find_error_lines(TABS, "all: x\n    echo hi\n", path) == [2]
    assert find_error_lines(None, TABS + "    echo more\n", path) == [3]


@pytest.mark.parametrize(
    "after",
    [
        "ifeq (a,b)\n    X = 1\n    include y\nendif\n" + TABS,
        "X = a \\\n    b\n" + TABS,
        TABS + "    # a comment\n",
        "define X\n    echo hi\nendef\n" + TABS,
        ".RECIPEPREFIX = >\nall:\n    echo hi\n",
        TABS + "\techo a \\\n    b\n",
    ],
)
def test_spaces_outside_of_recipes_are_accepted(after: str) -> None:
    assert find_error_lines(TABS, after) == []


def test_nmake_and_other_files_are_accepted() -> None:
    assert find_error_lines("all:\n  cl x.c\n", "all:\n  cl y.c\n") == []
    assert find_error_lines(None, "all:\n  echo hi\n", "notes.txt") == []
