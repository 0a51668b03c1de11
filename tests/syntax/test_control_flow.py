"""Related control-flow keywords; each case is a text with marked places.

``«x»`` marks a requested keyword and its related ones, ``⟦x⟧`` the keyword that begins the ended block,
and ``¿x?`` an undecidable one. With ``⟦x⟧`` alone, ``⟦x⟧`` is requested and ``«x»`` ends its block.
"""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

import pytest

from gitscalpel.syntax import control_flow
from gitscalpel.syntax.languages import recognise
from gitscalpel.syntax.parse import Syntax
from tests.command import scalpel
from tests.sandbox import Sandbox

_MARK = re.compile(r"«([^»]+)»|⟦([^⟧]+)⟧|¿([^?]+)\?")

JUMPS = {
    "a loop ends with its own": (
        "a.rs",
        "fn f() { ⟦for⟧ i in x { if i { «break»; } while g() { break; } continue; { «break» } } }",
    ),
    "what goes on with it is asked for apart": ("a.rs", "fn f() { ⟦loop⟧ { break; «continue»; } }"),
    "a label": ("a.rs", "fn f() { '⟦a⟧: loop { «break»; 'b: loop { «break» 'a; break; break 'b; } } }"),
    "a labelled block is ended by name alone": ("a.rs", "fn f() { loop { '⟦a⟧: { break; «break» 'a; } } }"),
    "no loop goes on in a closure or an async block": (
        "a.rs",
        "fn f() { ⟦loop⟧ { || break; async { break }; «break»; } }",
    ),
    "a function returns": (
        "a.rs",
        "⟦fn⟧ f() { fn g() { return; } || return 1; async { return }; if x { «return» 2 } «return» 3 }",
    ),
    "try blocks hold nobody up": ("a.rs", "⟦fn⟧ f() { loop { try { «return»; }; } m!(¿return?); }"),
    "an async block returns": ("a.rs", "fn f() { ⟦async⟧ { «return»; }; return; }"),
    "what is waited for": (
        "a.rs",
        "⟦async⟧ fn f() { g().«await».«await»; || h().await; async { i.await }.«await»; m!(x.¿await?) }",
    ),
    "branches": ("a.rs", "fn f() { «if» a { if b {} } else «if» c {} else { if d {} } }"),
    "Go's break ends switches as well": (
        "a.go",
        "package a\nfunc f() { for { switch x { case 1: break }; ⟦select⟧ { default: «break» }; break } }",
    ),
    "and continue goes past them": (
        "a.go",
        "package a\nfunc f() { ⟦for⟧ { switch x { case 1: «continue» }; if y { «continue» }; break } }",
    ),
    "labels in Go": (
        "a.go",
        "package a\nfunc f() {\n⟦a⟧:\n for { for { «break» a; break; continue a }; «break» } }",
    ),
    "functions in functions": (
        "a.go",
        "package a\n⟦func⟧ (t T) m() int { g := func() int { return 1 }; if x { «return» 2 }; «return» g() }",
    ),
    "branches in Go": ("a.go", "package a\nfunc f() { «if» a { if b {} } else «if» c {} else { d() } }"),
}
ENDS = {
    "a loop": ("a.rs", "fn f() { ⟦while⟧ x { «break»; «continue»; loop { break; } } }"),
    "a function": ("a.rs", "⟦fn⟧ f() { g()«?»; «return»; || h()?; m!(¿return?) }"),
    "an async block": ("a.rs", "fn f() { ⟦async⟧ { g().«await»; «return» }; return }"),
    "what nothing ends": ("a.rs", "fn f() { ⟦match⟧ x { _ => return } }"),
    "a labelled loop": ("a.rs", "fn f() { 'a: ⟦loop⟧ { loop { «break» 'a; break } } }"),
    "Go's loops": (
        "a.go",
        "package a\nfunc f() { ⟦for⟧ { «continue»; switch { default: break }; «break» } }",
    ),
}


def _split_marks(text: str) -> tuple[str, dict[str, tuple[int, ...]]]:
    """Return the text without marks, and the byte offsets of marked words by mark."""
    plain, places, end = "", dict[str, list[int]](), 0
    for mark in _MARK.finditer(text):
        plain += text[end : mark.start()]
        places.setdefault(mark[0][0], []).append(len(plain.encode()))
        plain, end = plain + next(filter(None, mark.groups())), mark.end()
    return plain + text[end:], {sign: tuple(starts) for sign, starts in places.items()}


def _read(path: str, text: str) -> Syntax:
    language = recognise(path, text.encode())
    assert language is not None
    return Syntax(language, text.encode())


@pytest.mark.parametrize(("path", "text"), JUMPS.values(), ids=JUMPS)
def test_keyword_finds_the_others_that_end_its_block(path: str, text: str) -> None:
    plain, places = _split_marks(text)
    syntax = _read(path, plain)
    for start in places["«"]:
        found = control_flow.find_related(syntax, start)
        assert found == control_flow.RelatedKeywords(places.get("⟦", ()), places["«"], places.get("¿", ()))


@pytest.mark.parametrize(("path", "text"), ENDS.values(), ids=ENDS)
def test_block_keyword_finds_its_ends(path: str, text: str) -> None:
    plain, places = _split_marks(text)
    (start,) = places["⟦"]
    found = control_flow.find_related(_read(path, plain), start)
    assert found == control_flow.RelatedKeywords((start,), places.get("«", ()), places.get("¿", ()))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.rs", "impl A ⟦for⟧ B {}"),
        ("a.rs", "fn f() { m!(⟦break⟧) }"),
        ("a.rs", "fn f() { let ⟦x⟧ = 1; }"),
        ("a.py", "for x in y:\n    ⟦break⟧\n"),
    ],
)
def test_other_words_are_not_related(path: str, text: str) -> None:
    plain, places = _split_marks(text)
    assert control_flow.find_related(_read(path, plain), places["⟦"][0]) is None


def test_refs_lists_related_keywords_and_rename_refuses_them(tmp_path: Path) -> None:
    text = dedent("""\
        fn f() {
            for i in x {
                if i { break; }
                while y { if z { break; } break; }
                break;
            }
        }
        """)
    Sandbox.of(tmp_path / "r", {"a.rs": text.encode()})
    listed = scalpel(tmp_path / "r", "refs", "a.rs:5:break").out
    assert listed.splitlines() == ["a.rs:2:5  definition", "a.rs:3:16  use", "a.rs:5:9  use"]
    assert scalpel(tmp_path / "r", "refs", "a.rs:4:break#2").out.splitlines() == [
        "a.rs:4:9  definition",
        "a.rs:4:26  use",
        "a.rs:4:35  use",
    ]
    refused = scalpel(tmp_path / "r", "rename", "a.rs:5:break", "stop", "--json")
    assert "break is a keyword, not a name" in refused.out


def test_repeated_keyword_in_a_line_is_ambiguous(tmp_path: Path) -> None:
    Sandbox.of(tmp_path / "r", {"a.rs": b"fn f() {\n    if a { if b {} } else if c {}\n}\n"})
    assert "symbol_ambiguous" in scalpel(tmp_path / "r", "refs", "a.rs:2:if", "--json").out
    assert scalpel(tmp_path / "r", "refs", "a.rs:2:if#3").out.splitlines() == [
        "a.rs:2:5  use",
        "a.rs:2:27  use",
    ]
