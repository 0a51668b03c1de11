"""Members that share a name because a class inherits both, by language."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.names.entities import Binding, Class, Value
from gitscalpel.names.files import Files
from gitscalpel.names.languages.javascript import classes
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.references import find_references
from gitscalpel.names.resolver import Resolver, dialect
from gitscalpel.syntax.occurrences import Mention
from tests.edit import editing
from tests.names.marked_files import assert_marked, find_references_at, split_files

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
    "Python, under other names": """
        # a.py
        class I:
            def «m»(self): ...
        class B:
            def «m»(self): ...
        # b.py
        from a import B as BB, I as II
        Other = BB
        # c.py
        from b import II
        import b
        class C(b.Other, II): pass
    """,
    "TypeScript, under other names": """
        // a.ts
        export interface I { «m»(): void }
        export class B { «m»() {} }
        // b.ts
        export { B as BB } from './a'
        // c.ts
        import { I as II } from './a'
        import { BB } from './b'
        class C extends BB implements II {}
    """,
    "TypeScript, a default under another name": """
        // a.ts
        export interface I { «m»(): void }
        // b.ts
        export default class B { «m»() {} }
        // c.ts
        import { I } from './a'
        import Other from './b'
        class C extends Other implements I {}
    """,
    "Kotlin, under other names": """
        // A.kt
        package a
        interface I { fun «m»() }
        open class B { open fun «m»() {} }
        // C.kt
        package c
        import a.I as II
        import a.B as BB
        class C : BB(), II
    """,
    "C#, under other names": """
        // A.cs
        namespace A;
        interface I { void «M»(); }
        class B { public void «M»() {} }
        // C.cs
        using II = A.I;
        using BB = A.B;
        class C : BB, II { }
    """,
    "PHP, under other names": """
        // a.php
        <?php
        namespace A;
        interface I { function «m»(); }
        class B { function «m»() {} }
        // c.php
        <?php
        use A\\I as II;
        use A\\B as BB;
        class C extends BB implements II {}
    """,
    "C++, under other names": """
        // a.cpp
        struct I { virtual void «m»() = 0; };
        struct B { virtual void m() {} };
        using II = I;
        typedef B BB;
        struct C : BB, II {};
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
def test_inherited_member_implements_that_of_another_base(case: str) -> None:
    assert_marked(JOINED[case])


def test_refs_distinguishes_joined_members() -> None:
    text = """
        // A.java
        interface I { void ¿m?(); }
        class B { public void «m»() {} }
        class C extends B implements I {}
        class F { void f(I i, C c) { i.¿m?(); c.«m»(); } }
    """
    assert_marked(text, in_line=True)


def test_subclasses_are_searched_only_where_the_class_may_be_named() -> None:
    text = """
        // m.py
        class Base:
            def m(self): ...
        class Other:
            def m(self): ...
        class Both(Base, Other): pass
        // a.js
        class Third extends Other {}
        // part.py
        class Third(Others): pass
        // another.py
        from m import Other
    """
    parsed: set[str] = set()

    class RecordingFiles(Files):
        def lexical(self, path: str) -> Lexical | None:
            lexical = super().lexical(path)
            parsed.update([path] if lexical is not None else [])
            return lexical

    resolver = Resolver(RecordingFiles(Overlay(editing.Files(split_files(text)))), dialect)
    (own, _) = resolver.lexical("m.py").occurrences_of("m")
    target = {each for each in resolver.meanings("m.py", own) if isinstance(each, Binding)}
    assert len(find_references(resolver, target).certain) == 2
    assert parsed == {"m.py", "another.py"}


class RecordingFiles(Files):
    """Files that record the searched words."""

    def __init__(self, overlay: Overlay) -> None:
        super().__init__(overlay)
        self.looked_for: list[str] = []

    def naming(self, word: str, language: str) -> Iterator[str]:
        self.looked_for.append(word)
        return super().naming(word, language)


def test_classes_with_equal_names_are_searched_once() -> None:
    base = "class Base:\n    def m(self): ...\nclass Part(Base): pass\n"
    files = {f"m{n}.py": base for n in range(5)} | {
        "both.py": "from m1 import Part\nfrom m2 import Base\nclass Both(Part, Base): pass\n"
    }
    looked_in = RecordingFiles(Overlay(editing.Files(files)))
    resolver = Resolver(looked_in, dialect)
    (own,) = resolver.lexical("m1.py").occurrences_of("m")
    target = {each for each in resolver.meanings("m1.py", own) if isinstance(each, Binding)}
    assert {each.path for each in find_references(resolver, target).certain} == {"m1.py", "m2.py"}
    assert sorted(looked_in.looked_for) == sorted({*looked_in.looked_for})


@pytest.mark.parametrize("base_name", ["Few", "Many"])
def test_subclasses_of_only_one_class_are_searched(base_name: str) -> None:
    files = {
        "few.py": "class Few:\n    def m(self): ...\n",
        "many.py": "class Many:\n    def m(self): ...\n",
        **{f"heir{n}.py": f"from many import Many\nclass Heir{n}(Many): pass\n" for n in range(5)},
    }
    looked_in = RecordingFiles(Overlay(editing.Files(files)))
    resolver = Resolver(looked_in, dialect)
    path = f"{base_name.lower()}.py"
    (own,) = resolver.lexical(path).occurrences_of("m")
    target = {each for each in resolver.meanings(path, own) if isinstance(each, Binding)}
    assert {each.path for each in find_references(resolver, target).certain} == {path}
    assert "Many" not in looked_in.looked_for


@pytest.mark.parametrize("base_name", ["A", "B"])
def test_base_class_returned_by_a_function_is_followed(base_name: str) -> None:
    files = {
        "base.py": "class A:\n    def m(self): ...\nclass B:\n    def m(self): ...\n",
        "made.py": "from base import A\ndef f(): return A\n",
        "j.py": "from base import B\nfrom made import f\nclass J(f(), B): ...\n",
        "user.py": "from base import B\nB().m()\n",
    }
    resolver = Resolver(Files(Overlay(editing.Files(files))), dialect)
    own = resolver.lexical("base.py").occurrences_of("m")["AB".index(base_name)]
    target = {each for each in resolver.meanings("base.py", own) if isinstance(each, Binding)}
    places = [each for each in find_references(resolver, target).places if each.path == "base.py"]
    assert len(places) == 2


def test_class_used_in_a_body_is_not_a_base() -> None:
    files = {
        "m.py": "class Base:\n    def m(self): ...\nclass Other:\n    def m(self): ...\n",
        "user.py": "from m import Base, Other\nclass User:\n    other = Other()\n    base = Base()\n",
    }
    resolved_paths: set[str] = set()

    class RecordingResolver(Resolver):
        def ancestry(self, of: Class) -> tuple[Value, ...]:
            resolved_paths.add(of.path)
            return super().ancestry(of)

    resolver = RecordingResolver(Files(Overlay(editing.Files(files))), dialect)
    (own, _) = resolver.lexical("m.py").occurrences_of("m")
    target = {each for each in resolver.meanings("m.py", own) if isinstance(each, Binding)}
    assert len(find_references(resolver, target).certain) == 1
    assert resolved_paths == {"m.py"}


def test_member_assignments_are_searched_once_per_file(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[int] = []
    is_set = classes.is_member_set

    def count_call(mention: Mention) -> bool:
        checked.append(mention.start)
        return is_set(mention)

    monkeypatch.setattr(classes, "is_member_set", count_call)
    functions = "".join(f"function F{n}() {{ this.m = {n}; this.n = this.m }}\n" for n in range(20))
    uses = "".join(f"new F{n}().m;\n" for n in range(20))
    files = {"a.js": functions + uses}
    assert len(find_references_at(files, "a.js", files["a.js"].index("m = 7")).certain) == 3
    assert len(checked) < 20 * 20
