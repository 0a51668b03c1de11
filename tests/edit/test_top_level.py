"""``insert`` at the start and end of a file, by a path alone or at the module."""

from __future__ import annotations

import pytest

from tests.edit.editing import Op, edit_file, expect_refusal


def first_op(code: str) -> Op:
    return {"op": "insert", "position": "first", "code": code}


def last_op(code: str) -> Op:
    return {"op": "insert", "position": "last", "code": code}


PY_HEAD = (
    '#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n# Copyright X\n\n"""Doc."""\n\n'
    "from __future__ import annotations\n\n"
)
PHP_HEAD = "<?php\n// Licence\n\ndeclare(strict_types=1);\n\nnamespace A;\n\n"


@pytest.mark.parametrize(
    ("path", "head", "new", "below"),
    [
        ("a.py", PY_HEAD, "import re\n", "import os\n\n\ndef f():\n    pass\n"),
        ("a.py", PY_HEAD, "X = 1\n", "import os\n"),
        ("a.py", "#!/usr/bin/python\n", "import re\n", ""),
        ("a.py", "", "import re\n", "import os\n"),
        ("a.py", "# a section\n\n", "import re\n", "# why\nimport os\n"),
        ("A.java", "package p;\n\n", "import a.A;\n", "import a.B;\n\nclass F {}\n"),
        ("A.java", "package p;\n\nimport a.B;\n\n", "class A {}\n\n", "class F {}\n"),
        ("A.java", "// Licence\npackage p;\n\n", "import a.A;\n\n", "class F {\n}\n"),
        ("a.go", 'package p\n\nimport (\n\t"os"\n)\n\n', "func a() {}\n\n", "func f() {}\n"),
        ("a.js", '#!/usr/bin/node\n"use strict";\n\n', 'import b from "b";\n', 'import a from "a";\n'),
        ("a.ts", "/**\n * @license MIT\n */\n", "const x = 1;\n\n", "function f() {}\n"),
        ("a.kt", "package a\n\n", "import b.B\n", "import b.C\n\n/** Doc. */\nclass D\n"),
        ("a.php", PHP_HEAD, "use B\\B;\n", "use B\\C;\n\nclass D {}\n"),
        ("a.php", PHP_HEAD + "use B\\C;\n\n", "class E {}\n\n", "class D {}\n"),
        ("a.cs", "using A;\n\nnamespace N;\n\n", "class D {}\n\n", "class C {}\n"),
        ("a.rs", "//! Doc\n", "fn a() {}\n\n", "use a::b;\n"),
        ("a.rs", "//! Doc\n#![allow(x)]\n\n", "use a::a;\n", "use a::b;\n"),
        ("a.hs", "module M where\n\n", "import A\n", "import B\n\nf = 1\n"),
        ("a.hs", "module M where\n\nimport B\n\n", "g = 1\n\n", "f = 1\n"),
        ("a.rb", "#!/usr/bin/ruby\n# frozen_string_literal: true\n\n", 'require "b"\n', 'require "a"\n'),
        ("a.css", '@import "x";\n\n', "b { c: d }\n", "a { b: c }\n"),
        ("a.sh", "#!/bin/sh\n", "x=1\n", "set -e\n"),
        ("a.lua", "#!/usr/bin/env lua\n", "local x = 1\n", "local y = 2\n"),
        ("a.php", "#!/usr/bin/php\n<?php\n", "$x = 1;\n", "$y = 2;\n"),
        ("a.md", "---\nx: 1\n---\n\n", "# B\n\nmore\n\n", "# A\n\ntext\n"),
        ("a.json", "{\n", '  "b": 2,\n', '  "a": 1\n}\n'),
        ("a.yml", "# about\n\n", "c: 3\n", "a: 1\n"),
        ("a.toml", "", "z = 1\n", "x = 1\n\n[a]\ny = 1\n"),
        ("Makefile", "#!/usr/bin/make\n", "c:\n", "b:\n"),
        (".gitignore", "", "c\n", "b\n"),
    ],
)
def test_insert_at_the_start_of_a_file(path: str, head: str, new: str, below: str) -> None:
    code = new.strip().rstrip(",") if path.endswith("json") else new.rstrip("\n")
    assert edit_file(head + below, first_op(code), path=path).decode() == head + new + below


@pytest.mark.parametrize(
    ("path", "before", "code", "after"),
    [
        ("a.py", "def a():\n    return 1\n", "def z():\n    return 3", "\n\ndef z():\n    return 3\n"),
        ("a.py", "def a():\n    return 1", "def z():\n    return 3", "\n\n\ndef z():\n    return 3"),
        ("a.py", "import os\n", "import re", "import re\n"),
        ("a.py", "", "import re", "import re\n"),
        ("a.py", '"""Doc."""\n', "import re", "import re\n"),
        ("a.md", "# A\n\ntext\n", "# B\n\nmore", "\n# B\n\nmore\n"),
        ("a.go", "package p\n\nfunc f() {}\n", "func g() {}", "\nfunc g() {}\n"),
        ("a.c", "int f() {\n}\n", "int g() {\n}", "\nint g() {\n}\n"),
        ("a.yml", "a:\n  - 1\n", "c: 3", "c: 3\n"),
        ("a.toml", "x = 1\n\n[a]\ny = 1\n", "[b]\nz = 1", "\n[b]\nz = 1\n"),
        ("a.ini", "[a]\nx = 1\n", "[b]\nz = 1", "\n[b]\nz = 1\n"),
        ("a.ex", "defmodule A do\nend\n", "defmodule B do\nend", "\ndefmodule B do\nend\n"),
        (".gitignore", "a\nb\n", "c\nd\n", "c\nd\n"),
        (".gitignore", "a\nb", "c", "\nc"),
        ("a.txt", "", "c", "c\n"),
        ("a.txt", "a\r\n", "b\nc", "b\r\nc\r\n"),
    ],
)
def test_insert_at_the_end_of_a_file(path: str, before: str, code: str, after: str) -> None:
    assert edit_file(before, last_op(code), path=path).decode() == before + after


GUARD = "// Licence\n#ifndef A_H\n#define A_H\n"


@pytest.mark.parametrize(
    ("path", "top", "inside", "bottom"),
    [
        ("a.h", GUARD + "\n", "int f(void);\n", "\n#endif // A_H\n"),
        ("a.h", GUARD + "\n", "/* f */\nint f(void);\n", "#endif\n\n// end\n"),
        ("a.hpp", "#ifndef A\n#  define A 1\n\n", "int f();\n", "\n#endif\n"),
        ("a.h", GUARD, "", "#endif\n"),
        ("a.h", "#pragma once\n\n", "int f(void);\n", ""),
    ],
)
def test_insert_into_a_header_goes_inside_its_guard(path: str, top: str, inside: str, bottom: str) -> None:
    new = "int z(void);\n"
    assert edit_file(top + inside + bottom, first_op(new), path=path).decode() == top + new + inside + bottom
    at_end = edit_file(top + inside + bottom, last_op(new), path=path).decode()
    assert at_end.replace("\n\n" + new, "\n" + new) == top + inside + new + bottom


@pytest.mark.parametrize(
    "before",
    [
        "#ifdef A\nint f(void);\n#endif\n",
        "#ifndef A\n#define A\nint f(void);\n#else\nint g(void);\n#endif\n",
        "#ifndef A\n#define B\nint f(void);\n#endif\n",
        "#ifndef A\n#define A\n#endif\nint f(void);\n",
    ],
)
def test_other_directives_are_not_an_include_guard(before: str) -> None:
    assert edit_file(before, first_op("int z(void);"), path="a.h").decode().startswith("int z(void);\n")
    assert edit_file(before, last_op("int z(void);"), path="a.h").decode().endswith("int z(void);\n")


def test_module_query_means_the_file() -> None:
    before = "import os\n\n\ndef f():\n    pass\n"
    assert edit_file(before, {**last_op("X = 1"), "query": "module"}) == edit_file(before, last_op("X = 1"))
    assert edit_file(before, {**first_op("X = 1"), "query": "module"}) == edit_file(before, first_op("X = 1"))


@pytest.mark.parametrize(
    ("path", "before", "op", "code"),
    [
        ("a.py", "x = 1\n", {"op": "insert", "code": "y = 2"}, "invalid_args"),
        ("a.py", "x = 1\n", {**last_op("y = 2"), "kind": "class"}, "invalid_args"),
        ("a.py", "x = 1\n", {"op": "delete"}, "invalid_args"),
        ("a.py", "def f(): pass\n", last_op("def f(): pass"), "duplicate_symbol"),
        ("a.php", "<?php\nnamespace A;\n\nclass D {}\n", first_op("class D {}"), "duplicate_symbol"),
        ("a.toml", "x = 1\n\n[a]\ny = 1\n", last_op("z = 1"), "syntax_error"),
        ("a.php", "<?php\nfunction f() {\n}\n?>\n<p>", last_op("function g() {\n}"), "syntax_error"),
        ("a.php", "<?php\nfunction f() {\n}\n?>\n", last_op("$x = 1;"), "syntax_error"),
        ("a.md", "Intro.\n\n# A\n", first_op("# B"), "syntax_error"),
        ("a.py", "x = 1\n", {**last_op("y = 2"), "expect": "0" * 12}, "stale"),
        ("a.txt", "x = 1\n", {**last_op("y = 2"), "expect": "0" * 12}, "stale"),
        ("a.bin", b"\0\1", last_op("y = 2"), "binary_file"),
    ],
)
def test_invalid_insert_is_refused(path: str, before: str | bytes, op: Op, code: str) -> None:
    assert expect_refusal(before, op, path=path).code == code


@pytest.mark.parametrize(
    ("path", "head", "new", "below"),
    [
        ("a.js", 'function f() {\n  "use strict";\n', "  x();\n", "  g();\n}\n"),
        ("a.js", 'function f() {\n  "use strict";\n', "  x();\n", "}\n"),
        ("a.ts", 'function f() {\n  "a"\n  "use strict"\n\n', "  x();\n", "  g()\n}\n"),
        ("a.py", 'class f:\n    """Doc."""\n', "    x = 1\n", ""),
        ("a.py", 'class f:\n    """Doc."""\n', "\n    def m(self): pass\n", ""),
        ("a.py", 'def f():\n    # c\n    """Doc."""\n', "    x = 1\n", "    y = 1\n"),
    ],
)
def test_docstring_or_directive_stays_first_in_a_body(path: str, head: str, new: str, below: str) -> None:
    op = {**first_op(new.strip()), "symbol": "f"}
    assert edit_file(head + below, op, path=path).decode() == head + new + below
