"""Selectors match nodes in document order, each once."""

from __future__ import annotations

import pytest

from gitscalpel.errors import BadCall
from gitscalpel.syntax.selectors import select
from tests.syntax.outlines import read

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


def _line(text: str, offset: int) -> int:
    return text.encode().count(b"\n", 0, offset) + 1


def select_in(selector: str, text: str = TEXT, path: str = "a.py") -> list[str]:
    """Return matched definitions by path, and other nodes by type and line."""
    return [
        place.symbol.qualname if place.symbol else f"{place.node.type}:{_line(text, place.node.start_byte)}"
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
        ('smallstmt[type="Return"]:first', ["return_statement:6"]),
        ("function[name=f] smallstmt[type=return_statement]", ["return_statement:14", "return_statement:15"]),
        ("function[name=f] > stmt[type!=Return]", ["if_statement:13"]),
        ("class > *[type=FunctionDef][name=m]", ["A.m", "A.B.m"]),
        ("smallstmt[type=Nowhere]", []),
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
        ("class[name=A] > smallstmt", []),
        ("class[module=pkg.a]", ["A", "A.B"]),
        ("class[children_count>1]", ["A", "A.B"]),
        ("function[kind=function][start_line=12][end_line=15]", ["f"]),
        ("  function [name = f]", None),
    ],
)
def test_selector_matches(selector: str, matches: list[str] | None) -> None:
    if matches is None:  # a blank is a combinator, so this is any node named f below a function
        assert select_in(selector) == []
    else:
        assert select_in(selector) == matches


def test_star_matches_any_node() -> None:
    assert select_in("*") == select_in("node")
    assert select_in("*")[0] == "module:1"


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
def test_malformed_selector_has_its_column(selector: str, column: int) -> None:
    with pytest.raises(BadCall) as caught:
        select_in(selector)
    assert (caught.value.code, caught.value.data["column"]) == ("query_syntax", column)


def test_go_method_outside_its_type_is_a_method() -> None:
    text = "type T struct{}\nfunc (t *T) M() {}\nfunc F() {}\n"
    assert select_in("method", text, "a.go") == ["T.M"]
    assert select_in("function", text, "a.go") == ["F"]
    assert select_in("function_declaration", text, "a.go") == ["F"]


def test_wrapped_ruby_method_is_a_method() -> None:
    text = "class A\n  private def m\n  end\n\n  memoize private def n = 1\nend\n"
    assert select_in("class > method", text, "a.rb") == ["A.m", "A.n"]


CALLS = """\
import os, sys as s
from a import b as c
x: int = 1
y = f"{x}" + "x"
def f(a, b=2, *c, d: int = 3, **e):
    return os.path.join(a, m(), *b, k=1)
class K(A):
    def g(self): return self.g() + (lambda q: q)(1) + f(1)
"""


@pytest.mark.parametrize(
    ("selector", "texts"),
    [
        ("call[name=f]", ["f(1)"]),
        ("Call[name=join]", ["os.path.join(a, m(), *b, k=1)"]),
        ("call[name='os.path.join'], call[name='self.g']", ["os.path.join(a, m(), *b, k=1)", "self.g()"]),
        ("call[name^=self]", ["self.g()"]),
        ("*[name=g]", ["def g(self): return self.g() + (lambda q: q)(1) + f(1)"]),
        ("AnnAssign", ["x: int = 1"]),
        ("Assign", ['y = f"{x}" + "x"']),
        ("FormattedString", ['f"{x}"']),
        ("SimpleString", ['"x"']),
        ("Param", ["a", "b=2", "*c", "d: int = 3", "**e", "self", "q"]),
        ("Arg", ["a", "m()", "*b", "k=1", "A", "1", "1"]),
        ("import[module=a]", ["from a import b as c"]),
        ("import[module=sys]", ["import os, sys as s"]),
        ("ImportAlias", ["os", "sys as s", "b as c"]),
    ],
)
def test_libcst_node_names(selector: str, texts: list[str]) -> None:
    outline = read(CALLS, "a.py")
    assert [(place.node.text or b"").decode() for place in select(outline, selector)] == texts


@pytest.mark.parametrize(
    ("path", "text", "called"),
    [
        ("a.js", "console.log(f(1)); new K(); a.b.c();", ["console.log(f(1))"]),
        ("a.java", "class A { void f() { g(); this.h.log(1); } }", ["this.h.log(1)"]),
        ("a.rb", "a.log(1)\nputs 'x'\n", ["a.log(1)"]),
        ("a.go", "package a\nfunc f() { x.log(1); g() }\n", ["x.log(1)"]),
        ("a.rs", "fn f() { log!(1); g(); }\n", ["log!(1)"]),
        ("a.php", "<?php $a->log(1); g();\n", ["$a->log(1)"]),
        ("a.cs", "class A { void F() { a.log(1); G(); } }\n", ["a.log(1)"]),
        ("a.kt", "fun f() { a.log(1); g() }\n", ["a.log(1)"]),
        ("a.c", "void f() { log(1); g(); }\n", ["log(1)"]),
        ("a.sh", "log x | grep y\n", ["log x"]),
    ],
)
def test_calls_are_selected_by_name_in_each_language(path: str, text: str, called: list[str]) -> None:
    select_in = select(read(text, path), "call[name=log], call[name='log!']")
    assert [(place.node.text or b"").decode() for place in select_in] == called
