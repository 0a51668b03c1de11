"""What a name means that its file does not bind: of its package, an import, or the language's own."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator

from gitscalpel.meaning.go import comments, packages
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Elsewhere, Meaning, Module, Unknown
from gitscalpel.syntax.occurrences import Mention

_NAMES = """
any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string
uint uint8 uint16 uint32 uint64 uintptr true false iota nil append cap clear close complex copy delete imag
len make max min new panic print println real recover
"""
_OWN = frozenset(_NAMES.split())


def free(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a name means that no scope of its file binds."""
    if mention.kind == "label":
        return (Elsewhere("no label"),)
    is_test = packages.is_test(path)
    key = ("go name", posixpath.dirname(path), packages.name(resolver, path), is_test, mention.name)
    found = resolver.once(key, lambda: _declared(resolver, path, mention.name), ())
    return (
        found
        or tuple(_imported(resolver, path, mention.name))
        or tuple(_dotted(resolver, path, mention.name))
        or ((Elsewhere("the language"),) if mention.name in _OWN else (Unknown("nothing here defines it"),))
    )


def _declared(resolver: Resolver, path: str, word: str) -> Iterator[Meaning]:
    """What the package of a file declares; what its tests do, they alone see."""
    others = packages.files(resolver, path, word)
    seen = [each for each in others if packages.is_test(path) or not packages.is_test(each)]
    yield from packages.declared(resolver, seen, word)


def _imported(resolver: Resolver, path: str, word: str) -> Iterator[Meaning]:
    """A package under the name that it has itself."""
    for mention in resolver.implied(path, word):
        yield from resolver.written(path, mention)


def _dotted(resolver: Resolver, path: str, word: str) -> Iterator[Meaning]:
    """What ``import . "path"`` brings."""
    for alias, said in packages.imports(resolver, path):
        package = packages.find(resolver, said) if alias == "." else None
        if isinstance(package, Module):
            yield from packages.member(resolver, package, word)
        elif package is not None and word[:1].isupper():
            yield Unknown("a package from outside may bring it")


def documented(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a word in no code names: the package that an import brings; what a comment above declares."""
    if mention.role == "comment":
        return comments.below(resolver, path, mention)
    for each in resolver.implied(path, mention.name):
        if each.start <= mention.start < each.node.end_byte:
            return resolver.written(path, each)
    return ()
