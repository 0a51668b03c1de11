"""Which places of a word may bind it: not those before a dot or ``::``, however many they are."""

from __future__ import annotations

import pytest

from gitscalpel.syntax.mentions import Mentions
from tests.syntax.reading import read


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", "a.b = a\n", [6]),
        ("a.cpp", "namespace a::b { int a = a::c(a::d); }\nusing x::a;\n", [10, 21, 48]),
        ("a.rs", "use a::b;\nuse x::a;\nmod a {}\nfn f() { a::b() }\n", [17, 24]),
    ],
)
def test_the_places_that_may_bind_a_word(path: str, text: str, expected: list[int]) -> None:
    mentions = Mentions(read(text, path).syntax)
    bare = mentions.but_receivers("a")
    assert [each.start for each in bare] == expected
    assert [each for each in mentions.of("a") if each.start in expected] == list(bare)
