"""Insert code next to or into a definition: position and separation."""

from __future__ import annotations

import pytest

from gitscalpel.text.line_refs import content_hash
from tests.edit.editing import apply_changeset, assert_edit, edit_file, expect_refusal

NEW = "def n():\n    return 0"


HEADER, F_DEF, G_DEF = "import a\n\n\n", "# why\n@deco\ndef f():\n    pass\n\n\n", "def g():\n    pass\n"


@pytest.mark.parametrize(
    ("position", "after"),
    [("before", f"{HEADER}{NEW}\n\n\n{F_DEF}{G_DEF}"), ("after", f"{HEADER}{F_DEF}{NEW}\n\n\n{G_DEF}")],
)
def test_insert_goes_around_a_definition_with_its_lead(position: str, after: str) -> None:
    op = {"op": "insert", "symbol": "f", "position": position, "code": NEW}
    assert edit_file(HEADER + F_DEF + G_DEF, op).decode() == after


def test_insert_uses_the_gap_of_its_neighbours() -> None:
    before = "def f():\n    pass\n\ndef g():\n    pass\n"
    after = "def f():\n    pass\n\ndef n():\n    return 0\n\ndef g():\n    pass\n"
    assert edit_file(before, {"op": "insert", "symbol": "f", "code": NEW}).decode() == after
    assert (
        edit_file(before, {"op": "insert", "symbol": "g", "code": NEW}).decode() == before + "\n" + NEW + "\n"
    )


def test_insert_without_siblings_uses_the_default_gap() -> None:
    assert edit_file("def f(): pass\n", {"op": "insert", "symbol": "f", "code": NEW}).decode() == (
        "def f(): pass\n\n\ndef n():\n    return 0\n"
    )
    assert (
        edit_file(
            "function f() {}\n", {"op": "insert", "symbol": "f", "code": "function n() {}"}, path="a.js"
        )
        == b"function f() {}\n\nfunction n() {}\n"
    )


METHODS = "    def m(self):\n        pass\n\n    def o(self):\n        pass\n"
CHILD = "    def n():\n        return 0\n"


@pytest.mark.parametrize(
    ("position", "after"), [("first", f"{CHILD}\n{METHODS}"), ("last", f"{METHODS}\n{CHILD}")]
)
def test_child_is_inserted_first_or_last(position: str, after: str) -> None:
    op = {"op": "insert", "symbol": "A", "position": position, "code": NEW}
    assert edit_file(f"class A:\n{METHODS}", op).decode() == f"class A:\n{after}"


def test_field_is_inserted_without_a_gap() -> None:
    assert_edit(
        """
        class A:
            x = 1
            y = 2
        """,
        {"op": "insert", "symbol": "A.x", "position": "after", "code": "z = 3"},
        """
        class A:
            x = 1
            z = 3
            y = 2
        """,
    )


def test_method_after_fields_gets_one_blank_line() -> None:
    assert_edit(
        """
        class A:
            x = 1
            y = 2
        """,
        {"op": "insert", "symbol": "A", "position": "last", "code": "def m(self):\n    pass"},
        """
        class A:
            x = 1
            y = 2

            def m(self):
                pass
        """,
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("class A {}\n", "class A {\n  m() {}\n}\n"),
        ("class A {\n}\n", "class A {\n  m() {}\n}\n"),
    ],
)
def test_empty_body_is_opened(before: str, after: str) -> None:
    result = edit_file(
        before, {"op": "insert", "symbol": "A", "position": "last", "code": "m() {}"}, path="a.js"
    )
    assert result.decode().replace("    ", "  ") == after


def test_docstring_stays_first() -> None:
    assert_edit(
        '''
        class A:
            """Doc."""

            x = 1
        ''',
        {"op": "insert", "symbol": "A", "position": "first", "code": "y = 2"},
        '''
        class A:
            """Doc."""

            y = 2
            x = 1
        ''',
    )


def test_decorated_definition_is_inserted() -> None:
    code = "@deco\ndef n():\n    return 0"
    assert edit_file("def f(): pass\n", {"op": "insert", "symbol": "f", "code": code}).decode() == (
        f"def f(): pass\n\n\n{code}\n"
    )


def test_missing_final_newline_stays_missing() -> None:
    assert edit_file(b"x = 1", {"op": "insert", "symbol": "x", "code": "y = 2\n"}) == b"x = 1\ny = 2"


def test_insert_uses_crlf() -> None:
    assert (
        edit_file(b"def f(): pass\r\n", {"op": "insert", "symbol": "f", "code": NEW})
        == b"def f(): pass\r\n\r\n\r\ndef n():\r\n    return 0\r\n"
    )


@pytest.mark.parametrize(
    ("before", "symbol", "path", "code"),
    [
        ("def f(): pass\n", "f", "a.py", NEW),
        ("def f(): pass\n\n\nx = 1\n", "f", "a.py", NEW),
        ("# c\n\n\n@d\ndef f():\n    pass\n\ndef g(): pass\n", "g", "a.py", NEW),
        ("class A:\n    x = 1\n\n    def m(self): pass\n", "A.m", "a.py", NEW),
        ("class A:\n    x = 1\n    y = 2\n", "A.x", "a.py", "n = 3"),
        ("class A {\n  m() {}\n\n  o() {}\n}\n", "A.m", "a.js", "n() {}"),
        ("class A {\n  m() {}\n}\n", "A.m", "a.js", "n() {}"),
        ("impl A {\n    fn m() {}\n}\n", "A.m", "a.rs", "fn n() {}"),
        ("x = 1", "x", "a.py", "n = 2"),
        ("a = 1\r\nb = 2\r\n", "a", "a.py", "n = 2"),
    ],
)
@pytest.mark.parametrize("position", ["before", "after"])
def test_insert_and_delete_restore_the_file(
    before: str, symbol: str, path: str, code: str, position: str
) -> None:
    raw = before.encode()
    inserted = edit_file(
        raw, {"op": "insert", "symbol": symbol, "position": position, "code": code}, path=path
    )
    assert inserted != raw
    assert edit_file(inserted, {"op": "delete", "symbol": "n"}, path=path) == raw


@pytest.mark.parametrize(
    ("before", "code", "path"),
    [
        ("def f(): pass\n\n\ndef n(): pass\n", NEW, "a.py"),
        ("def f(): pass\n\n\nn = 1\n", NEW, "a.py"),
        ("def f(): pass\n\n\nn = 1\n", NEW.replace("def n", "def \uff4e"), "a.py"),
        ("function f() {}\nconst n = 1\n", "function n() {}", "a.js"),
    ],
)
def test_duplicate_name_in_a_scope_is_refused(before: str, code: str, path: str) -> None:
    assert (
        expect_refusal(before, {"op": "insert", "symbol": "f", "code": code}, path=path).code
        == "duplicate_symbol"
    )


@pytest.mark.parametrize("path", ["a.cpp", "a.cs", "a.php", "a.ts", "a.scala"])
def test_namespace_may_be_reopened(path: str) -> None:
    word, begin = "package" if path == "a.scala" else "namespace", "<?php\n\n" if path == "a.php" else ""
    end = ";" if path == "a.cpp" else ""
    old, new = (f"{word} A {{\n  class {name} {{}}{end}\n}}\n" for name in "XY")
    op = {"op": "insert", "symbol": "A", "position": "after", "code": new}
    assert_edit(begin + old, op, f"{begin}{old}\n{new}", path=path)


def test_overloads_and_accessors_may_share_a_name() -> None:
    before = "class A:\n    @property\n    def x(self): return 1\n"
    code = "@x.setter\ndef x(self, v): pass"
    assert b"@x.setter" in edit_file(before, {"op": "insert", "symbol": "A.x", "code": code})
    assert_edit(
        "function f(a: string): void;\nfunction f(a: any): void {}\n",
        {"op": "insert", "symbol": "f#1", "code": "function f(a: number): void;"},
        "function f(a: string): void;\nfunction f(a: number): void;\nfunction f(a: any): void {}\n",
        path="a.ts",
    )


@pytest.mark.parametrize(
    ("op", "error"),
    [
        ({"symbol": "f", "code": "def n(:"}, "syntax_error"),
        ({"symbol": "x", "position": "first", "code": "def n(): pass"}, "invalid_position"),
        ({"symbol": "nowhere", "code": "def n(): pass"}, "symbol_not_found"),
    ],
)
def test_invalid_insert_is_refused(op: dict[str, str], error: str) -> None:
    assert expect_refusal("def f(): pass\n\n\nx = 1\n", {"op": "insert", **op}).code == error


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("position", "lines"), [("before", (1, 2)), ("after", (5, 6)), ("first", (2, 3)), ("last", (4, 5))]
)
def test_insert_reports_the_code_without_the_gap(ending: str, position: str, lines: tuple[int, int]) -> None:
    text = "class A:\n    def m(self): pass\n".replace("\n", ending)
    done = apply_changeset(
        text, {"op": "insert", "symbol": "A", "position": position, "code": "def f():\n    pass"}
    )
    (result,) = done.done
    assert result.after == lines
    content = done.overlay.content("a.py")
    assert content is not None
    code = b"".join(content.splitlines(True)[lines[0] - 1 : lines[1]])
    assert code.strip().startswith(b"def f")
    assert result.hash == content_hash(code.lstrip())


@pytest.mark.parametrize(
    ("path", "before", "symbol", "position", "code", "after"),
    [
        ("a.js", "class A { n() {} }\n", "A", "last", "m() {}", "class A { n() {} m() {} }\n"),
        ("a.js", "class A { n() {} }\n", "A", "first", "m() {}", "class A { m() {} n() {} }\n"),
        ("a.c", "struct s { int a; };\n", "a", "after", "int b;", "struct s { int a; int b; };\n"),
        ("a.py", "a = 1; b = 2\n", "a", "after", "c = 3;", "a = 1; c = 3; b = 2\n"),
        (
            "a.js",
            "class A { n() {} }\n",
            "n",
            "after",
            "m() {\n}",
            "class A { n() {}\n\n    m() {\n    }\n}\n",
        ),
        (
            "a.kt",
            "class A { val x = 1 }\n",
            "x",
            "after",
            "val y = 2",
            "class A { val x = 1\n    val y = 2\n}\n",
        ),
        (
            "a.js",
            "const a = () => 1, b = 2;\n",
            "a",
            "after",
            "c = () => 3",
            "const a = () => 1, c = () => 3, b = 2;\n",
        ),
    ],
)
def test_one_line_code_joins_the_line_of_its_neighbours(
    path: str, before: str, symbol: str, position: str, code: str, after: str
) -> None:
    op = {"op": "insert", "symbol": symbol, "position": position, "code": code}
    assert edit_file(before, op, path=path).decode() == after
