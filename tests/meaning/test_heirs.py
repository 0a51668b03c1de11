"""Members that are called alike because a class inherits both, in each language that has such classes."""

from __future__ import annotations

import pytest

from tests.meaning.marked import assert_marked

JOINED = {
    "Java": """
        // A.java
        interface I { void «m»(); }
        class B { public void «m»() {} }
        class C extends B implements I {}
        class D { public void m() {} }
        class E extends D {}
        // F.java
        class F { void f(I i, B b, C c, D d, E e) { i.«m»(); b.«m»(); c.«m»(); d.m(); e.m(); } }
    """,
    "Java, over several classes": """
        // A.java
        interface I { void «m»(); }
        interface J extends I {}
        class B { public void «m»() {} }
        class C extends B {}
        class D extends C implements Comparable<D>, J {}
    """,
    "C#": """
        // A.cs
        interface I { void «M»(); }
        class B { public void «M»() {} }
        class C : B, I { }
        class D { public void M() {} }
        class F { void F(I i, B b, C c, D d) { i.«M»(); b.«M»(); c.«M»(); d.M(); } }
    """,
    "Kotlin": """
        // A.kt
        interface I { fun «m»() }
        open class B { open fun «m»() {} }
        class C : B(), I
        open class D { fun m() {} }
        fun f(i: I, b: B, c: C, d: D) { i.«m»(); b.«m»(); c.«m»(); d.m() }
    """,
    "PHP": """
        // a.php
        <?php
        interface I { function «m»(); }
        class B { function «m»() {} }
        class C extends B implements I {}
        class D { function m() {} }
        function f(I $i, B $b, C $c, D $d) { $i->«m»(); $b->«m»(); $c->«m»(); $d->m(); }
    """,
    "a trait of PHP": """
        // a.php
        <?php
        interface I { function «m»(); }
        trait T { function «m»() {} }
        class C implements I { use T; }
    """,
    "TypeScript": """
        // a.ts
        export interface I { «m»(): void }
        export class B { «m»() {} }
        class C extends B implements I {}
        class D { m() {} }
        function f(i: I, b: B, c: C, d: D) { i.«m»(); b.«m»(); c.«m»(); d.m(); }
    """,
    "Python": """
        # a.py
        class I:
            def «m»(self): ...
        class B:
            def «m»(self): ...
        # b.py
        from a import B, I
        class C(B, I): pass
        class D:
            def m(self): ...
        def f(i: I, b: B, c: C, d: D): i.«m»(); b.«m»(); c.«m»(); d.m()
    """,
    "Ruby": """
        # a.rb
        module I
          def «m»; end
        end
        class B
          def «m»; end
        end
        class C < B
          include I
        end
        C.new.«m»
        class D
          def m; end
        end
        D.new.m
    """,
    "two fields are not one for that": """
        // A.java
        interface I { int «M» = 1; }
        class B { int M = 2; }
        class C extends B implements I {}
    """,
    "C++": """
        // a.cpp
        struct I { virtual void «m»() = 0; };
        struct B { virtual void m() {} };
        struct C : B, I {};
    """,
}


@pytest.mark.parametrize("case", JOINED)
def test_what_a_class_inherits_is_what_its_other_base_asks_for(case: str) -> None:
    assert_marked(JOINED[case])


def test_refs_tells_them_apart() -> None:
    text = """
        // A.java
        interface I { void ¿m?(); }
        class B { public void «m»() {} }
        class C extends B implements I {}
        class F { void f(I i, C c) { i.¿m?(); c.«m»(); } }
    """
    assert_marked(text, in_line=True)
