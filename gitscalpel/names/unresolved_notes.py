"""Notes about occurrences that cannot be resolved, and about names that programs compose from parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from typing import Literal

from gitscalpel.changesets.answers import Remark, quote_path, remark
from gitscalpel.edit.outcome import FileSplices
from gitscalpel.names.entities import Binding
from gitscalpel.names.files import OTHER_LANGUAGE
from gitscalpel.names.language import Place
from gitscalpel.names.references import Reference, References
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import Mention

_ROW = re.compile(r"(?P<path>.+?):(?P<lines>\d+(?:, \d+)*)(?: and \d+ more lines?)?: ")
UNRESOLVED = "unresolved"
"""Kind of the uses that may mean a name."""
MENTIONS = frozenset({"comment", "string", "text", "other_language"})
"""Kinds of places that name something in words and cannot break the program."""


def iter_unresolved(
    resolver: Resolver,
    references: References,
    *,
    text: Iterable[Reference] = (),
    edited: Iterable[FileSplices] = (),
) -> Iterator[str]:
    rows: dict[tuple[str, str, str], list[int]] = {}
    for each in (*references.unsure, *references.spelt, *text):
        line = resolver.line(each.path, each.mention.start)
        kind = each.mention.role if each.kind == "text" else UNRESOLVED
        rows.setdefault((each.path, each.why, kind), []).append(line)
    for (path, why, kind), lines in rows.items():
        yield note_left(path, lines, references.name, why, kind)
    yield from iter_unread(resolver, references, edited)
    for path, lines in lines_by_name(sorted(references.family.outside)):
        words = f"an object from outside the repository has to have {references.name}"
        yield remark(words, path=path, lines=lines, kind="outside")
    for path in sorted(references.family.inherited_outside):
        words = f"a base from outside the repository may have {references.name} as well"
        yield remark(words, path=path, kind="outside")


def note_left(path: str, lines: Iterable[int], name: str, why: str, kind: str) -> Remark:
    """Return the finding for lines of a file in which a name stays as it was."""
    severity: Literal["warning", "note"] = "note" if kind in MENTIONS else "warning"
    return remark(f"{name} is left: {why}", path=path, lines=sorted({*lines}), kind=kind, severity=severity)


def iter_unread(
    resolver: Resolver, references: References, edited: Iterable[FileSplices] = ()
) -> Iterator[str]:
    """Yield notes on the name's lines in files that were not read; ``edited`` are edited places."""
    changed = {(each.path, splice.start) for each in edited for splice in each.splices}
    for path, why in sorted(references.unread.items()):
        lines = _unchanged_lines(resolver, path, references.name, changed)
        if lines:
            kind = "other_language" if why == OTHER_LANGUAGE else "unread"
            yield note_left(path, lines, references.name, why, kind)


def listed_lines(rows: Iterable[str]) -> set[tuple[str, int]]:
    """Return the lines that notes mention, with the paths as the notes quote them."""
    matches = (_ROW.match(each) for each in rows)
    return {
        (row["path"], int(line)) for row in matches if row is not None for line in row["lines"].split(", ")
    }


def lines_by_name(places: Iterable[tuple[str, int]]) -> Iterator[tuple[str, list[int]]]:
    lines_of: dict[str, set[int]] = {}
    for name, line in places:
        lines_of.setdefault(name, set()).add(line)
    yield from ((name, sorted(lines)) for name, lines in lines_of.items())


def _unchanged_lines(resolver: Resolver, path: str, word: str, changed: Set[tuple[str, int]]) -> list[int]:
    source = resolver.files.source(path)
    if source is None:
        return []
    lines, number, before = list[int](), 1, 0
    for at in Mention.places(word, source.text, source.language.name if source.language else ""):
        if (path, at) not in changed:
            number += source.text.count(b"\n", before, at)
            before = at
            lines += [number] if number not in lines[-1:] else []
    return lines


_BOUNDARY = re.compile(r"(?<=[^_])_(?=[^_])|(?<=[a-z0-9])(?=[A-Z])")
_HEAD = rb"""(?<=['"`])(?:%s)(?=['"`]\s*\+|\$?\{|%%s)"""
_TAIL = rb"""(?:(?<=\})|(?<=%%s)|(?<=\+ ['"`])|(?<=\+['"`]))(?:%s)(?=['"`])"""


def find_composed(text: bytes, name: str) -> Iterator[re.Match[bytes]]:
    """Yield strings that start or end like a compound name and are joined with another value."""
    cuts = [(each.start(), each.end()) for each in _BOUNDARY.finditer(name)]
    heads = [name[:end] for _, end in cuts if end > 1]
    tails = [name[start:] for start, _ in cuts]
    private = len(name) - len(name.lstrip("_"))
    heads += [name[:private]] if 0 < private < len(name) and not name.endswith("__") else []
    for pattern, parts in ((_HEAD, heads), (_TAIL, tails)):
        alternatives = b"|".join(re.escape(part.encode("utf-8", "surrogateescape")) for part in parts)
        if alternatives:
            yield from re.finditer(pattern % alternatives, text)


def has_parts(name: str) -> bool:
    return name.startswith("_") or _BOUNDARY.search(name) is not None


def is_reachable(resolver: Resolver, place: Place) -> bool:
    """Return True if a place binds a member or a name of a module, which code can look up by name."""
    meanings = resolver.meanings(*place)
    return any(isinstance(each, Binding) and each.kind in ("class", "module") for each in meanings)


def describe_place(resolver: Resolver, path: str, match: re.Match[bytes]) -> str:
    """Return the warning for a renamed name that code may compose at this place."""
    part = match[0].decode("utf-8", "surrogateescape")
    spot = f"{quote_path(path)}:{resolver.line(path, match.start())}"
    return f"{spot} puts names together with {part!r}, and it may be one of them"
