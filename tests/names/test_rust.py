"""Rust: scopes, modules and crates, types and traits.

Each case is a text with marked places.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from gitscalpel.errors import ScalpelError
from tests.names.marked_files import assert_marked
from tests.names.test_rename import apply_operations, format_changes

SCOPES = {
    "a constant parameter, where it is given to a type": """
        // src/lib.rs
        struct W<const N: usize> { items: [i32; N] }
        impl<const «N»: usize> W<«N»> {
            fn f(&self) -> Option<W<«N»>> { let x: [u8; «N»]; W::<«N»>::g() }
        }
        impl<const N: usize> Iterator for W<N> {}
    """,
    "a constant, where it is given to a type": """
        // src/lib.rs
        mod m;
        const «M»: usize = 3;
        struct W<const N: usize> { items: [i32; N] }
        type A = W<«M»>;
        fn f<M>(x: W<M>, y: W<{ «M» }>) -> Vec<M> {}
        // src/m.rs
        use crate::{«M», W};
        fn g() -> W<«M»> { W::<«M»>::new() }
    """,
    "a let holds from its place on": """
        // src/lib.rs
        fn f() { let x = 1; g(x); let «x» = x + 1; g(«x»); { let x = «x»; g(x); } g(«x») }
    """,
    "parameters and closures": """
        // src/lib.rs
        fn f(«a»: i32) -> i32 { let g = |a: i32| a; g(«a») + «a» }
    """,
    "a pattern in a match arm": """
        // src/lib.rs
        fn f(o: Option<i32>) { match o { Some(«x») if «x» > 0 => g(«x»), Some(x) => g(x), None => {} } }
    """,
    "if let, while let, for": """
        // src/lib.rs
        fn f(o: Option<i32>, x: i32) { if let Some(«x») = o { g(«x») } else { g(x) } for x in 0..x { g(x) } }
    """,
    "a function in a function sees no locals": """
        // src/lib.rs
        fn f(«x»: i32) { fn g() { h(x); } h(«x») }
    """,
    "a capital in a pattern is a constant": """
        // src/lib.rs
        const «N»: i32 = 1;
        fn f(n: i32) { match n { «N» => {}, _ => {} } let m = «N»; }
    """,
    "fields in a macro call are no local names": """
        // src/lib.rs
        struct S { x: i32 }
        fn f(«x»: i32) { println!("{:?} {:?}", S { x: «x» }, g(S { ¿x? })); assert_eq!(S { x: 1 }, h(«x»)) }
    """,
    "labels and lifetimes are apart": """
        // src/lib.rs
        fn f<'«a»>(a: &'«a» str) -> &'«a» str { 'a: loop { break 'a; } a }
    """,
    "a loop's label": """
        // src/lib.rs
        fn f(l: i32) { '«l»: loop { loop { continue '«l»; } g(l); } }
    """,
    "the receiver of a method": """
        // src/lib.rs
        struct S { x: i32 }
        impl S {
            fn f(&«self», o: i32) { g(«self».x); let c = || «self».x; fn h() { g(self) } m(o) }
            fn h(self) { println!("{}", self.x); }
            fn g(self) { self.f(1) }
        }
        fn f() { self::g(); }
    """,
    "Self is of its impl": """
        // src/lib.rs
        struct S { next: Option<Box<Self>> }
        impl S { fn f() -> «Self» { «Self»::g() } fn g() -> «Self» { S { next: None } } }
        impl Clone for S { fn clone(&self) -> Self { Self { next: None } } }
    """,
    "type parameters": """
        // src/lib.rs
        struct S<«T»> { x: Vec<«T»> }
        fn f<T: Clone>(x: T) -> T where T: Copy { x }
    """,
    "types and values have spaces of their own": """
        // src/lib.rs
        struct «foo» {}
        fn foo() -> «foo» { «foo» {} }
        fn g() { foo(); }
    """,
    "a raw word is the same word": """
        // src/lib.rs
        fn r#«match»() {}
        fn g() { r#«match»() }
    """,
    "names in a format": """
        // src/lib.rs
        fn f(«x»: i32, y: i32) { println!("{«x»} {y:>«x»$} {{x}} x", ); assert_eq!(«x», y); }
    """,
    "an unknown macro decides what its words mean": """
        // src/lib.rs
        struct S { «x»: i32 }
        fn f() { odd!(S { ¿x?: 1 }); }
    """,
}

MODULES = {
    "a module in its file, by several ways": """
        // src/lib.rs
        mod a;
        mod b { pub fn g() { crate::a::«f»(); super::a::«f»(); } }
        use a::«f»;
        use self::a::{self as c, «f» as h};
        fn main() { «f»(); h(); c::«f»(); }
        // src/a.rs
        pub fn «f»() { self::«f»(); }
        // src/other.rs
        fn f() {}
    """,
    "a module in a folder": """
        // src/lib.rs
        mod a;
        fn f() { a::b::«T»::new(); }
        // src/a/mod.rs
        pub mod b;
        // src/a/b.rs
        pub struct «T»;
        impl «T» { pub fn new() -> «T» { «T» } }
    """,
    "a module's own name": """
        // src/lib.rs
        mod «a»;
        use «a»::f;
        fn g() { «a»::f(); let a = 1; h(a); }
        // src/a.rs
        pub fn f() {}
    """,
    "globs bring what is public": """
        // src/lib.rs
        mod a { pub fn «f»() {} fn g() {} }
        use a::*;
        fn h() { «f»(); g(); }
        fn g() {}
    """,
    "what is bound hides what a glob brings": """
        // src/lib.rs
        mod a { pub fn f() {} }
        use a::*;
        fn «f»() {}
        fn h() { «f»(); a::f(); }
    """,
    "passed on": """
        // src/lib.rs
        mod a;
        pub use a::«f»;
        fn g() { crate::«f»(); }
        // src/a.rs
        mod b;
        pub use self::b::«f»;
        // src/a/b.rs
        pub fn «f»() {}
    """,
    "another crate of the workspace": """
        // one/Cargo.toml
        [package]
        name = "one-lib"
        // one/src/lib.rs
        pub fn «f»() {}
        // two/src/main.rs
        use one_lib::«f»;
        fn main() { «f»(); one_lib::«f»(); }
    """,
    "what is included": """
        // src/lib.rs
        include!("more.rs");
        fn f() { g(«N»); }
        // src/more.rs
        const «N»: i32 = 0;
    """,
    "what is imported under a condition": """
        // tests/t.rs
        mod node;
        mod util;
        use util::*;
        #[cfg(other)]
        #[allow(unused)]
        use node::{«req», V};
        fn f() { «req»(); }
        // tests/node/mod.rs
        pub fn «req»() {}
        // tests/util/mod.rs
        pub fn «req»() {}
    """,
    "what an import hides of a glob": """
        // tests/t.rs
        mod node;
        mod util;
        use util::*;
        use node::«req»;
        fn f() { «req»(); }
        // tests/node/mod.rs
        pub fn «req»() {}
        // tests/util/mod.rs
        pub fn req() {}
    """,
    "an attribute is no macro of rules, and what globs bring is none": """
        // a.rs
        macro_rules! «test» { () => { #[test] fn f() {} } }
        #[test]
        fn g() { «test»!() }
        // b.rs
        pub fn test() {}
        mod n { use super::*; #[test] fn g() { «test»!() } }
    """,
    "an attribute that is imported": """
        // a.rs
        use other::«mark»;
        #[«mark»]
        fn f() {}
        mod n { #[mark] fn g() {} }
    """,
    "a macro of each crate": """
        // a/Cargo.toml
        [package]
        name = "a"
        // a/src/lib.rs
        #[macro_use]
        mod m;
        mod n;
        // a/src/m.rs
        macro_rules! «same» { ($e:expr) => { $e } }
        // a/src/n.rs
        fn f() { «same»!(1); only!(1) }
        // b/src/lib.rs
        macro_rules! same { ($e:expr) => { $e } }
        macro_rules! only { ($e:expr) => { $e } }
        fn f() { same!(1); only!(2) }
    """,
    "a macro that hands on expressions": """
        // a.rs
        macro_rules! check { ($x:expr, $y:expr $(,)?) => { g($x, $y) }; ($x:expr) => { $x } }
        const «HAY»: u8 = 1;
        fn f() { check!(«HAY», h(|x| x + «HAY»),); check!(h::<u8, u8>(«HAY»)) }
        // b.rs
        fn g() { other!(¿HAY?); println!("{} {}", 1, other!(¿HAY?)) }
        use a::*;
    """,
    "what is denied in a call": """
        // a.rs
        fn «hay»() -> bool { true }
        fn f() { assert!(!(«hay»() && !«hay»())); assert!(x != !(«hay»())) }
    """,
    "and one that takes a name beside them": """
        // a.rs
        macro_rules! made { ($n:ident, $($e:expr),*) => { #[test] fn $n() { $(g($e);)* } } }
        fn «hay»() {}
        made!(¿hay?, «hay»(), |a, b| «hay»());
    """,
    "what it declares may be meant": """
        // a.rs
        macro_rules! m { ($e:expr) => {{ fn ¿help?() {} $e }} }
        macro_rules! n { ($e:expr) => { mod x { const X: u8 = $e; } } }
        macro_rules! o { ($e:expr) => { $e }; ($($t:tt)*) => { $($t)* } }
        fn «help»() {}
        fn f() { m!(¿help?()); n!(¿help?()); o!(¿help?()) }
    """,
    "what is bound in the call may be meant": """
        // a.rs
        macro_rules! m { ($e:expr) => { $e } }
        const «n»: u8 = 1;
        fn f() { m!(«n»); m!(|¿n?| ¿n?); m!({ let (m, ¿n?) = x; ¿n? }); m!(match x { m => «n», _ => 1 }) }
    """,
    "members in calls of macros that are known": """
        // a.rs
        struct S { «x»: u8 }
        struct T { x: u8 }
        impl S { fn make() -> S { S { «x»: 1 } } fn same(&self) -> &S { assert!(self.«x» > 1); self } }
        fn f(s: S, t: T) {
            assert_eq!(s.«x», S::make().«x», "{}", t.x);
            dbg!(s.same().same().«x», [s][0].¿x?, other!(s.¿x?));
            unknown!(s.¿x?)
        }
    """,
    "methods there": """
        // a.rs
        struct S { go: u8 }
        impl S { fn «go»(&self) {} }
        fn f(s: S) { println!("{}", s.«go»()); println!("{}", s.go); vec![S::«go»(&s)] }
    """,
    "an item in the body of a macro": """
        // src/lib.rs
        mod naive;
        pub fn «find»() {}
        macro_rules! m { () => { naive::¿find?(); ¿find?(); x.find() } }
        // src/naive.rs
        pub fn find() {}
    """,
    "a macro": """
        // src/lib.rs
        macro_rules! «m» { () => {} }
        mod a;
        fn m() { «m»!(); m(); }
        // src/a.rs
        fn f() { «m»!(); }
    """,
}

TYPES = {
    "a field": """
        // src/lib.rs
        struct S { «x»: i32 }
        struct O { x: i32 }
        impl S { fn get(&self) -> i32 { self.«x» } }
        fn f(s: &S, o: O) { let S { «x»: y } = s; g(s.«x», o.x, S { «x»: 1 }, y) }
    """,
    "a method, over files": """
        // src/lib.rs
        mod a;
        pub struct S;
        impl S { pub fn «run»(&self) { self.«run»(); Self::«run»(self) } }
        fn f(s: Box<S>) { s.«run»(); S::«run»(&s); a::make().«run»() }
        // src/a.rs
        use crate::S;
        pub fn make() -> S { S }
        fn g() { let s = make(); s.«run»(); }
    """,
    "a variant": """
        // src/lib.rs
        enum E { «A», B(i32) }
        use E::«A»;
        fn f(e: E) { match e { E::«A» => {}, E::B(_) => {} } g(«A») }
    """,
    "a trait's method and those that implement it": """
        // src/lib.rs
        trait T { fn «go»(&self); }
        struct S;
        impl T for S { fn «go»(&self) {} }
        struct O;
        impl O { fn go(&self) {} }
        fn f<X: T>(s: S, x: X, y: &dyn T, o: O) { s.«go»(); x.«go»(); y.«go»(); T::«go»(&s); o.go(); }
    """,
    "an associated type and constant": """
        // src/lib.rs
        trait T { type «Out»; fn f(&self) -> Self::«Out»; }
        struct S;
        impl T for S { type «Out» = i32; fn f(&self) -> Self::«Out» { 1 } }
    """,
    "what nobody can tell is listed": """
        // src/lib.rs
        struct S { «x»: i32 }
        fn f() { odd().¿x?; g(S { «x»: 1 }.«x») }
    """,
    "an associated type of a form of types": """
        // a.rs
        struct S;
        struct R;
        impl S { fn «new»() {} }
        impl R { fn new() {} }
        trait T { type Of; }
        impl<A, B> T for (A, B) { type Of = B; }
        impl<A> T for &A { type Of = R; }
        impl<A> T for [A; 2] { type Of = S; }
        impl T for [u8] { type Of = R; }
        impl S {
            fn f() { <((), S) as T>::Of::«new»(); <(u8, Self) as T>::Of::«new»(); <(S, R) as T>::Of::new() }
            fn g() { <&S as T>::Of::new(); <[u8; 2] as T>::Of::«new»(); <(S, R, S) as T>::Of::¿new?() }
        }
    """,
    "a field in a macro call": """
        // src/lib.rs
        struct S { «x»: i32 }
        fn f(y: i32) { println!("{:?}", S { ¿x?: y }); odd!({ ¿x?: y }) }
    """,
    "an alias of a type": """
        // src/lib.rs
        struct S;
        impl S { fn «new»() -> S { S } }
        type A = S;
        type Of<T> = T;
        type Two<'a, A, B> = B;
        fn f() { A::«new»(); <Of<S>>::«new»(); Two::<i32, S>::«new»(); }
    """,
    "a macro that is called without its sign": """
        // src/lib.rs
        macro_rules! «m» { () => {} }
        fn f() { «m»!(); ¿m?(); }
        fn g(m: fn()) { m() }
    """,
    "an associated type where it is chosen": """
        // src/lib.rs
        struct S;
        impl S { fn «new»() {} }
        struct R;
        impl R { fn new() {} }
        trait T { type A; }
        impl T for S { type A = R; }
        impl T for R { type A = S; }
        fn f<X: T>() { <R as T>::A::«new»(); R::A::«new»(); <S as T>::A::new(); X::A::¿new?(); }
    """,
    "what a trait gives to what has nothing else": """
        // src/lib.rs
        trait T { fn «f»(); fn g(&self); }
        impl T for () { fn «f»() {} fn g(&self) {} }
        impl T for (i32, i32) { fn «f»() {} fn g(&self) {} }
        fn h() { <()>::«f»(); <(i32, i32)>::«f»(); <(i32,)>::¿f?(); <i32>::¿f?(); }
    """,
    "an import under another name": """
        // src/lib.rs
        mod a { pub struct «S»; impl «S» { pub fn new() {} } }
        use a::«S» as R;
        fn f() { R::new(); let S = 1; }
    """,
}


LINES = {
    "what one type has of a trait": """
        // src/lib.rs
        struct S;
        struct R;
        impl T for S { fn «f»(&self) {} }
        impl T for R { fn ¿f?(&self) {} }
        trait T { fn ¿f?(&self); }
        fn g<X: T>(s: S, r: R, x: X) { s.«f»(); r.¿f?(); x.¿f?(); S::«f»(&s); T::¿f?(&s); }
    """,
    "of the trait, all that have it": """
        // src/lib.rs
        struct S;
        trait T { fn «f»(&self); }
        impl T for S { fn «f»(&self) {} }
        fn g<X: T>(s: S, x: X) { s.«f»(); x.«f»(); }
    """,
}


@pytest.mark.parametrize("text", LINES.values(), ids=LINES)
def test_refs_of_a_marked_place(text: str) -> None:
    assert_marked(text, in_line=True)


@pytest.mark.parametrize("text", SCOPES.values(), ids=SCOPES)
def test_scopes(text: str) -> None:
    assert_marked(text)


@pytest.mark.parametrize("text", MODULES.values(), ids=MODULES)
def test_modules(text: str) -> None:
    assert_marked(text)


@pytest.mark.parametrize("text", TYPES.values(), ids=TYPES)
def test_types(text: str) -> None:
    assert_marked(text)


RENAMED = {
    "a field and what it holds": (
        "struct S { x: i32 }\nfn f(x: i32) -> S { S { x } }\n",
        (1, "x", "y"),
        "struct S { y: i32 }\nfn f(x: i32) -> S { S { y: x } }\n",
    ),
    "an associated type that a type parameter is called like": (
        "trait T { type K; fn f(k: Self::K); }\nstruct S<K>(K);\n"
        "impl<K> T for S<K> { type K = K; fn f(k: Self::K) {} }\n",
        (1, "K#1", "L"),
        "trait T { type L; fn f(k: Self::L); }\nstruct S<K>(K);\n"
        "impl<K> T for S<K> { type L = K; fn f(k: Self::L) {} }\n",
    ),
    "a type parameter that an associated type is called like": (
        "trait T { type K; fn f(k: Self::K); }\nstruct S<K>(K);\n"
        "impl<K> T for S<K> { type K = K; fn f(k: Self::K) {} }\n",
        (2, "K#1", "L"),
        "trait T { type K; fn f(k: Self::K); }\nstruct S<L>(L);\n"
        "impl<K> T for S<K> { type K = K; fn f(k: Self::K) {} }\n",
    ),
    "what a field holds": (
        "struct S { x: i32 }\nfn f(x: i32) -> S { S { x } }\n",
        (2, "x", "y"),
        "struct S { x: i32 }\nfn f(y: i32) -> S { S { x: y } }\n",
    ),
    "both alike are said once": (
        "struct S { x: i32 }\nfn f(y: i32) -> S { S { x: y } }\n",
        (1, "x", "y"),
        "struct S { y: i32 }\nfn f(y: i32) -> S { S { y } }\n",
    ),
    "taken apart by reference": (
        "struct S { x: i32 }\nfn f(s: S) { let S { ref mut x } = s; g(x) }\n",
        (1, "x", "y"),
        "struct S { y: i32 }\nfn f(s: S) { let S { y: ref mut x } = s; g(x) }\n",
    ),
    "the sign of a lifetime is no part of its name": (
        "fn f<'a>(x: &'a str) -> &'a str { 'a: loop { break 'a; } x }\n",
        (1, "a#1", "'b"),
        "fn f<'b>(x: &'b str) -> &'b str { 'a: loop { break 'a; } x }\n",
    ),
    "a lifetime that is left out gets a name": (
        "fn f(x: &'_ str, y: &'_ str) -> u8 { let z: &'_ str = x; 0 }\n",
        (1, "_#2", "'a"),
        "fn f<'a>(x: &'_ str, y: &'a str) -> u8 { let z: &'_ str = x; 0 }\n",
    ),
    "before other parameters": (
        "trait T { fn f<'b, U>(&self, x: &'b U, y: Box<dyn U + '_>); }\n",
        (1, "_", "'a"),
        "trait T { fn f<'a, 'b, U>(&self, x: &'b U, y: Box<dyn U + 'a>); }\n",
    ),
    "in the head of an impl": (
        "struct S<'a>(&'a str);\nimpl T<&'_ u8> for S<'_> { fn f(x: &'_ u8) {} }\n",
        (2, "_#2", "a"),
        "struct S<'a>(&'a str);\nimpl<'a> T<&'_ u8> for S<'a> { fn f(x: &'_ u8) {} }\n",
    ),
    "a function in a body declares its own": (
        "fn f<'a>(x: &'a str) { fn g(y: &'_ str) {} }\n",
        (1, "_", "'a"),
        "fn f<'a>(x: &'a str) { fn g<'a>(y: &'a str) {} }\n",
    ),
    "a word that is signed is a name": (
        "fn r#match() {}\nfn f() { r#match() }\n",
        (1, "match", "g"),
        "fn r#g() {}\nfn f() { r#g() }\n",
    ),
    "what nobody uses is blank": (
        "fn f(x: i32, y: i32) -> i32 { y }\n",
        (1, "x", "_"),
        "fn f(_: i32, y: i32) -> i32 { y }\n",
    ),
    "a receiver becomes a parameter": (
        "struct S;\nimpl S { fn f(&mut self, o: &S) { self.x = o.x; S::f(self, o) } }\n",
        (2, "self#1", "s"),
        "struct S;\nimpl S { fn f(s: &mut Self, o: &S) { s.x = o.x; S::f(s, o) } }\n",
    ),
    "one that is changed": (
        "struct S;\nimpl S { fn f(mut self) { self.x = 1 } }\n",
        (2, "self#1", "s"),
        "struct S;\nimpl S { fn f(mut s: Self) { s.x = 1 } }\n",
    ),
    "one with a lifetime": (
        "struct S;\nimpl S { fn f<'a>(&'a self) -> &'a i32 { &self.x } }\n",
        (2, "self#1", "s"),
        "struct S;\nimpl S { fn f<'a>(s: &'a Self) -> &'a i32 { &s.x } }\n",
    ),
    "a parameter becomes the receiver": (
        "struct S { x: i32 }\nimpl S { fn f(s: &mut S, o: i32) { s.x = o } }\n",
        (2, "s#1", "self"),
        "struct S { x: i32 }\nimpl S { fn f(&mut self, o: i32) { self.x = o } }\n",
    ),
    "of a generic type": (
        "struct S<T> { x: T }\nimpl<T> S<T> { fn f(mut s: S<T>) { s.x = 1 } }\n",
        (2, "s#1", "self"),
        "struct S<T> { x: T }\nimpl<T> S<T> { fn f(mut self) { self.x = 1 } }\n",
    ),
    "from outside": (
        "use std::fs::read;\nfn f() { read() }\n",
        (1, "read", "get"),
        "use std::fs::read as get;\nfn f() { get() }\n",
    ),
}


@pytest.mark.parametrize(("before", "where", "expected"), RENAMED.values(), ids=RENAMED)
def test_rename_changes_the_file(before: str, where: tuple[int, str, str], expected: str) -> None:
    line, name, to = where
    outcome = apply_operations(
        f"# a.rs\n{before}", {"op": "rename", "path": "a.rs", "start": line, "name": name, "to": to}
    )
    assert format_changes(outcome) == f"# a.rs\n{expected}"


NOT_SELF = {
    "it is called with a dot": ("struct S;\nimpl S { fn f(&self) { } }\nfn g(s: S) { s.f() }\n", "self", "s"),
    "a trait says that it is a method": ("impl T for S { fn f(&self) { } }\n", "self", "s"),
    "a parameter of another type": ("struct S;\nimpl S { fn f(x: &R) { } }\n", "x", "self"),
    "a second parameter": ("struct S;\nimpl S { fn f(y: S, x: S) { } }\n", "x", "self"),
    "a function of no type": ("struct S;\nfn f(x: S) { }\n", "x", "self"),
    "a name that is used is not blank": ("fn f(x: i32) -> i32 { x }\n", "x#1", "_"),
    "Self is called so": ("struct S;\nimpl S { fn f() -> Self { S } }\n", "Self", "S"),
    "a module is called so": ("use self::x;\n", "self", "S"),
}


@pytest.mark.parametrize(("before", "name", "to"), NOT_SELF.values(), ids=NOT_SELF)
def test_rename_from_or_to_self_is_refused(before: str, name: str, to: str) -> None:
    word = name.partition("#")[0]
    line = next(n for n, row in enumerate(before.splitlines(), 1) if re.search(rf"\b{word}\b", row))
    with pytest.raises(ScalpelError) as caught:
        apply_operations(
            f"# a.rs\n{before}", {"op": "rename", "path": "a.rs", "start": line, "name": name, "to": to}
        )
    assert caught.value.code == "invalid_name"


NO_LIFETIMES = {
    "the impl around declares it": ("impl<'a> S<'a> { fn f(x: &'_ str) {} }\n", "_", "'a", "invalid_name"),
    "so it does for one that has a name": (
        "impl<'a> S<'a> { fn f<'b>(x: &'b str) {} }\n",
        "b#1",
        "'a",
        "invalid_name",
    ),
    "a method in it declares it": (
        "impl<'b> S<'b> { fn f<'a>(x: &'a u8) {} }\n",
        "b#1",
        "'a",
        "invalid_name",
    ),
    "a type of functions in it does": (
        "fn f(x: &'_ u8, y: for<'a> fn(&'a u8)) {}\n",
        "_",
        "'a",
        "invalid_name",
    ),
    "it is declared there": ("fn f<'a>(x: &'a str, y: &'_ str) {}\n", "_", "'a", "invalid_name"),
    "static is the language's": ("fn f(y: &'_ str) {}\n", "_", "'static", "invalid_name"),
    "what is returned is that of a parameter": (
        "fn f(x: &str) -> &'_ str { x }\n",
        "_",
        "'a",
        "symbol_not_found",
    ),
    "in a body it is inferred": (
        "fn f() { let x: &'_ str = g(); }\n",
        "_",
        "'a",
        "symbol_not_found",
    ),
    "it belongs to a function's type": (
        "fn f(x: impl Fn(&'_ str), y: fn(&u8)) {}\n",
        "_",
        "'a",
        "symbol_not_found",
    ),
    "a constant without a name is none": ("const _: () = ();\n", "_", "A", "symbol_not_found"),
    "nor is a pattern": ("fn f() { let _ = g(); }\n", "_", "x", "symbol_not_found"),
}


@pytest.mark.parametrize(("before", "name", "to", "code"), NO_LIFETIMES.values(), ids=NO_LIFETIMES)
def test_invalid_lifetime_name_is_refused(before: str, name: str, to: str, code: str) -> None:
    with pytest.raises(ScalpelError) as caught:
        apply_operations(
            f"# a.rs\n{before}", {"op": "rename", "path": "a.rs", "start": 1, "name": name, "to": to}
        )
    assert caught.value.code == code


@pytest.mark.parametrize("to", ["self", "Self", "_", "1x", "fn"])
def test_invalid_name_is_refused(to: str) -> None:
    with pytest.raises(ScalpelError) as caught:
        apply_operations("# a.rs\nfn f() {}\n", {"op": "rename", "path": "a.rs", "symbol": "f", "to": to})
    assert caught.value.code == "invalid_name"


def test_name_captured_by_a_local_is_refused() -> None:
    before = "# a.rs\nconst n: i32 = 1;\nfn f(m: i32) -> i32 { n + m }\n"
    with pytest.raises(ScalpelError) as caught:
        apply_operations(before, {"op": "rename", "path": "a.rs", "symbol": "n", "to": "m"})
    assert caught.value.code == "duplicate_symbol"


LIFETIMES = """\
# a.rs
fn f<'life>(x: &'life str, life: u8) -> &'life str {
    'outer: loop { break 'outer; }
}
struct S<'a> { x: &'a str }
impl S<'_> { fn g<'b>(x: &'b u8) {} fn h<'b>(x: &'b u8) {} }
"""


@pytest.mark.parametrize(
    ("address", "to", "old", "new"),
    [
        ({"start": 1, "name": "'life"}, "li", "'life", "'li"),
        ({"start": 1, "name": "'life#2"}, "'li", "'life", "'li"),
        ({"start": 2, "name": "'outer"}, "'out", "'outer", "'out"),
        ({"symbol": "f.'life"}, "'li", "'life", "'li"),
        ({"symbol": "f.'outer"}, "out", "'outer", "'out"),
        ({"symbol": "S.'a"}, "'c", "'a", "'c"),
    ],
)
def test_lifetime_is_addressed_with_its_tick(address: dict[str, Any], to: str, old: str, new: str) -> None:
    outcome = apply_operations(LIFETIMES, {"op": "rename", "path": "a.rs", "to": to, **address})
    assert format_changes(outcome) == LIFETIMES.replace(old, new)


@pytest.mark.parametrize(
    ("symbol", "code"),
    [("f.'none", "symbol_not_found"), ("S#2.'b", "symbol_ambiguous"), ("n.'a", "symbol_not_found")],
)
def test_unknown_lifetime_is_refused(symbol: str, code: str) -> None:
    with pytest.raises(ScalpelError) as caught:
        apply_operations(LIFETIMES, {"op": "rename", "path": "a.rs", "symbol": symbol, "to": "'c"})
    assert caught.value.code == code
