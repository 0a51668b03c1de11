"""What queries find, where a pattern says more than a node's type."""

from __future__ import annotations

from gitscalpel.edit.source import Source
from gitscalpel.syntax.captures import read_captures


def test_only_strings_that_are_statements_stay_first() -> None:
    """``#has-parent?``: they stand in a module or a block, and not in an expression."""
    source = Source.read("a.py", b'"one"\ndef f(a="no"):\n    "two"\n    g("no")\n    return "no"\n')
    assert source.syntax is not None
    found = read_captures(source.syntax).nodes["first"]
    assert [node.text for node in found] == [b'"one"', b'"two"']
