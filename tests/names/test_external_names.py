"""Renames of names defined outside the repository: an alias if the language has one, else a refusal."""

from __future__ import annotations

import pytest

from tests.names.test_rename import apply_rename, format_changes, rename_error

ALIASED = {
    "Kotlin": (
        "// A.kt\nimport java.util.List\nclass A { val x: List<Int>? = null }\n",
        "// A.kt\nimport java.util.List as Q\nclass A { val x: Q<Int>? = null }\n",
        {"path": "A.kt", "start": 2, "name": "List"},
    ),
    "PHP": (
        "// a.php\n<?php\nuse Foo\\{Bar, Baz};\nuse function Foo\\f;\nnew Bar(f());\n",
        "# a.php\n<?php\nuse Foo\\{Bar as Q, Baz};\nuse function Foo\\f;\nnew Q(f());\n",
        {"path": "a.php", "start": 4, "name": "Bar"},
    ),
    "a function of PHP": (
        "// a.php\n<?php\nuse function Foo\\f;\nf();\n",
        "# a.php\n<?php\nuse function Foo\\f as Q;\nQ();\n",
        {"path": "a.php", "start": 2, "name": "f"},
    ),
}


@pytest.mark.parametrize("case", ALIASED)
def test_external_import_gets_an_alias(case: str) -> None:
    before, expected, where = ALIASED[case]
    assert format_changes(apply_rename(before, "Q", **where)) == expected.replace("// ", "# ")


IMPORTED = {
    "where it is imported": ("// A.java\nimport java.util.List;\nclass A { List<String> x; }\n", 1, "List"),
    "where it is used": ("// A.java\nimport java.util.List;\nclass A { List<String> x; }\n", 2, "List"),
    "a member": ("// A.java\nimport static java.util.List.of;\nclass A { Object x = of(1); }\n", 1, "of"),
}


@pytest.mark.parametrize("case", IMPORTED)
def test_external_import_without_alias_is_refused(case: str) -> None:
    before, line, name = IMPORTED[case]
    error = rename_error(before, "Q", path="A.java", start=line, name=name)
    assert str(error) == f"A.java:1 imports {name} from outside the repository"


OVERRIDING = {
    "a method of every object": (
        "A.java",
        "class A { public String toString() { return null; } }",
        "toString",
    ),
    "one that says so": ("A.java", "class A implements Runnable { @Override public void run() {} }", "run"),
    "the accessor of a component": (
        "A.java",
        "record A(int x) { @Override public int x() { return 1; } }",
        "x#2",
    ),
    "Kotlin": ("A.kt", 'class A { override fun toString() = "" }', "toString"),
    "a property of Kotlin": ("A.kt", "class A : B() { override val x = 1 }", "x"),
    "C#": ("A.cs", "class A { public override int GetHashCode() { return 1; } }", "GetHashCode"),
}


@pytest.mark.parametrize("case", OVERRIDING)
def test_override_of_an_external_method_is_refused(case: str) -> None:
    path, text, name = OVERRIDING[case]
    error = rename_error(f"// {path}\n{text}\n", "q", path=path, start=1, name=name)
    assert (
        str(error)
        == f"{name.partition('#')[0]} in {path}:1 overrides a method that no class of the repository defines"
    )


OWN = {
    "a base has it": (
        "A.java",
        "class A { void f() {} }\nclass B extends A { @Override void f() {} }",
        2,
        "f",
    ),
    "an interface": ("A.kt", "interface I { fun f() }\nclass B : I { override fun f() {} }", 2, "f"),
    "an overload": ("A.java", "class A { String toString(int of) { return null; } }", 1, "toString"),
}


@pytest.mark.parametrize("case", OWN)
def test_override_of_an_own_method_is_renamed(case: str) -> None:
    path, text, line, name = OWN[case]
    changed = format_changes(apply_rename(f"// {path}\n{text}\n", "q_q", path=path, start=line, name=name))
    assert changed.count("q_q") >= text.count(f"{name}(")


CALLED = {
    "Python": ("a.py", "class A:\n  def __init__(self): pass", 2, "__init__"),
    "a class that Python has": (
        "a.py",
        "class A(Exception): pass\nclass B(A):\n  def with_traceback(self): 0",
        3,
        "with_traceback",
    ),
    "JavaScript": ("a.js", "class A { toString() {} }", 1, "toString"),
    "a constructor": ("a.ts", "class A { constructor() {} }", 1, "constructor"),
    "a class merged with an interface": (
        "a.ts",
        "export class A { constructor() {} }\nexport interface A { z: number }",
        1,
        "constructor",
    ),
    "a class extended by another file": (
        "a.ts",
        "export class A { toString() { return 1 } }\n"
        '// b.ts\nimport { A } from "./a";\ndeclare module "./a" { interface A { more(): void } }',
        1,
        "toString",
    ),
    "PHP": ("a.php", "<?php\nclass A { function __get($x) {} }", 2, "__get"),
    "Ruby": ("a.rb", "class A\n  def initialize; end\nend", 2, "initialize"),
}


@pytest.mark.parametrize("case", CALLED)
def test_method_called_by_the_language_is_refused(case: str) -> None:
    path, text, line, name = CALLED[case]
    error = rename_error(f"// {path}\n{text}\n", "q", path=path, start=line, name=name)
    why = "keeps its name: the language knows it by this name"
    if "class that" in case:
        why = "overrides a method that no class of the repository defines"
    assert str(error) == f"{name} in {path}:{line} {why}"


OWN_NAMES = {
    "a class that Python does not have": ("a.py", "class A(Exception):\n  def with_x(self): 0", 2, "with_x"),
    "a parameter": ("a.js", "function f(toString) {}", 1, "toString"),
    "a local": ("a.go", "package a\nfunc f() { main := 1; g(main) }", 2, "main"),
}


@pytest.mark.parametrize("case", OWN_NAMES)
def test_namesake_of_a_special_method_is_renamed(case: str) -> None:
    path, text, line, name = OWN_NAMES[case]
    assert apply_rename(f"// {path}\n{text}\n", "q", path=path, start=line, name=f"{name}#1").unchecked == []


KNOWN = {
    "a module of Python": ("a.py", "def __getattr__(x): pass", 1, "__getattr__", "the language"),
    "Go's library": (
        "a.go",
        "package a\ntype T int\nfunc (t T) String() string { return x }",
        3,
        "String",
        "what runs programs",
    ),
    "a program": ("a.go", "package main\nfunc main() {}", 2, "main", "what runs programs"),
    "a test": ("a_test.go", "package a\nfunc TestX() {}", 2, "TestX", "what runs tests"),
    "C": ("a.c", "int main(void) { return 0; }", 1, "main", "what runs programs"),
    "Java": ("A.java", "class A { static void main() {} }", 1, "main", "what runs programs"),
    "a class to start": (
        "B.java",
        "class A { static void main(String[] a) {} }",
        1,
        "A",
        "what runs programs",
    ),
    "JavaScript": ("a.js", "const o = { toJSON() {} };", 1, "toJSON", "what runs programs"),
}


@pytest.mark.parametrize("case", KNOWN)
def test_name_known_to_others_is_reported(case: str) -> None:
    path, text, line, name, reason = KNOWN[case]
    outcome = apply_rename(f"// {path}\n{text}\n", "q", path=path, start=line, name=name)
    assert outcome.unchecked == [f"{path}:{line}: {name} is renamed, though {reason} knows it by this name"]


_DERIVED = """
// a.rs
#[derive(Debug, Clone, serde::Serialize)]
struct A { x: i32, #[serde(rename = "z")] y: i32 }
/// Kinds.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum B { One { depth: u8 }, Two }
#[derive(Debug, Clone)]
struct C { x: i32 }
"""


@pytest.mark.parametrize(
    ("line", "name", "derived"),
    [(2, "x", "Serialize"), (6, "depth", "Deserialize"), (6, "Two", "Deserialize")],
)
def test_name_used_by_derived_code_is_reported(line: int, name: str, derived: str) -> None:
    outcome = apply_rename(_DERIVED, "q", path="a.rs", start=line, name=name)
    assert outcome.unchecked == [
        f"a.rs:{line}: {name} is renamed, though derive({derived}) knows it by this name"
    ]


@pytest.mark.parametrize(("line", "name"), [(2, "y"), (2, "A"), (8, "x"), (6, "B")])
def test_name_unused_by_derived_code_is_not_reported(line: int, name: str) -> None:
    assert apply_rename(_DERIVED, "q", path="a.rs", start=line, name=name).unchecked == []


_PRINTED = """
// src/main.rs
mod b;
#[derive(Debug)]
struct Point { x: i32 }
#[derive(Debug)]
struct Line { ends: [Point; 2], name: Name }
#[derive(Debug)]
enum Kind { Low { depth: u8 }, High }
#[derive(Debug)]
struct Quiet { y: i32 }
struct Plain { z: i32 }
struct Name(String);
impl std::fmt::Debug for Name { fn fmt(&self, f: &mut Formatter) -> Result { write!(f, "{:?}", self.0) } }
fn line() -> Line { Line { ends: both(), name: Name(s()) } }
fn kind() -> Option<Kind> { None }
fn main() {
    let long = line();
    let _ = Plain { z: 1 }.z;
    println!("{} {long:#?} {{:?}}", 1);
}
// src/b.rs
fn shown(kind: &Result<super::Kind, ()>, quiet: &super::Quiet) { info!("{1:?}", quiet.y, kind, x = quiet.y); }
"""


@pytest.mark.parametrize(
    ("line", "name", "may", "where"),
    [
        (3, "Point", "prints", "src/main.rs:18"),
        (3, "x", "prints", "src/main.rs:18"),
        (5, "ends", "prints", "src/main.rs:18"),
        (7, "depth", "may print", "src/b.rs:1"),
        (7, "High", "may print", "src/b.rs:1"),
    ],
)
def test_name_printed_by_derived_code_is_reported(line: int, name: str, may: str, where: str) -> None:
    outcome = apply_rename(_PRINTED, "q", path="src/main.rs", start=line, name=name)
    assert outcome.unchecked == [
        f"src/main.rs:{line}: {name} is renamed, though derive(Debug) {may} it under {{:?}} in {where}"
    ]


@pytest.mark.parametrize(("line", "name"), [(7, "Kind"), (9, "Quiet"), (9, "y"), (10, "z"), (11, "Name")])
def test_name_not_printed_by_derived_code_is_not_reported(line: int, name: str) -> None:
    assert apply_rename(_PRINTED, "q", path="src/main.rs", start=line, name=name).unchecked == []


_ENUM = """
// a.ts
export enum Color { Red, Green = "green" }
export enum Size { Small }
enum Quiet { On }
const enum Fast { On }
Size["Small"]; Quiet.On; Fast.On; [Quiet.On][0];
// b.ts
import { Color as C, Size } from "./a";
const named = (at: C) => C[at];
for (const key in Size) log(key);
"""


@pytest.mark.parametrize(
    ("line", "name", "where"), [(1, "Red", "b.ts:2"), (1, "Green", "b.ts:2"), (2, "Small", "b.ts:3")]
)
def test_enum_member_read_as_text_is_reported(line: int, name: str, where: str) -> None:
    outcome = apply_rename(_ENUM, "Q", path="a.ts", start=line, name=name)
    assert f"a.ts:{line}: {name} is renamed, though {where} reads its name as text" in outcome.unchecked


@pytest.mark.parametrize(("line", "name"), [(3, "On"), (4, "On"), (1, "Color")])
def test_enum_member_not_read_as_text_is_not_reported(line: int, name: str) -> None:
    assert apply_rename(_ENUM, "Q", path="a.ts", start=line, name=name).unchecked == []


_VISIT = """
# a.py
class A:
    def visit_B(self): pass
    def visit(self): pass
    def as_row(self): visit_B = 1
# b.py
def f(a, b):
    kind = "visit_" + type(b).__name__
    return getattr(a, kind)()
# c.py
def g(a, b): return getattr(a, f"as_{b}"), getattr(a, "%s_row" % b)
# d.py
def h(a): return "visit_" + a, f"as_{a}"
"""
_HANDLERS = """
// a.js
class A { onOpen() {} onClose() {} keyHandler() {} }
const o = { onOpen() {}, open: 1 };
function f(a, b) { let onClose; a["on" + b](); a[b + 'Handler'](), "off" + b; }
"""
_KEPT = """
// a.tsx
namespace JSX { export interface IntrinsicElements { x: {} } }
interface P { children?: unknown; child: 1 }
const e = <X child={1}>text</X>;
namespace Other { export interface IntrinsicElements { x: {} } }
"""
_BY_OTHERS = {
    "a method that is looked up": (_VISIT, "a.py", 2, "visit_B", "b.py:2 puts names together with 'visit_'"),
    "one of a shorter name": (_VISIT, "a.py", 3, "visit", ""),
    "what a string begins with": (_VISIT, "a.py", 4, "as_row", "c.py:1 puts names together with 'as_'"),
    "a local": (_VISIT, "a.py", 4, "visit_B", ""),
    "a member in brackets": (_HANDLERS, "a.js", 1, "onOpen", "a.js:3 puts names together with 'on'"),
    "a key": (_HANDLERS, "a.js", 2, "onOpen", "a.js:3 puts names together with 'on'"),
    "what ends so": (_HANDLERS, "a.js", 1, "keyHandler", "a.js:3 puts names together with 'Handler'"),
    "a variable": (_HANDLERS, "a.js", 3, "onClose", ""),
    "what stands in elements": (_KEPT, "a.tsx", 2, "children", "elements pass their content"),
    "what is given to elements": (_KEPT, "a.tsx", 2, "child", ""),
    "the elements of a page": (_KEPT, "a.tsx", 1, "IntrinsicElements", "compilers know it by this name"),
    "what is only called like those": (_KEPT, "a.tsx", 4, "IntrinsicElements", ""),
}


@pytest.mark.parametrize("case", _BY_OTHERS)
def test_name_looked_up_by_text_is_reported(case: str) -> None:
    text, path, line, name, why = _BY_OTHERS[case]
    outcome = apply_rename(text, "q", path=path, start=line, name=name)
    notes = [each for each in outcome.unchecked if " is renamed, though " in each]
    assert [each.partition(why)[:2] for each in notes] == (
        [(f"{path}:{line}: {name} is renamed, though ", why)] if why else []
    )


IMPLICIT = {
    "an enum of Java": ("A.java", "enum E { A } class F { E e = E.valueOf(null); }", "valueOf"),
    "an enum of Kotlin": ("A.kt", "enum class E { A }; val e = E.valueOf(x)", "valueOf"),
}


@pytest.mark.parametrize("case", IMPLICIT)
def test_implicit_method_is_refused(case: str) -> None:
    path, text, name = IMPLICIT[case]
    error = rename_error(f"// {path}\n{text}\n", "q", path=path, start=1, name=name)
    assert error.code == "symbol_not_found"


OPEN = {
    "a part of a type beside one from outside": ("a.ts", "type T = { q: 1 } & Request;", "q"),
    "an interface that is added to": (
        "a.ts",
        "export {}; declare global { interface Window { x: 1 } }",
        "Window",
    ),
    "an interface of all files": ("a.d.ts", "interface ImportMeta { x: 1 }", "ImportMeta"),
    "an interface of a package": ("a.ts", 'declare module "m" { interface P { x: 1 } }', "P"),
    "what an interface asks for": ("a.go", "package a; type I interface { Reads() }", "Reads"),
}


@pytest.mark.parametrize("case", OPEN)
def test_member_that_an_external_base_may_have_is_reported(case: str) -> None:
    path, text, name = OPEN[case]
    outcome = apply_rename(f"// {path}\n{text}\n", "z", path=path, start=1, name=name)
    assert outcome.unchecked == [f"{path}: a base from outside the repository may have {name} as well"]


CLOSED = {
    "a part of a type of the tree": ("a.ts", "type U = { r: 1 }; type T = { q: 1 } & U & Promise<U>;", "q"),
    "an interface of a module": ("a.ts", "export interface Window { x: 1 }", "Window"),
    "a method of a type": ("a.go", "package a; type I int; func (i I) Reads() {}", "Reads"),
}


@pytest.mark.parametrize("case", CLOSED)
def test_member_without_external_base_is_not_reported(case: str) -> None:
    path, text, name = CLOSED[case]
    assert apply_rename(f"// {path}\n{text}\n", "z", path=path, start=1, name=name).unchecked == []
