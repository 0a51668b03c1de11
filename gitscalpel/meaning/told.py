"""What is said of places that are left as they are: where they are, and why."""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.meaning.references import References
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.report import quoted
from gitscalpel.syntax.mentions import Mention

_LINES = 20
"""That are named of one file for one reason; more are counted."""


def left(resolver: Resolver, found: References, *, text: bool) -> Iterator[str]:
    """What may have to follow a name, in words; ``text``: what is no code as well."""
    rows: dict[tuple[str, str], list[int]] = {}
    for each in (*found.unsure, *(found.text if text else ())):
        line = resolver.line(each.path, each.mention.start)
        rows.setdefault((each.path, each.why), []).append(line)
    for (path, why), lines in rows.items():
        yield f"{spots(path, sorted({*lines}))}: {_name(found)} is left: {why}"
    yield from unread(resolver, found)
    for path in sorted(found.family.beyond):
        yield f"{quoted(path)}: a base from outside of the repository may have {_name(found)} as well"


def unread(resolver: Resolver, found: References) -> Iterator[str]:
    """Where the word stands in files that were not understood, and why they were not."""
    for path, why in sorted(found.unread.items()):
        lines = _lines_of(resolver, path, _name(found))
        if lines:
            yield f"{spots(path, lines)}: {_name(found)} is left: {why}"


def _name(found: References) -> str:
    return next(iter(found.family.members)).name


def spots(path: str, lines: list[int]) -> str:
    """Lines of a file; of many, the first ones and how many more."""
    shown = ", ".join(map(str, lines[:_LINES]))
    more = f" and {len(lines) - _LINES} more lines" if len(lines) > _LINES else ""
    return f"{quoted(path)}:{shown}{more}"


def _lines_of(resolver: Resolver, path: str, word: str) -> list[int]:
    """The lines of a file in which a word stands, whatever it is there."""
    source = resolver.files.source(path)
    places = Mention.places(word, source.text) if source is not None else ()
    return sorted({source.text.count(b"\n", 0, at) + 1 for at in places}) if source is not None else []
