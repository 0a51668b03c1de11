"""String literal types, and types in comments.

Each case is a text with marked places.
"""

from __future__ import annotations

from typing import Any

import pytest

from gitscalpel.changesets.requests import parse_operations
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.errors import ScalpelError
from gitscalpel.refactor.rename import lower_rename
from tests.edit import editing
from tests.names.marked_files import assert_marked, split_files
from tests.names.test_rename import format_changes

STRINGS = {
    "where a string has to be of the type": """
        // a.ts
        export type Mode = "«read»" | "write";
        interface File { mode: Mode; other: "read" | null }
        declare const file: File;
        declare function open(mode: Mode, text: string): Mode;
        file.mode = "«read»"; file.other = "read";
        if (file.mode === "«read»" || "«read»" != open("«read»", "read")) f("read");
        switch (open("write", "")) { case "«read»": break; }
        const given: File = { mode: "«read»", other: "read" };
        const chosen: Mode = file ? `«read»` : "write";
        const give = (): Mode => "«read»";
        const one = "read" as Other, two = "«read»" as Mode, three = `read ${one}`;
        // b.ts
        import { Mode } from "./a";
        class A { mode: Mode = "«read»"; set(to?: Mode) { this.mode = to ?? "«read»"; } }
    """,
    "what a class is made with": """
        // a.ts
        type Mode = "«read»" | "write";
        class A { constructor(mode: Mode, ...more: Mode[]) {} }
        class B extends A { constructor(mode: "read" | null) { super("«read»"); } }
        new A(/* how */ "«read»", "write", "«read»"), new B("read"), new C("read");
    """,
    "a part of another type": """
        // a.ts
        type A = "«a»" | "b";
        type B = A | "c";
        type C = "a" | "d";
        let b: B = "«a»";
        let c: C = "a";
    """,
    "a type alone": """
        // a.tsx
        type Square = { kind: "«square»"; size: 1 };
        type Circle = { kind: "circle" };
        function f(it: Square | Circle) { return it.kind === "«square»" ? <b>square</b> : "square"; }
    """,
    "what an attribute has to be": """
        // a.tsx
        function Box(props: { kind: "«square»" | "round" }) { return <Box kind="«square»" other="square" />; }
    """,
}
COMMENTS = {
    "a type that a comment defines": """
        // a.js
        /**
         * Product of all.
         * @typedef {Object} «Product»
         * @property {string} title
         */
        /** @type {«Product»} */
        const one = null;
        /** @param {?«Product»|string} p @returns {Promise<«Product»>} */
        export function f(p) { return p; }
        // b.js
        /** @type {import("./a").«Product»} */
        const two = null;
        // c.ts
        /** @type {Product} */
        import type { «Product» } from "./a.js";
    """,
    "what it has": """
        // a.js
        /**
         * @typedef {Object} Product
         * @property {string} «title» the title
         */
        /**
         * @param {Product} p
         * @param {{ title: string }} q
         */
        function f(p, q) { return p.«title» + q.¿title?; }
        /** @returns {Product} */
        const g = () => ({ «title»: "a" });
        /** @type {Product} */
        let h = { «title»: "a" };
        h.«title»; g().«title»;
    """,
    "a class that comments name": """
        // a.js
        export class «A» { m() {} }
        // b.js
        import { «A» } from "./a.js";
        export const b = {
            /** @param {«A»} a or A */
            f(a) { a.m(); },
        };
    """,
    "members of what comments say": """
        // a.js
        class A { «m»() {} }
        class B { m() {} }
        class C { /** @type {A} */ a = null; f() { this.a.«m»(); } }
        /** @param {A} a @param {B} [b] */
        const f = (a, b) => { a.«m»(); b.m(); };
        /** @param {A|B} a */
        function g(a) { a.¿m?(); }
        /** @param {Map<A, B>} a */
        function h(a) { a.¿m?(); }
    """,
    "a parameter": """
        // a.js
        /**
         * @param {string} «from» where from
         * @param {string} to
         */
        function f(«from», to) { return «from»; }
    """,
    "TypeScript reads no types there": """
        // a.ts
        /** @param {A} a */
        class «A» {}
    """,
}
CASES = STRINGS | COMMENTS


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_references_are_those_marked(text: str) -> None:
    assert_marked(text)


def _rename(before: str, line: int, name: str, to: str) -> Any:
    operation = {"op": "rename", "path": "a.ts", "start": line, "name": name, "to": to}
    return apply(parse_operations([operation]), editing.Files(dict(split_files(before))), lower=lower_rename)  # type: ignore[arg-type]


@pytest.mark.parametrize("to", ['x"y', "a${b}", "it`s", "it's", "a\\b", "a\nb"])
def test_string_that_needs_escapes_is_refused(to: str) -> None:
    with pytest.raises(ScalpelError) as caught:
        _rename("// a.ts\ntype T = 'a' | \"c\";\nlet t: T = `a`;\n", 1, "a", to)
    assert caught.value.code == "invalid_name"


def test_typed_string_is_renamed_and_others_are_listed() -> None:
    before = """
        // a.ts
        type T = "a-b" | "c";
        let t: T = "a-b", u = "a-b";
        """
    outcome = _rename(before, 1, "a-b", "d e")
    assert format_changes(outcome) == '# a.ts\ntype T = "d e" | "c";\nlet t: T = "d e", u = "a-b";\n'
    assert outcome.unchecked == ["a.ts:2: a-b is left: it is in a string"]
