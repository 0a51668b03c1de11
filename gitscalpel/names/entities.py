"""Meanings of a name, and values of an expression: bindings, modules, classes, instances, functions."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import tree_sitter

WHOLE = (0, -1)
"""Scope of a file's own name, which no bytes of the file bind."""


class Binding(NamedTuple):
    """A name of one scope, however often the scope binds it.

    Attributes:
        path: path of the file.
        scope: byte span of the scope's node; :data:`WHOLE` for the file itself, as a module.
        kind: kind of the scope; for a module, its language.
        name: the bound name.
        space: namespace, if the scope has several side by side (types and values).
    """

    path: str
    scope: tuple[int, int]
    kind: str
    name: str
    space: str = ""


class Elsewhere(NamedTuple):
    """Meaning that is certainly defined outside the tree."""

    what: str


OUTSIDE = Elsewhere("an object from outside")
"""An object that code outside the tree creates where a type of the tree is expected."""


class Unknown(NamedTuple):
    """Meaning or value that cannot be determined.

    Attributes:
        why: reason, as a message.
        among: True if the meaning is certainly one of the other meanings returned with this one.
        called: name of the callable whose parameter a keyword may be; empty if unknown.
        anywhere: True for a word whose kind the grammar does not distinguish.
    """

    why: str
    among: bool = False
    called: str | None = None
    anywhere: bool = False


Meaning: TypeAlias = Binding | Elsewhere | Unknown


class Module(NamedTuple):
    """A file as a module, or a directory that is a package without a file of its own.

    Attributes:
        path: path of the file or directory.
        language: name of the language of the module.
        within: byte span of a part of the file that is a module of its own (a namespace).
    """

    path: str
    language: str
    within: tuple[int, int] | None = None


class Class(NamedTuple):
    """A class, by its node."""

    path: str
    node: tree_sitter.Node

    @property
    def scope(self) -> tuple[int, int]:
        """Return the byte span of the class."""
        return self.node.start_byte, self.node.end_byte


class Instance(NamedTuple):
    """An object of a class."""

    of: Class


class Function(NamedTuple):
    """A function, by its node; ``bound`` if its first parameter has a value already."""

    path: str
    node: tree_sitter.Node
    bound: bool = False


Value: TypeAlias = Module | Class | Instance | Function | Elsewhere | Unknown
