"""Changes that leave all definitions as they are: those inside import statements."""

from __future__ import annotations

import pytest

from gitscalpel.syntax.languages import recognise
from gitscalpel.syntax.outline import outline_of
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.symbol_changes import find_changes, is_import_change
from gitscalpel.text.splice import Splice

pytestmark = pytest.mark.quick

SCRIPT = b"""\
// licence
import * as util from "./util";
export { a, b } from './util';

/** What it does. */
export const made = util.made;
class Kept { run() {} }
import later from "./util"
"""
MODULE = b"""\
from pkg.util import a, b
import pkg.util

def made():
    import pkg.util
    return a
"""


def parse(path: str, text: bytes) -> Syntax:
    language = recognise(path, text)
    assert language is not None
    return Syntax(language, text)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.ts", SCRIPT, SCRIPT.replace(b"./util", b"../other/utility")),
        ("a.js", SCRIPT, SCRIPT.replace(b"a, b", b"b, c as d")),
        ("a.py", MODULE, MODULE.replace(b"pkg.util import a, b", b"other import (a,\n    c)")),
        ("a.ts", SCRIPT + b"const = ;\n", SCRIPT.replace(b"./util", b"./u") + b"const = ;\n"),
    ],
)
def test_a_change_of_imports_keeps_the_definitions(path: str, before: bytes, after: bytes) -> None:
    old, new = parse(path, before), parse(path, after)

    assert is_import_change(old, new)
    assert find_changes(outline_of(old), outline_of(new)) == ()


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.ts", SCRIPT, SCRIPT.replace(b"util.made", b"util.other")),
        ("a.ts", SCRIPT, SCRIPT.replace(b"What it does", b"What it did")),
        ("a.ts", SCRIPT, b'import "./first";\n' + SCRIPT),
        ("a.ts", SCRIPT, SCRIPT.replace(b"\n\n", b"\n\n\n", 1)),
        ("a.ts", SCRIPT, SCRIPT.replace(b'"./util"', b'"./util', 1)),
        ("a.py", MODULE, MODULE.replace(b"    import pkg.util", b"    import other")),
        ("a.go", b'package a\n\nimport "b"\n', b'package a\n\nimport "c"\n'),
    ],
)
def test_another_change_is_compared_by_outlines(path: str, before: bytes, after: bytes) -> None:
    assert not is_import_change(parse(path, before), parse(path, after))


def test_replaced_text_outside_of_imports_counts_even_if_it_stays() -> None:
    old, new = parse("a.py", MODULE), parse("a.py", MODULE.replace(b"a, b", b"a"))
    inside, at = Splice(21, 25, b"a"), MODULE.index(b"def made")

    assert is_import_change(old, new, [inside])
    assert not is_import_change(old, new, [inside, Splice(at, at + 10, b"def made()")])
