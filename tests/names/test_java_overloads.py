"""Java: overloads are distinguished by their parameters.

Each case is a text with marked places.
"""

from __future__ import annotations

from textwrap import dedent

import pytest

from gitscalpel.errors import ScalpelError
from tests.names.marked_files import assert_marked, find_references_at, split_files
from tests.names.test_rename import apply_operations

CALLS = {
    "by the number of arguments": """
        // A.java
        class A { void «f»() {} void f(int a) {} void g() { «f»(); f(1); this.«f»(); this.f(2); } }
    """,
    "a literal of its type": """
        // A.java
        class A { void «f»(String s) {} void f(int a) {} void f(char c) {} void f(long l) {}
          void g() { «f»("x"); f(1); f('c'); f(1L); «f»("a" + 1); f(1 + 2L); } }
    """,
    "a variable of its type": """
        // A.java
        class A { String s; int[] all; void «f»(String s) {} void f(int a) {} void f(Object o) {}
          void g(int n, Object o) { «f»(s); f(n); f(o); f(all[0]); «f»(this.s);
            var v = "x"; «f»(v); f(all); } }
    """,
    "a wider number where none is exact": """
        // A.java
        class A { void «f»(long a) {} void f(double a) {} void f(Integer a) {}
          void g(int n, float x, Integer i) { «f»(n); f(x); f(i); «f»(1); «f»('c'); } }
    """,
    "boxing comes after all else": """
        // A.java
        class A { void «f»(Object o) {} void f(Integer... many) {} void g(int n) { «f»(n); f(n, n); f(); } }
    """,
    "the nearer class": """
        // A.java
        class B {} class C extends B {} class D {}
        class A { void «f»(B b) {} void f(C c) {} void f(D d) {} void f(Object o) {}
          void g(B b, C c, D d) { «f»(b); f(c); f(d); f("x"); «f»(new B());
            f(new C()); «f»((B) c); f(this); } }
    """,
    "null and lambdas fit no number": """
        // A.java
        class A { void «f»(Runnable r) {} void f(int n) {} void g() { «f»(null); «f»(() -> {}); f(3); } }
    """,
    "the result of a method": """
        // A.java
        class A { void «f»(String s) {} void f(A a) {} A a() { return this; } String s() { return ""; }
          void s(int n) {}
          void g() { «f»(s()); f(a()); f(a().a()); «f»(a().toString()); } }
    """,
    "a type of which nothing is known": """
        // A.java
        class A { void «f»(String s) {} void f(int n) {} void g() { ¿f?(B.some()); h(A::¿f?); } }
    """,
    "the same type in one place does not matter": """
        // A.java
        import java.lang.reflect.Type;
        class A { <T> T «f»(String s, Class<T> c) { return null; } <T> T f(A a, Class<T> c) { return null; }
          void g(Class<?> c) { «f»("x", B.some()); f(this, c); «f»("x", A.class); } }
    """,
    "a type by its whole name": """
        // A.java
        class A { void «f»(java.sql.Date d) {} void f(String s) {} void f(java.util.List<A> all) {}
          void g(java.sql.Date d, java.util.List<A> l) { «f»(d); f(l); f("x"); «f»((java.sql.Date) x()); } }
    """,
    "a type parameter takes no number without boxing": """
        // A.java
        class B<T> { void f(T a) {} }
        class A extends B<Integer> { void «f»(long a) {} void f(double a) {} void f(String... all) {}
          void g(int n, float x) { «f»(n); f(x); «f»(1); f("x", "y"); } }
    """,
    "variable arguments come last, also where none is given": """
        // A.java
        class A { void «f»(int a) {} void f(char c, Object... rest) {} void f(String s) {}
          void g(char c) { «f»(c); f('c', 1); f("x"); } }
    """,
    "types that are imported from outside": """
        // A.java
        import java.io.Reader;
        import java.lang.reflect.Type;
        class A { void «f»(Reader r, Type t) {} void f(String s, Type t) {} void f(A a, Class<?> c) {}
          void f(Reader r, Class<?> c) {} void f(A a, Type t) {} void f(A a, A b) {}
          void g(Reader r, Type t) {
            «f»(r, t); f("x", t); f(this, A.class); f(r, A.class); f(this, t); f(this, this); ¿f?(x(), t); } }
    """,
    "classes of the tree, and of the Java library": """
        // A.java
        import java.io.Reader;
        import java.io.Closeable;
        import java.io.StringReader;
        class B implements Closeable {} enum E { ONE; } class F extends Foreign {}
        class A { void «f»(Reader r, Object o) {} void f(B b, Object o) {} void f(E e, Object o) {}
          void g(StringReader s, F x) { «f»(s, 1); f(new B(), 1); f(E.ONE, 1);
            «f»(x, 1); «f»(new StringReader(""), 2); } }
    """,
    "arrays and variable arguments": """
        // A.java
        class A { void «f»(String... s) {} void f(String s) {} void f(int[] a) {}
          void g(String[] all) { «f»(); f("x"); «f»("x", "y"); «f»(all); f(new int[] {1}); } }
    """,
}

CLASSES = {
    "what overrides it goes along, and another overload does not": """
        // A.java
        interface I { void «f»(int a); void f(String s); }
        class A implements I { public void «f»(int a) {} public void f(String s) {} }
        class B extends A { @Override public void «f»(int b) { super.«f»(b); } void f() {} }
        class D { void g(I i, B b) { i.«f»(1); b.«f»(2); b.f(); b.f("x"); i.f("y"); } }
    """,
    "an overload that a subclass adds": """
        // A.java
        class A { void «f»(int a) {} }
        class B extends A { void f(String s) { «f»(1); f("x"); } void g() { this.«f»(2); f("y"); } }
    """,
    "a type parameter may be any type": """
        // A.java
        interface I<T> { void «f»(T a); void f(T a, int b); }
        class A implements I<String> { public void «f»(String a) {} public void f(String a, int b) {} }
    """,
    "an overload in a class around": """
        // A.java
        class A { void «f»(int a) {} void f(String s) {} class B { void g() { «f»(1); f("x"); } } }
    """,
    "a component of a record and a method of its name": """
        // A.java
        record R(int «n») { int n(int by) { return «n» + «n»() + n(2) + this.«n»; } }
        class A { int f(R r) { return r.«n»() + r.n(1); } }
    """,
    "a static import of one that others have as well": """
        // a/Foo.java
        package a;
        public class Foo { public static int «f»(int a) { return 1; } static int f(String s) { return 2; } }
        // b/One.java
        import static a.Foo.«f»;
        class One { int x = «f»(1); }
        // b/Other.java
        import static a.Foo.f;
        class Other { int x = f("x"); }
    """,
}


@pytest.mark.parametrize("text", CALLS.values(), ids=CALLS)
def test_calls(text: str) -> None:
    assert_marked(text, narrow=True)


@pytest.mark.parametrize("text", CLASSES.values(), ids=CLASSES)
def test_classes(text: str) -> None:
    assert_marked(text, narrow=True)


def rename_in_files(before: str, symbol: str, to: str) -> tuple[dict[str, str], list[str]]:
    """Return the files after a rename, and the notes on remaining places."""
    path = next(iter(split_files(before)))
    outcome = apply_operations(before, {"op": "rename", "path": path, "symbol": symbol, "to": to})
    files = {each: (outcome.overlay.content(each) or b"").decode() for each in split_files(before)}
    return files, list(outcome.unchecked)


def test_single_overload_is_renamed() -> None:
    before = "# A.java\nclass A { void f(int a) {} void f(String a) { f(1); f(a); } }\n"
    files, notes = rename_in_files(before, "A.f#1", "g")
    assert files["A.java"] == "class A { void g(int a) {} void f(String a) { g(1); f(a); } }\n"
    assert notes == []


def test_ambiguous_call_is_not_renamed_but_listed() -> None:
    before = "# A.java\nclass A { void f(int a) {} void f(String a) {}\n void h() { f(B.any()); } }\n"
    files, notes = rename_in_files(before, "A.f#1", "g")
    assert "f(B.any())" in files["A.java"]
    assert notes == ["A.java:2: f is left: it may be another overload"]


def test_static_import_of_the_new_name_is_added() -> None:
    before = dedent("""
        # a/Foo.java
        package a;
        public class Foo { public static void f(int a) {} public static void f(String s) {} }
        # b/Use.java
        package b;
        import static a.Foo.f; // both
        class Use { void h() { f(1); f("x"); } }
    """)
    files, notes = rename_in_files(before, "Foo.f#1", "g")
    assert files["b/Use.java"] == (
        "package b;\nimport static a.Foo.f;\nimport static a.Foo.g; // both\n"
        'class Use { void h() { g(1); f("x"); } }\n'
    )
    assert notes == []


def test_name_of_other_overloads_is_accepted() -> None:
    before = "# A.java\nclass A { void f(int a) {} void g() {} void h() { f(1); g(); } }\n"
    files, _ = rename_in_files(before, "A.f", "g")
    assert files["A.java"] == "class A { void g(int a) {} void g() {} void h() { g(1); g(); } }\n"


@pytest.mark.parametrize(
    "member",
    [
        "void g(int b) {}",
        "void g(long b) {} void k() { g(B.any()); }",
        "int g; int k() { return g(1); } int g(int a) { return a; }",
    ],
)
def test_name_of_an_overload_with_equal_parameters_is_refused(member: str) -> None:
    before = f"# A.java\nclass A {{ void f(int a) {{}} {member} }}\n"
    with pytest.raises(ScalpelError) as caught:
        rename_in_files(before, "A.f", "g")
    assert caught.value.code == "duplicate_symbol"


def test_only_the_overload_overriding_an_external_method_is_refused() -> None:
    before = "# A.java\nclass A extends java.io.Writer { @Override public void f(int a) {} void f() {} }\n"
    files, _ = rename_in_files(before, "A.f#2", "g")
    assert "void g() {}" in files["A.java"]
    assert "f(int a)" in files["A.java"]
    with pytest.raises(ScalpelError) as caught:
        rename_in_files(before, "A.f#1", "g")
    assert caught.value.code == "symbol_not_found"


def test_call_addresses_its_overload() -> None:
    files = {"A.java": 'class A { void f(int a) {} void f(String s) {} void g() { f(1); f("x"); } }\n'}
    places = find_references_at(files, "A.java", files["A.java"].index("f(1)"), narrow=True)
    assert [each.mention.start for each in places.certain] == [
        files["A.java"].index(e) for e in ("f(int", "f(1)")
    ]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("A.kt", "class A {\n fun f(a: Int) {}\n fun f(s: String) {}\n fun h() { f(1) } }\n"),
        ("A.cs", "class A {\n void f(int a) {}\n void f(string s) {}\n void h() { f(1); } }\n"),
    ],
)
def test_languages_that_rename_overloads_together_report_it(path: str, text: str) -> None:
    files, notes = rename_in_files(f"# {path}\n{text}", "A.f#1", "g")
    assert files[path] == text.replace(" f(", " g(")
    assert notes == [f"{path}:3: f is renamed as well: it is another overload that calls may mean"]
    assert rename_in_files(f"# {path}\n{text}", "A.f", "g")[1] == []


def test_overload_is_renamed_and_replaced() -> None:
    before = "# A.java\nclass A {\n void f(int a) {}\n void f(String a) { f(1); f(a); } }\n"
    op = {"op": "replace", "path": "A.java", "symbol": "A.f#1", "code": "void g(int b) {}", "rename": True}
    outcome = apply_operations(before, op)
    assert outcome.overlay.content("A.java") == (
        b"class A {\n void g(int b) {}\n void f(String a) { g(1); f(a); } }\n"
    )


def test_safe_delete_of_a_single_overload() -> None:
    before = "# A.java\nclass A {\n void f(int a) {}\n void f(String a) { f(a); } }\n"
    outcome = apply_operations(before, {"op": "delete", "path": "A.java", "symbol": "A.f#1", "safe": True})
    assert b"int a" not in (outcome.overlay.content("A.java") or b"")
    with pytest.raises(ScalpelError) as caught:
        apply_operations(
            before + "# B.java\nclass B extends A { void g() { f(1); } }\n",
            {"op": "delete", "path": "A.java", "symbol": "A.f#1", "safe": True},
        )
    assert caught.value.code == "referenced"
    assert [each["path"] for each in caught.value.data["references"]] == ["B.java"]
