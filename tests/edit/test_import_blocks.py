"""An import joins the import block, and the code below keeps its distance."""

from __future__ import annotations

import pytest

from tests.edit.editing import Op, edit_file, insert

AFTER_LAST_IMPORT = {"op": "insert", "query": "import:last", "position": "after"}
BLOCKS = [
    ("a.py", "import os\n", "import sys\n", "import re\n", "\n\ndef f():\n    pass\n"),
    ("a.ts", 'import a from "a";\n', 'import b from "b";\n', 'import c from "c";\n', "\nfunction f() {}\n"),
    ("A.java", "package p;\n\nimport a.B;\n", "import a.C;\n", "import a.D;\n", "\n/** d */\nclass F {}\n"),
    ("a.kt", "package p\n\nimport a.B\n", "import a.C\n", "import a.D\n", "\n/** Doc. */\nclass D\n"),
    ("a.php", "<?php\n\nuse A\\B;\n", "use A\\C;\n", "use A\\D;\n", "\nclass F {}\n"),
    ("a.scala", "package p\n\nimport a.B\n", "import a.C\n", "import a.D\n", "\nclass F {}\n"),
    ("a.c", "#include <a.h>\n", "#include <b.h>\n", "#include <c.h>\n", "\nint x;\n"),
    ("a.cpp", "#include <a.h>\n", "#include <b.h>\n", "#include <c.h>\n", "\nint f() { return 1; }\n"),
    ("a.go", 'package a\n\nimport "os"\n', 'import "fmt"\n', 'import "io"\n', "\nfunc f() {}\n"),
    ("a.rs", "use a::b;\n", "use a::c;\n", "use a::d;\n", "\nfn f() {}\n"),
    ("a.swift", "import A\n", "import B\n", "import C\n", "\nfunc f() {}\n"),
    ("a.cs", "using A;\n", "using B;\n", "using C;\n", "\nclass F {}\n"),
    ("a.dart", 'import "a";\n', 'import "b";\n', 'import "c";\n', "\nclass F {}\n"),
    ("a.hs", "module M where\n\nimport A\n", "import B\n", "import C\n", "\nf = 1\n"),
]
NAMES = [path for path, *_ in BLOCKS]


@pytest.mark.parametrize(("path", "head", "last", "new", "below"), BLOCKS, ids=NAMES)
def test_import_is_inserted_after_the_last_import(
    path: str, head: str, last: str, new: str, below: str
) -> None:
    op = {**AFTER_LAST_IMPORT, "code": new}
    assert edit_file(head + last + below, op, path=path).decode() == head + last + new + below
    assert edit_file(head + below, op, path=path).decode() == head + new + below


@pytest.mark.parametrize(("path", "head", "last", "new", "below"), BLOCKS, ids=NAMES)
def test_last_import_is_deleted_alone(path: str, head: str, last: str, new: str, below: str) -> None:
    op = {"op": "delete", "query": "import:last"}
    assert edit_file(head + last + below, op, path=path).decode() == head + below


@pytest.mark.parametrize(("path", "head", "last", "new", "below"), BLOCKS, ids=NAMES)
def test_last_import_is_replaced_alone(path: str, head: str, last: str, new: str, below: str) -> None:
    op = {"op": "replace", "query": "import:last", "code": new}
    assert edit_file(head + last + below, op, path=path).decode() == head + new + below


@pytest.mark.parametrize(
    ("path", "before", "op", "after"),
    [
        (
            "a.py",
            "import a  # x\n\nX = 1\n",
            {**AFTER_LAST_IMPORT, "code": "import b"},
            "import a  # x\nimport b\n\nX = 1\n",
        ),
        ("a.c", "#include <a.h> /* x */\n", {**AFTER_LAST_IMPORT, "code": "#include <b.h>"}, None),
        (
            "a.py",
            "import a\nimport b  # x\n\nX = 1\n",
            {"op": "delete", "query": "import:last"},
            "import a\n\nX = 1\n",
        ),
    ],
)
def test_comment_after_an_import_stays_with_it(path: str, before: str, op: Op, after: str | None) -> None:
    assert edit_file(before, op, path=path).decode() == (after or before + "#include <b.h>\n")


def test_other_code_keeps_the_distance_to_the_next_symbol() -> None:
    before = "import a\nimport b\n\n\ndef f():\n    pass\n"
    after = before.replace("\n\ndef", "\n\nX = 1\n\n\ndef")
    assert edit_file(before, {**AFTER_LAST_IMPORT, "code": "X = 1"}).decode() == after


@pytest.mark.parametrize(
    ("path", "before", "code"),
    [
        ("a.py", "X = 1\n\n\ndef f():\n    pass\n", "@deco"),
        ("a.py", "X = 1\n\n\n# why\n@other\ndef f():\n    pass\n", "@deco(1)"),
        ("A.java", "class f {\n}\n", "@Deco"),
        ("a.rs", "fn a() {}\n\nfn f() {}\n", "#[test]"),
        ("a.ts", "class A {}\n\nclass f {}\n", "@deco()"),
        ("a.cs", "class A {}\n\nclass f {}\n", "[Deco]"),
    ],
)
def test_decorator_is_inserted_directly_above(path: str, before: str, code: str) -> None:
    lead = next(start for start in ("# why", "def f", "fn f", "class f") if start in before)
    after = before.replace(lead, f"{code}\n{lead}")
    assert edit_file(before, insert("f", "before", code), path=path).decode() == after
