"""Replace a definition: indentation, lead, and members that must not vanish."""

from __future__ import annotations

import pytest

from tests.edit.editing import Op, apply_changeset, assert_edit, edit_file, expect_refusal

TWO = "def f(a):\n    return a\n\n\ndef g():\n    return 2\n"


def test_replace_changes_only_the_definition() -> None:
    assert_edit(
        """
        import os

        x=1   # as it is
        def f(a):
            return a



        def g():  return 2
        """,
        {"op": "replace", "symbol": "f", "code": "def f(a, b):\n    return a + b\n\n\n"},
        """
        import os

        x=1   # as it is
        def f(a, b):
            return a + b



        def g():  return 2
        """,
    )


@pytest.mark.parametrize(
    "code",
    [
        "def m(self):\n    return 2",
        "    def m(self):\n        return 2",
        "\tdef m(self):\n\t\treturn 2",
        "        def m(self):\n            return 2\n\n",
        "def m(self):\n        return 2",  # copied without the indentation of the first line
        "\ndef m(self):\n    return 2",
    ],
)
def test_code_with_any_indentation_is_accepted(code: str) -> None:
    before = "class A:\n    def m(self):\n        return 1\n"
    after = "class A:\n    def m(self):\n        return 2\n"
    assert edit_file(before, {"op": "replace", "symbol": "A.m", "code": code}).decode() == after


def test_code_is_indented_with_the_tabs_of_the_file() -> None:
    before = "class A:\n\tdef m(self):\n\t\tif x:\n\t\t\treturn 1\n"
    code = "def m(self):\n    if y:\n        return 2"
    after = "class A:\n\tdef m(self):\n\t\tif y:\n\t\t\treturn 2\n"
    assert edit_file(before, {"op": "replace", "symbol": "m", "code": code}).decode() == after


def test_string_content_is_not_shifted() -> None:
    assert_edit(
        """
        class A:
            def m(self):
                return 1
        """,
        {"op": "replace", "symbol": "m", "code": 'def m(self):\n    return """\nleft\n  two\n"""'},
        '''
        class A:
            def m(self):
                return """
        left
          two
        """
        ''',
    )


def test_replace_uses_the_line_endings_of_the_file() -> None:
    before = b"def f():\r\n    return 1\r\n\r\nx = 1\r\n"
    code = "def f():\n    a = 1\n    return a\n"
    assert (
        edit_file(before, {"op": "replace", "symbol": "f", "code": code})
        == b"def f():\r\n    a = 1\r\n    return a\r\n\r\nx = 1\r\n"
    )


def test_missing_final_newline_stays_missing() -> None:
    assert (
        edit_file(b"def f(): pass", {"op": "replace", "symbol": "f", "code": "def f(): ...\n\n"})
        == b"def f(): ..."
    )


LEADS = [
    # old lead, policy, lead in the code, resulting lead
    ("# why\n@deco\n", "auto", "", "# why\n@deco\n"),
    ("# why\n@deco\n", "auto", "@other\n", "# why\n@other\n"),
    ("# why\n@deco\n", "auto", "# because\n", "# because\n@deco\n"),
    ("# why\n@deco\n", "auto", "# because\n@other\n", "# because\n@other\n"),
    ("# why\n@deco\n", "keep", "# because\n@other\n", "# why\n@deco\n"),
    ("# why\n@deco\n", "drop", "", ""),
    ("# why\n@deco\n", "drop", "@other\n", "@other\n"),
    ("# far\n\n@deco\n", "drop", "", "# far\n\n"),
    (
        "#!/usr/bin/python\n# -*- coding: utf-8 -*-\n",
        "drop",
        "",
        "#!/usr/bin/python\n# -*- coding: utf-8 -*-\n",
    ),
    (
        "# Copyright 2020 A\n# SPDX-License-Identifier: MIT\n",
        "drop",
        "",
        "# Copyright 2020 A\n# SPDX-License-Identifier: MIT\n",
    ),
]


@pytest.mark.parametrize(("lead", "policy", "new_lead", "expected"), LEADS)
def test_parts_of_a_lead_are_replaced_separately(
    lead: str, policy: str, new_lead: str, expected: str
) -> None:
    op = {"op": "replace", "symbol": "f", "code": new_lead + "def f():\n    return 2\n", "lead": policy}
    assert edit_file(lead + "def f():\n    return 1\n", op).decode() == expected + "def f():\n    return 2\n"


def test_result_reports_the_lead() -> None:
    op = {"op": "replace", "symbol": "f", "code": "@b\ndef f(): ..."}
    edit = apply_changeset("# why\n@a\ndef f(): pass\n", op).done[0].edit
    assert edit is not None
    assert edit.lead == "kept comments; replaced decorators"


@pytest.mark.parametrize(
    ("before", "code", "after"),
    [
        (
            "export function f() { return 1 }\n",
            "function f() { return 2 }",
            "export function f() { return 2 }\n",
        ),
        (
            "export default function f() { return 1 }\n",
            "function f() { return 2 }",
            "export default function f() { return 2 }\n",
        ),
        ("const f = () => 1;\nlet x = 1;\n", "const f = () => 2;", "const f = () => 2;\nlet x = 1;\n"),
        (
            "export const f = async () => { a() };\n",
            "const f = async () => { b() };",
            "export const f = async () => { b() };\n",
        ),
        (
            "exports.f = function () { return 1 };\n",
            "exports.f = function () { return 2 };",
            "exports.f = function () { return 2 };\n",
        ),
        (
            "/** old */\nexport function f() {}\n",
            "/** new */\nfunction f() { g() }",
            "/** new */\nexport function f() { g() }\n",
        ),
    ],
)
def test_javascript_function_is_replaced(before: str, code: str, after: str) -> None:
    assert edit_file(before, {"op": "replace", "symbol": "f", "code": code}, path="a.js").decode() == after


def test_rust_attributes_are_kept() -> None:
    before = "#[inline]\npub fn f() -> u8 {\n    1\n}\n"
    after = "#[inline]\npub fn f() -> u8 {\n    2\n}\n"
    assert (
        edit_file(
            before, {"op": "replace", "symbol": "f", "code": "pub fn f() -> u8 {\n    2\n}"}, path="a.rs"
        ).decode()
        == after
    )


def test_escapes_are_decoded_only_if_the_code_does_not_parse() -> None:
    result = apply_changeset(TWO, {"op": "replace", "symbol": "g", "code": r"def g():\n    return \"x\""})
    assert result.overlay.content("a.py") == b'def f(a):\n    return a\n\n\ndef g():\n    return "x"\n'
    assert result.done[0].edit is not None
    assert "escapes" in result.done[0].edit.corrections[0]
    assert rb"return '\n$1 \1'" in edit_file(
        TWO, {"op": "replace", "symbol": "g", "code": r"def g(): return '\n$1 \1'"}
    )


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("return 3", "body_only"),
        ("    return 3\n", "body_only"),
        ("def g(:\n    return 3", "syntax_error"),
        ("def g():\n    return (3", "syntax_error"),
        ("def g():\n", "syntax_error"),
        ("class g:\n    pass", "kind_mismatch"),
        ("def h():\n    return 3", "name_mismatch"),
        ("def g():\n    return 3\n\n\ndef h():\n    return 4", "extra_definitions"),
        ("def g():\n    return 2", "no_change"),
    ],
)
def test_code_must_be_the_addressed_definition(code: str, error: str) -> None:
    assert expect_refusal(TWO, {"op": "replace", "symbol": "g", "code": code}).code == error


def test_code_that_absorbs_its_neighbour_is_refused() -> None:
    before = "function f() { return 1 }\nfunction g() { return 2 }\n"
    code = "function f() { return 1 /* "
    assert (
        expect_refusal(before, {"op": "replace", "symbol": "f", "code": code}, path="a.js").code
        == "syntax_error"
    )


def test_query_addresses_a_symbol() -> None:
    op = {"op": "replace", "query": "function[name=g]", "code": "def g():\n    return 3"}
    assert edit_file(TWO, op).decode() == TWO.replace("return 2", "return 3")
    second = {"op": "replace", "query": "function", "match": 1, "code": "def g():\n    return 3"}
    assert edit_file(TWO, second).decode() == TWO.replace("return 2", "return 3")


@pytest.mark.parametrize(
    ("address", "error"),
    [
        ({"query": "function"}, "query_ambiguous"),
        ({"query": "class"}, "query_no_match"),
        ({"query": "function", "match": 2}, "index_out_of_range"),
        ({"query": "function["}, "query_syntax"),
        ({"symbol": "nowhere"}, "symbol_not_found"),
        ({"symbol": "g", "kind": "class"}, "kind_mismatch"),
        ({"symbol": "g#2"}, "index_out_of_range"),
    ],
)
def test_address_without_exactly_one_target_is_refused(address: dict[str, object], error: str) -> None:
    assert expect_refusal(TWO, {"op": "replace", "code": "def g(): ...", **address}).code == error


def test_replace_accepts_lines() -> None:
    assert edit_file(TWO, {"op": "replace", "start": 2, "code": "    return a + 1"}).decode() == TWO.replace(
        "return a", "return a + 1"
    )


@pytest.mark.parametrize(
    ("path", "before", "op", "deleted"),
    [
        (
            "a.py",
            "class A:\n    x = 1\n\n    def f(self):\n        pass\n\n    def g(self):\n        return 1\n",
            {"symbol": "A", "code": "class A:\n    def g(self):\n        return 2"},
            ["A.x", "A.f"],
        ),
        (
            "a.py",
            "class A:\n    class B:\n        x = 1\n        y = 1\n",
            {"symbol": "A", "code": "class A:\n    class B:\n        y = 1"},
            ["A.B.x"],
        ),
        ("a.py", "class A:\n    x = f()\n", {"symbol": "A", "code": "class A:\n    y = f()"}, []),
        ("a.py", "def f():\n    def g(): pass\n", {"symbol": "f", "code": "def f():\n    pass"}, []),
        ("a.rs", "enum A { B, C }\n", {"symbol": "A", "code": "enum A { C }"}, ["A.B"]),
        ("a.json", '{"a": {"b": 1, "c": 2}}\n', {"symbol": "a", "code": '"a": {"b": 1}'}, []),
    ],
)
def test_deleted_members_are_reported(path: str, before: str, op: dict[str, str], deleted: list[str]) -> None:
    result = apply_changeset(before, {"op": "replace", **op}, path=path).done[0]
    assert result.edit is not None
    assert result.warnings == tuple(
        f"deletes member {name}, which the code does not have" for name in deleted
    )
    intents = {intent.symbol for intent in result.intents if intent.kind == "delete" and intent.defines}
    assert intents == set(deleted)


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("def f():\n    return (1", 5),  # below the comment and the decorators
        ("@c\ndef f():\n    return (1", 4),  # below the comment and its own decorator
        ("# New.\ndef f():\n    return (1", 5),
        ("# New.\n@c\ndef f():\n    return (1", 4),
    ],
)
def test_error_line_includes_the_kept_lead(code: str, line: int) -> None:
    before = "# Why.\n@a\n@b\ndef f():\n    pass\n"
    error = expect_refusal(before, {"op": "replace", "symbol": "f", "code": code})
    assert error.code == "syntax_error"
    assert f"line {code.count(chr(10)) + 1} of code" in error.message
    assert error.data["line"] == line


@pytest.mark.parametrize(
    ("op", "lines"),
    [
        ({"op": "replace", "symbol": "f", "code": "def f():\n    return 3"}, (1, 4)),
        ({"op": "signature", "symbol": "f", "code": "def f(a):"}, (1, 4)),  # up to the body's first word
    ],
)
def test_reported_lines_include_a_kept_lead(op: Op, lines: tuple[int, int]) -> None:
    (result,) = apply_changeset("# Of f.\n@cache\ndef f():\n    return 1\n", op).done
    assert (result.before, result.after) == (lines, lines)
