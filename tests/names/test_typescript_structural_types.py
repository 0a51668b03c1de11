"""TypeScript: members of structurally equal types are uncertain if objects of one are passed as the other."""

from __future__ import annotations

import pytest

from tests.names.marked_files import assert_marked

_BOTH = """
        // types.ts
        export interface Made { «width»: number }
        export interface Asked { ¿width?: number }
        // a.tsx
        import { Made, Asked } from "./types";
"""
_CONNECTED = {
    "a parameter": "function use(a: Asked) { a.¿width?; }  function main(made: Made) { use(made); }",
    "a parameter with a default": "function use(a?: Asked, b: Asked = {} as Made) { }",
    "a parameter that is taken apart": """
        function use({ ¿width? }: Asked) {} const f = (made: Made) => use(made);""",
    "what is left of the parameters": """
        function use(n: 1, ...all: Asked[]) {} declare const made: Made; use(1, x, made);""",
    "a variable": "declare const made: Made; const a: Asked = made;",
    "a variable that is set later": "declare const made: Made; let a: Asked; a = made;",
    "what is returned": """
        function give(made: Made): Asked { if (1) return made; return { ¿width?: 1 }; }""",
    "what an arrow gives": "const give = (made: Made): Asked => made;",
    "what a promise gives": "async function give(made: Made): Promise<Asked> { return made; }",
    "a field": "class A { a: Asked = new B().made; }  class B { made: Made = { «width»: 1 }; }",
    "a field that is set": "class A { a: Asked; constructor(made: Made) { this.a = made; } }",
    "a field that a parameter makes": """
        class A { constructor(private a: Asked) {} } declare const made: Made; new A(made);""",
    "a property of an object": """
        interface Options { a: Asked } declare const made: Made; const o: Options = { a: made };""",
    "a shorthand property": """
        interface Options { made: Asked } declare const made: Made; const o: Options = { made };""",
    "a property of another type": """
        interface Outer { in: Made }  interface Other { in: Asked }
        declare const outer: Outer; const other: Other = outer;""",
    "a list": "declare const made: Made; const all: Asked[] = [made];",
    "a list of the one": "declare const many: Made[]; const all: ReadonlyArray<Asked> = many;",
    "a list of a part": "declare const many: Made[]; const all: Array<Asked> = many.filter(Boolean);",
    "what is spread into a list": "declare const many: Made[]; const all: Asked[] = [...many];",
    "what is added to a list": "declare const made: Made; const all: Asked[] = []; all.push(made);",
    "what is set in a list": """
        declare const made: Made; const all: Record<string, Asked> = {}; all.x = 1; all[1] = made;""",
    "what is added to a set": "declare const made: Made; const all = new Set<Asked>(); all.add(made);",
    "what is kept under any key": """
        declare const made: Made; const all: { [key: string]: Asked } = { a: made };""",
    "what satisfies it": "declare const made: Made; const a = made satisfies Asked;",
    "what is said to be it": "declare const made: Made; const a = made as Asked, b = 1;",
    "what is spread": "declare const made: Made; const a: Asked = { ...made };",
    "one of two": "declare const made: Made, other: Asked; const a: Asked = x ? made : other;",
    "if there is none": """
        declare const made: Made | null; const a: Asked | undefined = made ?? undefined;""",
    "a type that it has to extend": """
        function use<T extends Asked>(a: T) {} declare const made: Made; use(made);""",
    "a type that is given": "function use<T>(a: T) {}  declare const made: Made; use<Asked>(made);",
    "through a function of any type": """
        function same<T>(a: T): T { return a; } declare const made: Made;
        const a: Asked = same(made);""",
    "another name of the type": """
        type Other = Readonly<Asked>; function use(a: Other) {} declare const made: Made;
        use(made);""",
    "more than the type": """
        type More = Asked & { x?: 1 }; declare const made: Made; const a: More = made;""",
    "one that inherits": """
        interface Sub extends Asked { x?: 1 } declare const made: Made; const a: Sub = made;""",
    "an object of one that inherits": """
        interface Sub extends Made {} declare const made: Sub; const a: Asked = made;""",
    "a method of an interface": """
        interface User { use(a: Asked): void } declare const user: User, made: Made;
        user.use(made);""",
    "a method": "class User { use(a: Asked) {} }  declare const made: Made; new User().use(made);",
    "a function that is a variable": """
        const use = (a: Asked) => {}; declare const made: Made; use(made);""",
    "a function that is handed over": """
        declare const many: Made[]; function use(a: Asked) {} many.forEach(use);""",
    "a function that stands there": "declare const many: Made[]; many.map((a: Asked) => a.¿width?);",
    "a function for another": """
        type Use = (made: Made) => void; function use(a: Asked) {} const f: Use = use;""",
    "what a function has to give": """
        type Give = () => Asked; declare function give(): Made; const f: Give = give;""",
    "what a method has to give": """
        interface Giver { give(): Asked }
        class One implements Giver { give(): Made { return { «width»: 1 }; } }""",
    "an element": """
        function Box(props: { a: Asked }) { return <b/>; }
        const f = (made: Made) => <Box a={made} />;""",
    "what is spread into an element": """
        function Box(props: Asked) { return <b/>; } const f = (made: Made) => <Box {...made} />;""",
    "from the other to this one": "declare const asked: Asked; const made: Made = asked;",
}
_UNCONNECTED = {
    "nothing is handed": """
        function use(a: Asked) { a.width; } function main(made: Made) { made.«width»; }""",
    "a part of it": """
        function use(n: number, a: Asked) {} declare const made: Made, asked: Asked;
        use(made.«width», asked);""",
    "another function of its name": """
        class A { use(a: Asked) {} } class B { use(a: Made) {} }
        const f = (b: B, made: Made) => b.use(made);""",
    "one that has members of its own": """
        class Own { private x = 1; width = 1 }
        declare const made: Made; const own: Own = made as any;""",
    "an object that is written for it": "const a: Asked = { width: 1 }, b: Made = { «width»: 1 };",
}
_WHOLE = {
    "an object that has no type": """
        // a.ts
        interface Asked { ¿width?: number }
        const made = { «width»: 1 };
        function use(a: Asked) {}
        use(made);
    """,
    "a type that stands there": """
        // a.ts
        interface Made { «width»: number }
        function use(a: { ¿width?: number }) { return a.¿width?; }
        function main(made: Made) { use(made); }
    """,
    "classes": """
        // a.ts
        class Made { «width» = 1; }
        class Asked { ¿width? = 1; }
        const a: Asked = new Made();
    """,
    "by way of a third": """
        // a.ts
        interface Made { «width»: number }
        interface Second { ¿width?: number }
        interface Third { ¿width?: number }
        interface Fourth { width: number }
        declare const made: Made;
        const second: Second = made;
        const third: Third = second;
    """,
    "what a list exports": """
        // a.ts
        interface Asked { ¿width?: number }
        export { Asked };
        // b.ts
        export { Asked } from "./a";
        // c.ts
        import { Asked } from "./b";
        interface Made { «width»: number }
        declare const made: Made;
        const a: Asked = made;
    """,
    "other names": """
        // a.ts
        export default function use(a: Asked) {}
        export interface Asked { ¿width?: number }
        // b.ts
        import { Asked as Wanted } from "./a";
        export { Wanted as Needed };
        // c.ts
        import { Needed } from "./b";
        interface Made { «width»: number }
        declare const made: Made;
        const a: Needed = made;
    """,
}


@pytest.mark.parametrize("name", _CONNECTED)
def test_member_of_a_connected_type_is_uncertain(name: str) -> None:
    assert_marked(f"{_BOTH}        {_CONNECTED[name].strip()}\n")


@pytest.mark.parametrize("name", _UNCONNECTED)
def test_member_of_an_unconnected_type_is_not_a_reference(name: str) -> None:
    assert_marked(f"{_BOTH.replace('¿width?', 'width')}        {_UNCONNECTED[name].strip()}\n")


@pytest.mark.parametrize("name", _WHOLE)
def test_connected_types(name: str) -> None:
    assert_marked(_WHOLE[name])


_DEFAULTS = {
    "a default": """
        // src/a.ts
        import { made } from "./geo/shape";
        import Fig from "./geo/shape";
        const a: Fig = made;
    """,
    "a type alone, in a file that says nothing else": """
        // src/a.ts
        import { made } from "./geo/shape";
        import type Fig from "./geo/shape.js";
        const a: Fig = made;
    """,
    "beside what has a name": """
        // src/a.ts
        import Fig, { Made as M } from "./geo/shape";
        const f = (one: M): Fig => one;
    """,
    "said to be the default": """
        // src/a.ts
        import { made } from "./geo/shape";
        import { default as Fig } from "./geo/shape";
        const a: Fig = made;
    """,
    "passed on as a default": """
        // src/geo/index.ts
        export { default } from "./shape";
        // src/geo/a.ts
        import { made } from "./shape";
        import Fig from ".";
        const a: Fig = made;
    """,
    "passed on under a name": """
        // src/geo/index.ts
        export { default as Kind } from "./shape";
        // src/a.ts
        import { made } from "./geo/shape";
        import { Kind } from "./geo";
        const a: Kind = made;
    """,
    "brought, and passed on": """
        // src/other.ts
        import Fig from "./geo/shape";
        export default Fig;
        // src/a.ts
        import { made } from "./geo/shape";
        import Kind from "./other";
        const a: Kind = made;
    """,
    "by the name of a package": """
        // src/geo/package.json
        {"name": "@acme/figures", "types": "./shape.ts"}
        // src/a.ts
        import { made } from "./geo/shape";
        import Fig from "@acme/figures";
        const a: Fig = made;
    """,
    "by a name that a configuration gives": """
        // tsconfig.json
        {"compilerOptions": {"baseUrl": ".", "paths": {"figures": ["src/geo/shape.ts"]}}}
        // src/a.ts
        import { made } from "./geo/shape";
        import Fig from "figures";
        const a: Fig = made;
    """,
    "a function that asks for it": """
        // src/use.ts
        import { type Shape } from "./geo/shape";
        export default function use(shape: Shape) {}
        // src/a.ts
        import { made } from "./geo/shape";
        import draw from "./use";
        draw(made);
    """,
}


@pytest.mark.parametrize("name", _DEFAULTS)
def test_default_import_is_followed_under_each_name(name: str) -> None:
    assert_marked(f"""
        // src/geo/shape.ts
        export default interface Shape {{ ¿width?: number }}
        export {{ Shape }};
        export interface Made {{ «width»: number }}
        declare const made: Made;
        export {{ made }};
{_DEFAULTS[name]}
    """)
