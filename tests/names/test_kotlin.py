"""Kotlin: scopes, packages, classes and members.

Each case is a text with marked places.
"""

from __future__ import annotations

import pytest

from gitscalpel.errors import ScalpelError
from tests.names.marked_files import assert_marked
from tests.names.test_rename import apply_operations

SCOPES = {
    "a local name holds from its place on, and hides a property": """
        // A.kt
        class A { val x = 1; fun f(): Int { g(x); val «x» = x; run { g(«x») }; return «x» + this.x } }
    """,
    "the property of it": """
        // A.kt
        class A { val «x» = 1; fun f(): Int { g(«x»); val x = «x»; return x + this.«x» } }
    """,
    "parameters and lambdas": """
        // A.kt
        class A { fun f(«a»: Int) { g { c -> c + «a» }; list.map { a -> a + 1 }; h("$«a» ${«a»}") }
            fun i(a: Int) = a }
    """,
    "a parameter of a lambda": """
        // A.kt
        fun f(n: Int) { list.map { «n» -> «n» + 1 }; g(n) }
    """,
    "loops, catch and what is taken apart": """
        // A.kt
        fun f(b: List<Int>) { for (c in b) g(c); val («c», d) = b; try { g(«c», d) } catch (e: E) { e.g() } }
    """,
    "named arguments": """
        // A.kt
        fun f(«k»: Int, m: Int = «k») = «k» + m
        fun g() { f(«k» = 1, m = 2); f(m = 1, «k» = 3); odd(¿k? = 1) }
        val k = 1
    """,
    "type parameters": """
        // A.kt
        class A<«T» : I>(val t: «T») { fun f(): «T» = t; fun <T> g(x: T): T = x }
        class T
    """,
    "local functions": """
        // A.kt
        fun f(): Int { fun «l»(x: Int) = x; return «l»(1) }
        fun l() = 1
    """,
}

MEMBERS = {
    "properties, by what is known of their object": """
        // A.kt
        class A(val «p»: Int) { fun f(a: A, b: B, o: Any) { a.«p»; b.p; val c = a; c.«p»; this.«p»; o.¿p?
            odd().¿p?
            val d: A? = a; d?.«p»; d!!.«p»; (o as A).«p»; A(«p» = 1).«p» } }
        class B(val p: Int)
    """,
    "what overrides, and overloads, go together": """
        // A.kt
        interface I { fun «go»() }
        open class A : I { override fun «go»() {}
            fun «go»(x: Int) { «go»() } }
        class B : A() { override fun «go»() { super.«go»() } }
        class C { fun go() { go() } }
        fun f(i: I, b: B, c: C) { i.«go»(); b.«go»(); c.go(); val r = A::«go» }
    """,
    "a companion": """
        // A.kt
        class A { companion object { const val «K» = 1
            fun make() = A() }
            fun f() = «K» + A.«K» + Companion.¿K? }
        class B { val K = 2
            fun f() = A.«K» + K }
    """,
    "a companion, whose class has the same for its objects": """
        // A.kt
        open class A { fun go() = 1
            companion object { fun «go»() = 5
                fun more() = «go»() }
            fun f() = go() + this.go() + A.«go»() }
        class B : A() { fun f() = go() }
        fun f() { A.«go»(); A().go(); A::go }
    """,
    "what objects have, whose class has a companion with the same": """
        // A.kt
        open class A { fun «go»() = 1
            companion object { fun go() = 5 }
            fun f() = «go»() + this.«go»() + A.go() }
        class B : A() { fun f() = «go»() }
        fun f() { A.go(); A().«go»(); A::«go» }
    """,
    "objects": """
        // A.kt
        object «Obj» { val x = 1
            fun f() = «Obj».x }
        fun f() = «Obj».x
    """,
    "enums": """
        // A.kt
        enum class E { «ONE», TWO; fun f() = «ONE» }
        fun f(e: E) = when (e) { E.«ONE» -> 1; else -> 2 }
    """,
    "functions that extend a type": """
        // A.kt
        class A { val x = 1 }
        fun A.«ext»(): Int = this.x + x
        fun f(a: A, s: Any) = a.«ext»() + s.¿ext?()
    """,
    "what they see of it": """
        // A.kt
        class A { val «x» = 1 }
        val x = 2
        fun A.ext(): Int = this.«x» + «x»
        fun f() = x
    """,
    "a lambda may have a receiver": """
        // A.kt
        class A { val «x» = 1; fun f() { odd { g(¿x?) }; list.forEach { g(«x») }; b.apply { ¿x? } } }
    """,
    "a base that is not known": """
        // A.kt
        fun «m»() = 1
        class A : Other() { fun f() = ¿m?() }
        class B { fun f() = «m»() }
    """,
    "a check says more of a type": """
        // A.kt
        open class A
        class B : A() { val «x» = 1 }
        fun f(a: A, s: String) { if (a is B) a.¿x?; s.x }
    """,
}

PACKAGES = {
    "imported, of the same package, with all others, and by an alias": """
        // a.kt
        package a
        class «Foo»(val n: Int)
        // b.kt
        package a
        fun f(): «Foo» = «Foo»(1)
        // c.kt
        package c
        import a.«Foo»
        class C { val f: «Foo» = «Foo»(2) }
        // d.kt
        import a.*
        fun g(f: «Foo») = f
        // e.kt
        import a.«Foo» as Bar
        fun h(f: Bar) = f
        // f.kt
        package f
        class Foo { val x: Foo? = null }
        // g.kt
        val x: ¿Foo? = 1
    """,
    "functions of a package, over files": """
        // a.kt
        package a
        fun «run»(x: Int) = x
        // b.kt
        package a
        fun «run»(x: String) = «run»(1)
        // c.kt
        import a.«run»
        fun c() = «run»(2)
        // d.kt
        private fun run() = 1
        fun d() = run()
    """,
    "what is private is of its file": """
        // a.kt
        package a
        private class «Foo»
        val f = «Foo»()
        // b.kt
        package a
        private class Foo
        val g = Foo()
    """,
    "members that are imported": """
        // a.kt
        package a
        object Foo { fun «run»() = 1 }
        // b.kt
        import a.Foo.«run»
        fun b() = «run»()
    """,
}


@pytest.mark.parametrize("text", SCOPES.values(), ids=SCOPES)
def test_scopes(text: str) -> None:
    assert_marked(text)


@pytest.mark.parametrize("text", MEMBERS.values(), ids=MEMBERS)
def test_members(text: str) -> None:
    assert_marked(text)


@pytest.mark.parametrize("text", PACKAGES.values(), ids=PACKAGES)
def test_packages(text: str) -> None:
    assert_marked(text)


@pytest.mark.parametrize(("symbol", "to"), [("A.x", "class"), ("A.plus", "minus")])
def test_invalid_rename_is_refused(symbol: str, to: str) -> None:
    before = "# A.kt\nclass A { val x = 1\n operator fun plus(a: A) = a }\n"
    with pytest.raises(ScalpelError) as caught:
        apply_operations(before, {"op": "rename", "path": "A.kt", "symbol": symbol, "to": to})
    assert caught.value.code == "invalid_name"


def test_override_in_a_delegating_class_is_uncertain() -> None:
    assert_marked(
        """
        // a.kt
        interface I { fun «f»(): Int }
        class A(val x: I) : I by x { override fun ¿f?() = x.¿f?() + 1 }
        class B(val x: I) : I by x
        fun g(a: A, b: B) = a.«f»() + b.«f»()
        """
    )
    before = "# a.kt\nclass A(val x: I) : I by x {\n    fun f() = 1\n}\nval y = A(z).f()\n"
    with pytest.raises(ScalpelError) as caught:
        apply_operations(before, {"op": "rename", "path": "a.kt", "start": 2, "name": "f", "to": "g"})
    assert caught.value.code == "symbol_not_found"
