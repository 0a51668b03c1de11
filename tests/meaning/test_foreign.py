"""Names that others give: they get an alias where the language has one, else they are refused."""

from __future__ import annotations

import pytest

from tests.meaning.test_rename import after, refused, renamed

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
def test_what_an_import_brings_from_outside_gets_an_alias(case: str) -> None:
    before, then, where = ALIASED[case]
    assert after(renamed(before, "Q", **where)) == then.replace("// ", "# ")


IMPORTED = {
    "where it is imported": ("// A.java\nimport java.util.List;\nclass A { List<String> x; }\n", 1, "List"),
    "where it is used": ("// A.java\nimport java.util.List;\nclass A { List<String> x; }\n", 2, "List"),
    "a member": ("// A.java\nimport static java.util.List.of;\nclass A { Object x = of(1); }\n", 1, "of"),
}


@pytest.mark.parametrize("case", IMPORTED)
def test_an_import_that_has_no_alias_is_refused(case: str) -> None:
    before, line, name = IMPORTED[case]
    error = refused(before, "Q", path="A.java", start=line, name=name)
    assert str(error) == f"A.java:1 imports {name} from outside of the repository"


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
def test_what_overrides_something_outside_is_refused(case: str) -> None:
    path, text, name = OVERRIDING[case]
    error = refused(f"// {path}\n{text}\n", "q", path=path, start=1, name=name)
    assert (
        str(error)
        == f"{name.partition('#')[0]} in {path}:1 overrides what no class of the repository defines"
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
def test_what_overrides_something_in_the_tree_is_renamed(case: str) -> None:
    path, text, line, name = OWN[case]
    then = after(renamed(f"// {path}\n{text}\n", "q_q", path=path, start=line, name=name))
    assert then.count("q_q") >= text.count(f"{name}(")


GIVEN = {
    "an enum of Java": ("A.java", "enum E { A } class F { E e = E.valueOf(null); }", "valueOf"),
    "an enum of Kotlin": ("A.kt", "enum class E { A }; val e = E.valueOf(x)", "valueOf"),
}


@pytest.mark.parametrize("case", GIVEN)
def test_what_the_language_gives_is_refused(case: str) -> None:
    path, text, name = GIVEN[case]
    error = refused(f"// {path}\n{text}\n", "q", path=path, start=1, name=name)
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
    "what an interface asks for": ("a.go", "package a; type I interface { Read() }", "Read"),
}


@pytest.mark.parametrize("case", OPEN)
def test_what_others_may_have_as_well_is_told(case: str) -> None:
    path, text, name = OPEN[case]
    outcome = renamed(f"// {path}\n{text}\n", "z", path=path, start=1, name=name)
    assert outcome.unchecked == [f"{path}: a base from outside of the repository may have {name} as well"]


CLOSED = {
    "a part of a type of the tree": ("a.ts", "type U = { r: 1 }; type T = { q: 1 } & U & Promise<U>;", "q"),
    "an interface of a module": ("a.ts", "export interface Window { x: 1 }", "Window"),
    "a method of a type": ("a.go", "package a; type I int; func (i I) Read() {}", "Read"),
}


@pytest.mark.parametrize("case", CLOSED)
def test_what_nobody_else_has_is_not_told(case: str) -> None:
    path, text, name = CLOSED[case]
    assert renamed(f"// {path}\n{text}\n", "z", path=path, start=1, name=name).unchecked == []
