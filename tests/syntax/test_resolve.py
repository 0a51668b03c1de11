"""Addresses resolve to one symbol, or to a refusal with candidates."""

from __future__ import annotations

import pytest

from gitscalpel.errors import ScalpelError
from gitscalpel.syntax.addresses import resolve_address
from tests.syntax.outlines import read

PYTHON = """
def m(): pass

class A:
    x = 1
    def m(self): pass
    class B:
        def m(self): pass
        def deep(self): pass

class C:
    def deep(self): pass
    def only(self): pass

def twice(): pass
def twice(): pass
def outer():
    def inner(): pass
"""
RUST = "struct P;\nimpl P { fn a() {} }\nimpl T for P { fn a() {} fn b() {} }\nfn r#move() {}\n"
C = "struct s;\nint f(int);\ntypedef struct s s;\nstruct s { int a; };\nint f(int a) { return a; }\n"
CPP = """\
namespace n { struct A { A(); void m(); bool operator ==(A); }; }
void n::A::m() {}
template <> struct B<int, char> {};
int operator""_k(int a) { return a; }
"""
GO = "type T struct{}\nfunc (t *T) M() {}\nfunc M() {}\n"
JAVA = "class A { class B { B() {} } }\n"
SCRIPT = "const t = { 'a.b': () => 1, 'c d'() {} };\nmodule.exports.f = () => 1;\nclass K { #p() {} }\n"


@pytest.mark.parametrize(
    ("text", "path", "address", "kind", "line"),
    [
        (PYTHON, "a.py", "m", None, 2),  # an exact path beats a suffix
        (PYTHON, "a.py", "/m", None, 2),
        (PYTHON, "a.py", "A.m", None, 6),
        (PYTHON, "a.py", "B.m", None, 8),
        (PYTHON, "a.py", "only", None, 13),
        (PYTHON, "a.py", " A.x ", None, 5),
        (PYTHON, "a.py", '"A"."m"', None, 6),
        (PYTHON, "a.py", "twice#1", None, 15),
        (PYTHON, "a.py", "twice#2", None, 16),
        (PYTHON, "a.py", "deep#2", None, 12),
        (PYTHON, "a.py", "outer.inner", None, 18),
        (PYTHON, "a.py", "A.m", "method", 6),
        (PYTHON, "a.py", "A.m", "function", 6),
        (RUST, "a.rs", "P", None, 1),  # a type beats its impl blocks
        (RUST, "a.rs", "P#2", "impl", 3),
        (RUST, "a.rs", "P.b", None, 3),
        (RUST, "a.rs", "P.a#2", None, 3),
        (RUST, "a.rs", "r#move", None, 4),
        (C, "a.c", "f", None, 5),  # a definition precedes its declaration
        (C, "a.c", "f#1", None, 2),
        (C, "a.c", "s", None, 4),
        (C, "a.c", "s", "type", 3),
        (CPP, "a.cpp", "n.A.m", None, 2),
        (CPP, "a.cpp", "A", None, 1),  # a type beats its constructors
        (CPP, "a.cpp", "A.operator==", None, 1),
        (CPP, "a.cpp", "B<int,char>", None, 3),
        (CPP, "a.cpp", '`operator""_k`', None, 4),
        (GO, "a.go", "T.M", None, 2),
        (GO, "a.go", "M", None, 3),
        (JAVA, "A.java", "B", None, 1),
        (JAVA, "A.java", "B", "constructor", 1),
        (SCRIPT, "a.js", 't."a.b"', None, 1),
        (SCRIPT, "a.js", "c d", None, 1),
        (SCRIPT, "a.js", "exports.f", None, 2),
        (SCRIPT, "a.js", "K.#p", None, 3),
    ],
)
def test_address_resolves_to_one_symbol(
    text: str, path: str, address: str, kind: str | None, line: int
) -> None:
    symbol = resolve_address(read(text, path), address, kind)
    assert symbol.node.start_point.row + 1 == line


@pytest.mark.parametrize(
    ("address", "kind", "code", "candidates"),
    [
        ("deep", None, "symbol_ambiguous", ["A.B.deep", "C.deep"]),
        ("twice", None, "symbol_ambiguous", ["twice#1", "twice#2"]),
        ("twice#3", None, "index_out_of_range", ["twice#1", "twice#2"]),
        ("twice#0", None, "index_out_of_range", ["twice#1", "twice#2"]),
        ("/deep", None, "symbol_not_found", ["A.B.deep", "C.deep"]),
        ("onyl", None, "symbol_not_found", ["C.only"]),
        ("A.nowhere", None, "symbol_not_found", None),
        ('A.m.""', None, "symbol_not_found", None),
        ('A."".m', None, "symbol_not_found", None),
        ("A.m[0]", None, "symbol_not_found", None),
        ("A", "function", "kind_mismatch", ["A"]),
        ("A..m", None, "invalid_args", None),
        ("A.", None, "invalid_args", None),
        ('"A', None, "invalid_args", None),
        ("/", None, "invalid_args", None),
    ],
)
def test_refusal_lists_candidates(
    address: str, kind: str | None, code: str, candidates: list[str] | None
) -> None:
    with pytest.raises(ScalpelError) as caught:
        resolve_address(read(PYTHON), address, kind)
    assert caught.value.code == code
    assert caught.value.hint
    if candidates is not None:
        assert sorted(row["symbol"] for row in caught.value.data["candidates"]) == candidates


def test_key_without_a_list_has_no_index() -> None:
    found = read(b'{"a": {"b": 1}, "": {"c": [1]}}\n', "a.json")
    for address in ("a[0]", "a.b[0]", '"".c[1]', 'a.b.""'):
        with pytest.raises(ScalpelError) as caught:
            resolve_address(found, address)
        assert caught.value.code == "symbol_not_found"
    assert resolve_address(found, '"".c[0]').name == "[0]"


def test_each_candidate_resolves() -> None:
    outline = read(PYTHON)
    with pytest.raises(ScalpelError) as caught:
        resolve_address(outline, "deep")
    for row in caught.value.data["candidates"]:
        assert resolve_address(outline, row["symbol"]).node.start_point.row + 1 == row["line"]


@pytest.mark.parametrize(("text", "path"), [(PYTHON, "a.py"), (RUST, "a.rs"), (SCRIPT, "a.js")])
def test_each_full_path_resolves_to_its_symbol(text: str, path: str) -> None:
    outline = read(text, path)
    symbols = list(outline.walk())
    for symbol in symbols:
        same = [s for s in symbols if s.path == symbol.path]
        number = f"#{same.index(symbol) + 1}" if len(same) > 1 else ""
        kind = symbol.kind if number and symbol.kind in ("struct", "impl") else None
        if kind:
            number = f"#{[s for s in same if s.kind == kind].index(symbol) + 1}"
        assert resolve_address(outline, "/" + symbol.qualname + number, kind) is symbol
