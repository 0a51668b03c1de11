"""``import[module=…]`` selects imports by module."""

from __future__ import annotations

import pytest

from gitscalpel.edit.source import Source
from gitscalpel.syntax.selectors import select
from tests.edit.editing import edit_file


@pytest.mark.parametrize(
    ("path", "line", "modules"),
    [
        ("a.py", "import e, a.b as c, d", "e a.b d"),
        ("a.py", "from .a import y", ".a"),
        ("a.py", "from __future__ import z", "__future__"),
        ("a.js", 'import a from "./b";', "./b"),
        ("a.ts", 'import type {T} from "t";', "t"),
        ("a.ts", 'import x = require("y");', "y"),
        ("A.java", "import a.b.C;", "a.b.C"),
        ("A.java", "import static a.b.*;", "a.b"),
        ("a.kt", "import a.B as C", "a.B"),
        ("a.go", 'import (\n\tx "os"\n\t"io"\n)', "os io"),
        ("a.go", 'import "os"', "os"),
        ("a.rs", "use a::b;", "a::b"),
        ("a.rs", "use a::{b, c};", "a"),
        ("a.rs", "use a::b as c;", "a::b"),
        ("a.rs", "use a::*;", "a"),
        ("a.php", "<?php\nuse A\\B;", "A\\B"),
        ("a.php", "<?php\nuse A\\B as C, D;", "A\\B D"),
        ("a.c", "#include <a.h>", "a.h"),
        ("a.cpp", '#include "b/c.h"', "b/c.h"),
        ("a.scala", "import a.b.C", "a.b.C"),
        ("a.scala", "import a.b.{C, D}", "a.b"),
        ("a.swift", "import class A.B", "A.B"),
        ("a.cs", "using A.B;", "A.B"),
        ("a.cs", "using X = A.B;", "A.B"),
        ("a.dart", 'import "a" as b;', "a"),
        ("a.hs", "import qualified A.B as C", "A.B"),
    ],
)
def test_import_is_selected_by_its_modules(path: str, line: str, modules: str) -> None:
    outline = Source.read(path, line.encode() + b"\n").outline
    for module in modules.split():
        assert len(select(outline, f'import[module="{module}"]')) == 1
    assert select(outline, "import[module=other]") == []
    assert len(select(outline, "import[module!=other]")) == 1
    assert select(outline, f'import[module!="{modules.split(maxsplit=1)[0]}"]') == []


def test_edit_selects_by_imported_module_and_own_module() -> None:
    before = "import os\nimport sys\n\n\nclass A:\n    pass\n"
    done = edit_file(before, {"op": "delete", "query": "import[module=os]"}, path="pkg/a.py")
    assert done.decode() == before.removeprefix("import os\n")
    op = {"op": "insert", "query": "class[module=pkg.a]", "position": "last", "code": "x = 1"}
    assert (
        edit_file("class A:\n    y = 1\n", op, path="pkg/a.py").decode() == "class A:\n    y = 1\n    x = 1\n"
    )
