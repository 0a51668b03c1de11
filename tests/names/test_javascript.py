"""JavaScript and TypeScript: scopes, modules, types, members.

Each case is a text with marked places.
"""

from __future__ import annotations

import pytest

from gitscalpel.changesets.requests import parse_operations
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.errors import ScalpelError
from gitscalpel.refactor.rename import lower_rename
from tests.edit import editing
from tests.names.marked_files import assert_marked

SCOPES = {
    "a parameter in the brackets of a key": """
        // a.ts
        const k = "a";
        const a = («k»: string) => ({ [«k»]: «k»[0], n: 1 });
        function f(k: string) { return { [k]: 1 }; }
    """,
    "a constant of a block in brackets": """
        // a.ts
        const k = "a";
        function f(o: any) {
          const «k» = "b";
          for (const k of o) { o = { [k]: k }; }
          const { [«k»]: x } = o;
          class C { [«k»] = 1; [«k» + 1](k = 2) { return k; } get [«k» + 2]() { return «k»; } }
          return { [«k»]: x, [«k» + 1](k) { return k; }, ...o };
        }
        interface I { [k](k: string): void }
        console.log({ [k]: k });
    """,
    "let in a block, and what it shadows": """
        // a.js
        let x = 1;
        { let «x» = 2; f(«x»); }
        f(x);
    """,
    "var belongs to its function": """
        // a.js
        var x = 0;
        function f() { if (a) { var «x» = 1; } return () => «x»; }
        f(x);
    """,
    "a function is known before it is declared": """
        // a.js
        «f»();
        function «f»() { «f»(); }
        function g(f) { f(); }
    """,
    "the name of a function expression": """
        // a.js
        const f = function «f»(n) { return «f»(n - 1); };
        f();
    """,
    "parameters, defaults and rest": """
        // a.js
        const b = 0;
        function f(a, { «b», c: [d = «b»] }, ...e) { return «b» + e; }
        f(b);
    """,
    "catch, for and labels": """
        // a.js
        const e = 1;
        try { e } catch («e») { for (const x of «e») e: while (x) break e; }
        e;
    """,
    "a label": """
        // a.js
        const l = 1;
        «l»: for (;;) { if (l) continue «l»; break «l»; }
    """,
    "an assignment that takes apart uses names": """
        // a.js
        let «x»;
        [«x»] = f();
        ({ y: «x» } = g());
    """,
    "in a template": """
        // a.js
        const «x» = 1;
        f(`x ${«x»} x`); // x
    """,
    "a class's own name in an expression": """
        // a.js
        const C = class «C» { m() { return new «C»(); } };
        new C();
    """,
}
SPACES = {
    "type parameters of declarations that are one": """
        // a.ts
        export class Box<Key, «Item»> { all: «Item»[] = []; put<Item>(item: Item, key: Key) { return item; } }
        export interface Box<Key, «Item»> { first?: «Item» }
        interface Item { }
        type Other<Item> = Item[];
        // b.ts
        import { Box } from "./a";
        declare module "./a" { interface Box<Key, «Item»> { last(): «Item» } }
        type Of<Item> = Box<string, Item>;
    """,
    "a type and a value": """
        // a.ts
        type X = string;
        const «X» = 1;
        const y: X = f(«X»);
        let z: typeof «X»;
    """,
    "the type of the two": """
        // a.ts
        type «X» = string;
        const X = 1;
        const y: «X» = f(X);
    """,
    "a class and an interface are one": """
        // a.ts
        interface «A» { x: number }
        class «A» {}
        const a: «A» = new «A»();
    """,
    "a type parameter": """
        // a.ts
        class T {}
        function f<«T»>(a: «T»): «T»[] { const b: «T» = a; return [b]; }
        const c: T = new T();
    """,
    "what is inferred": """
        // a.ts
        type R = 1;
        type E<T> = T extends Array<infer «R»> ? «R» : R;
    """,
    "a mapped type's key": """
        // a.ts
        type M<T> = { [«K» in keyof T]: T[«K»] };
        type K = 1;
    """,
    "overloads": """
        // a.ts
        function «f»(a: string): void;
        function «f»(a: number): void;
        function «f»(a: any) {}
        «f»(1);
    """,
    "an enum's members": """
        // a.ts
        enum E { «A» = 1, B = «A» << 1 }
        const A = 2;
        f(E.«A», E["«A»"], A);
    """,
    "a namespace that is opened again": """
        // a.ts
        namespace N { export const «x» = 1; const y = 2; }
        namespace N { f(«x», y); }
    """,
    "a namespace": """
        // a.ts
        namespace N { export const «x» = 1; f(«x»); }
        const x = 2;
        f(N.«x», x);
    """,
}
MODULES = {
    "a default without a name, as a member of its module": """
        // a.mjs
        export default class { «m»() {} }
        // b.mjs
        import * as a from "./a.mjs";
        import { default as A } from "./a.mjs";
        new a.default().«m»();
        new A().«m»();
        async function f() {
            const { default: B } = await import("./a.mjs");
            new B().«m»();
            new (await import("./a.mjs")).default().«m»();
        }
        class C { m() {} }
    """,
    "a dotted namespace": """
        // a.ts
        namespace a.«b» { export const c = 1; «b».c; }
        namespace a.«b» { export const d = c; }
        a.«b».c; b;
    """,
    "what is in a dotted namespace": """
        // a.tsx
        namespace a.b { export const «c» = 1; }
        namespace a.b { f(«c»); }
        f(a.b.«c», <a.b.«c»></a.b.«c»>, c);
    """,
    "named imports and passing on": """
        // lib/a.ts
        export function «f»() {}
        // lib/index.ts
        export { «f» } from "./a";
        // b.ts
        export * from "./lib";
        // c.tsx
        import { «f» } from "./b.js";
        import { «f» as g } from "./lib";
        import * as n from "./lib/a";
        «f»(); g(); n.«f»(); n["«f»"](); m.¿f?();
    """,
    "a module of which nobody can tell": """
        // a.js
        export function «f»() {}
        function g() {}
        // b.js
        function run(module) { module.¿f?(); module.g(); }
        // c.js
        const f = require("./c.js").g;
        module.exports = { f };
        function other(module) { module.¿f?(); }
    """,
    "an alias": """
        // a.js
        const x = 1;
        export { x as «y» };
        // b.js
        import { «y» } from "./a";
        import { «y» as x } from "./a.js";
        f(«y», x);
    """,
    "what an import calls it": """
        // a.js
        export const x = 1;
        // b.js
        import { x as «z» } from "./a";
        f(«z», x);
    """,
    "a default": """
        // a.ts
        export default class «A» { m() {} }
        // b.ts
        import «A» from "./a";
        new «A»();
        // c.ts
        import B from "./a";
        new B(); A;
    """,
    "a default under a name of its own": """
        // a.ts
        const «b» = 0;
        export default «b»;
        // b.ts
        export { default } from "./a";
        export { default as «b» } from "./a";
        export { default as c } from "./a";
        // c.ts
        import { «b», c } from "./b";
        import { default as d } from "./b";
        f(«b», c, d);
    """,
    "an object as the default, under a name": """
        // a.ts
        export default { «a»: 1 };
        // b.ts
        export { default as d } from "./a";
        // c.ts
        import { default as e } from "./a";
        import { d } from "./b";
        f(e.«a», d.«a»);
    """,
    "an object as the default": """
        // a.ts
        export default { «a»: 1 };
        // b.ts
        import d from "./a";
        d.«a»;
    """,
    "CommonJS, one by one": """
        // a.js
        exports.«f» = () => 1;
        module.exports.g = exports.«f»;
        // b.js
        const { «f»: h } = require("./a");
        const a = require("./a");
        a.«f»();
    """,
    "CommonJS, as an object": """
        // a.js
        module.exports = { «f»: 1, g: 2 };
        // b.js
        require("./a").«f»; require("./a").g;
        f;
    """,
    "a configured path": """
        // tsconfig.json
        { "compilerOptions": { "baseUrl": ".", /* c */ "paths": { "@/*": ["src/*"], } } }
        // src/a.ts
        export const «x» = 1;
        // test/b.ts
        import { «x» } from "@/a";
    """,
    "a path of a configuration that is extended": """
        // tsconfig.json
        { "extends": "./config/base" }
        // config/base.json
        { "extends": "./more.json", "compilerOptions": { "paths": { "@/*": ["../src/*"] } } }
        // config/more.json
        { "compilerOptions": { "paths": { "@/*": ["nowhere/*"] }, "rootDirs": ["../src", "../made"] } }
        // src/a.ts
        export const «x» = 1;
        // test/b.ts
        import { «x» } from "@/a";
        // made/c.ts
        import { «x» } from "./a";
    """,
    "a path of a configuration that another one gathers": """
        // tsconfig.json
        { "files": [], "references": [{ "path": "./tsconfig.node.json" }, { "path": "./tsconfig.app.json" }] }
        // tsconfig.node.json
        { "extends": "./tsconfig.json" }
        // tsconfig.app.json
        { "compilerOptions": { "baseUrl": "src", "paths": { "@/*": ["./*"] } } }
        // src/a.ts
        export const «x» = 1;
        // src/b.ts
        import { «x» } from "@/a";
        import { «x» as y } from "a";
    """,
    "a name that is looked for in the folders around": """
        // tsconfig.json
        { "compilerOptions": { "moduleResolution": "Classic" } }
        // src/a.ts
        export const «x» = 1;
        // src/more/b.ts
        import { «x» } from "a";
    """,
    "modules as AMD has them": """
        // lib/a.js
        define(["require", "./b"], function (require, b) {
            function f() { return b.g(); }
            return { «f»: f, h: 1 };
        });
        // lib/b.js
        define({ g: function () {}, f: 2 });
        // c.js
        require(["lib/x", "./lib/a", "./lib/b"], function (x, a, b) { a.«f»(); b.f; a.h; });
        define("c", ["./lib/a"], (a) => a.«f»());
    """,
    "an ambient module": """
        // types.d.ts
        declare module "m" { export class «A» {} }
        // a.ts
        import { «A» } from "m";
    """,
    "a package of the same tree": """
        // packages/one/package.json
        { "name": "@here/one", "main": "dist/index.js" }
        // packages/one/src/index.ts
        export const «x» = 1;
        // packages/two/b.ts
        import { «x» } from "@here/one";
        import { x as y } from "@there/one";
    """,
    "scripts share their names": """
        // a.js
        var «x» = 1;
        // b.js
        f(«x»);
        // c.js
        export const x = 1;
    """,
}
MEMBERS = {
    "of an element that JSX gives": """
        // a.tsx
        interface Made { «props»: string; other: number }
        declare global {
          namespace JSX { interface Element extends Made {} interface IntrinsicElements { p: {} } }
        }
        function build(): JSX.Element { return { ¿props?: "", other: 1 }; }
        const Button = () => <p></p>;
        console.log(Button().«props», (<p />).«props», (<></>).other, { ¿props?: 1 });
    """,
    "of what stands before an operator, which sets nothing": """
        // a.ts
        class A { «x» = 1; } class B { x = 1; }
        const a = new A(), b = new B();
        if (a instanceof A && a !== b) a.«x» = b.x + a.«x»;
        let c = new A();
        c += 1;
        c.¿x? = 2;
    """,
    "what a component takes that says so by its type": """
        // a.tsx
        import React, { FC } from "react";
        export type Props = { «title»: string };
        export const A: React.FC<Props> = (props) => null;
        const B: FC<Props> = A;
        export { B as C };
        const D: Props = <B «title»="x" />, E: List<Props> = [];
        // b.tsx
        import { A, C } from "./a";
        import { A as F } from "./a";
        const p = { ¿title?: "x" }, q = { title: "x" };
        const all = [<A «title»="x" />, <C ¿title?="x" />, <F «title»="x" {...p} />, <G ¿title?="x" />, q];
    """,
    "an object that a class is made with": """
        // a.ts
        export interface O { «x»: number }
        export class A { constructor(o: O, ...more: O[]) {} }
        export class B<T> extends A { y = 1; }
        export class C extends B<number> { constructor() { super({ «x»: 1 }); } }
        export class D { constructor(private o: { x: number }) {} }
        export class E { constructor(n: number); constructor(o: O); constructor(any: any) {} }
        export class F extends G {}
        export interface M { new (o: O): A }
        export function f(o: O, ...more: O[]) {}
        // b.ts
        import { A, B, D, E, F, M, f } from "./a";
        import * as a from "./a";
        declare const m: M, some: [];
        new A({ «x»: 1 }, { «x»: 2 }, { «x»: 3 });
        new B<number>({ «x»: 1 }), new a.B({ «x»: 1 });
        new D({ x: 1 }), new E({ «x»: 1 }), new F({ ¿x?: 1 }), new m({ «x»: 1 });
        f(/* o */ { «x»: 1 }, { «x»: 2 }), f(...some, { ¿x?: 3 });
    """,
    "an object that JavaScript's comments say the type of": """
        // a.js
        /**
         * @typedef {Object} O
         * @property {number} «x»
         */
        class A {
            /** @param {O} o */
            constructor(o) {}
        }
        /** @param {O} o */
        function f(o) {}
        new A({ «x»: 1 }), f({ «x»: 1 });
        class B { constructor(o) {} }
        new B({ ¿x?: 1 });
    """,
    "an object of a type without a name, that a class is made with": """
        // a.ts
        export class A { constructor(private readonly o: { «x»: number; y?: string } = { «x»: 3 }) {} }
        // b.ts
        import { A } from "./a";
        new A({ «x»: 1 }), new A({ «x»: 2, y: "x" });
        class B { constructor(o: { x: number }) {} }
        new B({ x: 1 });
    """,
    "of this and of instances": """
        // a.js
        class A { «m»() { return () => this.«m»(); } }
        class B { m() {} }
        const a = new A();
        a.«m»(); a["«m»"](); new B().m(); c.¿m?();
    """,
    "private": """
        // a.js
        class A { «x» = 1; y() { return this.«x» + this.#x; } #x = 2; }
    """,
    "an interface, what implements it, and objects of it": """
        // a.ts
        interface I { «m»(): void }
        class A implements I { «m»() {} }
        class B { m() {} }
        const o: I = { «m»() {} };
        const p = { m() {} };
        function f(i: I, a: A, b: B) { i.«m»(); a.«m»(); b.m(); o.«m»(); p.m(); }
        f({ «m»() {} }, new A(), new B());
    """,
    "inherited and overridden": """
        // a.ts
        export class A { get «v»(): number { return 1; } set «v»(n) {} }
        // b.ts
        import { A } from "./a";
        class B extends A { f() { return super.«v» + this.«v»; } }
        class C extends B { «v» = 2; }
    """,
    "a parameter that is a property": """
        // a.ts
        class A { constructor(private readonly «x»: number) { f(«x»); } m() { return this.«x»; } }
        const x = 1;
    """,
    "of interfaces that are one": """
        // a.ts
        interface I { «a»: string }
        interface I { b: string }
        function f(i: I) { return i.«a» + i.b; }
    """,
    "of a type": """
        // a.ts
        type T = { «a»: string } & { b: string };
        type U = { a: string };
        function f({ «a»: x }: T, u: U) { return x + u.a; }
    """,
    "what a function gives": """
        // a.ts
        class A { «m»() {} }
        const make = async () => new A();
        function given(): Promise<A> { return make(); }
        (await given()).«m»();
    """,
    "set after it is declared": """
        // a.js
        class A { «m»() {} }
        let a = null;
        function f() { a = new A(); }
        a.«m»();
    """,
    "what others give": """
        // a.ts
        import { use, type Ref } from "elsewhere";
        class A { «m»() {} }
        function f(r: Ref<A>, all: A[]) { use(A).¿m?(); r.current.¿m?(); all[0].«m»(); r.m; }
    """,
    "an object's own": """
        // a.js
        const o = { «a»: 1, f() { return this.«a»; } };
        const p = { a: 2 };
        f(o.«a», p.a);
    """,
    "of classes that would inherit from each other": """
        // a.ts
        class A extends B { «m»() {} }
        class B extends A { m() {} }
        function f(a: A, b: B) { a.«m»(); b.m(); }
    """,
    "of a class that implements what extends it": """
        // a.ts
        class A implements I { «m»() {} }
        interface I extends A { «m»(): void }
        function f(a: A, i: I) { a.«m»(); i.«m»(); }
    """,
    "a parameter that is a property, and what its body cannot bind anew": """
        // a.ts
        class A { constructor(public «x»: number) { let x = «x»; this.«x» += «x»; { let x = 1; f(x); } } }
    """,
    "what is in lists": """
        // a.ts
        class A { «m»() {} }
        type All = Promise<readonly A[]>;
        async function f(all: A[], [one]: Set<A>, later: All, other: Map<A, A>) {
            for (const a of all) a.«m»();
            for (const { «m»: n } of await later) n();
            const [first, ...rest] = all;
            first.«m»(); one.«m»(); all.map(a => a.«m»()); other.get(one).¿m?();
            for (const a in all) a.m;
            for (const a of [new A()]) a.«m»();
        }
    """,
    "what is in lists that others may fill": """
        // a.js
        class A { «m»() {} }
        const all = [new A()];
        all[0].¿m?();
        all.map(a => a.¿m?());
    """,
    "what is handed on": """
        // a.ts
        interface A { «m»: number; n: A }
        declare function each(f: (a: A, n: number) => void): void;
        declare function any(f: Function): void;
        each(a => a.«m»); each(function (a) { return a.n.«m»; }); any(a => a.¿m?);
        import("./b").then(b => b.m);
        function f({ n: { «m»: x }, ...rest }: A) { return rest.«m» + x; }
        // b.ts
        export const m = 1;
    """,
    "of a module that is loaded when it runs": """
        // a.ts
        export const «m» = 1;
        // b.ts
        import("./a").then(a => a.«m»);
        const { «m» } = await import("./a");
        vi.mock("./a", async () => ({ ...(await vi.importActual("./a")).«m» }));
        const { «m»: n } = jest.requireActual<typeof import("./a")>("./a");
    """,
    "names in brackets": """
        // a.ts
        interface I { ["«m»"]: number }
        const i: I = { [`«m»`]: 1 };
        class A implements I { ["«m»"] = 2; [m] = 3; [`${m}`] = 4; }
        f(i[`«m»`], i["«m»"], i.«m», i[m]);
    """,
    "of a global name for a module": """
        // a.d.ts
        export function f(): void;
        export as namespace «Lib»;
        // b.ts
        «Lib».f();
        // c.ts
        import { Lib } from "lib";
        Lib.f();
    """,
    "attributes of one of several ways to call it, and of a class": """
        // a.tsx
        interface P { «name»: string }
        interface Q { other: string }
        declare function F(p: P): void;
        declare function F(q: Q): void;
        class G extends Component<P> {}
        class H { props: { name: string } }
        f(<F «name»="" />, <F other="" />, <G «name»="" />, <H name="" />);
    """,
    "an import of nothing, and an element that takes nothing": """
        // a.js
        import().¿m?();
        require().¿m?();
        class A { «m»() {} }
        // b.tsx
        function Plain() { return null; }
        const x = <Plain ¿m?={1} />;
    """,
    "what is spread": """
        // a.js
        const o = { «a»: 1 };
        const p = { ...o };
        const q = { ...o, b: 1, ...unknown() };
        f(p.«a», q.¿a?);
    """,
    "what several give that are spread": """
        // a.ts
        interface A { «a»: number }
        interface B { a?: number }
        function f(x: A, y: B) {
            const both = { ...x, ...y }, own = { ...x, «a»: 2 };
            return both.¿a? + own.«a»;
        }
    """,
    "elements of the page": """
        // types.d.ts
        declare namespace JSX { interface IntrinsicElements { «box»: { size?: number }; line: {} } }
        // a.tsx
        const x = <«box» size={1}><line /></«box»>, box = 1;
    """,
    "attributes of elements of the page": """
        // types.d.ts
        declare namespace JSX { interface IntrinsicElements { box: { «size»?: number }; line: { size: 1 } } }
        // a.tsx
        const x = <box «size»={1}><line size={1} /><b size={1} /></box>;
    """,
    "a member that is called as the language calls something": """
        // a.ts
        declare const x: { «default»: number };
        import * as b from "./b";
        x.«default»; b.default;
        // b.ts
        export default function () {}
    """,
    "a property that a class below sets": """
        // a.ts
        class B { «url»: string = ""; }
        class C extends B { constructor() { super(); this.«url» = "x"; } }
        class D { url = ""; }
        f(new C().«url», new B().«url», new D().url);
    """,
    "a part of a type that is set where it is made": """
        // a.ts
        type Server = { «url»: string } & Outside;
        export function make(): Server { const s = f() as Server; s.«url» = "x"; return s; }
        // b.ts
        import { make } from "./a";
        make().«url»;
    """,
    "a promise that is more than that gives what it keeps": """
        // a.ts
        type Answer<T> = { «json»: () => T };
        type Later<T> = { json: () => T } & Promise<Answer<T>>;
        interface Soon<T> extends Promise<Answer<T>> { json(): T }
        declare function get<T>(): Later<T>;
        declare function ask(): Soon<string>;
        async function f() {
            const answer = await get<string>();
            answer.«json»();
            (await get()).«json»();
            (await ask()).«json»();
            get().json();
            ask().json();
            await get<string>().json();
        }
    """,
    "an attribute": """
        // a.tsx
        interface Props { «name»: string; other: string }
        function Hello({ «name»: n }: Props) { return <b>{n}</b>; }
        const e = <Hello «name»="x" other="name" />;
        const d = <input name="x" />;
    """,
}
CASES = SCOPES | SPACES | MODULES | MEMBERS


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_references_are_those_marked(text: str) -> None:
    assert_marked(text)


FORMS = {
    "a key": (
        "type T = { a: 1 }; function f({ a }: T) { return a; }",
        "type T = { b: 1 }; function f({ b: a }: T) { return a; }",
    ),
    "a value": ("const a = 1; const o: { a: 1 } = { a };", "const b = 1; const o: { a: 1 } = { a: b };"),
    "both": (
        "class C { constructor(private a: 1) { f(a); } }",
        "class C { constructor(private b: 1) { f(b); } }",
    ),
    "an import": ('import { a } from "elsewhere"; f(a);', 'import { a as b } from "elsewhere"; f(b);'),
    "a default": ('import a from "elsewhere"; f(a);', 'import b from "elsewhere"; f(b);'),
}


@pytest.mark.parametrize(("before", "after"), FORMS.values(), ids=FORMS)
def test_shorthand_key_is_expanded(before: str, after: str) -> None:
    operation = {"op": "rename", "path": "a.ts", "name": "a#1", "start": 1, "to": "b"}
    outcome = apply(parse_operations([operation]), editing.Files({"a.ts": before}), lower=lower_rename)  # type: ignore[arg-type]
    assert outcome.overlay.content("a.ts") == after.encode()


@pytest.mark.parametrize("to", ["b", "c"])
def test_captured_name_is_refused(to: str) -> None:
    before = "const a = 1; { let b = 2; f(a, b); }" if to == "b" else "const c = 1; { let a = 2; f(c, a); }"
    operation = {"op": "rename", "path": "a.ts", "name": "a#1", "start": 1, "to": to}
    with pytest.raises(ScalpelError) as refused:
        apply(parse_operations([operation]), editing.Files({"a.ts": before}), lower=lower_rename)  # type: ignore[arg-type]
    assert refused.value.code == "duplicate_symbol"


_MODULES = {
    "a.ts": "export const x = 1;\nconst q = 2;\nexport { q };\n",
    "b.ts": 'import { x, q } from "./a";\nexport { x };\nexport { q as z } from "./a";\nf(x, q);\n',
    "c.ts": 'import { x } from "./b";\nf(x);\n',
}
_REEXPORTED = {
    "what is declared with export: who imports it follows, who is passed it does not": (
        ("a.ts", 1, "x"),
        {
            "a.ts": "export const y = 1;\nconst q = 2;\nexport { q };\n",
            "b.ts": 'import { y, q } from "./a";\nexport { y as x };\n'
            'export { q as z } from "./a";\nf(y, q);\n',
        },
    ),
    "what is exported by a list keeps its name for others": (
        ("a.ts", 2, "q"),
        {"a.ts": "export const x = 1;\nconst y = 2;\nexport { y as q };\n"},
    ),
    "the name in the list is what others import": (
        ("a.ts", 3, "q"),
        {
            "a.ts": "export const x = 1;\nconst q = 2;\nexport { q as y };\n",
            "b.ts": 'import { x, y } from "./a";\nexport { x };\nexport { y as z } from "./a";\nf(x, y);\n',
        },
    ),
    "an imported name is its file's own": (
        ("c.ts", 2, "x"),
        {"c.ts": 'import { x as y } from "./b";\nf(y);\n'},
    ),
}


@pytest.mark.parametrize(("where", "after"), _REEXPORTED.values(), ids=_REEXPORTED)
def test_reexported_name_is_renamed_separately(where: tuple[str, int, str], after: dict[str, str]) -> None:
    path, line, name = where
    operation = {"op": "rename", "path": path, "start": line, "name": name, "to": "y"}
    outcome = apply(parse_operations([operation]), editing.Files(_MODULES), lower=lower_rename)  # type: ignore[arg-type]
    changed = {path: (outcome.overlay.content(path) or b"").decode() for path, *_ in outcome.changes}
    assert changed == after


def test_repeated_name_in_a_line_is_ambiguous() -> None:
    files = {"a.ts": "export const x = 1;\n", "b.ts": 'import * as a from "./a";\nf(a.x); // a\n'}
    operation = {"op": "rename", "path": "b.ts", "start": 1, "name": "a", "to": "b"}
    with pytest.raises(ScalpelError) as refused:
        apply(parse_operations([operation]), editing.Files(files), lower=lower_rename)  # type: ignore[arg-type]
    assert refused.value.code == "symbol_ambiguous"
    assert [each["name"] for each in refused.value.data["candidates"]] == ["a#1", "a#2"]
    outcome = apply(
        parse_operations([operation | {"start": 2}]),
        editing.Files(files),
        lower=lower_rename,  # type: ignore[arg-type]
    )
    assert outcome.overlay.content("b.ts") == b'import * as b from "./a";\nf(b.x); // a\n'


@pytest.mark.parametrize("name", ["h", "default"])
def test_external_name_is_not_renamed(name: str) -> None:
    files = {
        "a.ts": 'import { h, default as d } from "lib";\nf(h, d);\n',
        "node_modules/lib/index.d.ts": "export const h: 1;\nexport default h;\n",
        "node_modules/lib/package.json": '{ "types": "index.d.ts" }\n',
    }
    operation = {"op": "rename", "path": "a.ts", "start": 1, "name": name, "to": "b"}
    with pytest.raises(ScalpelError) as refused:
        apply(parse_operations([operation]), editing.Files(files), lower=lower_rename)  # type: ignore[arg-type]
    assert refused.value.code == "symbol_not_found"
