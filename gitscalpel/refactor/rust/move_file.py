"""Update declarations and uses of Rust modules that are moved, if only their name changes.

A module that moves to another directory becomes part of another module. Its declarations and uses are
reported.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from gitscalpel.changesets.answers import quoted
from gitscalpel.names import unresolved_notes
from gitscalpel.names.entities import WHOLE, Binding
from gitscalpel.names.file_moves import FileMoves, MoveEdits
from gitscalpel.names.language_registry import dialect
from gitscalpel.names.references import Reference, find_references
from gitscalpel.names.resolver import Resolver
from gitscalpel.text.splice import Splice

_PLACED = re.compile(rb"\bsuper\s*::|\bmod\s+\w+\s*;")
_ROOTS = ("lib.rs", "main.rs", "build.rs")


def follow(journey: FileMoves) -> MoveEdits:
    """Return the edits of the files that name a module that has another name, and what is left."""
    resolver = Resolver(journey.before, dialect)
    splices: dict[str, list[Splice]] = {}
    left: list[str] = []
    for subject in journey.subjects:
        place = f"{subject}/mod.rs" if subject in journey.folders else subject
        if not place.endswith(".rs") or resolver.files.lexical(place) is None:
            continue
        name, new = (_stem(each) for each in (subject, journey.to(subject)))
        found = find_references(resolver, {Binding(place, WHOLE, "rust", name)})
        named = [each for each in found.certain if each.mention.name == name]
        is_beside = posixpath.dirname(subject) == posixpath.dirname(journey.to(subject))
        if not is_beside or not new.isidentifier() or new == "mod" or _is_taken(resolver, named, new):
            left += _named_left(resolver, journey, subject, named)
        else:
            for each in named:
                raw = new.encode("utf-8", "surrogateescape")
                splices.setdefault(each.path, []).append(Splice(each.mention.start, each.mention.end, raw))
        left += [
            each
            for each in unresolved_notes.iter_unresolved(resolver, found)
            if not each.startswith(f"{quoted(subject)}:")
        ]
        left += _inner_left(resolver, journey, subject, is_beside=is_beside)
    return MoveEdits({path: sorted(set(those)) for path, those in splices.items()}, list(dict.fromkeys(left)))


def _stem(path: str) -> str:
    return posixpath.basename(path).removesuffix(".rs")


def _is_taken(resolver: Resolver, named: list[Reference], new: str) -> bool:
    """Return True if the new name is that of something else where the module is named."""
    return any(resolver.lexical(path).of(new) for path in {each.path for each in named})


def _named_left(
    resolver: Resolver, journey: FileMoves, subject: str, named: list[Reference]
) -> Iterator[str]:
    """Report what declares and uses a module that becomes another one."""
    places = ((each.path, resolver.line(each.path, each.mention.start)) for each in named)
    for path, lines in unresolved_notes.lines_by_name(places):
        where = unresolved_notes.format_lines(journey.to(path), lines)
        yield f"{where}: {_stem(subject)} is left: its module is {quoted(journey.to(subject))} now"


def _inner_left(resolver: Resolver, journey: FileMoves, subject: str, *, is_beside: bool) -> Iterator[str]:
    """Report what a module that moves names by its own place."""
    source = resolver.files.source(subject) if subject not in journey.folders else None
    if source is None or (is_beside and posixpath.basename(subject) in (*_ROOTS, "mod.rs")):
        return
    found = [each for each in _PLACED.finditer(source.text) if not is_beside or each[0].startswith(b"mod")]
    lines = sorted({source.document.line_at(each.start()) for each in found})
    if lines:
        yield (
            f"{unresolved_notes.format_lines(journey.to(subject), lines)}: "
            f"it is looked for from the module's new place"
        )
