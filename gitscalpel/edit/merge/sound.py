"""What holds of a merged file if nothing went wrong: it parses, and is what the two changes say.

Whatever made the file is not asked; a file for which one of this does not hold is a conflict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from gitscalpel.edit.merge import imports, written
from gitscalpel.edit.merge.parts import of_file
from gitscalpel.edit.new_faults import find_new_faults
from gitscalpel.edit.source import Source
from gitscalpel.syntax.symbols import NAMELESS, Symbol

Name = tuple[tuple[str, ...], str]
"""A definition's path and kind."""


def doubled(versions: Sequence[Source], merged: Source) -> list[Symbol]:
    """Definitions that stand more than once in one scope of the merged file, and did so in no version."""
    after = _most(merged)
    if all(count == 1 for count in after.values()):
        return []  # mostly; so the others need not be read
    before = [_most(source) for source in versions]
    bad = {name for name, count in after.items() if count > max(1, *(most[name] for most in before))}
    return [symbol for symbol in _told(merged) if _name(symbol) in bad]


def _most(source: Source) -> Counter[Name]:
    """How often each name stands at most in one scope: one of several things without names is one."""
    counts: Counter[tuple[int, Name]] = Counter()
    for symbol in _told(source):
        around = (id(one) for one in symbol.line[-2::-1] if NAMELESS in one.segments)
        counts[next(around, 0), _name(symbol)] += 1
    most: Counter[Name] = Counter()
    for (_, name), count in counts.items():
        most[name] = max(most[name], count)
    return most


def import_twice(versions: Sequence[Source], merged: Source) -> bool:
    """Whether an import that only one version has gives a name to something else than one of the other."""
    mine, yours, all_of_it = (
        {source.text[part.start : part.end] for part in of_file(source).parts if part.brings}
        for source in (*versions, merged)
    )
    return imports.contradict(all_of_it - yours, all_of_it - mine, merged.rules)


def _told(source: Source) -> Iterator[Symbol]:
    """The definitions that stand once."""
    for symbol in source.outline.walk():
        if not symbol.shared:
            yield symbol


def is_sound(base: Source, ours: Source, theirs: Source, merged: Source) -> bool:
    """Whether a merged file holds each definition and line as often, and as it is, that its versions say."""
    four = base, ours, theirs, merged
    if any(find_new_faults(version, merged).faults for version in (ours, theirs)):
        return False
    if not written.is_written((base.text, ours.text, theirs.text, merged.text), lambda: _woven(four)):
        return False
    if doubled((ours, theirs), merged):
        return False
    texts = [_texts(source) for source in four]
    return all(_is_expected(name, *(text.get(name, []) for text in texts)) for name in set().union(*texts))


def _woven(four: Sequence[Source]) -> frozenset[bytes]:
    """The lines that hold imports, or several keys: what both added to them stands in a line of its own."""
    found: set[bytes] = set()
    for source in four:
        parts = of_file(source).parts
        held = [source.text[part.start : part.end] for part in parts if part.brings]
        if source.rules.data and source.rules.separator == b",":
            held = [line for line in source.text.split(b"\n") if line.strip()[-1:] in (b"}", b"]")]
        found |= {line.strip() for text in held for line in text.split(b"\n")}
    return frozenset(found)


def _is_expected(
    name: Name, base: list[bytes], ours: list[bytes], theirs: list[bytes], merged: list[bytes]
) -> bool:
    """Whether the texts of one name are what came of them."""
    if theirs in (ours, base):
        return merged == ours
    if ours == base:
        return merged == theirs
    least, most = sorted((len(ours), len(theirs)))
    if not least <= len(merged) <= max(most, len(ours) + len(theirs) - len(base)):
        return False
    # What both added alike stands there once, unless it stands in two things without names.
    alike = {text for text in ours if text and ours.count(text) == theirs.count(text)}
    return NAMELESS in name[0][:-1] or all(merged.count(text) <= ours.count(text) for text in alike)


def _texts(source: Source) -> dict[Name, list[bytes]]:
    """The texts of each name; of what consists of others, only that it is there."""
    found: dict[Name, list[bytes]] = {}
    for symbol in source.outline.walk():
        text = source.text[symbol.start : symbol.end].strip() if not symbol.children else b""
        found.setdefault(_name(symbol), []).append(text)
    return found


def _name(symbol: Symbol) -> Name:
    """Its path; what has no name has no place either, since places shift."""
    return tuple(segment for one in symbol.line for segment in one.segments), symbol.kind
