"""Python: names bound by patterns.

Each case is a text with marked places.
"""

from __future__ import annotations

import pytest

from tests.names.marked_files import assert_marked

PATTERNS = {
    "part by part, however it is written": """
        # a.py
        class Cat:
            def «sound»(self): ...
        class Dog:
            def sound(self): ...
        cat, dog = Cat(), Dog()
        cat.«sound»()
        dog.sound()
        (one, [two, three]) = (Dog(), (Cat(), Dog()))
        one.sound(); two.«sound»(); three.sound()
        [four, five] = [Cat(), Dog()]
        four.«sound»(); five.sound()
        class Both:
            def __init__(self):
                self.cat, self.dog = cat, dog
            def f(self):
                self.cat.«sound»()
                self.dog.sound()
    """,
    "around a star": """
        # a.py
        class Cat:
            def «sound»(self): ...
        class Dog:
            def sound(self): ...
        first, *middle, last = Cat(), Dog(), Dog(), Cat()
        first.«sound»(); last.«sound»(); middle.¿sound?()
        one, two = *many, Cat()
        one.¿sound?(); two.¿sound?()
        *_, end = *many, Dog()
        end.sound()
    """,
    "through a name, and both ways of a condition": """
        # a.py
        class Cat:
            def «sound»(self): ...
        class Dog:
            def sound(self): ...
        pair = (Cat(), 1), Dog()
        (cat, one), dog = pair
        cat.«sound»(); dog.sound()
        a, b = (Cat(), Dog()) if here else (Cat(), None)
        a.«sound»(); b.sound()
        listed = [Cat(), Dog()]
        c, d = listed
        c.¿sound?(); d.¿sound?()
    """,
    "what a function gives": """
        # a.py
        class Cat:
            def «sound»(self): ...
        class Dog:
            def sound(self): ...
        def both():
            return Cat(), Dog()
        def told() -> tuple[Dog, Cat]: ...
        def some() -> "list": ...
        async def many() -> tuple[Cat, ...]: ...
        def other(pair):
            cat, dog = both()
            cat.«sound»(); dog.sound()
            dog, cat = told()
            a, b = told()
            a.sound(); b.«sound»()
            c, d = some()
            c.¿sound?(); d.¿sound?()
            e, f = pair
            e.¿sound?(); f.¿sound?()
        async def last():
            a, b = await many()
            a.«sound»(); b.«sound»()
    """,
    "in a cycle, or bound by a loop as well": """
        # a.py
        class Cat:
            def «sound»(self): ...
        a = b
        b = a
        c, d = a
        c.¿sound?()
        e, f = Cat(), Cat()
        e, f = f, e
        e.¿sound?()
        g, h = Cat(), Cat()
        for g, h in pairs:
            g.¿sound?()
    """,
}

OVERLOADED = """
    # a.py
    from typing import overload
    @overload
    def f(«x»: int) -> int: ...
    @overload
    def f(«x»: str, y: int) -> str: ...
    def f(«x»=1, y=2): return «x»
    f(«x»=1)
    class A:
        def f(self, x): ...
    def g(*args):
        def f(x): ...
"""


def test_parameters_of_overloads_are_one_name() -> None:
    assert_marked(OVERLOADED)


@pytest.mark.parametrize("text", PATTERNS.values(), ids=PATTERNS)
def test_names_in_patterns(text: str) -> None:
    assert_marked(text)
