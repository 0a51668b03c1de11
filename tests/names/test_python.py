"""Python: scopes, imports, members, keywords.

Each case is a text with marked places.
"""

from __future__ import annotations

import pytest

from tests.names.marked_files import assert_marked

QUOTED = {
    "in __all__, of what a star brings": """
        # a.py
        class «A»: pass
        # b/__init__.py
        from a import *
        __all__ = ["«A»", "B"]
        # c.py
        from b import «A»
    """,
    "what a type is told to be called": """
        # a.py
        import typing
        from collections import namedtuple
        «T» = typing.TypeVar("«T»", bound="A")
        S = typing.TypeVar("T")
        x = other("T")
        def f(T): return namedtuple("T", "x")
        def g(x: «T»): pass
    """,
    "in brackets of types": """
        # a.py
        from typing import Dict, Literal, Union, cast, TypeVar
        class «A»: pass
        Either = Union["«A»", Dict[str, "list[«A»]"]]
        Other = Literal["A"]
        T = TypeVar("T", bound="«A»")
        x = cast("«A»", things["A"])
    """,
    "behind a module": """
        # a.py
        class «A»: pass
        # b.py
        import a, a as c
        from typing import Dict, Literal
        def f(x: "a.«A» | None", y: "Dict[str, c.«A»]", z: "Literal['a.A']", w: "d.A"): return "a.A"
    """,
    "what is allowed in brackets of quotes": """
        # a.py
        from typing import Annotated, Callable, Optional, Type, Union
        class A:
            def «m»(self): pass
        def f(x: "Optional['A']", y: "Union[A, None]", z: "Type[A]", w: "type[A] | None"):
            x.«m»(), y.«m»(), z.«m»(), w.«m»()
        def g(x: "Annotated[A, 'B', 3]", y: "list[A]", z: "Callable[[A], int]", w: "Union[A, B]"):
            x.«m»(), y.m(), z.m(), w.¿m?()
        def h(x: Annotated[A, 3], y: "A + 3"):
            x.«m»(), y.¿m?()
        class B:
            def m(self): pass
    """,
    "not what is itself a value": """
        # a.py
        import typing as t
        from typing import Annotated, Literal
        class «A»: pass
        def f(x: Literal["A", "B"] = "A", y: "«A»" = 1, z: t.Literal["A"] = "A") -> "Literal['A'] | «A»": ...
        def g(x: Annotated["«A»", "A"], y: "Annotated[«A», 'A']", z: list[Literal["A"]]): ...
        def h(w: "list['«A»']"): ...
        B = Annotated["«A»", "A"]
        C: "dict[Literal['A'], «A»]"
    """,
}


UNREAD = {
    "what stands in a list": "bs = [A]\nclass J(bs[0], B): ...\n",
    "what a dictionary holds": "bs = {'a': A}\nclass J(bs['a'], B): ...\n",
    "as many as there are": "bs = [A]\nclass J(*bs, B): ...\n",
    "what is looked up": "class J(getattr(base, 'A'), B): ...\n",
}


@pytest.mark.parametrize("marked", ["A", "B"])
@pytest.mark.parametrize("text", UNREAD.values(), ids=UNREAD)
def test_member_of_an_unresolved_base_is_uncertain(marked: str, text: str) -> None:
    own = {each: "«m»" if each == marked else "m" for each in "AB"}
    assert_marked(
        f"# base.py\nclass A:\n    def {own['A']}(self): ...\nclass B:\n    def {own['B']}(self): ...\n"
        f"# a.py\nimport base\nfrom base import A, B\n{text}J().¿m?()\n"
    )


def test_type_argument_of_a_base_is_not_a_base() -> None:
    assert_marked("""
        # a.py
        from typing import Generic, TypeVar
        T = TypeVar("T")
        class A(Generic[T]):
            def «m»(self): ...
        class L(list[int]): ...
        class B(A[int], L, dict[str, A[int]]): ...
        B().«m»()
    """)


@pytest.mark.parametrize("text", QUOTED.values(), ids=QUOTED)
def test_names_in_strings(text: str) -> None:
    assert_marked(text)


SCOPES = {
    "what a name of the language is bound to is the language's": """
        # a.py
        text = str
        «str» = str
        class A:
            int = int
            x: int
        def f(): return «str»
        g(«str», int, x=[«str» for _ in h])
    """,
    "of a class": """
        # a.py
        class A:
            «int» = int
            x = «int»
            def f(self, y=«int»): return int
    """,
    "in another branch": """
        # a.py
        if a:
            «str» = unicode
        elif str:
            «str» = str
        try:
            «str»
        except E:
            «str»
    """,
    "in a loop": """
        # a.py
        for _ in str():
            g(«str»)
            «str» = «str»
    """,
    "as a type, it may be read later": """
        # a.py
        x: «str»
        class «str»(str): pass
    """,
    "a local and a global": """
        # a.py
        x = 1
        def f():
            «x» = 2
            return «x»
        print(x)
    """,
    "a parameter, and what it shadows": """
        # a.py
        x = 1
        def f(«x», y=x):
            return lambda: «x»
        f(«x»=x)
    """,
    "what global says": """
        # a.py
        «x» = 1
        def f():
            global «x»
            «x» = 2
        def g():
            x = 3
    """,
    "what nonlocal says": """
        # a.py
        def f():
            «x» = 1
            def g():
                nonlocal «x»
                «x» += 1
            return «x»
        x = 2
    """,
    "a class's name is none of its functions'": """
        # a.py
        «x» = 1
        class A:
            x = 2
            def f(self):
                return «x»
    """,
    "a class's name that is bound by itself": """
        # a.py
        «x» = 1
        class A:
            x = «x»
            y = x
    """,
    "a comprehension": """
        # a.py
        x = [1]
        y = [«x» for «x» in x if «x»]
        print(x)
    """,
    "a comprehension over what holds other things": """
        # a.py
        def f(«x», z):
            [x for a, (b, *x) in z if x]
            {x for (a, (b, (x, c))) in z}
            return «x»
    """,
    "a walrus in a comprehension": """
        # a.py
        def f(z):
            [(«x» := y) for y in z]
            return «x»
    """,
    "a type parameter": """
        # a.py
        T = 1
        def f[«T»](a: «T») -> list[«T»]:
            return «T»
        T
    """,
    "patterns": """
        # a.py
        match point:
            case Point(x=«x», y=0) | [«x», *_]:
                print(«x», point.¿x?)
    """,
    "an exception, a file, a loop": """
        # a.py
        for «e», [a, *b] in c:
            with open(«e») as («e», f):
                pass
        try: pass
        except E as «e»: pass
    """,
    "interpolated": """
        # a.py
        «x» = 1
        print(f"x {«x»!r:>{«x»}} x")  # x
    """,
}
FILES = {
    "the last star hides what others bring": """
        # a.py
        def «f»(): pass
        # b.py
        def f(): pass
        # c.py
        from a import *
        «f»()
        from b import *
        f()
        def g(): f()
        # d.py
        from b import *
        from a import *
        class A: x = «f»()
        def g(): «f»()
        # e.py
        from a import *
        if x: from b import *
        ¿f?()
        # h.py
        from d import *
        from c import *
        f()
    """,
    "a star that may bring it": """
        # a.py
        def «f»(): pass
        # b.py
        if x:
            def f(): pass
        # c.py
        from a import *
        from b import *
        ¿f?()
    """,
    "a folder beside it has the name of its package, but not the module": """
        # lib/top/__init__.py
        # lib/top/inner/one.py
        def «f»(): pass
        # lib/top/inner/__init__.py
        # tests/top/other.py
        def f(): pass
        # tests/a.py
        import top.inner.one
        top.inner.one.«f»()
    """,
    "a field of a copy": """
        # a.py
        import dataclasses
        from attr import evolve
        @dataclasses.dataclass
        class A:
            «x»: int
            def up(self, other):
                return dataclasses.replace(self, «x»=evolve(other, ¿x?=1))
        dataclasses.replace(A(1), «x»=2); "x".replace("x", x=1)
    """,
    "a field of a copy of a named tuple": """
        # a.py
        from typing import NamedTuple
        class A(NamedTuple):
            «x»: int
            def up(self): return self._replace(«x»=self.«x» + 1)
        class B(NamedTuple):
            x: int
        class C:
            def _replace(self, x): return x
        def f(a: A, b: B): return a._replace(«x»=2), b._replace(x=3), C()._replace(x=4), A._replace(a, «x»=5)
    """,
    "a keyword of what is called by a variable": """
        # a.py
        class Command:
            def __init__(self, «params»): pass
        # b.py
        from a import Command
        def decorator(cls, other):
            if cls is None: cls = make()
            cls(¿params?=1)
            other.make(params=1)
            Command(«params»=1)
        class Group:
            command = None
            def __init__(self, made): self.made = made
            def add(self):
                self.command(¿params?=1)
                self.made(¿params?=1)
                self.add(params=1)
        def make(params): pass
    """,
    "a module of which nobody can tell": """
        # a.py
        def «helper»(size): pass
        def local():
            def helper(): pass
        # b.py
        import os
        from nowhere import helper
        def run(mod, own: int): mod.¿helper?(size=helper); own.helper(); os.helper()
    """,
    "loaded by its name": """
        # pkg/__init__.py
        # pkg/a.py
        def «f»(): pass
        # b.py
        import importlib, pytest
        importlib.import_module("pkg.a").«f»()
        a = pytest.importorskip("pkg.a", reason="f")
        a.«f»()
        __import__("pkg.a").a.«f»()
        importlib.import_module("pkg.b").¿f?()
    """,
    "imported": """
        # pkg/__init__.py
        from .a import «f»
        __all__ = ["«f»"]
        # pkg/a.py
        def «f»(): pass
        # b.py
        from pkg import «f»
        from pkg.a import «f» as g
        import pkg.a as p
        import pkg
        «f»(); g(); p.«f»(); pkg.«f»(); pkg.a.«f»()
        other.¿f?()
    """,
    "with an alias": """
        # a.py
        def f(): pass
        # b.py
        from a import f as «g»
        «g»()
        # c.py
        from b import «g»
    """,
    "with an alias that is none": """
        # pkg/__init__.py
        from .a import «f» as «f»
        # pkg/a.py
        def «f»(): pass
        # b.py
        import pkg
        pkg.«f»()
    """,
    "a star": """
        # a.py
        def «f»(): pass
        # b.py
        from a import *
        «f»()
        # c.py
        from os import *
        from b import «f»
    """,
    "a star beside what is bound later, in a function or perhaps": """
        # a.py
        def «f»(): pass
        # b.py
        from a import *
        «f»()
        f = 1
        f
        def g(): f
        # c.py
        import b
        b.f
    """,
    "a star beside what may be bound": """
        # a.py
        def «f»(): pass
        # c.py
        from a import *
        «f»
        def g():
            global «f»
            «f» = 1
        «f»
        # d.py
        if d:
            def «f»(): pass
        else:
            from a import *
        # e.py
        from d import «f»
        from d import *
        import c
        c.«f»
    """,
    "a star whose name is added to": """
        # a.py
        «f» = [1]
        # b.py
        from a import *
        «f» += [2]
        «f»
    """,
    "a module of a package that has it by a star of who imports it as well": """
        # p/__init__.py
        from .a import *
        # p/a.py
        from . import b
        x = b.«f»()
        # p/b.py
        def «f»(): pass
        # c.py
        from p import b
        import p
        b.«f»(), p.b.«f»()
    """,
    "stars in a circle": """
        # a.py
        from b import *
        «f» = 1
        # b.py
        from a import *
        «f»
        g
    """,
    "one of two": """
        # a.py
        try:
            from fast import «f»
        except ImportError:
            def «f»(): pass
        # fast.py
        def «f»(): pass
        # b.py
        from a import «f»
    """,
    "from the package itself": """
        # pkg/__init__.py
        from . import a
        # pkg/a.py
        «f» = 1
        # b.py
        import pkg
        pkg.a.«f»
    """,
    "below src": """
        # src/pkg/__init__.py
        «f» = 1
        # tests/test_pkg.py
        from pkg import «f»
    """,
    "a stub": """
        # a.py
        class A:
            def «f»(self): pass
        # a.pyi
        class A:
            def «f»(self) -> None: ...
    """,
}
MEMBERS = {
    "an attribute of a function": """
        # a.py
        from functools import wraps
        def f():
            calls = 1
            f.«calls» += calls
        f.«calls» = 0
        def g(calls): g.calls = calls
        def counted(function):
            @wraps(function)
            def wrapper(*given):
                wrapper.calls += 1
            wrapper.calls = 0
            return wrapper
        @counted
        def h(): h.¿calls?
        # b.py
        import a
        a.f.«calls» + a.g.calls + a.h.¿calls? + a.counted(a.f).calls
    """,
    "an attribute of a function that is wrapped": """
        # a.py
        from functools import wraps
        def counted(function):
            @wraps(function)
            def wrapper(*given):
                wrapper.«calls» += 1
            wrapper.«calls» = 0
            return wrapper
        @counted
        def f(): pass
        f.¿calls?
        def g(): pass
        g.¿calls? + counted(g).«calls»
    """,
    "an attribute of what a decorator makes": """
        # a.py
        class Task:
            def __init__(self, function):
                self.«name» = "x"
        @Task
        def f(name): pass
        f.¿name? = "y"
    """,
    "of itself": """
        # a.py
        class A:
            def __init__(self):
                self.«x» = 1
            def f(self, x):
                return self.«x» + x
        A().«x»
    """,
    "of others": """
        # a.py
        class A:
            «x» = 1
        class B:
            x = 2
        A.«x» + B.x + B().x
        def f(b: B, a: "A | None", c):
            return a.«x» + b.x + c.¿x?
    """,
    "overridden": """
        # a.py
        class A:
            def «f»(self): pass
        # b.py
        from a import A
        class B(A):
            def «f»(self):
                super().«f»()
        class C(B): pass
        class D:
            def f(self): pass
        C().«f»()
        D().f()
    """,
    "a property and its setter": """
        # a.py
        class A:
            @property
            def «x»(self) -> "A": pass
            @«x».setter
            def «x»(self, value): pass
        A().«x».«x» = 1
    """,
    "what a function gives": """
        # a.py
        class A:
            «x» = 1
        def make(): return A()
        def typed() -> A: pass
        @odd
        def changed(): return A()
        make().«x»; typed().«x»; changed().¿x?
        with open() as f: f.¿x?
    """,
    "what a function gives back of what it is given": """
        # a.py
        class A:
            def «m»(self): ...
        def same(one, two=None): return one
        def second(one, two=None): return two
        def other(one):
            one = change(one)
            return one
        def either(one):
            if one: return one
            return A()
        same(A()).«m»()
        same(1, A()).m()
        second(1, two=A()).«m»()
        second(*all).¿m?()
        other(A()).¿m?()
        either(A()).«m»()
        (lambda x: x)(A()).«m»()
        class Own:
            def same(self, one, two): return one
        Own().same(B(), A()).¿m?()
        # b.py
        from a import same, A as B
        def f(a: B): same(a).«m»()
    """,
    "of what is built in": """
        # a.py
        class A:
            def «append»(self): pass
        [].append(1); "".append; {}.append
    """,
    "a parameter, and those of the methods that override": """
        # a.py
        class A:
            def f(self, «x», y=0): pass
        class B(A):
            def f(self, «x», *, z=0): return «x»
        class C(A):
            def f(self, y, x, /): pass
        class D:
            def f(self, x): pass
        A().f(«x»=1); B().f(«x»=2); D().f(x=3)
    """,
    "a parameter that what is unknown, or goes on, may take": """
        # a.py
        from functools import partial
        class A:
            def f(self, «x»): return «x»
        def on(**more): A().f(**more)
        def other(y): pass
        def g(a, x):
            a.f(¿x?=1); a.h(x=1); on(¿x?=2); other(x=3); partial(A().f, «x»=4); print(x=5)
    """,
    "what a class takes, and what is unknown": """
        # a.py
        class A:
            def __init__(self, «x»): pass
        def g(a):
            a.A(¿x?=1); a.h(x=1); A(«x»=2)
    """,
    "a receiver, and those of the methods that override": """
        # a.py
        class A:
            def f(«x»): return «x»
            def __init__(self, y): pass
        class B(A):
            def f(x): return x
    """,
    "what may be anything": """
        # a.py
        from typing import Any, Self, Type
        class A:
            def «x»(self) -> Self: return self
        def f(a: Any, b: object, c: "type[A]", d: Type[A], e: "Any | None", g: type, h: int):
            a.¿x?; b.¿x?; c.«x»; d.«x»; e.¿x?; g.¿x?; h.x
        A().«x»().«x»
    """,
    "what its class does not define": """
        # a.py
        class Mixed:
            def f(self): self.¿x?; self.y
        class A(Mixed):
            def __init__(self): self.«x» = self.__dict__
        class Other(Mixed):
            x = 1
    """,
    "what is narrowed": """
        # a.py
        class Base: pass
        class A(Base):
            «x» = 1
        class B(Base):
            x = 2
        def f(a: Base, b: object, c: Base, d):
            if isinstance(a, A) and a.«x»: a.«x»
            elif isinstance(a, B): a.x
            if isinstance(b, (A, str)): b.¿x?
            if isinstance(a, A): a = B(); a.¿x?
            if not isinstance(c, A): return
            c.¿x?
            assert isinstance(d, A)
            d.«x»
    """,
    "a parameter in the stub of a package that hands its function on": """
        # a/__init__.py
        from .b import f
        # a/__init__.pyi
        from typing import overload
        @overload
        def f(«x»: int): ...
        @overload
        def f(«x»: str): ...
        # a/b.py
        def f(«x»): return «x»
        # c.py
        from a import f
        f(«x»=1)
    """,
    "keywords of a class": """
        # a.py
        class A:
            def __init__(self, «x», **more): self.x = «x»
        A(«x»=1); A(y=1)
        unknown(x=1)
    """,
    "fields of a data class": """
        # a.py
        @dataclass
        class A:
            «x»: int
        A(«x»=1).«x»
        match a:
            case A(«x»=1): pass
    """,
}


@pytest.mark.parametrize("text", SCOPES.values(), ids=SCOPES)
def test_scopes(text: str) -> None:
    assert_marked(text)


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_files(text: str) -> None:
    assert_marked(text)


@pytest.mark.parametrize("text", MEMBERS.values(), ids=MEMBERS)
def test_members(text: str) -> None:
    assert_marked(text)
