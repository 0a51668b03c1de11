"""Found by use: which of several symbols of one name is gone."""

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
def test_the_others_of_that_name_are_unchanged(text: str, line: int) -> None:
    lines = text.splitlines(keepends=True)
    less = "".join(lines[:line] + lines[line + 1 :])
    assert [intent.kind for intent in find_changes(read(text), read(less))] == ["delete"]
    assert [intent.kind for intent in find_changes(read(less), read(text))] == ["add"]


def test_in_equal_number_they_are_told_by_their_place() -> None:
    after = OVERLOADS.replace("a: string", "a: boolean")
    assert [intent.kind for intent in find_changes(read(OVERLOADS), read(after))] == ["signature_change"]
