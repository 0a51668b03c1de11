"""Folding ranges of editors."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitscalpel.syntax.folding import list_folding_ranges
from gitscalpel.syntax.languages import recognise
from gitscalpel.syntax.outline import outline_of
from gitscalpel.syntax.parse import Syntax
from tests.command import scalpel
from tests.sandbox import Sandbox

PYTHON = '''\
# One.
# Two.
import os

from a import (
    b,
)
# region Helpers: all
def f(
    a,
):
    """Doc.

    More.
    """
    if a:
        return 1
    else:
        return [
            1,
        ]
# endregion
x = """
# region no
# endregion
"""


class A:
    def m(self): return 1

    # One line.
    def n(self):
        return 2
'''
TYPESCRIPT = """\
import { a } from './a';
import b from './b';
//#region
/**
 * Doc.
 */
export class A {
  m() {
    if (a) {
      b({
        x: 1,
      });
    } else {
      c();
    }
  }
}
//#endregion
const f = () => {
  return 1;
};
"""
GO = 'package a\n\nimport (\n\t"a"\n)\n\n// One\n// two.\nfunc f() {\n\tfor {\n\t\tg()\n\t}\n}\n'
JAVA = (
    "import a.B;\nimport a.C;\n\nclass A {\n  // region X\n  int m() {\n    return 1;\n  }\n  // endregion\n"
    "}\n"
)
C = "#include <a.h>\n#include <b.h>\n#pragma region X\nint f(void) {\n  return 1;\n}\n#pragma endregion\n"
CSHARP = "class A {\n  #region X\n  int M() {\n    return 1;\n  }\n  #endregion\n}\n"
CASES = {
    "a.py": (
        PYTHON,
        "1-2 comment, 3-7 import, 8-22 region Helpers: all, 9-21 definition f, 9-11 block, 12-15 comment, "
        "16-17 block, 18-21 block, 19-21 block, 23-26 definition x, 29-34 definition A, 33-34 definition n",
    ),
    "a.ts": (
        TYPESCRIPT,
        "1-2 import, 3-18 region, "
        "4-6 comment, 7-17 definition A, 8-16 definition m, 9-13 block, 10-12 block, "
        "13-15 block, 19-21 definition f",
    ),
    "a.go": (GO, "3-5 import, 7-8 comment, 9-13 definition f, 10-12 block"),
    "A.java": (JAVA, "1-2 import, 4-10 definition A, 5-9 region X, 6-8 definition m"),
    "a.c": (C, "1-2 import, 3-7 region X, 4-6 definition f"),
    "a.cs": (CSHARP, "1-7 definition A, 2-6 region X, 3-5 definition M"),
}


@pytest.mark.parametrize("path", CASES)
def test_folding_ranges_have_lines_and_kind(path: str) -> None:
    text, expected = CASES[path]
    language = recognise(path, text.encode())
    assert language is not None
    rows = list_folding_ranges(outline_of(Syntax(language, text.encode())))
    formatted = [
        " ".join([f"{row.first}-{row.last}", row.kind, *([row.symbol.name] if row.symbol else []), row.name])
        for row in rows
    ]
    assert ", ".join(row.strip() for row in formatted) == expected


def test_outline_lists_folding_ranges_as_json_and_text(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"a.java": JAVA.encode(), "b.java": b"class B {}\n"})
    files = scalpel(repo.root, "outline", "a.java", "b.java", "--folding", "--json").data
    assert files[0]["folding"] == [
        {"first": 1, "last": 2, "kind": "import"},
        {"first": 4, "last": 10, "kind": "definition", "address": "A"},
        {"first": 5, "last": 9, "kind": "region", "name": "X"},
        {"first": 6, "last": 8, "kind": "definition", "address": "A.m"},
    ]
    assert files[1]["folding"] == []
    assert files[0]["symbols"]
    assert scalpel(repo.root, "outline", "a.java", "--folding").out.splitlines() == [
        "a.java (java)",
        "  1-2  import",
        "  4-10  definition  A",
        "    5-9  region  X",
        "      6-8  definition  A.m",
    ]
    assert "folding" not in scalpel(repo.root, "outline", "a.java", "--json").data[0]
