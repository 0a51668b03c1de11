"""C#: scopes, namespaces, types and members.

Each case is a text with marked places.
"""

from __future__ import annotations

import pytest

from gitscalpel.errors import ScalpelError
from tests.names.marked_files import assert_marked, find_references_at
from tests.names.test_rename import apply_operations, format_changes

SCOPES = {
    "a local name hides a field": """
        // A.cs
        class A { int x; int F() { int «x» = 1; { G(«x»); } return «x» + this.x; } int H() => x; }
    """,
    "parameters and lambdas": """
        // A.cs
        class A { void F(int «a», int b) { H(c => c + «a»); H((b1, d) => d + «a»);
            H(delegate(int e) { return «a»; }); }
          int a; int G() => a; }
    """,
    "a parameter of a lambda": """
        // A.cs
        class A { int n; void F() { H(«n» => «n» + this.n); H((n) => n); H(n); } }
    """,
    "what is bound by patterns and out": """
        // A.cs
        class A { int q; void F(object o) { if (o is A «q» && «q».q > 0) { } G(out var w, w); H(«q»); }
          int I() => q; }
    """,
    "arms of a switch": """
        // A.cs
        class A { int F(object o) => o switch { A «t» => «t».G(), B t => t.G(), _ => 0 }; int G() => 1; }
    """,
    "loops and catch": """
        // A.cs
        class A { void F(int[] b) { foreach (var «c» in b) G(«c»); try { } catch (E c) { G(c); } } int c; }
    """,
    "local functions and their names in arguments": """
        // A.cs
        class A { void F() { int L(int «k», int m = 0) => «k»; L(«k»: 1, m: 2); } int k; }
    """,
    "queries": """
        // A.cs
        class A { object F(A[] d) { return from «t» in d where «t».G() select «t»; }
          int t; bool G() => t > 0; }
    """,
    "type parameters": """
        // A.cs
        class A<«T»> : B<«T»> where «T» : I { «T» x; T2 F<T2>(T2 y) { return y; } U G<U>(«T» t) => default; }
        class C { T F<T>(T t) => t; }
    """,
    "value in a setter": """
        // A.cs
        class A { int «value»; int P { get => «value»; set { this.«value» = value; } } }
    """,
    "what names the parts of a tuple or object": """
        // A.cs
        class A { void F(int «n») { var t = («n», 1); var o = new { «n», K = 1 }; (n2, «n») = t; } }
    """,
}

MEMBERS = {
    "fields, properties and methods": """
        // A.cs
        class A { public int «P» { get; set; } int F(A a, B b) {
            a.«P» = b.P; var c = a; c?.«P».G(); this.«P»++; odd().¿P?.G();
            return nameof(«P») + new A { «P» = 1 }.«P»; } }
        class B { public int P; }
    """,
    "overloads go together": """
        // A.cs
        class A { void «M»(int x) {} void «M»(string s) { «M»(1); } }
        class B : A { void F() { «M»("a"); base.«M»(1); } }
    """,
    "interfaces and what overrides": """
        // A.cs
        interface I { void «Go»(); }
        abstract class A : I { public virtual void «Go»() {} }
        class B : A { public override void «Go»() { base.«Go»(); } }
        class E : I { void I.«Go»() {} void Go2() {} }
        class C { public void Go() {} void F(I i, B b, C c) { i.«Go»(); b.«Go»(); c.Go(); } }
    """,
    "parts of a class": """
        // A.cs
        namespace N { partial class A { int «x»; } }
        // B.cs
        namespace N;
        partial class A { int F() => «x» + this.«x»; }
        // C.cs
        namespace M { partial class A { int F() => ¿x?; } }
    """,
    "the name of a class in parts, and its constructors": """
        // A.cs
        namespace N { partial class «A» { public «A»() {} } }
        // B.cs
        namespace N;
        partial class «A» { static «A» Make() => new «A»(); ~«A»() {} }
        // C.cs
        namespace M { class A { A a; } }
    """,
    "enums": """
        // A.cs
        enum E { «One», Two }
        class A { int One; bool F(E e) { switch (e) { case E.«One»: return true; }
          return e is E.«One» || One > 0; } }
    """,
    "records": """
        // A.cs
        record R(int «X», int Y) { int F() => «X»; }
        class A { int F(R r) => (r with { «X» = 1 }).¿X? + r.«X»; int X; }
    """,
    "methods that extend a type": """
        // A.cs
        class A { }
        static class X { public static int «Ext»(this A a) => 1; }
        class B { int F(A a, string s) => a.«Ext»() + X.«Ext»(a) + s.¿Ext?(); }
    """,
    "a base that is not known": """
        // A.cs
        class O { static int «M»() => 1; class I : Other { int F() => ¿M?(); } class J { int F() => «M»(); } }
    """,
    "called as its type": """
        // A.cs
        enum «Color» { Red }
        class A { «Color» Color; bool F() => this.Color == ¿Color?.Red; }
    """,
    "what is outside gives what nobody knows": """
        // A.cs
        using System;
        class A { public int «N»; int F(Lazy<A> l, A[] all) { foreach (var a in all) G(a.«N»);
            return l.Value.¿N? + l.N + all[0].«N» + ((A)o).«N» + (o as A).«N»; } }
    """,
    "what a tuple or an object takes its name from": """
        // A.cs
        class A { int «P»; void F(A a) { var t = (a.¿P?, 1); var o = new { a.¿P?, K = a.«P» };
          var u = (P: a.«P», 2); } }
    """,
    "patterns of properties": """
        // A.cs
        class A { int «P»;
          bool F(object o, A a) => o is A { «P»: 1 } && a is { «P»: 2 } && odd() is { ¿P?: 3 }; }
    """,
}

SPACES = {
    "brought by using, by its whole name, and by an alias": """
        // A.cs
        namespace N.M { public class «Foo» { public static int S; } }
        // B.cs
        using N.M;
        class B : «Foo» { «Foo» f = new «Foo»(); int s = «Foo».S; }
        // C.cs
        using Bar = N.M.«Foo»;
        class C { Bar b; N.M.«Foo» f; global::N.M.«Foo» g; int s = N.M.«Foo».S; }
        // D.cs
        namespace N.M.Inner { class D { «Foo» f; } }
        // E.cs
        namespace O { class Foo { Foo f; } }
        // F.cs
        class F { ¿Foo? f; }
    """,
    "global and static using": """
        // A.cs
        namespace N { public static class Foo { public static int «S»() => 1; } }
        // B.cs
        global using static N.Foo;
        // C.cs
        class C { int s = «S»(); int F() => «S»(); }
    """,
    "a name of several namespaces": """
        // A.cs
        namespace N { public class «Foo» { } }
        // B.cs
        namespace M { public class Foo { } }
        // C.cs
        using N; using M;
        class C { ¿Foo? f; }
    """,
    "an alias is of its file": """
        // A.cs
        using «X» = N.Foo;
        class A { «X» x; }
        // B.cs
        class B { ¿X? x; }
    """,
}


@pytest.mark.parametrize("text", SCOPES.values(), ids=SCOPES)
def test_scopes(text: str) -> None:
    assert_marked(text)


@pytest.mark.parametrize("text", MEMBERS.values(), ids=MEMBERS)
def test_members(text: str) -> None:
    assert_marked(text)


@pytest.mark.parametrize("text", SPACES.values(), ids=SPACES)
def test_namespaces(text: str) -> None:
    assert_marked(text)


def test_inferred_member_names_are_kept() -> None:
    before = "# A.cs\nclass A { void F(int n) { var t = (n, 1); var o = new { n }; (n, m) = t; } }\n"
    outcome = apply_operations(before, {"op": "rename", "path": "A.cs", "start": 1, "name": "n#1", "to": "k"})
    assert format_changes(outcome) == (
        "# A.cs\nclass A { void F(int k) { var t = (n: k, 1); var o = new { n = k }; (k, m) = t; } }\n"
    )


@pytest.mark.parametrize(("symbol", "to"), [("A.x", "class"), ("KeyAttribute", "LockAttribute")])
def test_invalid_rename_is_refused(symbol: str, to: str) -> None:
    before = "# A.cs\nclass A { [Key] int x; int F(int y) { return x + y; } }\nclass KeyAttribute { }\n"
    with pytest.raises(ScalpelError) as caught:
        apply_operations(before, {"op": "rename", "path": "A.cs", "symbol": symbol, "to": to})
    assert caught.value.code == "invalid_name"


def test_attribute_used_by_its_full_name_is_renamed() -> None:
    before = "# A.cs\n[KeyAttribute] class A { }\n# B.cs\nclass KeyAttribute { }\n"
    outcome = apply_operations(
        before, {"op": "rename", "path": "B.cs", "symbol": "KeyAttribute", "to": "LockAttribute"}
    )
    assert format_changes(outcome) == before.replace("Key", "Lock")


def test_partial_type_in_many_files() -> None:
    files = {f"A{at}.cs": f"partial class A {{ int F{at}() => x; }}\n" for at in range(20)}
    references = find_references_at({**files, "A.cs": "partial class A { int x; }\n"}, "A.cs", 22)
    assert (len(references.certain), references.unsure) == (21, [])
