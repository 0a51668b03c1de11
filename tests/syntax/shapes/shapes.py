#!/usr/bin/env python3
# -*- coding: utf-8 -*-
"""Module documentation, with a def f(): that is none."""

import os as system

# about the constant
CONSTANT: int = 1
a = b = 2
x, y = 1, 2
declared: str
CONSTANT = 3
lambda_of = lambda q: q  # noqa: E731

type Alias = list[int]


# about the function
@decorator(
    "with", "arguments",
)
# between decorators
@another
async def function(arg, *, key="def no(): pass"):
    """Documentation."""
    local = 1

    def inner():
        deeper = 2
        return deeper

    class Local:
        field = 1

        def method(self):
            pass

    return inner  # trailing
    # a comment of the body


if system.name == "nt":
    def conditional():
        pass
else:
    def conditional():
        return 1


class Outer(Base, metaclass=Meta):
    """class NotThis: pass"""

    field = 1
    annotated: int = 2
    bare: str
    method_alias = property(lambda self: 1)

    class Inner:
        deep = 1

        def method(self): return "def hidden(): pass"

    @property
    def value(self):
        self.attribute = 1
        return self.attribute

    @value.setter
    def value(self, new):
        self._value = new

    # above the method
    def method(self) -> "Outer":
        try:
            found = 1
        finally:
            pass


try:
    import fast
except ImportError:
    class Fallback:
        def run(self): ...

semicolon = 1; after_it = 2
match system:
    case _:
        in_match = 1
