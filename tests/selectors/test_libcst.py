"""Selectors with names that LibCST alone has, on the same engine."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import libcst
import pytest

from gitscalpel.errors import BadCall, DoesNotFit, Misconfigured
from gitscalpel.syntax import libcst_nodes
from gitscalpel.syntax.libcst_nodes import CstPlaces, class_named, classes
from gitscalpel.syntax.selector_nodes import Places
from gitscalpel.syntax.selectors import select
from tests.selectors.__main__ import name_rows
from tests.syntax.outlines import read

TEXT = """\
import os, sys as s
from a import b
y = x and 1
z = y + 2 - y


class A:
    # note
    async def f(self, x: int = 3, *b):
        return [1, x] or self.y

    def g(self):
        a = 1; b = 2  # two
        match a:
            case [1, *r] as q:
                pass
        try:
            pass
        except* ValueError as e:
            del a
"""


def match_texts(selector: str, text: str = TEXT) -> list[str]:
    """Return the first line of each match of a selector."""
    places = select(read(text), selector, "pkg.a")
    return [(place.node.text or b"").decode().partition("\n")[0] for place in places]


@pytest.mark.parametrize(
    ("selector", "texts"),
    [
        ("And", ["and"]),
        ("and", ["and"]),
        ("Add, Subtract", ["+", "-"]),
        ("BooleanOperation > And", ["and"]),
        ("method Or", ["or"]),
        ("class[name=A] > method Or", ["or"]),
        ("class And", []),
        ("function_definition Or", ["or"]),
        ("BooleanOperation[left=x]", ["x and 1"]),
        ("BooleanOperation[right~=self]", ["[1, x] or self.y"]),
        ("SimpleStatementLine:has(Semicolon)", ["a = 1; b = 2"]),
        ("FunctionDef[name=g] > SimpleStatementLine:first", ["a = 1; b = 2"]),
        ("FunctionDef[name=g] > IndentedBlock > SimpleStatementLine > Assign:last", ["b = 2"]),
        ("SimpleStatementLine > Assign:nth(0)", ["y = x and 1", "z = y + 2 - y", "a = 1"]),
        ("method[name=g] > smallstmt:has(Semicolon)", ["a = 1"]),
        ("class > stmt:has(Asynchronous)", ["async def f(self, x: int = 3, *b):"]),
        ("MatchAs, MatchStar", ["[1, *r] as q", "*r"]),
        ("MatchAs[name=q]", ["[1, *r] as q"]),
        ("ExceptStarHandler AsName", ["as e"]),
        ("Del:has(Name[value=a])", ["del a"]),
        ("AssignTarget[target=y]", ["y"]),
        ("EmptyLine:has(Comment)", ["    # note"]),
        ("EmptyLine:not(:has(Comment))", ["", "", ""]),
        ("TrailingWhitespace:has(Comment)", ["  # two"]),
        ('SimpleWhitespace[value="  "]', ["  "]),
        ("Asynchronous", ["async"]),
        ("Param[name=x] > Annotation", ["int"]),
        ("Parameters > Param:last Comma", []),
        ("ImportAlias[name=sys] > AsName[name=s]", ["as s"]),
        ("Import Comma", [","]),
        ("List > Element", ["1", "x"]),
        ("node[type=Or]", ["or"]),
        ("*[type=And][start_line=3]", ["and"]),
        ("[value=3]", ["3"]),
        ("Integer[value=3]", ["3"]),
        ("Integer[value>2]", []),
        ("Attribute[attr=y]", ["self.y"]),
        ("Arg[keyword=k]", []),
        ("Annotation[qualname='A.f'][module=pkg.a]", ["int"]),
        ("Semicolon[kind=Semicolon][end_line=13]", [";"]),
        ("ImportFrom[module=a] ImportAlias:has(Name[value=b])", ["b"]),
        ("BaseCompoundStatement[type!=FunctionDef]", ["class A:", "match a:", "try:"]),
        ("method:not(:has(Or))", ["def g(self):"]),
        ("Call[func=f]", []),
    ],
)
def test_libcst_name_matches(selector: str, texts: list[str]) -> None:
    assert match_texts(selector) == texts


@pytest.mark.parametrize(
    ("selector", "texts"),
    [
        ("Name[name=y]", ["y", "y", "y", "y"]),
        ("Param[name=x]", ["x: int = 3"]),
        ("Param[name=b]", ["*b"]),
        ("Import", ["import os, sys as s"]),
        ("ImportFrom", ["from a import b"]),
        ("import", ["import os, sys as s", "from a import b"]),
        ("stmt[type=Import]", ["import os, sys as s"]),
        ("Try", []),
        ("IndentedBlock > TryStar", ["try:"]),
        ("method > IndentedBlock > TryStar", ["try:"]),
        ("TryStar", ["try:"]),
        ("ExceptHandler", []),
        ("ExceptStarHandler", ["except* ValueError as e:"]),
    ],
)
def test_grammar_answers_shared_names_without_libcst(
    selector: str, texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "libcst", None)  # so that its import fails
    libcst_nodes.read.cache_clear()
    assert match_texts(selector) == texts


def test_child_combinator_skips_nodes_of_the_grammar_alone() -> None:
    text = "x = f(a, (b and c))\nreturn_ = (not d)\n"
    assert match_texts("Call > Arg", text) == ["a", "(b and c)"]
    assert match_texts("Assign > UnaryOperation", text) == ["not d"]
    assert match_texts("call > identifier", text) == ["f"]
    assert match_texts("call > argument_list > identifier", text) == ["a"]


def test_aliases_match_the_same_in_both_trees() -> None:
    text = f"{TEXT}if a: pass\nelif b:\n    @c\n    def h(x): return f(x)\nelse: import os\n"
    outline = read(text)
    grammar, cst = Places(outline, "m"), CstPlaces(outline, "m")
    for alias in ("class", "function", "method", "smallstmt", "import", "decorator", "call", "module"):
        grammar_starts = [place.node.start_byte for place in grammar.all if grammar.is_a(place, alias)]
        assert sorted(grammar_starts) == sorted(p.node.start_byte for p in cst.all if cst.is_a(p, alias)), (
            alias
        )
    statements = [place.node.type for place in grammar.all if grammar.is_a(place, "stmt")]
    statements.remove("case_clause")  # the grammar puts a case clause into its own block
    assert len(statements) == sum(cst.is_a(place, "stmt") for place in cst.all)


def test_every_libcst_class_has_its_name_and_fields() -> None:
    class_names = [
        name
        for name, kind in vars(libcst).items()
        if inspect.isclass(kind) and issubclass(kind, libcst.CSTNode)
    ]
    assert set(class_names) <= classes().keys()
    assert {name: set(fields) for name, *fields in map(str.split, name_rows())} == {
        name: set(classes()[name]) for name in class_names
    }
    for name in class_names:
        assert match_texts(name) is not None
        assert class_named(name.lower()) == name


def test_shared_node_is_the_one_of_the_grammar() -> None:
    (plain,) = select(read(TEXT), "Param[name=x]")
    (mixed,) = select(read(TEXT), "Param:has(Annotation)")
    assert plain.ref == mixed.ref
    (whole,) = select(read("a = (1, 2) or b\n"), "BooleanOperation:has(Or) Tuple")
    assert whole.node.text == b"(1, 2)"


def test_empty_nodes_have_distinct_references() -> None:
    refs = [str(place.ref) for place in select(read("def f(a): pass\n"), "SimpleWhitespace[value='']")]
    assert len(refs) == len({*refs})
    assert any("#2:" in ref for ref in refs)


def test_matches_have_the_bytes_of_the_file() -> None:
    text = "\ufeffä = 'ö' and b\r\nc = ä or b\r\n"
    assert match_texts("And", text) == ["and"]
    assert match_texts("Or", text) == ["or"]
    assert match_texts("BooleanOperation:has(Or)", text) == ["ä or b"]


def test_unknown_name_is_refused() -> None:
    for selector in ("Bogus", "[bogus=1]", "And > Bogus", "class:has(Bogus)"):
        with pytest.raises(BadCall) as caught:
            match_texts(selector)
        assert caught.value.code == "query_syntax"
    for selector in ("And", "[value=3]", "class:has(And)"):
        with pytest.raises(BadCall):
            select(read("let a = 1;", "a.js"), selector)


def test_unparsable_code_is_refused_with_its_line() -> None:
    with pytest.raises(DoesNotFit) as caught:
        match_texts("And", "a = 1\nprint 1\n")
    assert (caught.value.code, "line 2" in caught.value.message) == ("unsupported_language", True)
    with pytest.raises(DoesNotFit) as deep:
        match_texts("And", "a = " + " + ".join(["1"] * 3000) + "\n")
    assert deep.value.code in ("too_large", "unsupported_language")


def test_grammar_only_type_cannot_be_mixed_with_libcst_names() -> None:
    with pytest.raises(DoesNotFit) as caught:
        match_texts("argument_list Comma", "f(1, 2)\n")
    assert "line 1" in caught.value.message


def test_missing_libcst_is_reported_with_an_install_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "libcst", None)
    libcst_nodes.read.cache_clear()
    with pytest.raises(Misconfigured) as caught:
        match_texts("And")
    assert (caught.value.code, caught.value.hint) == (
        "unavailable",
        "install it: pip install 'gitscalpel[python]'",
    )


def test_selector_without_libcst_names_does_not_import_it(tmp_path: Path) -> None:
    selectors = (
        "class > method[name=f]",
        "Name[name=y]",
        "If, Import, Tuple",
        "*[type=Return]",
        "call[name=f]",
    )
    program = (
        "import sys\nfrom tests.syntax.outlines import read\n"
        "from gitscalpel.syntax.selectors import select\n"
        f"for each in {selectors!r}: select(read('y = f(1)'), each)\n"
        "assert 'libcst' not in sys.modules\n"
        "select(read('y = f(1)'), 'Comma')\n"
        "assert 'libcst' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(__file__).parent.parent.parent)
