"""Go: scopes, packages, types and methods.

Each case is a text with marked places.
"""

from __future__ import annotations

import re

import pytest

from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.errors import ScalpelError
from gitscalpel.names.entities import Binding
from gitscalpel.names.files import Files
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.references import find_references
from gitscalpel.names.resolver import Resolver, dialect
from tests.edit import editing
from tests.names.marked_files import assert_marked
from tests.names.test_rename import apply_operations, format_changes

EMBEDDED = {
    "a promoted method is what an interface asks for": """
        // a.go
        package a
        type Sizer interface { Size() int; «Label»() string }
        type Base struct{}
        func (b Base) «Label»() string { return "" }
        type Thing struct { *Base; n int }
        func (t Thing) Size() int { return len(t.«Label»()) }
        type Other struct{}
        func (o Other) Label() string { return "" }
    """,
    "asked for by its type, which is embedded twice, in another package": """
        // go.mod
        module m
        // a.go
        package m
        type Base struct{}
        func (b *Base) «Close»() error { return nil }
        type Middle struct { Base }
        // b/b.go
        package b
        import "m"
        type Closer interface { «Close»() error; Open() }
        type Top struct { m.Middle }
        func (t Top) Open() {}
        func f(c Closer) { c.«Close»() }
    """,
    "an embedded interface": """
        // a.go
        package a
        type Reader interface { «Read»() int }
        type Both interface { «Read»() int; Write(n int) }
        type Pair struct { Reader }
        func (p Pair) Write(n int) { p.«Read»() }
    """,
    "a type parameter may be any type": """
        // a.go
        package a
        type Getter[T any] interface { «Get»() T; Set(v T) }
        type Box[U any] struct { v U }
        func (b *Box[U]) «Get»() U { return b.v }
        func (b *Box[U]) Set(v U) { b.v = v }
        func f[G Getter[int]](g G) int { return g.«Get»() }
    """,
    "a struct type that is written out for a field is the same type": """
        // a.go
        package a
        var v = struct { in struct{ «X» int } }{in: struct{ «X» int }{1}}
        var n = v.in.«X»
        func f() { for _, c := range []struct{ X int8 }{{X: 1}} { print(c.X) } }
        func g() { for _, c := range []struct{ X, Y int }{{X: 1}} { print(c.X) } }
    """,
    "a constant repeats type and value of the one before": """
        // a.go
        package a
        type State uint8
        const (
            Idle State = iota
            Busy // one more
            Done, Gone = State(2), 3
            Last, Least
        )
        func (s State) «Name»() string { return "" }
        var names = []string{Idle.«Name»(), Busy.«Name»(), Done.«Name»(), Last.«Name»()}
    """,
}


@pytest.mark.parametrize("name", EMBEDDED)
def test_embedded_types_and_repeated_constants(name: str) -> None:
    assert_marked(EMBEDDED[name])


SCOPES = {
    "a name holds from its place on": """
        // a.go
        package a
        func f(x int) { { x := x + 1; g(x) }; y := x; { «y» := y; g(«y») }; g(y) }
    """,
    "what is declared again in the same scope is the same": """
        // a.go
        package a
        func f() (n int, «err» error) {
            a, «err» := g()
            b, «err» := g()
            if c, err := g(); err != nil { h(c, err) }
            return a + b, «err»
        }
    """,
    "the named result is in the scope of the body": """
        // a.go
        package a
        func f() (n int, «err» error) { a, «err» := g(); return a, «err» }
    """,
    "if, for and switch have scopes of their own": """
        // a.go
        package a
        func f(x int) {
            if «x» := g(x); «x» > 0 { h(«x») } else { h(«x») }
            for x := 0; x < 3; x++ { h(x) }
            switch x := x; x { case 1: h(x) }
        }
    """,
    "range": """
        // a.go
        package a
        func f(xs []int, v int) { for i, «v» := range xs { g(i, «v») }; for _, v = range xs { g(0, v) } }
    """,
    "a type switch": """
        // a.go
        package a
        func f(x any) { switch «x» := x.(type) { case int: g(«x»); default: g(«x») } }
    """,
    "select and function literals": """
        // a.go
        package a
        func f(c chan int, m int) {
            select { case «m» := <-c: g(«m»); default: g(m) }
            h := func(m int) { g(m) }
            h(m)
        }
    """,
    "labels are apart": """
        // a.go
        package a
        func f(l int) { «l»: for { for { break «l» }; g(l); continue «l» } }
    """,
    "types of parameters see no parameters": """
        // a.go
        package a
        type «t» int
        func (t «t») m(u «t») «t» { return t }
    """,
    "type parameters": """
        // a.go
        package a
        type S[«P» any] struct { P «P»; F func(«P») «P» }
        func (s S[P]) m(x P) P { return x }
        func g[P any](p P) { var _ P }
    """,
    "constants and several at once": """
        // a.go
        package a
        const ( «A» = iota; B = «A» )
        var c, d = «A», B
    """,
}

PACKAGES = {
    "what tests declare, only tests see": """
        // go.mod
        module m
        // a/a.go
        package a
        type t struct { «g» int }
        type u struct { t }
        var _ = new(u).«g»
        // a/a_test.go
        package a
        var _ = new(u).g
        func (u) g() {}
    """,
    "in tests they hide": """
        // go.mod
        module m
        // a/a.go
        package a
        type t struct { g int }
        type u struct { t }
        var _ = new(u).¿g?
        // a/a_test.go
        package a
        var _ = new(u).«g»
        func (u) «g»() {}
        // b/b.go
        package b
        type u struct { g int }
        var _ = new(u).g
    """,
    "and what the language has": """
        // a/a.go
        package a
        var _ = ¿min?(1, 2)
        func f(min int) { g(min) }
        // a/a_test.go
        package a
        func «min»(a, b int) int { return b }
        // b/b.go
        package b
        var _ = min(1, 2)
    """,
    "a function of tests": """
        // a/a.go
        package a
        var _ = ¿f?()
        // a/a_test.go
        package a
        func «f»() {}
        // a/b_test.go
        package a
        var _ = «f»()
    """,
    "all files of a package": """
        // p/a.go
        package p
        func «f»() { «f»() }
        // p/b.go
        package p
        var x = «f»
        func g() { f := 1; h(f) }
        // p/b_test.go
        package p
        var y = «f»
        // q/c.go
        package p
        func f() {}
    """,
    "over packages": """
        // go.mod
        module example.com/m
        // p/a.go
        package p
        func «F»() {}
        // main.go
        package main
        import "example.com/m/p"
        import other "example.com/m/p"
        func main() { p.«F»(); other.«F»(); x.F() }
        // p/x_test.go
        package p_test
        import . "example.com/m/p"
        var _ = «F»
    """,
    "an alias of an import is of its file": """
        // go.mod
        module m
        // a.go
        package a
        import «f2» "fmt"
        func g() { «f2».Println() }
        // b.go
        package a
        import f2 "os"
        var _ = f2.Exit
    """,
    "files for several systems": """
        // p/a_linux.go
        package p
        func «open»() {}
        // p/a_windows.go
        package p
        func «open»() {}
        // p/b.go
        package p
        var _ = «open»
    """,
    "another package of the same name": """
        // go.mod
        module m
        // a/util/u.go
        package util
        const «N» = 1
        // b/util/u.go
        package util
        const N = 1
        // c.go
        package c
        import "m/b/util"
        import au "m/a/util"
        var _ = util.N + au.«N»
    """,
}

TYPES = {
    "a field of a type that is chosen for a parameter": """
        // a.go
        package a
        import "fmt"
        type Keyed[K any] interface { Key() K; fmt.Stringer }
        type Tree[K any, N Keyed[K]] struct { left *Tree[K, N]; payload N }
        type entry struct { «name» string; score int }
        func (e entry) Key() int { return e.score }
        func f(t *Tree[int, entry]) string { return t.left.payload.¿name? + t.payload.¿name? }
    """,
    "the field of a type that is embedded deeper": """
        // a.go
        package a
        type outer struct { middle; side }
        type middle struct { *«bottom»; rest int }
        type side struct { other }
        type other struct { x int }
        type «bottom» struct { level int }
        type apart struct { bottom int }
        func f(o outer) int { o.«bottom».level = 1; g := o.middle.«bottom»; return g.level }
        func h(a apart) int { return a.bottom }
    """,
    "a method through the field of a type that is embedded deeper": """
        // a.go
        package a
        type outer struct { middle }
        type middle struct { bottom }
        type bottom struct { level int }
        func (b bottom) «Raise»() {}
        func f(o outer) { g := o.bottom.«Raise»; g(); o.«Raise»() }
    """,
    "a field": """
        // a.go
        package a
        type T struct { «X» int; y *T }
        type U struct { X int }
        func f(t *T, u U) int { t.y.«X» = 1; v := T{«X»: 2}; w := &U{X: 1}; return v.«X» + w.X + u.X }
    """,
    "keys of what is written out": """
        // a.go
        package a
        const k = 1
        type T struct { «k» int }
        var m = map[int]T{k: {«k»: 1}, 2: T{«k»: 2}}
        var s = []*T{{«k»: 1}}
    """,
    "a method, over files": """
        // a.go
        package a
        type T struct{}
        func (t *T) «Run»() { t.«Run»() }
        func New() (*T, error) { return nil, nil }
        // b.go
        package a
        func f() { t, _ := New(); t.«Run»(); (*T).«Run»(t); g().¿Run?(); new(T).«Run»() }
    """,
    "promoted by what is embedded": """
        // a.go
        package a
        type E struct { «x» int }
        func (E) m() {}
        type T struct { E }
        type P struct { *T }
        func f(t T, p P) { t.«x»++; p.«x»++; t.E.«x»++; t.m() }
    """,
    "an embedded type is a field": """
        // a.go
        package a
        type «E» struct{}
        type T struct { *«E» }
        func f(t T) { g(t.«E», T{«E»: nil}) }
    """,
    "an interface and those that have all of it": """
        // a.go
        package a
        type I interface { «M»(x int) error; N() }
        type T struct{}
        func (T) «M»(y int) error { return nil }
        func (T) N() {}
        type U struct{}
        func (U) M(y int) error { return nil }
        func f(i I, t T, u U) { i.«M»(1); t.«M»(2); u.M(3) }
    """,
    "results of variables, fields and types that are functions": """
        // a.go
        package a
        type T struct { «n» int }
        type Maker func(int) *T
        type H struct { make Maker; plain func() T; other func() U }
        type U struct { n int }
        func g(m Maker, h H, f func() (U, *T)) int {
            var inner func(t *T) (*T, []string)
            inner = func(t *T) (*T, []string) { return t, nil }
            found, _ := inner(nil)
            u, t := f()
            return found.«n» + m(1).«n» + h.make(2).«n» + h.plain().«n» + h.other().n + u.n + t.«n»
        }
    """,
    "elements, results and assertions": """
        // a.go
        package a
        type T struct { «x» int }
        func g() []T { return nil }
        func f(m map[string]*T, i any) {
            for _, t := range g() { h(t.«x») }
            h(m["a"].«x», g()[0].«x», i.(T).«x», T(y).«x»)
            if t, ok := m["b"]; ok { h(t.«x») }
            switch t := i.(type) { case *T: h(t.«x»); case int, string: h(t) }
        }
    """,
    "generic types": """
        // a.go
        package a
        type L[T any] struct { «next» *L[T]; v T }
        func (l *L[T]) Last() *L[T] { return l.«next».«next» }
        func f(l L[int]) { h(l.Last().«next», l.v.¿next?) }
    """,
}


LINES = {
    "of two interfaces that one type has": """
        // a.go
        package a
        type I interface { «M»(); N() }
        type J interface { ¿M?(); O() }
        type T struct{}
        func (T) «M»() {}
        func (T) N() {}
        func (T) O() {}
        func f(i I, j J, t T) { i.«M»(); j.¿M?(); t.«M»() }
    """,
    "of two types that have one interface": """
        // a.go
        package a
        type T struct{}
        func (T) «M»() {}
        type I interface { «M»() }
        type U struct{}
        func (U) ¿M?() {}
        func f(i I, t T, u U) { i.«M»(); t.«M»(); u.¿M?() }
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


def test_rename_changes_all_files_of_the_package() -> None:
    before = "# a.go\npackage a\nfunc f() {}\n# b.go\npackage a\nvar _ = f // f\n"
    outcome = apply_operations(before, {"op": "rename", "path": "a.go", "symbol": "f", "to": "g"})
    assert format_changes(outcome) == before.replace("f()", "g()").replace("= f", "= g")
    assert outcome.unchecked == ["b.go:2: f is left: it is in a comment"]


REFUSED = {
    "taken in another file": ("f", "g", "duplicate_symbol"),
    "captured by a local name": ("f", "x", "duplicate_symbol"),
    "a word of the language": ("f", "func", "invalid_name"),
}


@pytest.mark.parametrize(("name", "to", "code"), REFUSED.values(), ids=REFUSED)
def test_invalid_rename_is_refused(name: str, to: str, code: str) -> None:
    before = "# a.go\npackage a\nfunc f() {}\n# b.go\npackage a\nfunc g(x int) { f() }\n"
    with pytest.raises(ScalpelError) as caught:
        apply_operations(before, {"op": "rename", "path": "a.go", "symbol": name, "to": to})
    assert caught.value.code == code


def test_renamed_package_gets_an_alias_in_one_file() -> None:
    before = (
        "# go.mod\nmodule m\n# p/a.go\npackage p\nconst N = 1\n"
        '# b.go\npackage b\nimport "m/p"\nvar _ = p.N\n# c.go\npackage b\nimport "m/p"\nvar _ = p.N\n'
    )
    unaliased = '# b.go\npackage b\nimport "m/p"\nvar _ = p.N\n'
    aliased = '# b.go\npackage b\nimport q "m/p"\nvar _ = q.N\n'
    for line in (2, 3):  # the import and a use
        outcome = apply_operations(
            before, {"op": "rename", "path": "b.go", "start": line, "name": "p", "to": "q"}
        )
        assert format_changes(outcome) == aliased
        assert outcome.unchecked == []
    back = apply_operations(
        before.replace(unaliased, aliased),
        {"op": "rename", "path": "b.go", "start": 3, "name": "q", "to": "p"},
    )
    assert format_changes(back) == unaliased


def test_package_name_may_differ_from_its_path() -> None:
    before = (
        '# go.mod\nmodule m\n# x/a.go\npackage p\nconst N = 1\n# b.go\npackage b\nimport "m/x"\nvar _ = p.N\n'
    )
    outcome = apply_operations(before, {"op": "rename", "path": "b.go", "start": 3, "name": "p", "to": "q"})
    assert format_changes(outcome) == '# b.go\npackage b\nimport q "m/x"\nvar _ = q.N\n'


IMPORTED = {
    "another file of the package has the name": ("# c.go\npackage b\nvar q int\n", "q"),
    "another import has it": ("", "os"),
}


@pytest.mark.parametrize(("more", "to"), IMPORTED.values(), ids=IMPORTED)
def test_taken_package_alias_is_refused(more: str, to: str) -> None:
    before = '# b.go\npackage b\nimport "fmt"\nimport "os"\nvar _ = fmt.Print\nvar _ = os.Exit\n' + more
    with pytest.raises(ScalpelError) as caught:
        apply_operations(before, {"op": "rename", "path": "b.go", "start": 4, "name": "fmt", "to": to})
    assert caught.value.code == "duplicate_symbol"


def test_unexporting_a_used_field_is_refused() -> None:
    before = (
        "# go.mod\nmodule m\n# p/a.go\npackage p\nvar S struct{ X int }\n"
        '# b.go\npackage b\nimport "m/p"\nvar _ = p.S.X\n'
    )
    with pytest.raises(ScalpelError) as caught:
        apply_operations(before, {"op": "rename", "path": "p/a.go", "start": 2, "name": "X", "to": "x"})
    assert caught.value.code == "duplicate_symbol"


def test_doc_comment_addresses_its_declaration() -> None:
    before = "# a.go\npackage a\n// F does it,\n// at once.\nfunc F() {}\n\n// F does not.\n\nvar _ = F\n"
    outcome = apply_operations(before, {"op": "rename", "path": "a.go", "start": 2, "name": "F", "to": "G"})
    assert format_changes(outcome) == before.replace("func F", "func G").replace("= F", "= G").replace(
        "F does it", "G does it"
    )
    with pytest.raises(ScalpelError) as caught:
        apply_operations(before, {"op": "rename", "path": "a.go", "start": 6, "name": "F", "to": "G"})
    assert caught.value.code == "symbol_not_found"


DOC_COMMENTS = {
    "a function": (
        "// f does it,\n// and f is it.\nfunc f() {}",
        "// g does it,\n// and f is it.\nfunc g() {}",
    ),
    "a block": ("/*\n * f's work.\n */\nfunc f() {}", "/*\n * g's work.\n */\nfunc g() {}"),
    "one of several": ("const (\n\t// f is one.\n\tf = 1\n)", "const (\n\t// g is one.\n\tg = 1\n)"),
    "beside a directive": ("// f.\n//go:noinline\nfunc f() {}", "// g.\n//go:noinline\nfunc g() {}"),
    "behind a trailing one": (
        "var x = 1 // x\n// f, for short\nvar f = 2",
        "var x = 1 // x\n// g, for short\nvar g = 2",
    ),
    "not first": ("// what f does\nfunc f() {}", "// what f does\nfunc g() {}"),
    "not first of the block": ("// It does:\n// f\nfunc f() {}", "// It does:\n// f\nfunc g() {}"),
    "not above": ("// f does it.\n\nfunc f() {}", "// f does it.\n\nfunc g() {}"),
    "of another one": (
        "// f is it.\nfunc h() { f() }\nfunc f() {}",
        "// f is it.\nfunc h() { g() }\nfunc g() {}",
    ),
    "a part of what is declared": (
        "// f is in it.\ntype T struct { f int }\nvar f T",
        "// f is in it.\ntype T struct { f int }\nvar g T",
    ),
    "a directive": ("//f:x y\nfunc f() {}", "//f:x y\nfunc g() {}"),
    "another word": ("// f-like\nfunc f() {}", "// f-like\nfunc g() {}"),
}


@pytest.mark.parametrize(("before", "expected"), DOC_COMMENTS.values(), ids=DOC_COMMENTS)
def test_doc_comment_that_begins_with_the_name_is_renamed(before: str, expected: str) -> None:
    head = "# a.go\npackage a\n"
    outcome = apply_operations(
        head + before + "\n", {"op": "rename", "path": "a.go", "symbol": "f", "to": "g"}
    )
    assert format_changes(outcome) == head + expected + "\n"
    assert bool(outcome.unchecked) == bool(re.search(r"//.*\bf\b", expected))


def test_doc_comments_of_locals_methods_and_fields_are_renamed() -> None:
    before = (
        "# a.go\npackage a\ntype T struct {\n\t// f is set.\n\tf int\n}\n\n"
        "// run does.\nfunc (t T) run() {\n\t// n counts.\n\tn := t.f\n\t_ = n\n}\n"
    )
    for word, rest, where in (
        ("f", "is set", {"symbol": "T.f"}),
        ("run", "does", {"symbol": "T.run"}),
        ("n", "counts", {"start": 10, "name": "n"}),
    ):
        outcome = apply_operations(before, {"op": "rename", "path": "a.go", **where, "to": "other"})
        assert f"// {word} {rest}" not in format_changes(outcome)
        assert (f"// other {rest}" in format_changes(outcome), outcome.unchecked) == (True, [])


RECEIVERS = (
    "# a.go\npackage a\ntype T[P any] int\ntype U int\nfunc (t T[P]) F() { g(t) }\n"
    "func (t *T[P]) G() {}\nfunc (t U) H() {}\nfunc (x T[P]) I(t int) {}\nfunc (t T[P]) J(r int) { g(t) }\n"
)


def test_rename_of_a_receiver_includes_those_of_other_methods() -> None:
    outcome = apply_operations(
        RECEIVERS, {"op": "rename", "path": "a.go", "start": 4, "name": "t#1", "to": "r"}
    )
    expected = RECEIVERS.replace("(t T[P]) F() { g(t)", "(r T[P]) F() { g(r)").replace(
        "(t *T[P])", "(r *T[P])"
    )
    assert format_changes(outcome) == expected
    assert outcome.unchecked == [
        "a.go:8: t is left: it is another definition with the same name by convention"
    ]


def test_keyword_as_receiver_name_is_refused() -> None:
    with pytest.raises(ScalpelError) as caught:
        apply_operations(RECEIVERS, {"op": "rename", "path": "a.go", "start": 4, "name": "t#1", "to": "func"})
    assert (caught.value.code, "is a keyword" in caught.value.message) == ("invalid_name", True)


def test_rename_of_a_receiver_use_leaves_other_methods() -> None:
    outcome = apply_operations(
        RECEIVERS, {"op": "rename", "path": "a.go", "start": 4, "name": "t#2", "to": "r"}
    )
    assert format_changes(outcome) == RECEIVERS.replace("(t T[P]) F() { g(t)", "(r T[P]) F() { g(r)")
    assert outcome.unchecked == [
        "a.go:5, 8: t is left: it is another definition with the same name by convention"
    ]


class RecordingFiles(Files):
    """Files that record the paths searched for names."""

    def __init__(self, overlay: Overlay) -> None:
        super().__init__(overlay)
        self.searched_paths: set[str] = set()

    def lexical(self, path: str) -> Lexical | None:
        found = super().lexical(path)
        if found is not None:
            self.searched_paths.add(path)
        return found


def test_only_files_with_the_word_are_searched() -> None:
    texts = {
        "go.mod": "module m\n",
        "a.go": 'package a\nimport ("m/b"; "m/c/two")\nfunc Start() { Start(); two.G(); b.H() }\n',
        "other.go": "package a\nfunc g() {}\n",
        "b/b.go": "package b\nfunc H() {}\n",
        "c/two/x.go": "package two\nfunc G() {}\n",
        "c/two/y.go": "package two\n",
    }
    files = RecordingFiles(Overlay(editing.Files(texts)))
    resolver = Resolver(files, dialect)
    mention = resolver.lexical("a.go").occurrences_of("Start")[0]
    target = {each for each in resolver.meanings("a.go", mention) if isinstance(each, Binding)}
    assert len(find_references(resolver, target).certain) == 2
    assert files.searched_paths == {"a.go"}


@pytest.mark.parametrize(
    ("field", "why"),
    [
        ('X int `json:",omitempty"`', "json calls it by this name, as its tag gives no other"),
        ('X int; Y int `yaml:"y"`', "yaml calls it by this name, as its tag gives no other"),
        ('X int `json:"x"`', ""),
        ("X int", "encoders call it by this name, as it has no tag"),
    ],
)
def test_field_name_used_by_an_encoder_is_reported(field: str, why: str) -> None:
    before = f'# a.go\npackage a\nimport "encoding/json"\ntype T struct {{ {field} }}\nvar m = json.Marshal\n'
    outcome = apply_operations(before, {"op": "rename", "path": "a.go", "symbol": "T.X", "to": "Z"})
    assert outcome.unchecked == ([f"a.go:3: X is renamed, though {why}"] if why else [])


MACRO = """
    // go.mod
    module m
    // a.c
    #define Limit 3
    int f(void) { return Limit; }
    // b.go
    package m
    func Limit() int { return 1 }
    // c.go
    package m
    var x = Limit()
"""


@pytest.mark.parametrize("place", [("b.go", 2), ("c.go", 2)], ids=str)
def test_c_macro_with_the_name_of_a_function_is_not_renamed(place: tuple[str, int]) -> None:
    path, line = place
    outcome = apply_operations(
        MACRO, {"op": "rename", "path": path, "start": line, "name": "Limit", "to": "Most"}
    )
    assert format_changes(outcome) == (
        "# b.go\npackage m\nfunc Most() int { return 1 }\n# c.go\npackage m\nvar x = Most()\n"
    )
