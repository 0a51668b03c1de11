"""JavaScript: objects made without classes.

Each case is a text with marked places.
"""

from __future__ import annotations

import pytest

from tests.names.marked_files import assert_marked

CASES = {
    "what a constructor sets": """
        // a.js
        function Point(x) { this.«x» = x; this.y = () => this.«x»; }
        const p = new Point(1);
        p.«x»; p.y; x.¿x?;
        // b.js
        function Other() { this.x = 1; }
        new Other().x;
    """,
    "of a prototype": """
        // a.js
        function Point() {}
        Point.prototype.«move» = function () { return this.turn(); };
        Point.prototype.turn = function () { return this.«move»(); };
        new Point().«move»();
        module.exports = Point;
        // b.js
        const Point = require("./a");
        new Point().«move»();
    """,
    "of a prototype that is written as an object": """
        // a.js
        function Point() { this.x = 1; }
        Point.prototype = { «move»: function () { return this.x; }, turn() { return this.«move»(); } };
        new Point().«move»();
    """,
    "inherited by a prototype, and overridden": """
        // a.js
        function Base() { this.«x» = 1; }
        Base.prototype.m = function () { return this.«x»; };
        function Derived() { Base.call(this); }
        Derived.prototype = Object.create(Base.prototype);
        Derived.prototype.n = function () { return this.«x»; };
        class Last extends Derived { o() { return this.«x»; } }
        new Derived().«x»; new Last().«x»;
    """,
    "inherited by what tools do": """
        // a.js
        const util = require("util");
        function Base() {}
        Base.prototype.«m» = function () {};
        function Derived() {}
        util.inherits(Derived, Base);
        function Last() {}
        Object.setPrototypeOf(Last.prototype, Derived.prototype);
        new Derived().«m»(); new Last().«m»();
    """,
    "of what may be given more": """
        // a.js
        function A() { this.«x» = 1; }
        function B() {}
        function give(mixin) { Object.assign(B.prototype, mixin); }
        function C() {}
        Object.assign(C.prototype, { x: 1 });
        new A().«x»; new B().¿x?; new C().x;
    """,
    "of an object that is frozen": """
        // a.js
        const sizes = Object.freeze({ «small»: 1, inner: Object.seal({ small: 2 }) });
        class A { static sizes = Object.preventExtensions({ small: 3 }); }
        sizes.«small» + sizes.inner.small + A.sizes.small;
        const { «small» } = sizes;
    """,
    "of an object that a function gives where it stands": """
        // a.js
        const counter = (() => { let count = 0; return { «count»: () => ++count, step: () => 1 }; })();
        const other = (function () { return Object.freeze({ count: 1 }); }());
        const late = (async () => ({ ¿count?: 1 }))();
        counter.«count»() + other.count + late.¿count?;
    """,
    "of a function itself": """
        // a.ts
        export function f() {}
        f.«count» = 0;
        const g = () => f.«count»;
        g.count = 1;
        // b.ts
        import { f } from "./a";
        f.«count»; f.call(null); f.name;
    """,
    "of a class, set on its prototype": """
        // a.js
        class C { constructor() { this.x = 1; } }
        C.prototype.«z» = 1;
        new C().«z»;
    """,
    "of the class alone, whose objects are given another one": """
        // a.js
        class Counter {
          static «count» = 0;
          constructor() { this.count = 1; Counter.«count»++; }
          get() { return this.count; }
          static all() { return this.«count»; }
        }
        class Loud extends Counter { f() { return this.count; } static g() { return this.«count» } }
        new Counter().count; Counter.«count»; Loud.«count»; new Loud().count;
    """,
    "of objects, whose class has another one": """
        // a.js
        class Counter {
          static count = 0;
          constructor() { this.«count» = 1; Counter.count++; }
          get() { return this.«count»; }
          static all() { return this.count; }
        }
        new Counter().«count»; Counter.count;
    """,
    "of objects, though the class declares both, and it is set": """
        // a.js
        class Counter {
          static count() {}
          «count»;
          constructor() { this.«count» = 1; }
          get() { return this.«count»; }
        }
        new Counter().«count»; Counter.count(); Counter.count = f;
    """,
    "of the class alone, asked of an object": """
        // a.js
        class Counter {
          static «count»() {}
          get() { return this.¿count?; }
        }
        class Loud extends Counter {}
        new Loud().¿count?; Loud.«count»();
    """,
    "of a class alone, where one that inherits from it declares another for its objects": """
        // a.js
        class A { run() {} static «run»() {} }
        class B extends A {
          run() { return super.run(); }
          static make() { return this.«run»() + new this().run() + super.«run»(); }
        }
        class C extends B {}
        B.«run»(); new B().run(); C.«run»(); new C().run(); B.prototype.run.call(1);
    """,
    "of objects, where the class above has another one by itself": """
        // a.js
        class A { static run() {} }
        class B extends A { «run»() {} static make() { return this.run() + new this().«run»(); } }
        B.run(); new B().«run»();
    """,
    "of an interface, and the parameter that implements it": """
        // a.ts
        interface Counts { «count»: number }
        class Counter implements Counts { static count = 1; constructor(readonly «count»: number) {} }
        const one: Counts = new Counter(Counter.count); one.«count»;
    """,
    "of a constructor that is a member": """
        // a.js
        const lib = {};
        lib.Point = function () { this.«x» = 1; };
        lib.Point.prototype.m = function () { return this.«x»; };
        lib.make = function () { return new lib.Point().«x» + this.x; };
    """,
    "a function of an object": """
        // a.js
        const o = { «a»: { b: 1 }, f: function () { return this.«a»; } };
        o.«a».b; o["f"]().b;
    """,
    "what an object that is handed on may be given": """
        // a.js
        class A { «count» = 0; }
        component({ methods: { more() { this.¿count?++; this.more(); } } });
        const o = { more() { this.count++; } };
    """,
    "objects that one variable holds": """
        // a.ts
        let o = { «a»: 1 };
        o = { "«a»": 2 };
        let p: { a: number } = { a: 1 };
        p = { a: 2 };
        f(o["«a»"], o.«a», p.a);
    """,
    "objects that one variable holds, which is typed": """
        // a.ts
        interface I { «a»: number }
        let o: I;
        o = { «a»: 2 };
        class C { i: I; m() { this.i = { «a»: 1 }; } }
    """,
    "objects that one variable or member holds, which says nothing": """
        // a.js
        let o = null;
        o = { «a»: 1 };
        o = { «a»: 2 };
        function f(p) { p = { ¿a?: 1 }; }
        o.«a»;
    """,
    "what is defined by its name": """
        // a.js
        const List = (function () {
            const List = function () {};
            Object.defineProperty(List.prototype, "«max»", { value: 0 });
            Object.defineProperties(List.prototype, { min: {}, mid: { get() { return this.«max»; } } });
            List.prototype.push = function () { return this.«max» + this.min; };
            return List;
        })();
        if (Object.hasOwn(new List(), "«max»") || Reflect.get(new List(), "«max»")) f("max");
    """,
    "what others add to an object or a function": """
        // a.js
        const mixin = require("mixin"), proto = { «go»() {} };
        function made() { const app = function () {}; mixin(app, outside); return app; }
        function filled() { const app = {}; for (const key in proto) app[key] = proto[key]; return app; }
        class A {}
        fill(A.prototype, proto);
        const inherited = { __proto__: proto }, plain = {}, listed = {};
        Object.keys(listed);
        made().¿go?(), filled().¿go?(), new A().¿go?(), inherited.¿go?(), plain.go, listed.go, made.¿go?;
    """,
    "what a module mixes into a function": """
        // app.js
        const proto = require("./proto");
        module.exports = function () {
            const app = () => {};
            mixin(app, emitter, false);
            mixin(app, proto);
            return app;
        };
        // main.js
        const app = require("./app")();
        app.«use»(), app.call();
        // proto.js
        const proto = exports = module.exports = {};
        proto.«use» = function use() { this.«use»(); };
    """,
    "a method has the parameter's name": """
        // a.js
        function A(«x») { this.x = «x»; }
        new A(1).x;
    """,
}


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_references_are_those_marked(text: str) -> None:
    assert_marked(text)
