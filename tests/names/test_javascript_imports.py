"""Imports of JavaScript and TypeScript are added, removed and sorted: files before and after."""

from __future__ import annotations

from typing import Any

import pytest

from gitscalpel.changesets.requests import parse_operations
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.errors import ScalpelError
from gitscalpel.refactor.rename import lower_name_operation
from tests.edit.editing import Files

ADDED = {
    "to nothing": ("f();\n", 'import a from "m"', 'import a from "m";\n\nf();\n'),
    "below what opens a file": (
        "// A licence.\n\n'use strict'\nf()\n",
        'import "m"',
        "// A licence.\n\n'use strict'\nimport 'm'\n\nf()\n",
    ),
    "in its place": (
        "import a from 'a'\nimport { c } from './c'\n",
        'import { b as x } from "b"',
        "import a from 'a'\nimport { b as x } from 'b'\nimport { c } from './c'\n",
    ),
    "at the end where there is no order": (
        'import c from "c";\nimport a from "a";\n',
        'import b from "b"',
        'import c from "c";\nimport a from "a";\nimport b from "b";\n',
    ),
    "beside another name": (
        'import d, { a, c } from "m";\n',
        'import { b } from "m"',
        'import d, { a, b, c } from "m";\n',
    ),
    "in lines": (
        'import {\n  a, // why\n} from "m";\n',
        'import { b } from "m"',
        'import {\n  a,\n  b, // why\n} from "m";\n',
    ),
    "a default beside names": (
        'import { a } from "m";\n',
        'import d from "m"',
        'import d, { a } from "m";\n',
    ),
    "a type beside values": (
        'import { a } from "m";\n',
        'import type { T } from "m"',
        'import { a, type T } from "m";\n',
    ),
    "a value that was a type": (
        'import { a, type T as U } from "m";\n',
        'import { T as U } from "m"',
        'import { a, T as U } from "m";\n',
    ),
    "a value that was alone as a type": (
        'import type { T } from "m";\n',
        'import { T } from "m"',
        'import { T } from "m";\n',
    ),
    "a default that was a type": (
        'import type T from "m";\n',
        'import T from "m"',
        'import T from "m";\n',
    ),
    "one of several types": (
        'import type { S, T } from "m";\nimport { a } from "m";\n',
        'import { T } from "m"',
        'import type { S } from "m";\nimport { a, T } from "m";\n',
    ),
    "one of several types, without others": (
        'import type {\n  T,\n  S,\n} from "m";\n',
        'import { T } from "m"',
        'import type {\n  S,\n} from "m";\nimport { T } from "m";\n',
    ),
    "all of a module": (
        'import { a } from "m";\n',
        'import * as m from "m"',
        'import { a } from "m";\nimport * as m from "m";\n',
    ),
    "of CommonJS": (
        "const { a } = require('m');\n",
        "const { b: c } = require('m')",
        "const { a, b: c } = require('m');\n",
    ),
    "of an old module": (
        'import x = require("x");\n',
        'import y = require("y")',
        'import x = require("x");\nimport y = require("y");\n',
    ),
}


def edit_imports(before: str, path: str = "a.ts", **op: Any) -> str:
    """Return the file after an operation on its imports."""
    tree = Files({path: before, "m.ts": "export const a = 1;\n"})
    done = apply(parse_operations([{"op": "imports", "path": path, **op}]), tree, lower=lower_name_operation)
    return (done.overlay.content(path) or b"").decode()


@pytest.mark.parametrize(("before", "add", "after"), ADDED.values(), ids=ADDED)
def test_import_is_added_once(before: str, add: str, after: str) -> None:
    assert edit_imports(before, add=[add]) == after
    with pytest.raises(ScalpelError) as refused:
        edit_imports(after, add=[add])
    assert refused.value.code == "no_change"


REMOVED = {
    "with its lines": ('import a from "m"; // of m\nf();\n', 'import a from "m"', "f();\n"),
    "what was above stays": ('// Why.\nimport a from "m";\n', 'import a from "m"', "// Why.\n"),
    "the default": ('import d, { a } from "m";\n', 'import d from "m"', 'import { a } from "m";\n'),
    "all but the default": ('import d, { a } from "m";\n', 'import { a } from "m"', 'import d from "m";\n'),
    "the first": ('import { a, b } from "m";\n', 'import { a } from "m"', 'import { b } from "m";\n'),
    "the last": ('import { a, b } from "m";\n', 'import { b } from "m"', 'import { a } from "m";\n'),
    "of lines": (
        'import {\n  a,\n  b, // b\n  c,\n} from "m";\n',
        'import { b } from "m"',
        'import {\n  a,\n  c,\n} from "m";\n',
    ),
    "all there are, one by one": (
        'import { a, b } from "m"; f();\n',
        'import { a, b } from "m"',
        "f();\n",
    ),
    "one of several that are declared": (
        'var a = require("a"),\n    b = require("b");\n',
        'var a = require("a")',
        'var b = require("b");\n',
    ),
    "what is only run": ('import "m";\nimport a from "m";\n', 'import "m"', 'import a from "m";\n'),
}


@pytest.mark.parametrize(("before", "remove", "after"), REMOVED.values(), ids=REMOVED)
def test_import_is_removed(before: str, remove: str, after: str) -> None:
    assert edit_imports(before, remove=[remove]) == after


USED = {
    "what nobody uses": (
        "a.ts",
        'import "x";\nimport d, { a, type T } from "m";\nimport * as n from "n";\nf(a);\n',
        'import "x";\nimport { a } from "m";\nf(a);\n',
    ),
    "what is shadowed": (
        "a.js",
        'import { a } from "m";\nexport {};\n{ const a = 1; a; }\n',
        "export {};\n{ const a = 1; a; }\n",
    ),
    "types, decorators, exports": (
        "a.ts",
        'import { A, B, C, D } from "m";\n@A class X { b: B; }\nexport { C };\nlet d: typeof D;\n',
        None,
    ),
    "documentation": (
        "a.js",
        'import { A, B, C } from "m";\n/** @param {A} a of B, see {@link C} */\nfunction f(a) {}\n',
        'import { A, C } from "m";\n/** @param {A} a of B, see {@link C} */\nfunction f(a) {}\n',
    ),
    "what elements are made with": ("a.jsx", 'import React from "react";\nf(<b />);\n', None),
    "a component": ("a.tsx", 'import { B, c } from "m";\nf(<B />);\n', 'import { B } from "m";\nf(<B />);\n'),
}


@pytest.mark.parametrize(("path", "before", "after"), USED.values(), ids=USED)
def test_unused_import_is_removed(path: str, before: str, after: str | None) -> None:
    if after is not None:
        assert edit_imports(before, path, remove_unused=True) == after
        return
    with pytest.raises(ScalpelError) as refused:
        edit_imports(before, path, remove_unused=True)
    assert refused.value.code == "no_change"


ORGANIZED = {
    "packages before files": (
        'import b from "./b";\nimport c from "../c";\nimport { z, a } from "m";\nf(a, b, c, z);\n',
        'import { a, z } from "m";\nimport c from "../c";\nimport b from "./b";\nf(a, b, c, z);\n',
    ),
    "what is parted stays parted": (
        'import c from "c";\n\n// Then.\nimport b from "b";\nimport a from "a"; // a\nf(a, b, c);\n',
        'import c from "c";\n\n// Then.\nimport a from "a"; // a\nimport b from "b";\nf(a, b, c);\n',
    ),
    "what is run stays before what follows": (
        'import b from "b";\nimport "run";\nimport a, { x as x } from "a";\nf(a, b, x);\n',
        'import b from "b";\nimport "run";\nimport a, { x } from "a";\nf(a, b, x);\n',
    ),
    "what is there twice": (
        'import type { A } from "m";\nimport { A } from "m";\nimport { A as B } from "m";\nf(A, B);\n',
        'import { A } from "m";\nimport { A as B } from "m";\nf(A, B);\n',
    ),
    "in lines": (
        'import {\n    b\n  , a\n} from "m";\nf(a, b);\n',
        'import {\n    a,\n    b\n} from "m";\nf(a, b);\n',
    ),
}


@pytest.mark.parametrize(("before", "after"), ORGANIZED.values(), ids=ORGANIZED)
def test_imports_are_organized(before: str, after: str) -> None:
    assert edit_imports(before, organize=True) == after


@pytest.mark.parametrize(
    ("op", "code"),
    [
        ({"add": ["x"]}, "invalid_args"),
        ({"add": ["import a from"]}, "invalid_args"),
        ({"add": ["import { f } from 'm'"]}, "duplicate_symbol"),
        ({"remove": ["import a from 'm'"]}, "no_change"),
        ({"organize": True}, "no_change"),
    ],
)
def test_invalid_operation_is_refused(op: dict[str, Any], code: str) -> None:
    with pytest.raises(ScalpelError) as refused:
        edit_imports("function f() {}\n", **op)
    assert (refused.value.code, bool(refused.value.hint)) == (code, True)
