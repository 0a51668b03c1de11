"""Java: scopes, packages, classes and members.

Each case is a text with marked places.
"""

from __future__ import annotations

import pytest

from gitscalpel.errors import ScalpelError
from tests.names.marked_files import assert_marked
from tests.names.test_rename import apply_operations

SCOPES = {
    "a local name holds from its place on, and hides a field": """
        // A.java
        class A { int x; int f() { g(x); int «x» = 1; { g(«x»); } return «x» + this.x; } }
    """,
    "parameters, lambdas and loops": """
        // A.java
        class A { void f(int «a», int[] b) { for (int c : b) g(c, «a»); h(c -> c + «a»); h((a1, d) -> d); } }
    """,
    "try and catch": """
        // A.java
        class A { void f(int e) { try (R r = o(e)) { r.x(); } catch (E «e») { g(«e»); } g(e); } }
    """,
    "labels": """
        // A.java
        class A { void f(int l) { «l»: for (;;) { for (;;) { break «l»; } } } }
    """,
    "patterns": """
        // A.java
        class A { boolean f(Object o) { return o instanceof A «a» && «a».f(«a»); } }
    """,
    "type parameters": """
        // A.java
        class A<«T» extends I> { «T» x; <T> T f(T y) { return y; } «T» g() { return x; } }
    """,
    "a field and a method of one name": """
        // A.java
        class A { int «size»; int size() { return «size» + this.«size» + size() + this.size(); } }
    """,
    "the method of them": """
        // A.java
        class A { int size; int «size»() { return size + this.size + «size»() + this.«size»(); } }
    """,
    "a constructor is called as its class": """
        // A.java
        class «A» { «A»() {} static «A» make() { return new «A»(); } int A; }
    """,
    "classes in classes": """
        // A.java
        class A { class «B» { int x; } «B» b; void f() { b.x = new A.«B»().x; } }
        class C { class B {} B b; }
    """,
    "annotations and their elements": """
        // A.java
        @interface N { int «k»() default 1; int v(); }
        @N(«k» = 1, v = 2) class A { int k; }
    """,
}

PACKAGES = {
    "imported, of the same package, and by its whole name": """
        // a/Foo.java
        package a;
        public class «Foo» { public static int N; }
        // a/Bar.java
        package a;
        class Bar extends «Foo» {}
        // b/Use.java
        package b;
        import a.«Foo»;
        class Use { «Foo» f = new «Foo»(); a.«Foo» g; int n = a.«Foo».N; }
        // b/All.java
        package b;
        import a.*;
        class All { «Foo» f; }
        // c/Foo.java
        package c;
        class Foo { Foo f; }
    """,
    "static imports": """
        // a/Foo.java
        package a;
        public class Foo { public static int «f»() { return 1; } }
        // b/One.java
        import static a.Foo.«f»;
        class One { int x = «f»(); }
        // b/All.java
        import static a.Foo.*;
        class All { int x = «f»(); int f; }
    """,
    "members over files": """
        // a/Foo.java
        package a;
        public class Foo { public int «run»(int x) { return «run»(x - 1); } }
        // b/Use.java
        package b;
        import a.Foo;
        class Use {
            Foo f;
            void g(Foo o) {
                f.«run»(1); o.«run»(2); new Foo().«run»(3); var v = o; v.«run»(4); odd().¿run?(5);
            }
        }
    """,
}

TYPES = {
    "what overrides goes along": """
        // A.java
        interface I { void «go»(); }
        abstract class A implements I { public void «go»() {} }
        class B extends A { @Override public void «go»() { super.«go»(); this.«go»(); } }
        class C { void go() {} }
        class D { void f(I i, B b, C c) { i.«go»(); b.«go»(); c.go(); I x = B::new; g(b::«go»); } }
    """,
    "inherited names": """
        // A.java
        class A { int «x»; }
        class B extends A { int f() { return «x» + this.«x» + super.«x»; } }
        class C extends A { int x; int f() { return x + super.«x»; } }
    """,
    "constants of an enum": """
        // A.java
        enum E { «ONE», TWO { int z; }; E next() { return «ONE»; } }
        class A { int f(E e, int ONE) {
            switch (e) { case «ONE»: return 1; } return E.«ONE» == e ? ONE : 2; } }
    """,
    "records": """
        // A.java
        record R(int «x») { int f() { return «x»; } }
        class A { int f(R r) { return r.«x»(); } }
    """,
    "a record's component fulfils what an interface asks for": """
        // A.java
        interface I { int «v»(); }
        class C implements I { public int «v»() { return 1; } }
        record R(int x, int «v») implements I { int f(int v) { return v + «v»() + this.«v» + x + v; } }
        record S(int v) { }
        class A { int f(R r, I i, S s) { return r.«v»() + i.«v»() + s.v() + new R(1, 2).«v»(); } }
    """,
    "a record's component, and a method that reads it": """
        // A.java
        record R(int «x») { public int «x»() { return «x» * 2; } R { if («x» < 0) throw null; } }
        class A { int f(R r) { return r.«x»(); } }
    """,
    "a record reads its own component by a method": """
        // A.java
        record R(int «x») { int f() { return «x» + «x»() + g(«x»()); } int g(int x) { return x; } }
    """,
    "a class in an object": """
        // A.java
        class A { class «B» { int n; } class C<T> { } class D extends A { } }
        class F {
          int f(A a) { A.«B» b = a.new «B»(); return a.new «B»() { int m() { return n; } }.n; } class B { } }
    """,
    "a member of a class in an object": """
        // A.java
        class A { class B<T> { int «n»; } }
        class F { int n;
          int f(A a) { return a.new B<String>().«n» + g(a).new B<>().«n»; } A g(A a) { return a; } }
    """,
    "elements and results": """
        // A.java
        class A { int «n»; A[] all; A next() { return this; } static <T> T id(T t) { return t; }
          int f(A a) { for (A b : all) g(b.«n»);
            return a.next().«n» + all[0].«n» + ((A) o()).«n» + id(a).¿n?; } }
    """,
    "anonymous classes": """
        // A.java
        class A { int «x»; Object f() { return new A() { int g() { return «x»; } }; } }
    """,
}


LINES = {
    "what overrides, and what is overridden": """
        // A.java
        class B extends A {
            void «m»() { super.¿m?(); }
            void n(A a, B b, C c, D d) { a.¿m?(); b.«m»(); c.«m»(); d.¿m?(); }
        }
        class C extends B { void «m»() {} }
        class D extends A { void ¿m?() {} }
        class A { void ¿m?() {} void o() { ¿m?(); } }
    """,
    "of a base, all that override it": """
        // A.java
        class A { void «m»() {} void o() { «m»(); } }
        class B extends A { void «m»() {} }
        class C extends A { void «m»() {} void n(B b) { b.«m»(); } }
    """,
}


@pytest.mark.parametrize("text", LINES.values(), ids=LINES)
def test_refs_of_a_marked_place(text: str) -> None:
    assert_marked(text, in_line=True)


@pytest.mark.parametrize("text", SCOPES.values(), ids=SCOPES)
def test_scopes(text: str) -> None:
    assert_marked(text)


@pytest.mark.parametrize("text", PACKAGES.values(), ids=PACKAGES)
def test_packages(text: str) -> None:
    assert_marked(text)


@pytest.mark.parametrize("text", TYPES.values(), ids=TYPES)
def test_types(text: str) -> None:
    assert_marked(text)


def test_file_is_renamed_with_its_class() -> None:
    before = """
        # a/Foo.java
        package a;
        public class Foo { Foo() {} class Inner {} }
        class Beside { Foo foo; }
        # META-INF/services/a.Foo
        a.Beside
    """
    outcome = apply_operations(before, {"op": "rename", "path": "a/Foo.java", "symbol": "Foo", "to": "Bar"})
    assert outcome.overlay.content("a/Foo.java") is None
    assert outcome.overlay.content("a/Bar.java") == (
        b"package a;\npublic class Bar { Bar() {} class Inner {} }\nclass Beside { Bar foo; }\n"
    )
    assert outcome.unchecked == ["META-INF/services/a.Foo is named after Foo, and stays"]
    beside = apply_operations(
        before, {"op": "rename", "path": "a/Foo.java", "symbol": "Beside", "to": "Other"}
    )
    assert beside.overlay.content("a/Foo.java") is not None


def test_rename_is_refused_if_the_file_exists() -> None:
    before = "# Foo.java\nclass Foo {}\n# Bar.java\nclass Other {}\n"
    with pytest.raises(ScalpelError) as caught:
        apply_operations(before, {"op": "rename", "path": "Foo.java", "symbol": "Foo", "to": "Bar"})
    assert (caught.value.code, caught.value.data["path"]) == ("exists", "Bar.java")


def test_class_is_renamed_and_replaced_with_its_file() -> None:
    before = "# Foo.java\nclass Foo {}\n# B.java\nclass B { Foo foo; }\n"
    op = {
        "op": "replace",
        "path": "Foo.java",
        "symbol": "Foo",
        "code": "class Bar { int x; }",
        "rename": True,
    }
    outcome = apply_operations(before, op)
    assert outcome.overlay.content("Bar.java") == b"class Bar { int x; }\n"
    assert outcome.overlay.content("B.java") == b"class B { Bar foo; }\n"
    assert outcome.overlay.content("Foo.java") is None


@pytest.mark.parametrize(("to", "code"), [("y", "duplicate_symbol"), ("class", "invalid_name")])
def test_invalid_rename_is_refused(to: str, code: str) -> None:
    before = "# A.java\nclass A { int x; int f(int y) { return x + y; } }\n"
    with pytest.raises(ScalpelError) as caught:
        apply_operations(before, {"op": "rename", "path": "A.java", "symbol": "A.x", "to": to})
    assert caught.value.code == code


def test_ambiguous_call_renames_all_overloads_with_a_note() -> None:
    before = "# A.java\nclass A { void f(int a) {} void f(String a) {}\n void h() { f(B.any()); } }\n"
    with pytest.raises(ScalpelError) as caught:
        apply_operations(before, {"op": "rename", "path": "A.java", "symbol": "A.f", "to": "g"})
    assert caught.value.code == "symbol_ambiguous"
    outcome = apply_operations(before, {"op": "rename", "path": "A.java", "start": 2, "name": "f", "to": "g"})
    assert outcome.overlay.content("A.java") == (
        b"class A { void g(int a) {} void g(String a) {}\n void h() { g(B.any()); } }\n"
    )
    (first, second) = outcome.unchecked
    assert first.startswith("A.java:1: f is renamed as well: it is another overload")
    assert second == first
