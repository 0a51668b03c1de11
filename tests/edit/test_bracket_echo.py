"""A final bracket that repeats the next line is dropped if the file parses only without it."""

from __future__ import annotations

from typing import Any

import pytest

from gitscalpel.edit.corrections import BRACKET_DROPPED
from tests.edit.editing import apply_changeset

CHECK = b"function check(a) {\n  if (a) {\n    return 1;\n  }\n}\n\nfunction g() {}\n"
CLASS = b"class A {\n  m() {\n    return 1;\n  }\n}\n"
CALL = b"x = f(\n    1,\n    2,\n)\n"
CASES: dict[str, tuple[str, bytes, dict[str, Any], bytes]] = {
    "lines": (
        "a.js",
        CHECK,
        {"op": "lines", "start": 3, "code": "    return 2;\n  }"},
        CHECK.replace(b"1", b"2"),
    ),
    "lines to the end": (
        "a.js",
        CHECK,
        {"op": "lines", "start": 2, "end": 4, "code": "  return 2;\n}\n"},
        b"function check(a) {\n  return 2;\n}\n\nfunction g() {}\n",
    ),
    "a method": (
        "a.ts",
        CLASS,
        {"op": "replace", "symbol": "A.m", "code": "m() {\n  return 2;\n}\n}"},
        CLASS.replace(b"1", b"2"),
    ),
    "text": (
        "a.ts",
        CLASS,
        {"op": "text", "old": "    return 1;", "new": "    return 2;\n  }"},
        CLASS.replace(b"1", b"2"),
    ),
    "Java": (
        "A.java",
        b"class A {\n  int m() {\n    return 1;\n  }\n}\n",
        {"op": "replace", "symbol": "A.m", "code": "  int m() {\n    return 2;\n  }\n}"},
        b"class A {\n  int m() {\n    return 2;\n  }\n}\n",
    ),
    "an argument": ("a.py", CALL, {"op": "lines", "start": 3, "code": "    3,\n)"}, CALL.replace(b"2", b"3")),
    "with punctuation after": (
        "a.js",
        b"f(() => {\n  g(1);\n});\n",
        {"op": "lines", "start": 2, "code": "  g(2);\n});"},
        b"f(() => {\n  g(2);\n});\n",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_repeated_bracket_is_dropped_and_reported(case: str) -> None:
    path, before, op, expected = CASES[case]
    result = apply_changeset({path: before}, {"path": path, **op})
    assert result.overlay.content(path) == expected
    assert [note for each in result.done if each.edit for note in each.edit.corrections] == [BRACKET_DROPPED]


KEPT: dict[str, tuple[bytes, dict[str, Any]]] = {
    "code that parses with the bracket": (
        CHECK,
        {"op": "lines", "start": 3, "code": "    if (b) {\n      c();\n    }"},
    ),
    "code that never parses": (CHECK, {"op": "lines", "start": 3, "code": "    if (b {\n  }"}),
    "another bracket": (CHECK, {"op": "lines", "start": 3, "code": "    return 2;\n  )"}),
    "a bracket that the file had before": (b"}\nf(1)\n}\n", {"op": "lines", "start": 2, "code": "f(2)\n}"}),
}


@pytest.mark.parametrize("case", KEPT)
def test_other_last_line_is_kept(case: str) -> None:
    before, op = KEPT[case]
    result = apply_changeset({"a.js": before}, {"path": "a.js", **op})
    assert op["code"].encode() in (result.overlay.content("a.js") or b"")
    assert not any(each.edit and BRACKET_DROPPED in each.edit.corrections for each in result.done)
