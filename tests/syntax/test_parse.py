"""Texts that do not parse have a located fault, and unusual valid ones have none."""

from __future__ import annotations

import sys

import pytest

from gitscalpel.syntax.syntax_errors import find_faults
from tests.syntax.outlines import read


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", ""),
        ("a.py", "\ufeffx = 1\n"),
        ("a.py", "x = 1\r\ny = 2\r\n"),
        ("a.py", "def f():\n    # only a comment\n    pass"),
        ("a.py", "match x:\n    case {'a': [1, *_]} if y: pass\n"),
        ("a.py", "def f[T: int](x: T, /, *, y) -> T: ...\n"),
        ("a.py", "f'{x!r:>{width}} {{}}'\n"),
        ("a.py", "print(f'{a['b']}')\n"),
        ("a.py", "if x:\n\ty\n\x0cz\n"),
        ("a.js", "#!/usr/bin/env node\nlabel: for (;;) break label\n"),
        ("a.js", "const r = /[/]\\/(?<x>a)/gu, a = b ?? c?.d;\n"),
        ("a.jsx", "const a = <A b={() => <></>}>text</A>\n"),
        ("a.ts", "let x = <T,>(a: T) => a as const satisfies U;\n"),
        ("a.c", '#ifdef __cplusplus\nextern "C" {\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif\n'),
        ("a.c", "#if __has_include(<a.h>)\nAPI_EXPORT int f(void) PRINTF_LIKE(1, 2);\n#endif\n"),
        ("a.cpp", "LIB_BEGIN_NAMESPACE\nclass LIB_API A : B {\n  Q_OBJECT\n  A();\n};\nLIB_END\n"),
        (
            "a.cpp",
            "template <typename T, ENABLE_IF(is_a<T>())>\nLIB_INLINE auto f(T a) -> int;\n",
        ),
        ("a.dart", "library;\nabstract class A {\n  abstract final int x;\n}\n"),
        (
            "a.dart",
            "f(x) {\n  switch (x) {\n    case A() when b:\n  }\n"
            "  return switch (x) {\n    A() || B() => 1\n  };\n}\n",
        ),
        ("a.sh", "f() {\n  for i do\n    echo $i\n  done\n}\n"),
        ("a.zig", "a: u8, // a\nb: u8\n"),
        ("a.zig", "const A = enum { a, b };\nconst B = struct { u8, []u8 };\n"),
        ("a.cpp", 'TEST_CASE("a") {\n  SECTION("b") { c(); }\n}\n'),
        ("a.rs", "fn f<'a, const N: usize>() -> impl Fn(&'a u8) { r#\"\"#; 'l: loop { break 'l; } }\n"),
    ],
)
def test_valid_text_has_no_faults(path: str, text: str) -> None:
    assert find_faults(read(text, path).syntax) == ()


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("a.py", "x = 1\ndef f(:\n    pass\n", 2),
        ("a.py", "def f():\n", 1),
        ("a.py", "def f():\n    # only a comment\nx = 1\n", 1),
        ("a.py", "class A:\n\n\nx = 1\n", 1),
        ("a.py", "x = (1,\n", 1),
        ("a.js", "function f() {\n", 1),
        ("a.js", "x = 1;\n}\n", 2),
        ("a.ts", "interface I {\n  a: ;\n}\n", 2),
        ("a.rs", "fn f() { let x = ; }\n", 1),
        ("a.zig", "a: u8\nfn f() void {}\n", 2),
        ("a.zig", "const A = struct {\n    a: u8\n    b: u8,\n};\n", 3),
    ],
)
def test_fault_has_its_line(path: str, text: str, line: int) -> None:
    found = find_faults(read(text, path).syntax)
    assert found
    assert found[0].line <= line
    assert all(fault.message for fault in found)


def test_deep_tree_does_not_overflow_the_stack() -> None:
    chain = "int f(int a) {\n" + "if (a) b(); else " * 1400 + "c(;\n}\n"
    assert find_faults(read(chain, "a.c").syntax)


def test_grammar_does_not_replace_a_module() -> None:
    import json

    assert find_faults(read("{}", "a.json").syntax) == ()
    assert sys.modules["json"] is json
