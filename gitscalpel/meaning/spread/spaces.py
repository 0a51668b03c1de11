"""What all files of a language declare in a namespace.

A namespace is a module here, and its path is its whole name; ``""`` is the one of files that name none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import tree_sitter

from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import Binding

OPEN = ("module", "namespace")
"""The kinds of scopes whose names other files see."""


class Spread(NamedTuple):
    """How a language's files are told apart.

    Attributes:
        language: by name.
        space: the namespace in which a node of a file stands.
        kinds: the kinds of names that a namespace has.
        open: the kinds of scopes whose names are those of a namespace.
    """

    language: str
    space: Callable[[Resolver, str, tree_sitter.Node], str]
    kinds: frozenset[str]
    open: tuple[str, ...] = OPEN


def declared(resolver: Resolver, of: Spread, space: str, name: str) -> tuple[Binding, ...]:
    """What a namespace has under a name, in whatever files."""
    found = (each for where, each, _ in spots(resolver, of, name) if where == space)
    return tuple(dict.fromkeys(found))


def spots(resolver: Resolver, of: Spread, name: str) -> tuple[tuple[str, Binding, Place], ...]:
    """Where namespaces bind a name, with the namespace of each."""
    return resolver.once(("spots", of.language, name), lambda: _spots(resolver, of, name), ())


def _spots(resolver: Resolver, of: Spread, name: str) -> Iterator[tuple[str, Binding, Place]]:
    for path in resolver.files.holding(name):
        lexical = resolver.files.lexical(path)
        if lexical is None or lexical.syntax.language.name != of.language:
            continue
        for mention in lexical.of(name):
            if (
                mention.role == "bind"
                and mention.kind in of.kinds
                and lexical.holder(mention).kind in of.open
            ):
                space = of.space(resolver, path, mention.node)
                for each in resolver.written(path, mention):
                    if isinstance(each, Binding):
                        yield space, each, Place(path, mention)


def files(resolver: Resolver, of: Spread, word: str) -> Iterator[str]:
    """The files of a language that hold a word."""
    for path in resolver.files.holding(word):
        lexical = resolver.files.lexical(path)
        if lexical is not None and lexical.syntax.language.name == of.language:
            yield path


def around(space: str, separator: str = ".") -> Iterator[str]:
    """A namespace and those around it, innermost first."""
    parts = space.split(separator) if space else []
    for end in range(len(parts), -1, -1):
        yield separator.join(parts[:end])
