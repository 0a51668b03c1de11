"""Meanings of a name, and values of an expression: bindings, modules, classes, instances, functions."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import tree_sitter

WHOLE = (0, -1)
"""The scope of a file's own name, which no bytes of it bind."""


class Binding(NamedTuple):
    """A name of one scope, however often it is bound there.

    Attributes:
        path: of the file.
        scope: the bytes of the scope's node; :data:`WHOLE` for the file itself, as a module.
        kind: of the scope; of a module, its language.
        name: as it is bound.
        space: which of several that the scope holds side by side under one name (types and values).
    """

    path: str
    scope: tuple[int, int]
    kind: str
    name: str
    space: str = ""


class Elsewhere(NamedTuple):
    """It is certainly defined outside of the tree."""

    what: str


OUTSIDE = Elsewhere("an object from outside")
"""An object that something outside of the tree makes, where a type of the tree is asked for."""


class Unknown(NamedTuple):
    """Nobody can tell.

    Attributes:
        why: in words.
        among: it certainly is one of those that are named beside it.
        called: of a keyword, the name of what is called, whose parameter it may be; "": that of anything.
        anywhere: it is a word that the grammar does not part.
    """

    why: str
    among: bool = False
    called: str | None = None
    anywhere: bool = False


Meaning: TypeAlias = Binding | Elsewhere | Unknown


class Module(NamedTuple):
    """A file as a module, or a folder that is a package without a file of its own.

    Attributes:
        path: of the file or folder.
        language: by name, in which it is one.
        within: the bytes of a part of the file that is a module of its own (a namespace).
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
        """Its bytes."""
        return self.node.start_byte, self.node.end_byte


class Instance(NamedTuple):
    """Some object of a class."""

    of: Class


class Function(NamedTuple):
    """A function, by its node; ``bound`` where its first parameter is given already."""

    path: str
    node: tree_sitter.Node
    bound: bool = False


Value: TypeAlias = Module | Class | Instance | Function | Elsewhere | Unknown
