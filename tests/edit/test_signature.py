"""Replace only the header of a definition and keep its body, docstring and lead."""

from __future__ import annotations

import pytest

from tests.edit.editing import assert_edit, edit_file, expect_refusal

BEFORE = '''
    # why
    @deco
    def f(a):
        """Doc."""
        return a


    x = 1
    '''


@pytest.mark.parametrize(
    "code", ["def f(a, b=1) -> int:", "def f(a, b=1) -> int", "  def f(a, b=1) -> int:\n"]
)
def test_colon_is_optional(code: str) -> None:
    assert_edit(
        BEFORE,
        {"op": "signature", "symbol": "f", "code": code},
        BEFORE.replace("def f(a):", "def f(a, b=1) -> int:"),
    )


def test_body_in_the_code_is_ignored() -> None:
    assert_edit(
        BEFORE,
        {"op": "signature", "symbol": "f", "code": "def f(a, b):\n    return b"},
        BEFORE.replace("def f(a):", "def f(a, b):"),
    )


@pytest.mark.parametrize(
    ("before", "code", "after", "path"),
    [
        (
            "class A:\n    def f(self):\n        pass\n",
            "async def f(self, *, x):",
            "class A:\n    async def f(self, *, x):\n        pass\n",
            "a.py",
        ),
        (
            "class A:\n    def f(self): pass\n",
            "def f(\n    self,\n    x,\n):",
            "class A:\n    def f(\n        self,\n        x,\n    ): pass\n",
            "a.py",
        ),
        ("class f(B):\n    x = 1\n", "class f(B, C):", "class f(B, C):\n    x = 1\n", "a.py"),
        (
            "export function f(a) {\n  a()\n}\n",
            "function f(a, b) {",
            "export function f(a, b) {\n  a()\n}\n",
            "a.js",
        ),
        (
            "export function f(a) {\n  a()\n}\n",
            "function f(a, b)",
            "export function f(a, b) {\n  a()\n}\n",
            "a.js",
        ),
        (
            "const f = (a) => {\n  a()\n};\n",
            "const f = async (a, b) =>",
            "const f = async (a, b) => {\n  a()\n};\n",
            "a.js",
        ),
        ("const f = a => a;\n", "const f = (a, b) =>", "const f = (a, b) => a;\n", "a.js"),
        (
            "class A {\n  f(a: string) { a }\n}\n",
            "f(a: number): void",
            "class A {\n  f(a: number): void { a }\n}\n",
            "a.ts",
        ),
        (
            "impl A {\n    pub fn f(&self) {\n    }\n}\n",
            "pub fn f(&self, x: u8) -> u8",
            "impl A {\n    pub fn f(&self, x: u8) -> u8 {\n    }\n}\n",
            "a.rs",
        ),
    ],
)
def test_signature_of_every_language_is_replaced(before: str, code: str, after: str, path: str) -> None:
    assert edit_file(before, {"op": "signature", "symbol": "f", "code": code}, path=path).decode() == after


def test_signature_uses_the_line_endings_of_the_file() -> None:
    op = {"op": "signature", "symbol": "f", "code": "def f(\n    a,\n):"}
    assert edit_file(b"def f():\r\n    pass\r\n", op) == b"def f(\r\n    a,\r\n):\r\n    pass\r\n"


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("def g(a):", "name_mismatch"),
        ("class f:", "kind_mismatch"),
        ("def f(a:", "syntax_error"),
        ("(a, b)", "body_only"),
        ("def f(a):", "no_change"),
    ],
)
def test_invalid_signature_is_refused(code: str, error: str) -> None:
    assert expect_refusal(BEFORE, {"op": "signature", "symbol": "f", "code": code}).code == error
