"""Selectors: which definitions they match, in document order."""

from __future__ import annotations

import pytest

from gitscalpel.errors import BadCall
from gitscalpel.syntax.selector import select
from tests.syntax.reading import read

TEXT = """
class A:
    def m(self):
        def inner(): pass
    def n(self): pass
    class B:
        def m(self): pass

def f(): pass
async def g(): pass
"""


@pytest.mark.parametrize(
    ("selector", "matches"),
    [
        ("class", ["A", "A.B"]),
        ("Class", ["A", "A.B"]),
        ("method", ["A.m", "A.n", "A.B.m"]),
        ("function", ["f", "g"]),
        ("method[name=m]", ["A.m", "A.B.m"]),
        ("method[name='m'][qualname=\"A.m\"]", ["A.m"]),
        ("method[ @name != m ]", ["A.n"]),
        ("method[qualname~=B]", ["A.B.m"]),
        ("[name^=inn]", ["A.m.inner"]),
        ("*[qualname$='.n']", ["A.n"]),
        ("function[name=nowhere]", []),
    ],
)
def test_matches(selector: str, matches: list[str]) -> None:
    found = select(read(TEXT), selector)
    assert [getattr(match, "qualname", None) for match in found] == matches


@pytest.mark.parametrize(
    "selector",
    [
        "",
        "  ",
        "class[",
        "class[name]",
        "class[name=]",
        "class[bogus=x]",
        "class]",
        "bogus_type",
        "class[name='a]",
        "class >",
    ],
)
def test_malformed(selector: str) -> None:
    with pytest.raises(BadCall) as caught:
        select(read(TEXT), selector)
    assert caught.value.code == "query_syntax"


def test_a_method_outside_its_type_is_a_method() -> None:
    found = read("type T struct{}\nfunc (t *T) M() {}\nfunc F() {}\n", "a.go")
    assert [s.qualname for s in select(found, "method")] == ["T.M"]
    assert [s.qualname for s in select(found, "function")] == ["F"]
