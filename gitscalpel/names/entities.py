"""Meanings of a name, and values of an expression: bindings, modules, classes, instances, functions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

import tree_sitter

WHOLE = (0, -1)
"""Scope of a file's own name, which no bytes of the file bind."""


ClassKey: TypeAlias = tuple[str, tuple[int, int]]


class Binding(NamedTuple):
    """A name of one scope, however often the scope binds it."""

    path: str
    scope: tuple[int, int]  # byte span of the scope's node; WHOLE for the file itself, as a module
    kind: str  # kind of the scope; for a module, its language
    name: str
    space: str = ""  # namespace, if the scope has several side by side (types and values)


class Elsewhere(NamedTuple):
    """Meaning that is certainly defined outside the tree."""

    what: str


OUTSIDE = Elsewhere("an object from outside")
"""An object that code outside the tree creates where a type of the tree is expected."""


class Unknown(NamedTuple):
    """Meaning or value that cannot be determined."""

    why: str  # reason, as a message
    among: bool = False  # True if the meaning is certainly one of the others returned with this one
    called: str | None = None  # name of the callable whose parameter a keyword may be; empty if unknown
    anywhere: bool = False  # True for a word whose kind the grammar does not distinguish


Meaning: TypeAlias = Binding | Elsewhere | Unknown


class Module(NamedTuple):
    """A file as a module, or a directory that is a package without a file of its own."""

    path: str
    language: str  # name of the language of the module
    within: tuple[int, int] | None = None  # byte span of a module inside the file (a namespace)


class Class(NamedTuple):
    """A class, by its node."""

    path: str
    node: tree_sitter.Node

    @property
    def scope(self) -> tuple[int, int]:
        return self.node.start_byte, self.node.end_byte

    @property
    def key(self) -> ClassKey:
        """Return the identity of the class, which two objects of one class share."""
        return self.path, self.scope


class Instance(NamedTuple):
    """An object of a class."""

    of: Class


class Function(NamedTuple):
    """A function, by its node; ``bound`` if its first parameter is already bound (``self``)."""

    path: str
    node: tree_sitter.Node
    bound: bool = False


Value: TypeAlias = Module | Class | Instance | Function | Elsewhere | Unknown


def object_of(value: Value) -> Value:
    """Return the instance of a class; any other value as it is."""
    return Instance(value) if isinstance(value, Class) else value


def type_of(value: Value) -> Value:
    """Return the class of an instance; any other value as it is."""
    return value.of if isinstance(value, Instance) else value


def key_of(value: Value) -> object:
    """Return a value that is equal for each node of the same class; any other value as it is."""
    return value.key if isinstance(value, Class) else value


def functions_in(values: Iterable[Value]) -> list[Function]:
    return [each for each in values if isinstance(each, Function)]


def bindings_in(meanings: Iterable[Meaning]) -> list[Binding]:
    """Return the names of the tree among some meanings."""
    return [each for each in meanings if isinstance(each, Binding)]
