"""Selectors: which nodes they match, in document order, each once."""

from __future__ import annotations

import pytest

from gitscalpel.errors import BadCall
from gitscalpel.syntax.selector.select import select
from tests.syntax.reading import read

TEXT = """\
import os

class A:
    def m(self):
        def inner(): pass
        return 1
    @property
    def n(self): return 2
    class B:
        def m(self): pass

def f(x):
    if x:
        return [y for y in x]
    return None

async def g(): pass
"""


def found(selector: str, text: str = TEXT, path: str = "a.py") -> list[str]:
    """Definitions by their path, other nodes by their type and line."""
    return [
        place.symbol.qualname if place.symbol else f"{place.node.type}:{place.node.start_point.row + 1}"
        for place in select(read(text, path), selector, "pkg.a")
    ]


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
        ("*[name$='n']", ["A.n"]),
        ("function[name=nowhere]", []),
        ("FunctionDef", ["A.m", "A.m.inner", "A.n", "A.B.m", "f", "g"]),
        ("function_definition[name=inner]", ["A.m.inner"]),
        (
            "Return",
            ["return_statement:6", "return_statement:8", "return_statement:14", "return_statement:15"],
        ),
        ("Return[start_line>=14]", ["return_statement:14", "return_statement:15"]),
        ("return_statement[qualname=f]", ["return_statement:14", "return_statement:15"]),
        ("function Return:first", ["return_statement:14"]),
        ("class method", ["A.m", "A.n", "A.B.m"]),
        ("//class//method[name^='n']", ["A.n"]),
        ("class[name=A] > method", ["A.m", "A.n"]),
        ("class > class > method", ["A.B.m"]),
        ("class method:first", ["A.m", "A.B.m"]),
        ("class method:last", ["A.B.m"]),
        ("class > method:last", ["A.n", "A.B.m"]),
        ("method:last", ["A.B.m"]),
        ("method:nth(1)", ["A.n"]),
        ("method:nth(-1)", ["A.B.m"]),
        ("method:nth(9)", []),
        ("method:not([name=m])", ["A.n"]),
        ("method:not(class class method)", ["A.m", "A.n"]),
        ("class:has(class)", ["A"]),
        ("function:has(ListComp)", ["f"]),
        ("method:not([name=n]):first", ["A.m"]),
        ("method:first:not([name=m])", []),
        ("function[name=g], class[name=A]", ["A", "g"]),
        ("method, method[name=m]", ["A.m", "A.n", "A.B.m"]),
        ("import", ["import_statement:1"]),
        ("decorator", ["decorator:7"]),
        ("module", ["module:1"]),
        ("module > function", ["f", "g"]),
        ("function[name=f] > stmt", ["if_statement:13", "return_statement:15"]),
        ("function[name=f] smallstmt", ["return_statement:14", "return_statement:15"]),
        ("class[module=pkg.a]", ["A", "A.B"]),
        ("class[children_count>1]", ["A", "A.B"]),
        ("function[kind=function][start_line=12][end_line=15]", ["f"]),
        ("  function [name = f]", None),
    ],
)
def test_matches(selector: str, matches: list[str] | None) -> None:
    if matches is None:  # a blank is a combinator, so this is any node named f below a function
        assert found(selector) == []
    else:
        assert found(selector) == matches


def test_any_node() -> None:
    assert found("*") == found("node")
    assert found("*")[0] == "module:1"


@pytest.mark.parametrize(
    ("selector", "column"),
    [
        ("", 1),
        ("  ", 1),
        ("class[", 7),
        ("class[name]", 11),
        ("class[name=]", 12),
        ("class[bogus=x]", 7),
        ("class]", 6),
        ("bogus_type", 1),
        ("class  > bogus_type", 10),
        ("class:has(bogus_type)", 11),
        ("class[name='a]", 12),
        ("class[start_line>x]", 18),
        ("class >", 8),
        ("class:bogus", 6),
        ("class:nth", 6),
        ("class:nth(x)", 6),
        ("class:not()", 11),
        ("class,", 7),
        (" class:bogus", 7),
    ],
)
def test_malformed(selector: str, column: int) -> None:
    with pytest.raises(BadCall) as caught:
        found(selector)
    assert (caught.value.code, caught.value.data["column"]) == ("query_syntax", column)


def test_a_method_outside_its_type_is_a_method() -> None:
    text = "type T struct{}\nfunc (t *T) M() {}\nfunc F() {}\n"
    assert found("method", text, "a.go") == ["T.M"]
    assert found("function", text, "a.go") == ["F"]
    assert found("function_declaration", text, "a.go") == ["F"]


def test_what_is_wrapped_around_a_method_is_looked_through() -> None:
    text = "class A\n  private def m\n  end\n\n  memoize private def n = 1\nend\n"
    assert found("class > method", text, "a.rb") == ["A.m", "A.n"]
