"""Three-way merges of one file by symbols."""

from __future__ import annotations

import pytest

from gitscalpel.edit.merge.file_merge import Conflict, is_merge_sound, merge_by_symbols
from gitscalpel.edit.merge.file_parts import parts_of_file
from gitscalpel.edit.merge.part_merge import Separators
from gitscalpel.edit.source import Source
from tests.edit.editing import dedent_block

PY = """
import os


def f():
    return 1


def g():
    return 2
"""
CLASS = '''
class C:
    """Doc."""

    x = 1

    def a(self):
        return 1
'''
TOP = "\n\n\ndef g"
Case = tuple[str, str, str, str, str]


def replace_each(before: str, *pairs: tuple[str, str]) -> str:
    for old, new in pairs:
        assert old in before
        before = before.replace(old, new, 1)
    return before


def function_code(name: str) -> str:
    return f"\n\n\ndef {name}():\n    return 0"


def method_code(name: str) -> str:
    return f"\n    def {name}(self):\n        return 0\n"


TS = 'import {a} from "b";\n\nexport class K {\n  m() {\n    return 1;\n  }\n}\n'
GO = 'package a\n\nimport (\n\t"fmt"\n)\n\ntype T struct {\n\tA int\n}\n'
TOML = "top = 1\n\n[a]\nx = 1\n\n[b]\ny = 2\n"
MD = "# T\n\ntext\n\n## A\n\npara\n"
CASES: dict[str, Case] = {
    "two functions at one place": (
        *(
            "a.py",
            PY,
            replace_each(PY, (TOP, function_code("n") + TOP)),
            replace_each(PY, (TOP, function_code("o") + TOP)),
        ),
        replace_each(PY, (TOP, function_code("n") + function_code("o") + TOP)),
    ),
    "two functions at the end": (
        *("a.py", PY, PY.rstrip() + function_code("n") + "\n", PY.rstrip() + function_code("o") + "\n"),
        PY.rstrip() + function_code("n") + function_code("o") + "\n",
    ),
    "two functions in an empty file": (
        *("a.py", "", "def f():\n    return 1\n", "def g():\n    return 2\n"),
        "def f():\n    return 1\n\n\ndef g():\n    return 2\n",
    ),
    "changes of neighbours that touch": (
        *("a.py", "x = 1\ny = 2\n", "x = 3\ny = 2\n", "x = 1\ny = 4\n"),
        "x = 3\ny = 4\n",
    ),
    "imports, one of them added by both": (
        *(
            "a.py",
            PY,
            replace_each(PY, ("os\n", "os\nimport re\n")),
            replace_each(PY, ("os\n", "os\nimport sys\nimport re\n")),
        ),
        replace_each(PY, ("os\n", "os\nimport sys\nimport re\n")),
    ),
    "an import and a function at one place": (
        *("a.py", "import os\n", "import os\n\n\ndef f():\n    return 1\n", "import os\nimport re\n"),
        "import os\nimport re\n\n\ndef f():\n    return 1\n",
    ),
    "a function and a constant at one place": (
        *("a.py", "x = 1\n", "x = 1\n\n\ndef f():\n    return 1\n", "x = 1\ny = 2\n"),
        "x = 1\n\n\ndef f():\n    return 1\n\n\ny = 2\n",
    ),
    "an overload, and the function below it": (
        "a.ts",
        "function f(a: string): void;\nfunction f(a: any) { g(1); }\n",
        "function f(a: string): void;\nfunction f(a: number): void;\nfunction f(a: any) { g(1); }\n",
        "function f(a: string): void;\nfunction f(a: any) { g(2); }\n",
        "function f(a: string): void;\nfunction f(a: number): void;\nfunction f(a: any) { g(2); }\n",
    ),
    "names in one import": (
        *("a.py", "from a import b\n", "from a import b, c\n", "from a import b, d\n"),
        "from a import b, c, d\n",
    ),
    "header and body": (
        *("a.py", PY, replace_each(PY, ("f():", "f(a):")), replace_each(PY, ("return 1", "return 3"))),
        replace_each(PY, ("f():", "f(a):"), ("return 1", "return 3")),
    ),
    "decorator, comment and body": (
        *(
            "a.py",
            PY,
            replace_each(PY, ("def f", "@d\ndef f")),
            replace_each(PY, ("def f", "# c\ndef f"), ("1", "3")),
        ),
        replace_each(PY, ("def f", "# c\n@d\ndef f"), ("1", "3")),
    ),
    "members of one class": (
        *(
            "a.py",
            CLASS,
            CLASS + method_code("b"),
            replace_each(CLASS, ("x = 1", "x = 2")) + method_code("c"),
        ),
        replace_each(CLASS, ("x = 1", "x = 2")) + method_code("b") + method_code("c"),
    ),
    "members of a class that had none": (
        *("a.py", "class C:\n    pass\n", "class C:" + method_code("a"), "class C:" + method_code("b")),
        "class C:" + method_code("a") + method_code("b"),
    ),
    "fields": (
        *(
            "a.py",
            CLASS,
            replace_each(CLASS, ("x = 1\n", "x = 1\n    y = 2\n")),
            replace_each(CLASS, ("x = 1\n", "x = 1\n    z = 3\n")),
        ),
        replace_each(CLASS, ("x = 1\n", "x = 1\n    y = 2\n    z = 3\n")),
    ),
    "one moved and another changed": (
        *("a.py", "a = 1\nb = 2\nc = 3\n", "b = 2\nc = 3\na = 1\n", "a = 1\nb = 5\nc = 3\n"),
        "b = 5\nc = 3\na = 1\n",
    ),
    "one deleted, its neighbour changed": (
        *("a.py", "x = 1\ny = 2\nz = 3\n", "x = 1\nz = 3\n", "x = 1\ny = 2\nz = 4\n"),
        "x = 1\nz = 4\n",
    ),
    "both deleted, one with its neighbour": (
        *("a.py", "w = 0\nx = 1\ny = 2\nz = 3\n", "w = 0\nz = 3\n", "w = 0\ny = 2\nz = 4\n"),
        "w = 0\nz = 4\n",
    ),
    "the same function by both, another by one": (
        *(
            "a.py",
            PY,
            replace_each(PY, (TOP, function_code("n") + TOP)),
            replace_each(PY, (TOP, function_code("o") + function_code("n") + TOP)),
        ),
        replace_each(PY, (TOP, function_code("o") + function_code("n") + TOP)),
    ),
    "the same function by both, at two places": (
        *(
            "a.py",
            PY,
            replace_each(PY, (TOP, function_code("n") + TOP)),
            PY.rstrip() + function_code("n") + "\n",
        ),
        replace_each(PY, (TOP, function_code("n") + TOP)),
    ),
    "without a final newline": (
        *("a.py", "x = 1", "x = 1\ny = 2", "x = 1\nz = 3"),
        "x = 1\ny = 2\nz = 3",
    ),
    "with carriage returns": (
        *("a.py", "x = 1\r\ny = 2\r\n", "x = 3\r\ny = 2\r\n", "x = 1\r\ny = 4\r\n"),
        "x = 3\r\ny = 4\r\n",
    ),
    "keys and their commas": (
        *("a.json", '{\n  "a": 1\n}\n', '{\n  "a": 1,\n  "b": 2\n}\n', '{\n  "a": 1,\n  "c": [3]\n}\n'),
        '{\n  "a": 1,\n  "b": 2,\n  "c": [3]\n}\n',
    ),
    "keys of an object on one line": (
        *("a.json", '{"a": {"x": 1}}\n', '{"a": {"x": 1, "y": 2}}\n', '{"a": {"x": 1, "z": 3}}\n'),
        '{"a": {"x": 1, "y": 2, "z": 3}}\n',
    ),
    "a key deleted and one added after": (
        *(
            "a.json",
            '{\n  "a": 1,\n  "b": 2\n}\n',
            '{\n  "a": 1\n}\n',
            '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n',
        ),
        '{\n  "a": 1,\n  "c": 3\n}\n',
    ),
    "keys of one table": (
        *(
            "a.toml",
            TOML,
            replace_each(TOML, ("x = 1\n", "x = 1\nm = 2\n")),
            replace_each(TOML, ("x = 1\n", "x = 1\nn = 3\n")),
        ),
        replace_each(TOML, ("x = 1\n", "x = 1\nm = 2\nn = 3\n")),
    ),
    "tables": (
        *("a.toml", TOML, TOML + "\n[c]\nz = 1\n", TOML + "\n[d]\nz = 1\n"),
        TOML + "\n[c]\nz = 1\n\n[d]\nz = 1\n",
    ),
    "keys of a mapping": (
        *("a.yaml", "a: 1\nb:\n  c: 2\n", "a: 1\nb:\n  c: 2\n  d: 1\n", "a: 1\nb:\n  c: 2\n  e:\n    - 1\n"),
        "a: 1\nb:\n  c: 2\n  d: 1\n  e:\n    - 1\n",
    ),
    "sections": (
        *("a.md", MD, MD + "\n## B\n\nb\n", MD + "\n## C\n\nc\n"),
        MD + "\n## B\n\nb\n\n## C\n\nc\n",
    ),
    "a section's text and a section below it": (
        *("a.md", "# T\n\ntext\n", "# T\n\nother\n", "# T\n\ntext\n\n## A\n\na\n"),
        "# T\n\nother\n\n## A\n\na\n",
    ),
    "methods and names of an import, in braces": (
        "a.ts",
        TS,
        replace_each(TS, ("{a}", "{a, x}"), ("  }\n}", "  }\n\n  n() {}\n}")),
        replace_each(TS, ("{a}", "{a, y}"), ("  }\n}", "  }\n\n  o() {}\n}")),
        replace_each(TS, ("{a}", "{a, x, y}"), ("  }\n}", "  }\n\n  n() {}\n\n  o() {}\n}")),
    ),
    "fields and imports in brackets": (
        "a.go",
        GO,
        replace_each(GO, ('"fmt"\n', '"fmt"\n\t"os"\n'), ("A int\n", "A int\n\tB int\n")),
        replace_each(GO, ('"fmt"\n', '"fmt"\n\t"io"\n'), ("A int\n", "A int\n\tC int\n")),
        replace_each(GO, ('"fmt"\n', '"fmt"\n\t"os"\n\t"io"\n'), ("A int\n", "A int\n\tB int\n\tC int\n")),
    ),
}
CASES |= {
    "terminator of a statement": (
        "a.js",
        "exports.a = b\nvar h = 1\n  , p = 2;\n",
        "exports.a = b\nvar h = 1\n  , p = 2;\nvar v = r('v');\n",
        "exports.a = b;\nvar h = 1\n  , p = 2;\n",
        "exports.a = b;\nvar h = 1\n  , p = 2;\nvar v = r('v');\n",
    ),
    "imports with terminators, one deleted": (
        "a.php",
        "<?php\nnamespace A;\n\nuse B\\E;\nuse B\\T;\n\nclass C {}\n",
        "<?php\nnamespace A;\n\nuse B\\T;\n\nclass C {}\n",
        "<?php\nnamespace A;\n\nuse B\\E;\n\nclass C {}\n",
        "<?php\nnamespace A;\n\nclass C {}\n",
    ),
    "an import with a trailing comment": (
        "a.py",
        "from .d import d  # noqa\n",
        "from .d import d  # noqa\n\n\ndef f(): ...\n",
        "import git\nfrom a.d import d  # noqa\n",
        "import git\nfrom a.d import d  # noqa\n\n\ndef f(): ...\n",
    ),
    "an imported name with an alias": (
        *("a.py", "from a import x\n", "from a import x, y\n", "from a import x as z\n"),
        "from a import y, x as z\n",
    ),
    "a deleted imported name": (
        *("a.py", "from a import b, c\n", "from a import b\n", "from a import b, c, d\n"),
        "from a import b, d\n",
    ),
    "imports of several names on lines": (
        "a.py",
        "from a import (\n    b,\n)\n",
        "from a import (\n    b,\n    c,\n)\n",
        "from a import (\n    b,\n    d,\n)\n",
        "from a import (\n    b,\n    c,\n    d,\n)\n",
    ),
    "an item deleted by one side and one added by both": (
        *("a.yaml", "a:\n  - 8\n  - 10\n", "a:\n  - 10\n  - 11\n", "a:\n  - 8\n  - 10\n  - 11\n"),
        "a:\n  - 10\n  - 11\n",
    ),
    "statements that read the same": (
        *("a.py", "go()\na = 1\ngo()\nb = 2\n", "go()\ngo()\na = 1\ngo()\nb = 2\n", "go()\na = 1\nb = 2\n"),
        "go()\ngo()\na = 1\nb = 2\n",
    ),
    "imports of Haskell": (
        "a.hs",
        "module A where\nimport B\n\nf = 1\n",
        "module A where\nimport B\nimport C\n\nf = 1\n",
        "module A where\nimport B\nimport D\n\nf = 1\n",
        "module A where\nimport B\nimport C\nimport D\n\nf = 1\n",
    ),
}


@pytest.mark.parametrize(("path", "base", "ours", "theirs", "after"), CASES.values(), ids=CASES)
def test_merge_contains_both_changes(path: str, base: str, ours: str, theirs: str, after: str) -> None:
    merged = merge_by_symbols(path, *(dedent_block(side).encode() for side in (base, ours, theirs)))
    assert isinstance(merged, bytes), merged
    assert merged.decode() == dedent_block(after)


CONFLICTS: dict[str, tuple[str, str, str, str, str | None]] = {
    "one function, changed in two ways": (
        *("a.py", PY, replace_each(PY, ("return 1", "return 3")), replace_each(PY, ("return 1", "return 4"))),
        "f",
    ),
    "one name, defined in two ways": (
        *(
            "a.py",
            PY,
            replace_each(PY, (TOP, function_code("n") + TOP)),
            replace_each(PY, (TOP, function_code("n") + "  # other" + TOP)),
        ),
        "n",
    ),
    "one name, defined in two ways at two places": (
        *(
            "a.py",
            PY,
            replace_each(PY, (TOP, function_code("n") + TOP)),
            PY.rstrip() + function_code("n") + "  # other\n",
        ),
        "n",
    ),
    "deleted and changed": (
        *("a.py", "x = 1\ny = 2\n", "y = 2\n", "x = 3\ny = 2\n"),
        "x",
    ),
    "renamed in two ways": (
        *("a.py", PY, replace_each(PY, ("def f", "def n")), replace_each(PY, ("def f", "def o"))),
        "f",
    ),
    "renamed and changed": (
        *("a.py", PY, replace_each(PY, ("def f", "def n")), replace_each(PY, ("return 1", "return 4"))),
        "f",
    ),
    "statements at one place": (
        *("a.py", "go()\n", "go()\nleft()\n", "go()\nright()\n"),
        None,
    ),
    "a statement, changed in two ways": (
        *("a.py", "def f(): ...\ngo(1)\n", "def f(): ...\ngo(2)\n", "def f(): ...\ngo(3)\n"),
        None,
    ),
    "moved to two places": (
        "a.py",
        "a = 1\nb = 2\nc = 3\nd = 4\n",
        "b = 2\na = 1\nc = 3\nd = 4\n",
        "b = 2\nc = 3\na = 1\nd = 4\n",
        None,
    ),
    "one value, changed in two ways": (
        *("a.json", '{"a": {"b": 1}}\n', '{"a": {"b": 2}}\n', '{"a": {"b": 3}}\n'),
        "a.b",
    ),
    "items at one place": (
        *("a.json", '{"a": [1]}\n', '{"a": [1, 2]}\n', '{"a": [1, 3]}\n'),
        "a[1]",
    ),
    "text without symbols": ("a.txt", "a\n", "b\n", "c\n", None),
    "code that does not parse": (
        *("a.py", "x = 1\ny = 2\n", "x = (\ny = 2\n", "x = 1\ny = 4\n"),
        None,
    ),
    "one name, imported from two places": (
        *("a.py", "import a\n", "import a\nfrom b import f\n", "import a\nfrom c import f\n"),
        None,
    ),
    "one name, imported from two places, at two places": (
        *(
            "a.go",
            GO,
            replace_each(GO, ('"fmt"\n', '"fmt"\n\t"math/rand"\n')),
            replace_each(GO, ('"fmt"', '"crypto/rand"\n\t"fmt"')),
        ),
        None,
    ),
    "a path extended by both sides": (
        *("a.rs", "use a;\n", "use a::b;\n", "use a::c;\n"),
        None,
    ),
    "a statement and an adjacent import": (
        "a.py",
        "import sys\n",
        "import sys\nsys.path.insert(0, 'x')\nimport x\n",
        "import sys\nimport y\n",
        None,
    ),
    "members of an enumeration at one place": (
        *(
            "a.c",
            "enum e {\n    A,\n};\n",
            "enum e {\n    A,\n    B,\n};\n",
            "enum e {\n    A,\n    C,\n};\n",
        ),
        None,
    ),
    "a table and a key of its name": (
        "a.toml",
        "d = true\n\n[b]\n\n[b.b]\ng = 1\n",
        "d = true\n\n[b]\nb = 1\n",
        "d = true\n\n[b]\n\n[b.b]\ng = 1\n\n[b.b.n]\nq = 5\n",
        None,
    ),
    "one attribute of an element, by both": (
        "a.html",
        '<p\n  class="a">x</p>\n<b>y</b>\n',
        '<p\n  id="b"\n  class="a">x</p>\n<b>z</b>\n<i>1</i>\n',
        '<p\n  class="a"\n  id="c">x</p>\n<b>y</b>\n<u>2</u>\n',
        None,
    ),
    "statements of one body, and a line with one more": (
        *("a.js", "class A { x = 1 }\n", "class A { x = 1; y = 2 }\n", "class A { x = 1; z = 3 }\n"),
        None,
    ),
    "imported names with another meaning": (
        *("a.py", "from a import b\n", "from c import b\n", "from a import b, d\n"),
        None,
    ),
}


@pytest.mark.parametrize(("path", "base", "ours", "theirs", "symbol"), CONFLICTS.values(), ids=CONFLICTS)
def test_contradictory_changes_conflict_in_either_order(
    path: str, base: str, ours: str, theirs: str, symbol: str | None
) -> None:
    for one, other in ((ours, theirs), (theirs, ours)):
        found = merge_by_symbols(path, *(dedent_block(side).encode() for side in (base, one, other)))
        assert isinstance(found, Conflict), found
        assert found.places
        if symbol is not None:
            assert symbol in [place.symbol for place in found.places]


def test_conflict_has_the_lines_of_our_version() -> None:
    found = merge_by_symbols(
        "a.py", b"\ndef f():\n    return 1\n", b"\n\ndef f():\n    return 2\n", b"\ndef f():\n    return 3\n"
    )
    assert isinstance(found, Conflict)
    assert [(place.symbol, place.lines) for place in found.places] == [("f", (3, 4))]


SOUND: dict[str, tuple[str, str, str, str, bool]] = {
    "both changes": ("x = 1\n", "x = 2\n", "x = 1\ny = 1\n", "x = 2\ny = 1\n", True),
    "a missing change": ("x = 1\n", "x = 2\n", "x = 1\ny = 1\n", "x = 2\n", False),
    "an unchanged symbol": ("x = 1\n", "x = 2\n", "x = 1\ny = 1\n", "x = 1\ny = 1\n", False),
    "a restored symbol": ("x = 1\ny = 2\n", "x = 1\n", "x = 3\ny = 2\n", "x = 3\ny = 2\n", False),
    "a duplicated symbol": ("x = 1\n", "x = 1\ny = 1\n", "x = 1\ny = 1\n", "x = 1\ny = 1\ny = 1\n", False),
    "two definitions by two sides": (
        "",
        "def f(): ...\n",
        "def f(): ... #\n",
        "def f(): ...\ndef f(): ... #\n",
        False,
    ),
    "a syntax error": ("x = 1\n", "x = 2\n", "x = 1\n(\n", "x = 2\n(\n", False),
}


@pytest.mark.parametrize(("base", "ours", "theirs", "merged", "sound"), SOUND.values(), ids=SOUND)
def test_soundness_of_a_merge_is_checked(base: str, ours: str, theirs: str, merged: str, sound: bool) -> None:
    base_source, our_source, their_source, result = (
        Source.read("a.py", side.encode()) for side in (base, ours, theirs, merged)
    )
    assert is_merge_sound(base_source, our_source, their_source, result) is sound


@pytest.mark.parametrize(("ours", "opening"), [('{"b": 1}', b"{"), ('["b"]', b"[")])
def test_changed_opening_bracket_of_a_file_is_kept(ours: str, opening: bytes) -> None:
    """The base and their version begin with a brace."""
    base, mine, yours = (
        parts_of_file(Source.read("a.json", side.encode())) for side in ('{"a": 1}', ours, '{"a": 2}')
    )
    spaces = Separators((base, mine, yours))
    assert spaces.between(None, mine.parts[0].key) == opening
    assert spaces.between(None, yours.parts[0].key) == (opening if opening == b"{" else None)
