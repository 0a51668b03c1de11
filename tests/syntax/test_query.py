"""Queries whose patterns have conditions beyond a node's type."""

from __future__ import annotations

from gitscalpel.edit.source import Source
from gitscalpel.syntax.captures import read_captures


def test_only_strings_in_statement_position_are_captured() -> None:
    """``#has-parent?`` requires a module or block as parent, not an expression."""
    source = Source.read("a.py", b'"one"\ndef f(a="no"):\n    "two"\n    g("no")\n    return "no"\n')
    assert source.syntax is not None
    found = read_captures(source.syntax).nodes["first"]
    assert [node.text for node in found] == [b'"one"', b'"two"']
