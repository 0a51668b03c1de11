"""Edits of nodes that are not definitions, by a selector."""

from __future__ import annotations

import pytest

from tests.edit.editing import edit_file, expect_refusal

BEFORE = """\
import os


def f(x):
    total = 0
    if x:
        for y in x:
            total += y
        print(total)
    return total


def g():
    return 1
"""


@pytest.mark.parametrize(
    ("op", "old", "new"),
    [
        ({"op": "replace", "query": "function[name=g] Return", "code": "return 2"}, "return 1", "return 2"),
        (
            {"op": "replace", "query": "For", "code": "for y in x:\n    total += 2 * y\n    print(y)"},
            "            total += y\n",
            "            total += 2 * y\n            print(y)\n",
        ),
        (
            {
                "op": "replace",
                "query": "If > Expr, If Call[start_line=9]:nth(0)",
                "match": 0,
                "code": "log(total)",
            },
            "print(total)",
            "log(total)",
        ),
        (
            {
                "op": "replace",
                "query": "function[name=f] > Return",
                "code": "if total:\n    return total\nreturn None",
            },
            "    return total\n",
            "    if total:\n        return total\n    return None\n",
        ),
        ({"op": "delete", "query": "AugAssign", "fill": "pass"}, "total += y", "pass"),
        ({"op": "delete", "query": "If > Expr"}, "        print(total)\n", ""),
        (
            {"op": "delete", "query": "function[name=f] > Assign, function[name=f] > Expr"},
            "    total = 0\n",
            "",
        ),
        (
            {
                "op": "insert",
                "query": "function[name=f] > Return",
                "position": "before",
                "code": "total += 1",
            },
            "    return total\n",
            "    total += 1\n    return total\n",
        ),
        (
            {"op": "insert", "query": "For", "position": "after", "code": "print(x)"},
            "            total += y\n",
            "            total += y\n        print(x)\n",
        ),
        (
            {"op": "insert", "query": "For", "position": "last", "code": "print(y)"},
            "            total += y\n",
            "            total += y\n            print(y)\n",
        ),
        (
            {"op": "insert", "query": "import", "position": "after", "code": "import re"},
            "import os\n",
            "import os\nimport re\n",
        ),
    ],
)
def test_selected_node_is_edited(op: dict[str, str], old: str, new: str) -> None:
    assert BEFORE.count(old) == 1
    assert edit_file(BEFORE, op) == BEFORE.replace(old, new).encode()


@pytest.mark.parametrize(
    ("op", "code"),
    [
        ({"op": "replace", "query": "Return", "code": "return 2"}, "query_ambiguous"),
        ({"op": "replace", "query": "While", "code": "pass"}, "query_no_match"),
        ({"op": "replace", "query": "For", "code": "for y in"}, "syntax_error"),
        ({"op": "delete", "query": "AugAssign"}, "syntax_error"),
        ({"op": "signature", "query": "For", "code": "for z in x:"}, "kind_mismatch"),
        ({"op": "replace", "query": "function[name=g] Return", "code": "return 1"}, "no_change"),
    ],
)
def test_invalid_edit_of_a_selected_node_is_refused(op: dict[str, str], code: str) -> None:
    assert expect_refusal(BEFORE, op).code == code
