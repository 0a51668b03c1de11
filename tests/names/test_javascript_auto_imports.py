"""``imports: "auto"`` in JavaScript and TypeScript adds the imports of new code in the style of its file."""

from __future__ import annotations

from typing import Any

import pytest

from gitscalpel.changesets.requests import changeset
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.refactor.rename import lower_name_operation
from tests.edit.editing import Files, dedent_block
from tests.names.marked_files import split_files
from tests.names.test_auto_imports import apply_with_auto_imports
from tests.names.test_rename import format_changes


def insert_last(code: str, path: str = "a.ts") -> dict[str, Any]:
    return {"op": "insert", "path": path, "position": "last", "code": code}


CASES = {
    "from where it is exported": (
        """
        // a.ts
        import {one} from './lib/one'

        one()
        // lib/one.ts
        export const one = () => 1
        export function two() {}
        // lib/three.ts
        export default class Three {}
        // lib/four.ts
        export const four = 4
        """,
        insert_last("new Three(two(four))"),
        """
        # a.ts
        import {four} from './lib/four'
        import {one, two} from './lib/one'
        import Three from './lib/three'

        one()
        new Three(two(four))
        """,
    ),
    "as all others bring it": (
        """
        // src/a.tsx
        import { useState } from "react";
        import { Button } from "@/ui";
        useState(Button);
        // src/b.tsx
        import React, { useEffect as effect } from "react";
        import { Panel as Box } from "@/ui";
        import { helper } from "~/helper";
        f(React, effect, Box, helper);
        // src/ui/index.ts
        export * from "./panel";
        export * from "./button";
        // src/ui/panel.tsx
        export function Panel() {}
        // src/ui/button.tsx
        export function Button() {}
        // tsconfig.json
        { "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["src/*"] } } }
        """,
        insert_last("effect(() => <Panel />, React, helper)", "src/a.tsx"),
        """
        # src/a.tsx
        import React, { useEffect as effect, useState } from "react";
        import { Button } from "@/ui";
        import { Panel } from "@/ui/panel";
        import { helper } from "~/helper";
        useState(Button);
        effect(() => <Panel />, React, helper)
        """,
    ),
    "through what gathers it": (
        """
        // a.ts
        // lib/index.ts
        export * from "./tools";
        // lib/tools.ts
        export function helper() {}
        // lib/more.ts
        // b.ts
        import { helper } from "./lib/index.js";
        helper();
        """,
        insert_last("helper();"),
        """
        # a.ts
        import { helper } from "./lib/index.js";

        helper();
        """,
    ),
    "in CommonJS": (
        """
        // a.js
        'use strict'
        const fs = require('fs')

        fs.x
        // tools.js
        exports.helper = helper
        function helper() {}
        // point.js
        function Point() {}
        module.exports = Point
        // b.js
        const path = require('path')
        path.x
        """,
        insert_last("new Point(helper, path.join(''))", "a.js"),
        """
        # a.js
        'use strict'
        const fs = require('fs')
        const path = require('path')
        const Point = require('./point')
        const { helper } = require('./tools')

        fs.x

        new Point(helper, path.join(''))
        """,
    ),
    "a type, where types are imported as such": (
        """
        // a.ts
        import type { A } from "./types";
        let a: A;
        // types.ts
        export interface A {}
        export interface B {}
        export class C {}
        """,
        insert_last("let b: B = new C();"),
        """
        # a.ts
        import type { A, B } from "./types";
        import { C } from "./types";
        let a: A;
        let b: B = new C();
        """,
    ),
    "what is needed no more goes": (
        """
        // a.ts
        import { one, two } from "./b";
        import three from "./b";
        import "./c";
        one(); two();
        // b.ts
        export const one = 1, two = 2;
        """,
        {"op": "text", "path": "a.ts", "old": "one(); two();", "new": "two();"},
        """
        # a.ts
        import { two } from "./b";
        import three from "./b";
        import "./c";
        two();
        """,
    ),
    "what is bound, or the language's, needs nothing": (
        """
        // a.ts
        x;
        // b.ts
        export const y = 1, z = 2, T = 3, x = 4;
        // c.js
        var shared = 1;
        """,
        insert_last(
            "function f<T>(y: T, { z }: any) { label: for (;;) break label; return [y, z, this.x, shared]; }"
        ),
        """
        # a.ts
        x;

        function f<T>(y: T, { z }: any) { label: for (;;) break label; return [y, z, this.x, shared]; }
        """,
    ),
}


@pytest.mark.parametrize(("before", "op", "expected"), CASES.values(), ids=CASES)
def test_needed_import_is_added_once(before: str, op: dict[str, Any], expected: str) -> None:
    outcome = apply_with_auto_imports(before, op)
    assert format_changes(outcome) == dedent_block(expected)
    assert outcome.unchecked == []
    path = op["path"]
    files = dict(split_files(before)) | {path: (outcome.overlay.content(path) or b"").decode()}
    last = files[path].rstrip("\n").rpartition("\n")[2]
    touched = {"op": "text", "path": path, "old": last, "new": f"{last} "}
    again = apply(changeset(touched, imports="auto").operations, Files(files), lower=lower_name_operation)
    assert (again.overlay.content(path) or b"").decode() == files[path].replace(last, f"{last} ")


def test_ambiguous_or_missing_export_is_reported() -> None:
    before = """
        // a.ts
        // b.ts
        export const thing = 1;
        // c.ts
        export function thing() {}
        // d.ts
        loose();
        // e.ts
        export const loose = 1;
        """
    outcome = apply_with_auto_imports(before, insert_last("thing(nowhere, loose);"))
    assert format_changes(outcome) == "# a.ts\nthing(nowhere, loose);\n"
    assert outcome.unchecked == [
        "a.ts: thing is not imported: several files export it (b.ts, c.ts)",
        "a.ts: nowhere is not imported: no file of the tree exports it",
        "a.ts: loose is not imported: d.ts uses it without an import",
    ]
