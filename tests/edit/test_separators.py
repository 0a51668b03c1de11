"""Regressions: separators next to comments, terminators, and data that moved to another key."""

from __future__ import annotations

import pytest

from tests.edit.editing import Op, edit_file, expect_refusal, gate_errors, insert, replace

ENUM = "enum E {\n  A,\n  B\n}\n"
STRUCT = "struct S {\n    a: u8,\n    b: u8, // b\n}\n"
TOML = 'a = [\n    "x",  # c\n    "y"\n]\n'
CSS = ".a {\n  x: y;\n  z: w;\n}\n"


def signature_op(symbol: str, code: str) -> Op:
    return {"op": "signature", "symbol": symbol, "code": code}


@pytest.mark.parametrize(
    ("path", "before", "op", "after"),
    [
        ("a.ts", ENUM, insert("E.A", "after", "C // c"), "enum E {\n  A,\n  C, // c\n  B\n}\n"),
        ("a.ts", ENUM, insert("E.A", "before", "C // c"), "enum E {\n  C, // c\n  A,\n  B\n}\n"),
        ("a.ts", ENUM, insert("E.B", "after", "C, // c"), "enum E {\n  A,\n  B,\n  C // c\n}\n"),
        ("a.rs", STRUCT, replace("S.a", "a: u16 // a"), STRUCT.replace("u8,\n", "u16, // a\n", 1)),
        ("a.toml", TOML, insert("a[0]", "after", '"z"  # d'), TOML.replace("# c\n", '# c\n    "z",  # d\n')),
        ("a.toml", TOML, replace("a[0]", '"z"  # d'), TOML.replace('"x",  # c', '"z",  # d')),
        ("a.toml", TOML, replace("a[0]", '"z",  # d'), TOML.replace('"x",  # c', '"z",  # d')),
        ("a.toml", TOML, replace("a[0]", '"z"'), TOML.replace('"x"', '"z"')),
        (
            "a.java",
            "class A {\n  int x = 1;\n}\n",
            replace("A.x", "int x = 2 // x"),
            "class A {\n  int x = 2; // x\n}\n",
        ),
    ],
)
def test_separator_is_added_before_a_trailing_comment(path: str, before: str, op: Op, after: str) -> None:
    assert edit_file(before, op, path=path).decode() == after


def test_member_gets_the_separator_of_the_previous_member() -> None:
    assert edit_file(STRUCT, insert("S", "last", "c: u8"), path="a.rs").decode() == (
        "struct S {\n    a: u8,\n    b: u8, // b\n    c: u8,\n}\n"
    )


def test_one_line_list_has_no_trailing_comma() -> None:
    assert edit_file("enum E { A, B }\n", insert("E", "last", "C,"), path="a.ts") == b"enum E { A, B, C }\n"


@pytest.mark.parametrize(
    ("op", "after"),
    [
        (insert(".a.x", "after", "q: r"), ".a {\n  x: y;\n  q: r;\n  z: w;\n}\n"),
        (insert(".a", "last", "q: r"), ".a {\n  x: y;\n  z: w;\n  q: r;\n}\n"),
        (insert(".a", "first", "/* c */"), ".a {\n  /* c */\n  x: y;\n  z: w;\n}\n"),
        (insert(".a", "before", '@import "b"'), '@import "b";\n\n' + CSS),
        (insert(".a", "before", "$d: 1"), "$d: 1;\n\n" + CSS),
        (
            insert(".a", "last", "&:hover {\n  e: f;\n}"),
            ".a {\n  x: y;\n  z: w;\n\n  &:hover {\n    e: f;\n  }\n}\n",
        ),
    ],
)
def test_css_declaration_ends_with_a_semicolon(op: Op, after: str) -> None:
    assert edit_file(CSS, op, path="a.scss").decode() == after


@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        ("const f = () => {\n  a();\n};\n", "const f = () => 1", "const f = () => 1;\n"),
        ("const f = () => {\n  a();\n};\n", "const f = () => 1 // c", "const f = () => 1; // c\n"),
        ("const f = () => 1;\n", "function f() {\n  a()\n}", "function f() {\n  a()\n}\n"),
        ("const f = () => 1\n", "const f = () => 2", "const f = () => 2\n"),
    ],
)
def test_semicolon_of_an_expression_is_kept(old: str, new: str, after: str) -> None:
    assert edit_file(old, replace("f", new), path="a.ts").decode() == after


def test_bodyless_signature_keeps_its_semicolon() -> None:
    before = "trait T {\n    fn a(&self);\n}\n"
    assert edit_file(before, signature_op("T.a", "fn a(&mut self)"), path="a.rs").decode() == before.replace(
        "&self", "&mut self"
    )


@pytest.mark.parametrize(
    ("path", "before", "op", "lost"),
    [
        ("a.toml", "[p]\nname = 1\nv = 2\n", insert("p.name", "after", "[x]\na = 1"), ["p.v"]),
        ("a.cfg", "[p]\nname = 1\nv = 2\n", insert("p.name", "before", "[x]\na = 1"), ["p.name", "p.v"]),
        ("a.md", "# A\n\n## B\n\n### C\n", insert("C", "before", "## X"), ["B.C"]),
        ("a.md", "# A\n\n## B\n\n## C\n", replace("B", "## B\n\n# X"), ["A.C"]),
        (
            "a.html",
            "<ul>\n  <li>a</li>\n  <p>b</p>\n</ul>\n",
            insert("li", "before", "<div>"),
            ["ul.li", "ul.p"],
        ),
    ],
)
def test_edit_that_moves_others_to_another_key_is_refused(
    path: str, before: str, op: Op, lost: list[str]
) -> None:
    error = expect_refusal(before, op, path=path)
    assert (error.code, error.data["lost"]) == ("syntax_error", lost)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.toml", "[a]\n\n[b]\nx = 1\n", "[a]\ny = 1\n\n[b]\nx = 1\n"),
        ("a.toml", "[a]", "[a]\ny = 1"),
        ("a.toml", "[a]  # c\n\n# d\n[b]\n", "[a]  # c\ny = 1\n\n# d\n[b]\n"),
        ("a.cfg", "[a]\n\n[b]\nx = 1\n", "[a]\ny = 1\n\n[b]\nx = 1\n"),
    ],
)
@pytest.mark.parametrize("position", ["first", "last"])
def test_key_is_inserted_into_an_empty_table(path: str, before: str, after: str, position: str) -> None:
    inserted = edit_file(before, insert("a", position, "y = 1"), path=path)
    assert inserted.decode() == after
    assert edit_file(inserted, {"op": "delete", "symbol": "a.y"}, path=path).decode() == before
    assert not gate_errors(path, before, insert("a", position, "y = 1"))


@pytest.mark.parametrize("path", ["a.toml", "a.cfg"])
def test_header_of_a_table_is_its_signature(path: str) -> None:
    before = "[p]\nx = 1\n"
    assert edit_file(before, signature_op("p", "[p]  # c"), path=path) == b"[p]  # c\nx = 1\n"
    assert expect_refusal(before, signature_op("p", "[q]"), path=path).code == "name_mismatch"


@pytest.mark.parametrize(
    ("before", "position", "after"),
    [
        ("class A {\npublic:\n};\n", "last", "class A {\npublic:\n    int x;\n};\n"),
        ("class A {\npublic:\n};\n", "first", "class A {\npublic:\n    int x;\n};\n"),
        (
            "class A {\n public:\n  int y;\n private:\n};\n",
            "last",
            "class A {\n public:\n  int y;\n  int x;\n private:\n};\n",
        ),
    ],
)
def test_member_is_inserted_after_a_final_access_label(before: str, position: str, after: str) -> None:
    assert edit_file(before, insert("A", position, "int x;"), path="a.cpp").decode() == after
