"""Renames in JavaScript and TypeScript: files before and after."""

from __future__ import annotations

from typing import Any

import pytest

from gitscalpel.errors import ScalpelError
from tests.edit.editing import dedent_block
from tests.names.test_rename import apply_rename, format_changes

RENAMED: dict[str, tuple[dict[str, Any], str, str]] = {
    "a type and a value of one name that are imported together": (
        {"path": "a.ts", "start": 1, "name": "x"},
        """
        # a.ts
        export interface x { n: number }
        export const x = (n: number): x => ({ n })
        # b.ts
        import { x } from "./a"
        export { x } from "./a"
        export const one: x = x(1)
        """,
        """
        # a.ts
        export interface y { n: number }
        export const y = (n: number): y => ({ n })
        # b.ts
        import { y } from "./a"
        export { y as x } from "./a"
        export const one: y = y(1)
        """,
    ),
    "all signatures of an overloaded function, which is one": (
        {"path": "a.ts", "symbol": "x"},
        """
        # a.ts
        export function x(a: string): void
        export function x(a: number): void
        export function x(a: unknown): void {}
        class A { get x() { return 1 } set x(v) {} }
        """,
        """
        # a.ts
        export function y(a: string): void
        export function y(a: number): void
        export function y(a: unknown): void {}
        class A { get x() { return 1 } set x(v) {} }
        """,
    ),
    "both accessors of a property": (
        {"path": "a.ts", "symbol": "A.x"},
        "# a.ts\nclass A { get x() { return this.x } set x(v) {} }\n",
        "# a.ts\nclass A { get y() { return this.y } set y(v) {} }\n",
    ),
    "an interface that another file adds to": (
        {"path": "a.ts", "symbol": "x"},
        """
        # a.ts
        export interface x { n: number }
        # b.ts
        declare module "./a" { interface x { m: number } interface Own { has: x } }
        export {}
        # c.ts
        declare module "./other" { interface x { m: number } }
        export {}
        """,
        """
        # a.ts
        export interface y { n: number }
        # b.ts
        declare module "./a" { interface y { m: number } interface Own { has: y } }
        export {}
        """,
    ),
    "a member that another file adds": (
        {"path": "b.ts", "start": 1, "name": "x"},
        """
        # a.ts
        export interface A { n: number }
        # b.ts
        declare module "./a" { interface A { x: number } }
        export {}
        # c.ts
        import { A } from "./a"
        const a: A = { n: 1, x: 2 }; a.x; a.n
        """,
        """
        # b.ts
        declare module "./a" { interface A { y: number } }
        export {}
        # c.ts
        import { A } from "./a"
        const a: A = { n: 1, y: 2 }; a.y; a.n
        """,
    ),
    "a name of one of several modules that one file declares": (
        {"path": "a.ts", "start": 1, "name": "x"},
        """
        # a.ts
        declare module "m" { export class x {} }
        declare module "n" { export { x } from "m"; }
        declare module "o" { import { x } from "n"; export function f(a: x): void; }
        declare module "p" { export class x {} }
        """,
        """
        # a.ts
        declare module "m" { export class y {} }
        declare module "n" { export { y as x } from "m"; }
        declare module "o" { import { x } from "n"; export function f(a: x): void; }
        declare module "p" { export class x {} }
        """,
    ),
    "a member that a mapped type takes over": (
        {"path": "a.ts", "symbol": "N.x"},
        """
        # a.ts
        type Of<T> = { [K in keyof T]?: T[K] }
        interface N { x(n: number): number }
        function f(): Of<N> { return { x(n) { return n } } }
        const own: { [K in keyof N]: N[K] } = { x: (n) => n }
        const one: Pick<N, "x"> = { x: (n) => n }
        """,
        """
        # a.ts
        type Of<T> = { [K in keyof T]?: T[K] }
        interface N { y(n: number): number }
        function f(): Of<N> { return { y(n) { return n } } }
        const own: { [K in keyof N]: N[K] } = { y: (n) => n }
        const one: Pick<N, "x"> = { y: (n) => n }
        """,
    ),
    "a type alone, beside a value of its name": (
        {"path": "a.ts", "start": 1, "name": "x"},
        """
        # a.ts
        interface x { n: number }
        const x = (n: number): x => ({ n })
        """,
        """
        # a.ts
        interface y { n: number }
        const x = (n: number): y => ({ n })
        """,
    ),
    "what a class has itself": (
        {"path": "a.ts", "start": 2, "name": "f"},
        """
        # a.ts
        class A {
          static f() { return 1 }
          f() { return A.f() }
        }
        class B extends A {
          static f() { super.f(); this.f() }
          h() { super.f(); this.f() }
        }
        A.f(); B.f(); new A().f(); new B().f()
        """,
        """
        # a.ts
        class A {
          static y() { return 1 }
          f() { return A.y() }
        }
        class B extends A {
          static y() { super.y(); this.y() }
          h() { super.f(); this.f() }
        }
        A.y(); B.y(); new A().f(); new B().f()
        """,
    ),
    "what its objects have, and not the class": (
        {"path": "a.js", "start": 3, "name": "f#1"},
        """
        # a.js
        class A {
          static f() { return 1 }
          f() { return A.f() }
        }
        class B extends A {
          static f() { super.f(); this.f() }
          h() { super.f(); this.f() }
        }
        A.f(); B.f(); new A().f(); new B().f()
        """,
        """
        # a.js
        class A {
          static f() { return 1 }
          y() { return A.f() }
        }
        class B extends A {
          static f() { super.f(); this.f() }
          h() { super.y(); this.y() }
        }
        A.f(); B.f(); new A().y(); new B().y()
        """,
    ),
    "a default of somebody else's, which has its name here alone": (
        {"path": "b.ts", "start": 2, "name": "b"},
        """
        // node_modules/b/index.d.ts
        declare const b: 1;
        export = b;
        // b.ts
        import b from "b";
        f(b);
        """,
        """
        # b.ts
        import y from "b";
        f(y);
        """,
    ),
    "an attribute that nobody declares": (
        {"path": "b.tsx", "start": 2, "name": "x"},
        """
        // b.tsx
        function F(p: { a: string }) {}
        f(<F x="1" a="2" />, <b x="3" />);
        """,
        """
        # b.tsx
        function F(p: { a: string }) {}
        f(<F y="1" a="2" />, <b x="3" />);
        """,
    ),
    "an import that another one repeats": (
        {"path": "b.ts", "start": 2, "name": "b"},
        """
        // a.ts
        export default 1;
        // b.ts
        import { default as b } from "./a";
        import b from "./a";
        f(b);
        """,
        """
        # b.ts
        import { default as b } from "./a";
        import y from "./a";
        f(b);
        """,
    ),
}


@pytest.mark.parametrize(("where", "before", "expected"), RENAMED.values(), ids=RENAMED)
def test_rename_changes_files(where: dict[str, Any], before: str, expected: str) -> None:
    assert format_changes(apply_rename(before, "y", **where)) == dedent_block(expected)


REFUSED = {
    "a component in small letters": (
        {"path": "a.tsx", "start": 1, "name": "Box"},
        "// a.tsx\nfunction Box() { return <b />; }\nf(<Box />);\n",
        "y in a.tsx:2 would be an element of the page, as all are that begin with a small letter",
    ),
    "an element of the page by its use": (
        {"path": "a.tsx", "start": 2, "name": "box"},
        "// a.tsx\ndeclare namespace JSX { interface IntrinsicElements { box: {} } }\nf(<box />);\n",
        "box is an element of the page, as all are that are called so",
    ),
}


@pytest.mark.parametrize(("where", "before", "message"), REFUSED.values(), ids=REFUSED)
def test_lower_case_component_name_is_refused(where: dict[str, Any], before: str, message: str) -> None:
    with pytest.raises(ScalpelError) as caught:
        apply_rename(before, "y", **where)
    assert caught.value.message == message


def test_external_object_of_an_own_type_is_reported() -> None:
    before = """
        // a.ts
        export interface Store { get(key: string): string | null; set(key: string): void }
        export function make(given: () => Store) { return given().get("a"); }
        const direct: Store = window.localStorage;
        make(() => window.localStorage);
        make(() => { return typeof window === "undefined" ? own : sessionStorage; });
        const own: Store = { get: () => null, set() {} };
        make(() => own);
        function use(stores: Store | string | Date) {}
        use(new Map()), use("a"), use(new Date());
        """
    outcome = apply_rename(before, "read", path="a.ts", start=1, name="get")
    assert outcome.unchecked == ["a.ts:3, 4, 5, 9: an object from outside the repository has to have get"]
