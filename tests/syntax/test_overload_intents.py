"""Regression tests of intents: the deleted one of several symbols with one name is found."""

from __future__ import annotations

import pytest

from gitscalpel.syntax.languages import recognise
from gitscalpel.syntax.outline import Outline, outline_of
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.symbol_changes import find_changes

OVERLOADS = "function f(a: string): void;\nfunction f(a: number): void;\nfunction f(a: any) {}\n"
ACCESSORS = "class K {\n  get v() { return 1 }\n  set v(x) { this.a = x }\n}\n"


def read(text: str) -> Outline:
    language = recognise("a.ts", text.encode())
    assert language is not None
    return outline_of(Syntax(language, text.encode()))


@pytest.mark.parametrize("text", [OVERLOADS, ACCESSORS], ids=["overloads", "accessors"])
@pytest.mark.parametrize("line", [1, 2])
def test_deleting_one_overload_leaves_the_others_unchanged(text: str, line: int) -> None:
    lines = text.splitlines(keepends=True)
    shortened = "".join(lines[:line] + lines[line + 1 :])
    assert [intent.kind for intent in find_changes(read(text), read(shortened))] == ["delete"]
    assert [intent.kind for intent in find_changes(read(shortened), read(text))] == ["add"]


def test_overloads_of_equal_number_are_matched_by_position() -> None:
    after = OVERLOADS.replace("a: string", "a: boolean")
    assert [intent.kind for intent in find_changes(read(OVERLOADS), read(after))] == ["signature_change"]
