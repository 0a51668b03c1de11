"""Names that a language, a library or the program start uses: renames to and from such names are reported."""

from __future__ import annotations

import pytest

from tests.names.test_rename import apply_rename

BECOMES = {
    "a.go": ('package a\ntype T int\nfunc (t T) show() string { return "" }\n', "show", "String", 3),
    "a.js": ("class A { f() { return this.f() } }\n", "f", "then", 1),
    "b.js": ("class A { f() { return this.f() } }\n", "f", "toString", 1),
    "A.java": ("class A { String f() { return null; } }\n", "f", "toString", 1),
    "a.rs": ("fn go() {}\nfn f() { go() }\n", "go", "main", 1),
    "a.c": ("int run(void) { return 0; }\n", "run", "main", 1),
    "a.py": ("class A:\n    def f(self): return 1\n", "f", "__str__", 2),
}


@pytest.mark.parametrize("path", BECOMES)
def test_rename_to_a_special_name_is_reported(path: str) -> None:
    text, name, to, line = BECOMES[path]
    outcome = apply_rename(f"# {path}\n{text}", to, path=path, start=line, name=f"{name}#1")
    (note,) = outcome.unchecked
    assert note.startswith(f"{path}:{line}: {name} is renamed to {to}, and ")
    assert (
        apply_rename(f"# {path}\n{text}", "other_one", path=path, start=line, name=f"{name}#1").unchecked
        == []
    )


def test_rename_of_an_overridden_method_is_not_reported() -> None:
    before = "# A.java\nclass A { void f() {} }\nclass B extends A { @Override void f() {} }\n"
    assert apply_rename(before, "g", path="A.java", symbol="A.f").unchecked == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.js", "function f(then) { return then }\n"),
        ("a.rs", "fn f(main: u8) -> u8 { main }\n"),
        ("A.java", "class A { int f(int main) { return main; } }\n"),
        ("a.c", "int f(int begin) { return begin; }\n"),
    ],
)
def test_local_with_a_special_name_is_not_reported(path: str, text: str) -> None:
    word = "then" if path == "a.js" else "begin" if path == "a.c" else "main"
    assert apply_rename(f"# {path}\n{text}", "other", path=path, start=1, name=f"{word}#1").unchecked == []


@pytest.mark.parametrize(
    ("text", "name", "is_reported"),
    [
        ("declare const page: { show(): void };\n", "page", True),
        ("declare const page: { show(): void };\n", "show", True),
        ("declare function show(n: number): void;\n", "show", True),
        ("declare function show(n: number): void;\n", "n", False),
        ("declare namespace N { interface I { z: number } }\nlet i: N.I;\n", "z", False),
        ("export const page = 1;\n", "page", False),
    ],
)
def test_declared_value_defined_elsewhere_is_reported(text: str, name: str, is_reported: bool) -> None:
    outcome = apply_rename(f"# a.ts\n{text}", "other", path="a.ts", start=1, name=name)
    why = "what it declares is defined elsewhere, under this name"
    assert outcome.unchecked == ([f"a.ts:1: {name} is renamed, though {why}"] if is_reported else [])


_ITERATOR = "class It { [Symbol.iterator]() { return this; } next() { return { done: true, value: 1 }; } }\n"


@pytest.mark.parametrize(
    ("text", "name", "reason"),
    [
        (_ITERATOR, "next", "loops call it"),
        (_ITERATOR, "done", "loops read it"),
        ("class Node { next() { return null; } }\n", "next", ""),
        ("const a = { value: 1 };\n", "value", ""),
        ("const h = { get(t, k) { return 1; } }; new Proxy({}, h);\n", "get", "a proxy calls it"),
        ("const h = { get(t, k) { return 1; } };\n", "get", ""),
        ("class E { connectedCallback() {} }\n", "connectedCallback", "the page calls it"),
    ],
)
def test_member_used_by_the_language_is_reported(text: str, name: str, reason: str) -> None:
    outcome = apply_rename(f"# a.js\n{text}", "other", path="a.js", start=1, name=name)
    notes = [each for each in outcome.unchecked if f"{name} is renamed, though" in each]
    assert [each.partition("though ")[2].startswith(reason) for each in notes] == ([True] if reason else [])
