"""Notes on occurrences that a rename or move left unchanged: their lines, and the reason."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set

from gitscalpel.changesets.answers import quoted
from gitscalpel.edit.outcome import FileSplices
from gitscalpel.names.references import Reference, References
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import Mention

_ROW = re.compile(r"(?P<path>.+?):(?P<lines>\d+(?:, \d+)*)(?: and \d+ more lines)?: ")
_LINES = 20
"""That are named of one file for one reason; more are counted."""


def iter_unresolved(
    resolver: Resolver,
    found: References,
    *,
    text: Iterable[Reference] = (),
    but: Iterable[FileSplices] = (),
) -> Iterator[str]:
    """What may have to follow a name, in words.

    Args:
        resolver: of the tree.
        found: the name's places.
        text: those of them in what is no code.
        but: what is changed in files that were not understood.
    """
    rows: dict[tuple[str, str], list[int]] = {}
    for each in (*found.unsure, *found.spelt, *text):
        line = resolver.line(each.path, each.mention.start)
        rows.setdefault((each.path, each.why), []).append(line)
    for (path, why), lines in rows.items():
        yield f"{format_lines(path, sorted({*lines}))}: {found.name} is left: {why}"
    yield from iter_unread(resolver, found, but)
    for path, lines in lines_by_name(sorted(found.family.outside)):
        yield (
            f"{format_lines(path, lines)}: an object from outside of the repository has to have {found.name}"
        )
    for path in sorted(found.family.beyond):
        yield f"{quoted(path)}: a base from outside of the repository may have {found.name} as well"


def iter_unread(resolver: Resolver, found: References, but: Iterable[FileSplices] = ()) -> Iterator[str]:
    """Where the word stands in files that were not understood, and why; ``but`` what is changed there."""
    changed = {(each.path, splice.start) for each in but for splice in each.splices}
    for path, why in sorted(found.unread.items()):
        lines = _lines_of(resolver, path, found.name, changed)
        if lines:
            yield f"{format_lines(path, lines)}: {found.name} is left: {why}"


def format_lines(path: str, lines: list[int]) -> str:
    """Lines of a file; of many, the first ones and how many more."""
    shown = ", ".join(map(str, lines[:_LINES]))
    more = f" and {len(lines) - _LINES} more lines" if len(lines) > _LINES else ""
    return f"{quoted(path)}:{shown}{more}"


def listed_lines(rows: Iterable[str]) -> set[tuple[str, int]]:
    """Return the lines that rows of an answer are about, with the paths as the rows quote them."""
    found = (_ROW.match(each) for each in rows)
    return {(row["path"], int(line)) for row in found if row is not None for line in row["lines"].split(", ")}


def lines_by_name(places: Iterable[tuple[str, int]]) -> Iterator[tuple[str, list[int]]]:
    """The lines of each file, or of each name, in their order, each once."""
    found: dict[str, set[int]] = {}
    for name, line in places:
        found.setdefault(name, set()).add(line)
    yield from ((name, sorted(lines)) for name, lines in found.items())


def _lines_of(resolver: Resolver, path: str, word: str, changed: Set[tuple[str, int]]) -> list[int]:
    """The lines of a file in which a word stands and stays, whatever it is there."""
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
