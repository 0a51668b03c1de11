"""Python: keywords and names that reach a function other than by a plain call."""

from __future__ import annotations

import pytest

from gitscalpel.changesets.requests import parse_operations
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.refactor.rename import lower_name_operation
from tests.edit.editing import Files
from tests.names.marked_files import assert_marked, split_files

_CASES = {
    "the metaclass of a class statement": """
        # a.py
        class M(type):
            def __new__(mcls, name, bases, space, *, «prefix»="m", **rest):
                made = super().__new__(mcls, name, bases, space)
                made.prefix = «prefix»
                return made
        class B(metaclass=M, «prefix»="b"): pass
        class C(B, «prefix»="c"): pass
        class D(prefix="c"): pass
    """,
    "the call of a metaclass": """
        # a.py
        class M(type):
            def __call__(cls, *args, «depth»=1, **rest):
                made = super().__call__(*args, **rest)
                made.depth = «depth»
                return made
        class A(metaclass=M):
            def __init__(self, width=0): self.width = width
        class B(A): pass
        A(«depth»=4, width=2)
        B(«depth»=4)
        M.other(depth=5)
    """,
    "__init_subclass__": """
        # a.py
        class A:
            def __init_subclass__(cls, «key»=None, **rest): cls.key = «key»
        # b.py
        from a import A
        class B(A, «key»=1): pass
        class C(B, «key»=2): pass
        B(key=1)
    """,
    "singledispatch": """
        # a.py
        import functools
        @functools.singledispatch
        def render(value, «width»=3): return «width»
        @render.register
        def _(value: int, «width»=3): return «width»
        @render.register(list)
        def _(value, «width»=3): return «width»
        @other.register
        def _(value: int, width=3): return width
        # b.py
        from a import render
        @render.register
        def _(value: str, «width»=3): return «width»
        render(1, «width»=2)
    """,
    "singledispatchmethod": """
        # a.py
        from functools import singledispatchmethod
        class A:
            @singledispatchmethod
            def render(self, value, width=3): return width
            @render.register
            def _(self, value: int, «width»=3): return «width»
    """.replace("value, width=3): return width", "value, «width»=3): return «width»"),
    "what others hand on": """
        # a.py
        import functools, operator, threading
        from concurrent.futures import ThreadPoolExecutor as Pool
        def work(item, «store»=None): ...
        functools.partial(work, «store»=1)(¿store?=2)
        Pool().submit(work, 1, «store»=2)
        other.apply(work, ¿store?=2)
        other.apply(len, store=2)
        operator.methodcaller("work", ¿store?=1)
        operator.methodcaller("other", store=1)
        table = {"work": work}
        table["work"](¿store?=1)
        work.__wrapped__(«store»=1)
        @given(¿store?=1)
        def test_a(store): work(«store»=store)
        @other(store=1)
        def test_b(thing): ...
    """.replace("@given(¿store?=1)", "@given(store=1)"),
    "what decorators give": """
        # a.py
        from hypothesis import given
        @given(¿item?=1)
        def check(«item»): return «item»
    """,
    "functions in branches": """
        # a.py
        if x:
            def work(«item»): return «item»
        else:
            def work(«item», other): return «item»
        work(«item»=1)
        def work(item): return item
    """.replace("        def work(item): return item\n", ""),
    "copies": """
        # a.py
        import copy, dataclasses
        @dataclasses.dataclass
        class A:
            «x»: int
            def moved(self): return dataclasses.replace(self, «x»=1)
        A(«x»=1).moved().«x» + copy.copy(A(2)).«x» + "a".replace("a", "b").x
    """,
    "members of an enum": """
        # a.py
        from enum import Enum
        class E(Enum):
            A = 1
            «B» = 2
            @property
            def shade(self): return self.«B».value
        E.A.«B», E["A"].«B», E.A.shade, 1 .B
    """,
}


@pytest.mark.parametrize("text", _CASES.values(), ids=_CASES)
def test_references_are_those_marked(text: str) -> None:
    assert_marked(text)


_REPORTED = {
    "globals": ("class _Option: ...\ndef __getattr__(name): return globals()[f'_{name}']\n", 1, "_Option"),
    "vars": ("import m\ndef do_it(): ...\nx = vars(m)['do_' + 'it']\n", 2, "do_it"),
    "eval": ("def do_it(): ...\nx = eval(f'do_{1}()')\n", 1, "do_it"),
    "attrgetter": (
        "class A:\n    top_x = 1\nimport operator\nx = operator.attrgetter('top_%s' % 'x')\n",
        2,
        "top_x",
    ),
    "what is told its name": (
        "class D:\n    def __set_name__(self, o, n): ...\nclass A:\n    x_y = D()\n",
        4,
        "x_y",
    ),
    "a text with the name": ("first = 1\nprint(f'{first=}')\n", 1, "first"),
    "a text with the name, formatted": ("def f(first): return f'{first + 1 = !r:>5}'\n", 1, "first"),
}


@pytest.mark.parametrize(("before", "line", "name"), _REPORTED.values(), ids=_REPORTED)
def test_dynamic_use_of_a_name_is_reported(before: str, line: int, name: str) -> None:
    op = {"op": "rename", "path": "a.py", "start": line, "name": name, "to": "other"}
    done = apply(parse_operations([op]), Files({"a.py": before}), lower=lower_name_operation)
    (note,) = [each for each in done.unchecked if "is renamed, though" in each]
    assert name in note


def test_text_without_the_name_is_not_reported() -> None:
    op = {"op": "rename", "path": "a.py", "start": 1, "name": "first", "to": "other"}
    files = Files(dict(split_files("# a.py\nfirst = 1\nprint(f'{first == 1} {first:=5} = {first}')\n")))
    assert apply(parse_operations([op]), files, lower=lower_name_operation).unchecked == []
