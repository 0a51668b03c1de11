"""C++: scopes, namespaces, classes, overloads and templates.

Each case is a text with marked places.
"""

from __future__ import annotations

import pytest

from gitscalpel.errors import ScalpelError
from tests.names.marked_files import assert_marked
from tests.names.test_rename import apply_operations, format_changes

SCOPES = {
    "lambdas and what they capture": """
        // a.cc
        int f(int «x») { auto l = [«x», y = «x»](int z) { return «x» + y + z; };
        auto m = [](int x) { return x; }; return l(«x»); }
    """,
    "what a capture is given is looked up outside of the lambda": """
        // a.cc
        struct S { int «a»; int f() { auto l = [a = «a», b = move(«a»)] { return a + b; }; return l(); } };
        int g(int a) { auto l = [a = [a = a] { return a; }, &r = a] { return a() + r; }; return l(); }
    """,
    "conditions and loops": """
        // a.cc
        void f(int x) { if (int «x» = g()) { h(«x»); } else { i(«x»); } for (auto &x : xs) h(x); h(x); }
    """,
    "bindings of what is taken apart, and what is caught": """
        // a.cc
        void f() { auto [«a», b] = g(); h(«a», b); try { } catch (E &a) { h(a); } }
    """,
    "what looks like a function": """
        // a.cc
        struct A { A(int); int v; }; int f() { int «n» = 1; A a(«n»); return a.v + «n»; }
    """,
    "template parameters": """
        // a.cc
        template <typename «T»> struct A { «T» x; template <typename U> «T» f(U u); };
        template <typename T> T g(T t) { return T(t); }
    """,
}

CLASSES = {
    "a deduction guide is called as its class": """
        // a.cc
        template <typename... H> struct «All» : H... { using H::operator()...; };
        template <typename... H> «All»(H...) -> «All»<H...>;
        auto x = «All»{1};
        ¿All?(int) -> ¿All?<int>;
    """,
    "a deduction guide of a namespace": """
        // a.cc
        namespace n {
        template <typename T> struct «Box» { «Box»(T); };
        template <typename T> explicit «Box»(T) -> «Box»<T>;
        auto Box2(int) -> int;
        }
        n::«Box» x{1};
    """,
    "a class that is defined outside of another one": """
        // a.hh
        namespace n { template <class K> class A { struct «N» { K key; }; class C; class D; }; struct M {}; }
        template <class K> class n::A<K>::C {
            explicit C(const «N» *n) : n(n) {}
            const «N» *f() const;
            const «N» *n;
            M m;
        };
        template <class K> class n::A<K>::D { struct N {}; N n; };
        // a.cc
        #include "a.hh"
        template <class K> auto n::A<K>::C::f() const -> const «N» * { «N» *m = n; return m; }
        struct N {};
    """,
    "an enum that is defined outside of a class": """
        // a.hh
        struct A { enum class Kind : int; union «U»; Kind k; «U» *u; void f(); };
        enum class A::Kind : int { Up };
        union A::«U» { int x; };
        // a.cc
        #include "a.hh"
        void A::f() { k = Kind::Up; «U» v; v.x = 1; }
        struct U {};
    """,
    "its enumerators": """
        // a.hh
        struct A { enum class Kind : int; Kind k; void f(); };
        enum class A::Kind : int { «Up» };
        // a.cc
        #include "a.hh"
        void A::f() { k = Kind::«Up»; using enum Kind; k = «Up»; }
        int Up;
    """,
    "an enum that a namespace declares first": """
        // a.hh
        namespace n { enum class «Kind» : int; «Kind» f(); }
        // a.cc
        #include "a.hh"
        namespace n { enum class «Kind» : int { Up }; «Kind» f() { return «Kind»::Up; } }
    """,
    "a form of a template that its arguments choose": """
        // a.cc
        template <typename T> struct A { static const int «r» = 0; void f(); int n; };
        template <> struct A<int> { static const int r = 1; };
        template <typename T> struct A<T *> { static const int r = A<T>::¿r? + 1; };
        template <typename T> const int r_of = A<T>::¿r?;
        template <typename T> void A<T>::f() { n = A<T>::«r»; }
        int x = A<int>::r + A<char>::«r»;
    """,
    "members of a class that is defined outside of another one": """
        // a.hh
        class A { class C; C *c; void g() { c->«x»; } };
        class A::C { void f(); int «x»; };
        // a.cc
        #include "a.hh"
        void A::C::f() { C *d; d->«x» = «x»; }
    """,
    "a class of a namespace that is defined outside of it": """
        // a.cc
        namespace n { struct «N» {}; struct A; }
        struct N {};
        struct n::A { «N» n; };
    """,
    "what using enum brings": """
        // a.hh
        namespace n { enum class D { «Up», Down }; enum E { Left }; }
        struct S { using enum n::D; int f() { return «Up» == «Up»; } };
        // a.cc
        #include "a.hh"
        int f(n::D d) { using enum n::D; switch (d) { case «Up»: return 1; case Down: return S::«Up»; } }
        int Up = 1;
        int g() { return Up; }
        int h(int Up) { using n::D; return Up == D::«Up»; }
    """,
    "what using enum brings into a namespace": """
        // a.hh
        enum class D { «Up» };
        namespace n { using enum D; D d = «Up»; }
        // a.cc
        #include "a.hh"
        namespace n { D e = «Up»; }
        D g = n::«Up»;
        D k = Up;
    """,
    "what points to a member is a variable": """
        // a.cpp
        struct A { int x; int m() { return 1; } };
        int f(A a, A* b) {
            int A::*«p» = &A::x; int (A::*m)() = &A::m;
            return a.*«p» + b->*«p» + (a.*m)() + (b->*m)();
        }
    """,
    "constructors and destructors are called as their class": """
        // a.h
        class «A» { public: «A»(); explicit «A»(int n) : n(n) {} ~«A»(); «A»(const «A» &) = default; int n;
        };
        // a.cc
        #include "a.h"
        «A»::«A»() : n(0) {}
        «A»::~«A»() {}
        «A» make() { «A» a(3); auto *p = new «A»(); p->~«A»(); return «A»(4); }
    """,
    "members where they are defined, and in their bodies": """
        // a.h
        class A { int «n»; static int s; int get(); struct In { int n; }; };
        // a.cc
        #include "a.h"
        int n; int A::s = 0;
        int A::get() { In i; i.n = 1; { int n = 2; g(n); } return «n» + this->«n» + ::n; }
        int get() { return n; }
    """,
    "initialisers name members": """
        // a.cc
        struct A { int «n»; A(int n) : «n»(n) {} }; struct B : A { B() : A(1) { «n» = 2; } };
    """,
    "inherited, hidden, and through smart pointers": """
        // a.cc
        struct A { int «n»; }; struct B : A { int f() { return «n» + A::«n»; } }; struct C : A { int n; };
        int f(B b, C c, std::unique_ptr<B> p, std::vector<A> v) {
            return b.«n» + c.n + p->«n» + v[0].«n» + odd(c)->¿n?; }
    """,
    "what overrides goes along": """
        // a.cc
        struct A { virtual void «go»(int); void stay(); };
        struct B : A { void «go»(int x) override; void stay(); };
        struct C : B { void «go»(int) final; void go(); };
        void B::«go»(int x) { A::«go»(x); stay(); }
        void f(A *a, C &c) { a->«go»(1); c.«go»(2); c.go(); }
    """,
    "what is not virtual is hidden": """
        // a.cc
        struct A { void «stay»(); }; struct B : A { void stay(); };
        void f(A a, B b) { a.«stay»(); b.stay(); }
    """,
    "enums with and without a scope": """
        // a.cc
        enum E { «X», Y }; enum class F { X }; int f() { return «X» + E::«X» + int(F::X); }
    """,
    "friends and using declarations": """
        // a.cc
        struct A { int «n»(); friend class B; }; struct B : private A { using A::«n»;
        int g() { return «n»(); } };
    """,
    "what using brings beside a class's own": """
        // a.hh
        struct B { void «f»(int); void f(const char *); void f(double, double); };
        struct D : B { using B::¿f?; void f(int, int, int); void f(double, double);
        int g() { «f»(1); f("a"); } };
        struct E : D { void h(); };
        // a.cc
        #include "a.hh"
        void B::«f»(int n) { «f»(1); f("x"); }
        void D::f(int, int, int) { «f»(1); f("x"); this->«f»(1); f(1, 2, 3); }
        void E::h() { «f»(1); f(1, 2, 3); }
        int main() { D d; E e; d.«f»(1); d.f("a"); d.f(1.0, 1.0); d.f(1, 2, 3); e.«f»(2); e.f("a"); }
    """,
    "an heir in another namespace calls its base by its name": """
        // a.cc
        namespace a { struct «B» { void f(); «B»(int); }; }
        namespace b { struct D : a::«B» { D() : «B»(1) {} void g() { «B»::f(); } };
        struct B {}; struct E : D { using «B»::f; auto h() -> «B» *; };
        auto E::h() -> «B» * { return this; } }
        b::D::«B» *p; b::B q;
    """,
    "a template does not look into bases that depend on its arguments": """
        // a.cc
        namespace a { template <class T> struct «B» {}; }
        namespace b { struct B {}; template <class T> struct D : a::«B»<T> { B m; }; }
    """,
    "what using brings of several bases": """
        // a.cc
        struct A { void f(int); }; struct B { void «f»(const char *); };
        struct C : A, B { using A::f; using B::«f»; void g() { f(1); «f»("a"); } };
        struct D : C { void h() { f(1); «f»("a"); } }; int main() { D d; d.f(1); d.«f»("a"); }
    """,
    "what using brings of what nobody knows": """
        // a.cc
        template <class T> struct W : T { using T::¿f?; void «f»(int, int);
        void g() { ¿f?(1); «f»(1, 2); this->¿f?(1); } };
    """,
    "a definition is of no other one than its class's": """
        // a.cc
        struct S : std::string { using std::string::append; void «append»(int, int); };
        void S::«append»(int a, int b) { ¿append?("x"); «append»(a, b); }
    """,
    "forms of a template": """
        // a.cc
        template <class T> struct A { int «n»; }; template <> struct A<bool> { int n; };
        int f(A<int> a, A<bool> b) { return a.«n» + b.n; }
        template <class T> int g(T t) { return t.¿n?; }
    """,
}

NAMESPACES = {
    "another name for one within another": """
        // a.cpp
        namespace a { namespace b { void «f»() {} } void f() {} }
        namespace c = a::b;
        namespace d = a;
        void g() { c::«f»(); d::f(); d::b::«f»(); }
    """,
    "over files, by their whole names, brought and opened": """
        // a.h
        namespace ns { void «f»(int); }
        // a.cc
        #include "a.h"
        namespace ns { void «f»(int n) { «f»(n); } }
        // b.cc
        #include "a.h"
        using ns::«f»;
        void g() { «f»(1); ns::«f»(2); ::ns::«f»(3); }
        // c.cc
        #include "a.h"
        void f(double, double);
        void g() { using namespace ns; «f»(1); f(1.0, 2.0); }
        // d.cc
        namespace other { void f(int); void g() { f(1); } }
    """,
    "beside what using brings from outside": """
        // a.cc
        namespace my { struct A { int v; }; using std::swap;
        void «swap»(A &a, A &b) { ¿swap?(a.v, b.v); }
        void g(int &x, A &a, A &b) { ¿swap?(x, x); «swap»(a, b); } }
        void h(int &x, my::A a) { my::¿swap?(x, x); my::«swap»(a, a); std::swap(x, x); }
    """,
    "a namespace itself": """
        // a.h
        namespace «ns» { struct A {}; namespace in { } }
        // b.cc
        #include "a.h"
        namespace «ns»::in { A a; } namespace s = «ns»::in; using namespace «ns»; «ns»::A b;
        namespace x { struct ns {}; }
    """,
    "without a name, and inline": """
        // a.cc
        namespace { int «n»; } namespace lib { inline namespace v1 { int m; } }
        int f() { return «n» + ::«n» + lib::m; }
        // b.cc
        namespace { int n; } int g() { return n; }
    """,
    "found by the namespace of an argument": """
        // a.cc
        namespace ns { struct A {}; void «swap»(A &, A &); }
        void swap(int &, int &);
        void f(ns::A a, int b) { «swap»(a, a); swap(b, b); ¿swap?(odd(), odd()); }
    """,
    "a header that could be C": """
        // a.h
        struct «F» { int n; }; «F» make();
        // b.cc
        #include "a.h"
        «F» x = make();
    """,
    "opened by a macro": """
        // a.h
        #define LIB_BEGIN_NAMESPACE namespace lib {
        #define LIB_END_NAMESPACE }
        LIB_BEGIN_NAMESPACE
        class «F» {}; «F» make();
        LIB_END_NAMESPACE
        // b.cc
        #include "a.h"
        lib::¿F? x; std::F y;
    """,
    "aliases": """
        // a.cc
        namespace ns { template <class T> struct V {}; template <class T> using «L» = V<T>;
        typedef V<int> M; }
        ns::«L»<int> x; ns::M y; int L;
    """,
}

OVERLOADS = {
    "by how many arguments": """
        // a.cc
        void «f»(int); void f(int, int); void f(); void g() { «f»(1); f(1, 2); f(); h(¿f?); }
    """,
    "by what is plainly said of them": """
        // a.cc
        void «f»(int); void f(const char *); void f(double); void g(int n, double d) { «f»(1); «f»(n);
        f("x"); f(d); ¿f?(odd()); }
    """,
    "definitions of overloads": """
        // a.h
        struct A { int «f»(int n) const; int f(int n); int f(const std::string &s = ""); };
        // a.cc
        #include "a.h"
        int A::«f»(int m) const { return m; }
        int A::f(int m) { return m; }
        int A::f(const string &s) { return 0; }
    """,
    "a form of a template": """
        // a.cc
        template <class T> T «f»(T); template <> int «f»(int n); template <> char «f»<char>(char);
        void g() { «f»(1); «f»<long>(2); }
    """,
}


@pytest.mark.parametrize("text", SCOPES.values(), ids=SCOPES)
def test_scopes(text: str) -> None:
    assert_marked(text)


@pytest.mark.parametrize("text", CLASSES.values(), ids=CLASSES)
def test_classes(text: str) -> None:
    assert_marked(text)


@pytest.mark.parametrize("text", NAMESPACES.values(), ids=NAMESPACES)
def test_namespaces(text: str) -> None:
    assert_marked(text)


@pytest.mark.parametrize("text", OVERLOADS.values(), ids=OVERLOADS)
def test_overloads(text: str) -> None:
    assert_marked(text)


def test_overload_does_not_conflict() -> None:
    before = "# a.cc\nvoid f(int); void g(double); void h() { f(1); g(1.0); }\n"
    outcome = apply_operations(before, {"op": "rename", "path": "a.cc", "symbol": "g", "to": "f"})
    assert format_changes(outcome) == "# a.cc\nvoid f(int); void f(double); void h() { f(1); f(1.0); }\n"


@pytest.mark.parametrize(("name", "to"), [("n", "m"), ("x", "n"), ("y", "x")])
def test_rename_to_a_taken_name_is_refused(name: str, to: str) -> None:
    before = "# a.cc\nstruct A { int n, m; int f(int x) { if (int y = x) { return n + y; } return m; } };\n"
    with pytest.raises(ScalpelError) as caught:
        apply_operations(before, {"op": "rename", "path": "a.cc", "start": 1, "name": f"{name}#1", "to": to})
    assert caught.value.code == "duplicate_symbol"


@pytest.mark.parametrize("around", ["%s", "namespace a { %s }", "#if X\n%s\n#endif"])
def test_macro_call_is_not_renamed_as_a_function(around: str) -> None:
    before = f"# a.cc\n{around % 'TEST(Reader, reads) { f(); }'}\n"
    line = before[: before.index("TEST")].count("\n")
    with pytest.raises(ScalpelError) as caught:
        apply_operations(before, {"op": "rename", "path": "a.cc", "start": line, "name": "TEST", "to": "Q"})
    assert caught.value.code == "symbol_not_found"


USING_CONFLICTS = {
    "functions by name": ("int f(int x)", "int g(int x)", "using a::f;\nusing b::g;", "f(1) + g(2)"),
    "functions by name spaces": (
        "int f(int x)",
        "int g(int x)",
        "using namespace a;\nusing namespace b;",
        "f(1)",
    ),
    "types": ("struct f {}", "struct g {}", "using a::f;\nusing b::g;", "g()"),
}


@pytest.mark.parametrize("case", USING_CONFLICTS)
def test_conflict_between_using_declarations_is_refused(case: str) -> None:
    one, other, using, used = USING_CONFLICTS[case]
    text = _make_using_files(one, other, using, used)
    with pytest.raises(ScalpelError) as caught:
        apply_operations(text, {"op": "rename", "path": "a.h", "start": 1, "name": "f", "to": "g"})
    assert caught.value.code == "duplicate_symbol"
    assert caught.value.message.endswith("would then be one of two")


def test_using_declarations_of_different_overloads_are_accepted() -> None:
    text = _make_using_files(
        "int f(int x)", "int g(int x, int y)", "using a::f;\nusing b::g;", "f(1) + g(2, 3)"
    )
    outcome = apply_operations(text, {"op": "rename", "path": "a.h", "start": 1, "name": "f", "to": "g"})
    assert "using a::g;\nusing b::g;\nauto x = g(1) + g(2, 3);" in format_changes(outcome)


def _make_using_files(one: str, other: str, using: str, used: str) -> str:
    heads = f"namespace a {{ {one}; }}\nnamespace b {{ {other}; }}"
    return f'// a.h\n{heads}\n// c.cpp\n#include "a.h"\n{using}\nauto x = {used};\n'
