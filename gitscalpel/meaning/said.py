"""What was found in a file in bytes, for a process that looks into others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias, cast

import msgspec

from gitscalpel import wire
from gitscalpel.meaning import scoping
from gitscalpel.meaning.family import Family, know
from gitscalpel.meaning.found import Far, Near
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.scoping import Scoping
from gitscalpel.meaning.things import Binding, Elsewhere, Meaning, Unknown
from gitscalpel.syntax.mentions import Role


class _Named(msgspec.Struct, frozen=True, array_like=True, tag=0):
    path: str
    start: int
    end: int
    kind: str
    name: str
    space: str


class _Elsewhere(msgspec.Struct, frozen=True, array_like=True, tag=1):
    what: str


class _Unknown(msgspec.Struct, frozen=True, array_like=True, tag=2):
    why: str
    among: bool
    called: str | None
    anywhere: bool


_Meant: TypeAlias = _Named | _Elsewhere | _Unknown


class _Row(msgspec.Struct, frozen=True, array_like=True):
    """A place; what it means by numbers in :class:`_File`."""

    start: int
    role: Role
    kind: str
    key: bool
    meanings: tuple[int, ...]
    keys: tuple[int, ...]
    brought: tuple[int, ...]
    besides: tuple[tuple[int, str], ...]
    requests: bool
    spot: tuple[int, int]


class _File(msgspec.Struct, frozen=True, array_like=True):
    """The places of a file.

    Attributes:
        path: of the file.
        language: by name; "": its names are not followed.
        unread: why it was not looked into.
        meant: what its places mean.
        links: what is one with a name in one step, by numbers.
        rows: the places.
    """

    path: str
    language: str
    unread: str
    meant: list[_Meant]
    links: list[tuple[int, tuple[int, ...]]]
    rows: list[_Row]


def said(resolver: Resolver, path: str, found: Iterable[Near]) -> bytes:
    """What was found in a file, in bytes.

    Raises:
        UnicodeEncodeError: a path or a name is not UTF-8.
    """
    numbers: dict[Meaning, int] = {}

    def numbered(meanings: Iterable[Meaning]) -> tuple[int, ...]:
        return tuple(numbers.setdefault(each, len(numbers)) for each in meanings)

    rows = [
        _Row(
            *(each.start, each.role, each.kind, each.key),
            *(numbered(each.meanings), numbered(each.keys), numbered(each.brought)),
            tuple((numbers.setdefault(binding, len(numbers)), why) for binding, why in each.besides),
            each.requests,
            each.spot,
        )
        for each in found
    ]
    family = Family(resolver, ())
    named = [each for each in numbers if isinstance(each, Binding)]
    links = [(numbers[each], numbered(family.links(each))) for each in named]
    language = resolver.files.language(path) if rows else ""
    file = _File(path, language, resolver.files.unread.get(path, ""), [*map(_written, numbers)], links, rows)
    return msgspec.json.encode(file)


def heard(resolver: Resolver, path: str, name: str, content: bytes) -> tuple[Far, ...] | None:
    """What :func:`said` was told; None where that cannot be read."""
    try:
        file = wire.decode(content, _File)
        meant, rules = [_read(each) for each in file.meant], scoping.of(file.language)
        named = cast("list[Binding]", meant)
        links = {named[each]: tuple(named[number] for number in those) for each, those in file.links}
        found = tuple(
            Far(
                *(resolver, path, name, cast("Scoping", rules)),
                *(row.start, row.role, row.kind, row.key),
                meanings=tuple(meant[number] for number in row.meanings),
                keys=tuple(meant[number] for number in row.keys),
                brought=tuple(meant[number] for number in row.brought),
                besides=tuple((named[number], why) for number, why in row.besides),
                requests=row.requests,
                spot=row.spot,
            )
            for row in file.rows
        )
    except (msgspec.MsgspecError, IndexError):
        return None
    if file.path != path or (found and rules is None):
        return None
    know(resolver, links)
    if file.unread:
        resolver.files.unread[path] = file.unread
    return found


def _written(each: Meaning) -> _Meant:
    if isinstance(each, Binding):
        return _Named(each.path, *each.scope, each.kind, each.name, each.space)
    return _Elsewhere(*each) if isinstance(each, Elsewhere) else _Unknown(*each)


def _read(each: _Meant) -> Meaning:
    if isinstance(each, _Named):
        return Binding(each.path, (each.start, each.end), each.kind, each.name, each.space)
    if isinstance(each, _Elsewhere):
        return Elsewhere(each.what)
    return Unknown(each.why, each.among, each.called, each.anywhere)
