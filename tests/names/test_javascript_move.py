"""Moves of JavaScript and TypeScript definitions between files: all files before and after."""

from __future__ import annotations

import pytest

from gitscalpel.errors import ScalpelError
from tests.edit.editing import dedent_block
from tests.names.test_rename import apply_operations, format_changes

MOVED = {
    "with a type that is imported among values": (
        """
        // a.ts
        import { x, type T } from './types'
        function f(t: T) {}
        x()
        """,
        """
        # a.ts
        import { x } from './types'
        x()
        # b.ts
        import { type T } from './types'

        function f(t: T) {}
        """,
    ),
    "with what it needs, which is exported for it": (
        """
        // a.ts
        'use strict'
        import d, { x, y as z } from 'm'
        import type { T } from './types'
        const own = 1
        let other = z

        // Why.
        function f(t: T) { return d + x + own }

        f(other)
        """,
        """
        # a.ts
        'use strict'
        import { y as z } from 'm'
        import { f } from './b'
        export const own = 1
        let other = z

        f(other)
        # b.ts
        'use strict'
        import d, { x } from 'm'
        import { own } from './a'
        import type { T } from './types'

        // Why.
        export function f(t: T) { return d + x + own }
        """,
    ),
    "those that import it follow": (
        """
        // a.ts
        export class F {}
        export const g = 1;
        // b.ts
        const h = 2;
        // c.ts
        import { F, g } from "./a";
        new F(), g;
        // d.ts
        import * as a from "./a.js";
        new a.F(), a.g;
        let t: a.F;
        // e.ts
        export { F as G, g } from "./a";
        // index.ts
        export * from "./a";
        // use.ts
        import { G } from "./e";
        import { F } from ".";
        new G(), new F();
        """,
        """
        # a.ts
        export const g = 1;
        # b.ts
        const h = 2;

        export class F {}
        # c.ts
        import { g } from "./a";
        import { F } from "./b";
        new F(), g;
        # d.ts
        import * as a from "./a.js";
        import * as b from "./b.js";
        new b.F(), a.g;
        let t: b.F;
        # e.ts
        export { g } from "./a";
        export { F as G } from "./b";
        # index.ts
        export * from "./a";
        export { F } from "./b";
        """,
    ),
    "the default, whatever it is called": (
        """
        // a.ts
        export default function F() {}
        export const g = 1;
        // c.ts
        import q, { g } from "./a";
        q(g);
        // e.ts
        export { default as r } from "./a";
        """,
        """
        # a.ts
        export const g = 1;
        # b.ts
        export default function F() {}
        # c.ts
        import { g } from "./a";
        import q from "./b";
        q(g);
        # e.ts
        export { default as r } from "./b";
        """,
    ),
    "what a list exports is passed on": (
        """
        // a.ts
        class F {}
        export { F as G };
        // c.ts
        import { G } from "./a";
        """,
        """
        # a.ts
        import { F } from "./b";

        export { F as G };
        # b.ts
        export class F {}
        """,
    ),
    "to one that had it": (
        """
        // a.ts
        export const F = 1;
        // b.ts
        import { F } from "./a";
        import * as a from "./a";
        export const z = F + a.F;
        """,
        """
        # a.ts
        # b.ts
        import * as a from "./a";
        export const z = F + F;

        export const F = 1;
        """,
    ),
    "with its overloads": (
        """
        // a.ts
        export const z = F("");
        function F(a: string): 1;
        function F(a: number): 2;
        function F(a: any) {}
        """,
        """
        # a.ts
        import { F } from "./b";

        export const z = F("");
        # b.ts
        export function F(a: string): 1;
        export function F(a: number): 2;
        export function F(a: any) {}
        """,
    ),
    "a type": (
        """
        // a.ts
        import type { T } from "m";
        interface G { t: T }
        export interface F { g: G }
        // index.ts
        export * from "./a";
        """,
        """
        # a.ts
        import type { T } from "m";
        export interface G { t: T }
        # b.ts
        import type { G } from "./a";

        export interface F { g: G }
        # index.ts
        export * from "./a";
        export type { F } from "./b";
        """,
    ),
    "in CommonJS": (
        """
        // a.js
        const m = require("m"), n = require("n");
        const own = 1;
        function F() { return m; }
        module.exports = { F, n, own };
        // c.js
        const { F } = require("./a");
        """,
        """
        # a.js
        const n = require("n");
        const { F } = require("./b");
        const own = 1;
        module.exports = { F, n, own };
        # b.js
        const m = require("m");

        function F() { return m; }
        exports.F = F;
        """,
    ),
    "what a member of a module gives goes along": (
        """
        // a.js
        const E = require("events").EventEmitter;
        const { f } = require("./f");

        function F() { return new E(f); }
        exports.F = F;
        """,
        """
        # a.js
        const { F } = require("./b");

        exports.F = F;
        # b.js
        const { EventEmitter: E } = require("events");
        const { f } = require("./f");

        function F() { return new E(f); }
        exports.F = F;
        """,
    ),
    "between scripts, which share their names": (
        """
        // a.js
        var own = 1;
        function F() { return own; }
        F();
        """,
        """
        # a.js
        var own = 1;
        F();
        # b.js
        function F() { return own; }
        """,
    ),
}


@pytest.mark.parametrize(("before", "expected"), MOVED.values(), ids=MOVED)
def test_definition_is_moved_with_its_imports(before: str, expected: str) -> None:
    to = "b.js" if "// a.js" in before else "b.ts"
    symbol = "f" if "function f" in before else "F"
    outcome = apply_operations(
        before, {"op": "move", "path": to.replace("b", "a"), "symbol": symbol, "to_path": to}
    )
    assert format_changes(outcome) == dedent_block(expected)


def test_moved_jsx_gets_the_import_of_react() -> None:
    before = '// a.jsx\nimport React from "react";\nexport const F = () => <b />;\nexport const g = <i />;\n'
    outcome = apply_operations(before, {"op": "move", "path": "a.jsx", "symbol": "F", "to_path": "b.jsx"})
    assert format_changes(outcome) == (
        '# a.jsx\nimport React from "react";\nexport const g = <i />;\n'
        '# b.jsx\nimport React from "react";\n\nexport const F = () => <b />;\n'
    )


def test_import_cycle_and_unfollowed_import_are_reported() -> None:
    before = """
        // a.ts
        const own = 1;
        export const F = own;
        F;
        // c.ts
        const { F } = await import("./a");
        """
    outcome = apply_operations(before, {"op": "move", "path": "a.ts", "symbol": "F", "to_path": "b.ts"})
    assert sorted(outcome.unchecked) == [
        "a.ts and b.ts now import each other",
        "a.ts:4: F may not exist yet when this runs",
        "b.ts:3: own may not exist yet when this runs",
        "c.ts:1: F is no longer found from here",
    ]


@pytest.mark.parametrize(
    ("code", "imported"),
    [
        ("return new T()", 'import { T } from "./a"'),
        ("return 1 as T", 'import type { T } from "./a"'),
    ],
)
def test_type_import_becomes_a_value_import_if_needed(code: str, imported: str) -> None:
    before = f"""
        // a.ts
        export class T {{}}
        export function F() {{ {code} }}
        // b.ts
        import type {{ T }} from "./a"
        let t: T
        """
    outcome = apply_operations(before, {"op": "move", "path": "a.ts", "symbol": "F", "to_path": "b.ts"})
    assert format_changes(outcome).partition("# b.ts\n")[2].split("\n")[0] == imported


REEXPORTED = {
    "under its name": ("export { F } from './a';\n", "export function F() {}\n"),
    "beside others": (
        "export { F, g } from './a';\n",
        "export { g } from './a';\n\nexport function F() {}\n",
    ),
    "under another name": (
        "export { F as G } from './a';\nexport const x = 1;\n",
        "export { F as G };\nexport const x = 1;\n\nexport function F() {}\n",
    ),
    "under two names, beside others": (
        "export { g, F, F as G } from './a'\n",
        "export { g } from './a'\nexport { F as G }\n\nexport function F() {}\n",
    ),
}


@pytest.mark.parametrize(("target", "expected"), REEXPORTED.values(), ids=REEXPORTED)
def test_reexport_becomes_an_export_of_the_moved_definition(target: str, expected: str) -> None:
    before = f"// a.ts\nexport function F() {{}}\nexport const g = 1;\n// b.ts\n{target}"
    outcome = apply_operations(before, {"op": "move", "path": "a.ts", "symbol": "F", "to_path": "b.ts"})
    assert format_changes(outcome).partition("# b.ts\n")[2] == expected


VERBATIM = {
    "the other file does so": ("// b.ts\nimport type { U } from './u'\nlet u: U\n", ""),
    "the compiler asks for it": (
        "",
        '// tsconfig.json\n{"compilerOptions": {"verbatimModuleSyntax": true}}\n',
    ),
    "a configuration that is extended asks": (
        "",
        '// base.json\n{"compilerOptions": {"verbatimModuleSyntax": true}}\n'
        '// tsconfig.json\n{"extends": "./base.json"}\n',
    ),
}


@pytest.mark.parametrize(("target", "config"), VERBATIM.values(), ids=VERBATIM)
def test_type_import_is_used_if_required(target: str, config: str) -> None:
    before = f"// a.ts\nexport type T = 1\nexport function F(t: T) {{}}\n{target}{config}"
    outcome = apply_operations(before, {"op": "move", "path": "a.ts", "symbol": "F", "to_path": "b.ts"})
    assert "import type { T } from './a'" in format_changes(outcome).replace('"', "'")


LOST = {
    "what a module exports at its end": """
        // a.js
        const own = 1;
        function F() { return own; }
        module.exports = { F, own };
        // b.js
        """,
    "through require without a name": """
        // a.js
        const own = 1;
        function F() { return 1; }
        exports.f = () => F();
        // b.js
        module.exports = require("./a");
        """,
    "through a third": """
        // a.js
        const own = require("./c");
        exports.f = F;
        function F() {}
        // c.js
        const { b } = require("./b");
        exports.c = b;
        // b.js
        const { f } = require("./a");
        exports.b = 1;
        """,
}


@pytest.mark.parametrize("before", LOST.values(), ids=LOST)
def test_definition_required_too_early_is_refused(before: str) -> None:
    with pytest.raises(ScalpelError) as refused:
        apply_operations(before, {"op": "move", "path": "a.js", "symbol": "F", "to_path": "b.js"})
    assert refused.value.code == "import_cycle"
    assert "before it exists" in refused.value.message


def test_late_require_is_not_a_cycle() -> None:
    before = """
        // a.js
        const own = 1;
        function F() { return 1; }
        exports.f = () => F();
        // c.js
        exports.later = () => require("./a");
        """
    move = {"op": "move", "path": "a.js", "symbol": "F", "to_path": "c.js"}
    assert apply_operations(before, move).unchecked == []


def test_member_of_exports_is_refused_with_a_hint() -> None:
    before = "// a.js\nexports.F = function () {};\n"
    with pytest.raises(ScalpelError) as refused:
        apply_operations(before, {"op": "move", "path": "a.js", "symbol": "F", "to_path": "b.js"})
    assert refused.value.message == "exports.F is set by an assignment, and a.js declares no F"
    assert refused.value.hint == "write `function F` and `exports.F = F` first"


_ES, _COMMON = (
    "export const x = 1;\nexport function F() {}\n",
    "const x = 1;\nexports.F = F;\nfunction F() {}\n",
)
MODULE_KINDS = {
    "into CommonJS": (f"// a.js\n{_ES}// b.js\nrequire('c');\n", "a.js", "b.js"),
    "into CommonJS, by its name": (f"// a.js\n{_ES}// b.cjs\nf();\n", "a.js", "b.cjs"),
    "into a new module": (f"// a.js\n{_COMMON}", "a.js", "b.mjs"),
    "into a module": (f"// a.js\n{_COMMON}// b.js\nexport const y = 1;\n", "a.js", "b.js"),
    "it requires where it goes": (
        "// a.js\nconst b = require('./b');\nfunction F() { return b.x; }\n// b.js\nexports.x = 1;\n",
        "a.js",
        "b.js",
    ),
}


@pytest.mark.parametrize(("before", "path", "to"), MODULE_KINDS.values(), ids=MODULE_KINDS)
def test_move_to_another_module_kind_is_refused(before: str, path: str, to: str) -> None:
    with pytest.raises(ScalpelError) as refused:
        apply_operations(before, {"op": "move", "path": path, "symbol": "F", "to_path": to})
    assert (refused.value.code, bool(refused.value.hint)) == ("kind_mismatch", True)


def test_move_into_a_module_imported_with_a_rest_pattern() -> None:
    before = """
        // a.js
        const { x, ...rest } = require('./b');
        const F = x;
        g(F, rest);
        // b.js
        const x = 1;
        exports.x = x;
    """
    outcome = apply_operations(before, {"op": "move", "path": "a.js", "symbol": "F", "to_path": "b.js"})
    heads = "const { x, ...rest } = require('./b');\nconst { F } = require('./b');\ng(F, rest);\n"
    assert format_changes(outcome).startswith(f"# a.js\n{heads}# b.js\nconst x = 1;\n")


@pytest.mark.parametrize(
    ("import_line", "definition"),
    [
        ("import { g } from './b.js';\nexport ", "export function g() {}"),
        ("import g from './b.js';\nexport ", "export default function g() {}"),
        ("import { h as g } from './b.js';\nexport ", "function g() {}\nexport { g as h };"),
        ("const { g } = require('./b');\nexports.F = F;\n", "function g() {}\nmodule.exports = { g };"),
        ("const { g } = require('./b');\nexports.F = F;\n", "function g() {}\nexports.g = g;"),
    ],
)
def test_import_from_the_target_module_is_dropped(import_line: str, definition: str) -> None:
    before = f"// a.js\n{import_line}function F() {{ return g(); }}\n// b.js\n{definition}\n"
    outcome = apply_operations(before, {"op": "move", "path": "a.js", "symbol": "F", "to_path": "b.js"})
    target = format_changes(outcome).partition("# b.js\n")[2]
    assert target.startswith(definition)
    assert "function F() { return g(); }" in target


REFUSED = {
    "it shares its statement": ("// a.ts\nexport const F = 1, g = 2;\n", "kind_mismatch"),
    "it is taken apart": ("// a.ts\nexport const { F } = g;\n", "kind_mismatch"),
    "it is in something else": ("// a.ts\nclass G { F() {} }\n", "kind_mismatch"),
    "it is given another value": ("// a.ts\nexport let F = 1;\nF = 2;\n", "kind_mismatch"),
    "it gives another value": ("// a.ts\nlet g = 1;\nexport function F() { g++; }\n", "kind_mismatch"),
    "it is there": ("// a.ts\nexport const F = 1;\n// b.ts\nconst F = 2;\n", "duplicate_symbol"),
    "what it needs is something else there": (
        '// a.ts\nimport g from "g";\nexport const F = g;\n// b.ts\nconst g = 2;\n',
        "duplicate_symbol",
    ),
    "what it uses of all is something else there": (
        "// a.ts\nexport const F = () => fetch();\n// b.ts\nfunction fetch() {}\n",
        "duplicate_symbol",
    ),
    "another is the default there": (
        "// a.ts\nexport default function F() {}\n// b.ts\nexport default 1;\n",
        "duplicate_symbol",
    ),
    "a list says what the default is there": (
        "// a.ts\nexport default function F() {}\n// b.ts\nconst g = 2;\nexport { g as default };\n",
        "duplicate_symbol",
    ),
    "what it would be in exports one thing": (
        "// a.ts\nexport function F() {}\n// b.ts\nconst g = 2;\nexport = g;\n",
        "kind_mismatch",
    ),
    "there is none": ("// a.ts\n", "symbol_not_found"),
    "it would be in another language": ("// a.ts\nexport const F = 1;\n// b.ts\n", "unsupported_language"),
}


@pytest.mark.parametrize(("before", "code"), REFUSED.values(), ids=REFUSED)
def test_unmovable_definition_is_refused(before: str, code: str) -> None:
    to = "b.py" if code == "unsupported_language" else "b.ts"
    with pytest.raises(ScalpelError) as refused:
        apply_operations(before, {"op": "move", "path": "a.ts", "symbol": "F", "to_path": to})
    assert (refused.value.code, bool(refused.value.hint)) == (code, True)


def test_emptied_file_is_reported() -> None:
    op = {"op": "move", "path": "a.ts", "symbol": "f", "to_path": "b.ts"}
    note = "a.ts is empty, as its last part is in b.ts"
    assert apply_operations("# a.ts\nexport function f() {}\n", op).unchecked[0].startswith(note)
    assert apply_operations("# a.ts\nexport const g = 1\nexport function f() {}\n", op).unchecked == []
