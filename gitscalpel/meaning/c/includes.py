"""Which files an ``#include`` brings: beside the file, else those whose path ends as it says.

Where headers are looked for is said outside of the tree (``-I``); so what ends alike is taken, nearest first.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from gitscalpel.meaning.resolve import Resolver
from gitscalpel.syntax.occurrences import Mention

_INCLUDE = re.compile(rb'(?m)^[ \t]*#[ \t]*(?:include|import|include_next)[ \t]*(["<])([^">\n]+)[">]')
_Table: TypeAlias = dict[str, list[str]]
LANGUAGES = ("c", "cpp")


def is_read(resolver: Resolver, path: str) -> bool:
    """Whether a file is one of C or C++."""
    source = resolver.files.source(path)
    known = source is not None and source.language is not None and source.language.name in LANGUAGES
    return known and resolver.files.lexical(path) is not None


def bare(resolver: Resolver, path: str, name: str) -> tuple[Mention, ...]:
    """Where a name stands in a file of C or C++, but for where it says whose member is meant."""
    return resolver.lexical(path).mentions.but_receivers(name) if is_read(resolver, path) else ()


def direct(resolver: Resolver, path: str) -> tuple[str, ...]:
    """The files of the tree that a file includes itself."""
    return resolver.once(("includes", path), lambda: _direct(resolver, path), ())


def _direct(resolver: Resolver, path: str) -> Iterator[str]:
    source = resolver.files.source(path)
    for quote, said in _INCLUDE.findall(source.text) if source is not None else ():
        yield from _find(resolver, path, said.decode("utf-8", "surrogateescape"), quote == b'"')


def _find(resolver: Resolver, path: str, said: str, is_near: bool) -> Iterable[str]:
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), said))
    if is_near and resolver.files.is_file(beside):
        return (beside,)
    end = posixpath.normpath(said).lstrip("./")
    named = _by_name(resolver).get(posixpath.basename(end), ())
    found = [each for each in named if each == end or each.endswith("/" + end)]
    near = max((len(posixpath.commonpath(["/" + each, "/" + path])) for each in found), default=0)
    return [each for each in found if len(posixpath.commonpath(["/" + each, "/" + path])) == near]


def _by_name(resolver: Resolver) -> _Table:
    nothing: tuple[_Table, ...] = ({},)
    return resolver.once(("files by name",), lambda: (_named(resolver),), nothing)[0]


def _named(resolver: Resolver) -> _Table:
    found: _Table = {}
    for path in resolver.files.overlay.under(""):
        found.setdefault(posixpath.basename(path), []).append(path)
    return found


def seen(resolver: Resolver, path: str) -> dict[str, None]:
    """A file, and all that it includes, however far."""
    return resolver.once(("seen", path), lambda: (_seen(resolver, path),), ({path: None},))[0]


def _seen(resolver: Resolver, path: str) -> dict[str, None]:
    found, waiting = {path: None}, [path]
    while waiting:
        for each in direct(resolver, waiting.pop()):
            if each not in found:
                found[each] = None
                waiting.append(each)
    return found


def including(resolver: Resolver, path: str) -> tuple[str, ...]:
    """The files of the tree that include one, however far."""
    return resolver.once(("including", path), lambda: _including(resolver, path), ())


def _including(resolver: Resolver, path: str) -> Iterator[str]:
    nothing: tuple[_Table, ...] = ({},)
    by = resolver.once(("includers",), lambda: (_includers(resolver),), nothing)[0]
    found, waiting = {path}, [path]
    while waiting:
        for each in by.get(waiting.pop(), ()):
            if each not in found:
                found.add(each)
                waiting.append(each)
                yield each


def _includers(resolver: Resolver) -> _Table:
    found: _Table = {}
    for path in resolver.files.holding("include"):
        source = resolver.files.source(path)
        if source is not None and source.language is not None and source.language.name in LANGUAGES:
            for each in direct(resolver, path):
                found.setdefault(each, []).append(path)
    return found


def joined(resolver: Resolver, one: str, other: str, *, only_direct: bool = False) -> bool:
    """Whether some file that is compiled sees both."""
    if other in seen(resolver, one) or one in seen(resolver, other):
        return True
    if only_direct:
        return False
    return not {*including(resolver, one)}.isdisjoint(including(resolver, other))
