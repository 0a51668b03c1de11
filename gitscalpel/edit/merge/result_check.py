"""Check a merged file: its definitions, its lines, and what the format's own parser accepts.

The checks do not depend on how the merge was made, and a file that fails one of them is a conflict.
Each line has to come from one of the versions, as often and in the order that the two changes say. This
check knows nothing of definitions, so it is an independent check of a merge by definitions.

A merge must not make a file that its parser rejects although the grammar accepts it, for example with a
key that occurs twice. A file that was rejected before the merge is not judged.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import count, pairwise
from xml.parsers import expat

from gitscalpel.edit.merge import import_merge
from gitscalpel.edit.merge.file_parts import parts_of_file
from gitscalpel.edit.new_syntax_errors import find_new_errors
from gitscalpel.edit.source import Source
from gitscalpel.syntax.symbols import NAMELESS, Symbol
from gitscalpel.syntax.validators import validate
from gitscalpel.text.line_diff import longest_ascending

_WORDS = re.compile(rb"\w+|[^\w\s]")
_LETTER = re.compile(rb"\w")
_COMMA = b" \t\r\f,"
"""What the end of a line may get or lose: the comma that what follows it needs."""

Texts = tuple[bytes, bytes, bytes, bytes]
"""The base, ours, theirs and what came of them."""
Lines = list[bytes]


def has_only_known_lines(texts: Texts, woven: Callable[[], frozenset[bytes]]) -> bool:
    """Whether each line is one that somebody wrote, as often and in the order that both sides say.

    Args:
        texts: the base, ours, theirs and the merged text.
        woven: the lines, without white space around them, that hold what may be put together anew.
    """
    rows = [[line.strip() for line in text.split(b"\n")] for text in texts]
    known = {*rows[0], *rows[1], *rows[2]}
    strange = {*rows[3]} - known
    if strange:
        bare = {line.rstrip(_COMMA) for line in known}
        anew = woven()
        if any(line.rstrip(_COMMA) not in bare for line in strange - anew):
            return False
        if not _agree([Counter(_WORDS.findall(text)) for text in texts]):
            return False
        rows = [[line for line in lines if line not in anew] for lines in rows]
    rows = [[line.rstrip(_COMMA) for line in lines if _LETTER.search(line)] for lines in rows]
    counts = [Counter(lines) for lines in rows]
    if not _agree(counts):
        return False
    base, ours, theirs, merged = _single(rows, counts)
    return _in_order(base, ours, theirs, merged) and _in_order(base, theirs, ours, merged)


def _agree(counts: list[Counter[bytes]]) -> bool:
    """Whether everything is there as often as the changes say, as far as its number says it."""
    base, ours, theirs, merged = counts
    return all(
        _is_told(base[item], ours[item], theirs[item], merged[item])
        for item in {*base, *ours, *theirs, *merged}
    )


def _is_told(base: int, ours: int, theirs: int, merged: int) -> bool:
    if max(base, ours, theirs) <= 1 and base in (ours, theirs):
        return merged == (theirs if ours == base else ours)
    both = ours + theirs - base
    return min(ours, theirs, both) <= merged <= max(ours, theirs, both)


def _in_order(base: Lines, side: Lines, other: Lines, merged: Lines) -> bool:
    """Whether what one side wrote stands in its order, unless the other moved it or put it there as well."""
    before, there, places = (dict(zip(lines, count(), strict=False)) for lines in (base, other, merged))
    kept = [line for line in base if line in there]
    stays = longest_ascending(there[line] for line in kept)
    moved = {line for line in kept if there[line] not in stays}
    if moved:  # and what is new may have moved along
        own = [line for line in side if line in before and line not in moved and line in places]
    else:
        own = [line for line in side if line in places and (line in before or line not in there)]
    return all(places[a] < places[b] for a, b in pairwise(own))


def _single(rows: Sequence[Lines], counts: Sequence[Counter[bytes]]) -> list[Lines]:
    """The lines that stand in none of the texts twice: of those it is known which is which."""
    several = {line for each in counts for line, number in each.items() if number > 1}
    return [[line for line in lines if line not in several] for lines in rows]


Name = tuple[tuple[str, ...], str]
"""A definition's path and kind."""


def find_duplicates(versions: Sequence[Source], merged: Source) -> list[Symbol]:
    """Definitions that stand more than once in one scope of the merged file, and did so in no version."""
    after = _most(merged)
    if all(number == 1 for number in after.values()):
        return []  # mostly; so the others need not be read
    before = [_most(source) for source in versions]
    bad = {name for name, number in after.items() if number > max(1, *(most[name] for most in before))}
    return [symbol for symbol in _told(merged) if _name(symbol) in bad]


def _most(source: Source) -> Counter[Name]:
    """How often each name stands at most in one scope: one of several things without names is one."""
    counts: Counter[tuple[int, Name]] = Counter()
    for symbol in _told(source):
        around = (id(one) for one in symbol.line[-2::-1] if NAMELESS in one.segments)
        counts[next(around, 0), _name(symbol)] += 1
    most: Counter[Name] = Counter()
    for (_, name), number in counts.items():
        most[name] = max(most[name], number)
    return most


def has_import_conflict(versions: Sequence[Source], merged: Source) -> bool:
    """Whether an import that only one version has gives a name to something else than one of the other."""
    mine, yours, all_of_it = (
        {source.text[part.start : part.end] for part in parts_of_file(source).parts if part.brings}
        for source in (*versions, merged)
    )
    return import_merge.imports_contradict(all_of_it - yours, all_of_it - mine, merged.rules)


def _told(source: Source) -> Iterator[Symbol]:
    """The definitions that stand once."""
    for symbol in source.outline.walk():
        if not symbol.shared:
            yield symbol


def is_sound(base: Source, ours: Source, theirs: Source, merged: Source) -> bool:
    """Whether a merged file holds each definition and line as often, and as it is, that its versions say."""
    four = base, ours, theirs, merged
    if any(find_new_errors(version, merged).faults for version in (ours, theirs)):
        return False
    if not has_only_known_lines((base.text, ours.text, theirs.text, merged.text), lambda: _woven(four)):
        return False
    if find_duplicates((ours, theirs), merged):
        return False
    texts = [_texts(source) for source in four]
    return all(_is_expected(name, *(text.get(name, []) for text in texts)) for name in set().union(*texts))


def _woven(four: Sequence[Source]) -> frozenset[bytes]:
    """The lines that hold imports, or several keys: what both added to them stands in a line of its own."""
    found: set[bytes] = set()
    for source in four:
        parts = parts_of_file(source).parts
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


_MODULE = re.compile(rb"^(?:\t|[ ]+|require[ \t]+)(?P<path>[\w.~/-]+)[ \t]+v\d[^\n]*$", re.MULTILINE)

_ASSIGNED = re.compile(rb"(?P<key>[\w#.-]+)\s*=\s*(?P<value>.*)")
_BRACKETS = re.compile(rb"[{}\[\]()]")


def is_newly_refused(versions: Sequence[Source], merged: Source) -> bool:
    """Whether a merged file is refused by what read both of its versions."""
    takes = _taken_by(merged)
    return not takes(merged) and all(map(takes, versions))


def _taken_by(source: Source) -> Callable[[Source], bool]:
    """What a file of this sort is held to."""
    if source.language is None:
        return _is_go_mod if source.path.rpartition("/")[2] == "go.mod" else _gives_each_key_once
    return _OTHERS.get(source.language.name, _is_read)


def _is_read(source: Source) -> bool:
    """Whether the language's reader takes it, if there is one."""
    return source.syntax is None or validate(source.syntax, source.document.raw) is None


def _is_xml(source: Source) -> bool:
    try:
        expat.ParserCreate().Parse(source.document.raw, True)
    except expat.ExpatError:
        return False
    return True


def _has_no_attribute_twice(source: Source) -> bool:
    named = (
        (node.parent.id, source.text[node.start_byte : node.end_byte].partition(b"=")[0].strip().lower())
        for node in source.outline.syntax.of_type("attribute")
        if node.parent is not None
    )
    return all(count == 1 for count in Counter(named).values())


def _is_go_mod(source: Source) -> bool:
    """Whether no module is required twice, in two versions."""
    told = {(found["path"], found[0].strip()) for found in _MODULE.finditer(source.text)}
    return len({path for path, _ in told}) == len(told)


def _gives_each_key_once(source: Source) -> bool:
    """Whether no block of a format that is not known says ``key = value`` twice, in two ways."""
    said: dict[tuple[int, bytes], bytes] = {}
    around, blocks = [0], 0
    for line in source.text.split(b"\n"):
        assigned = _ASSIGNED.fullmatch(line.strip())
        if (
            assigned
            and said.setdefault((around[-1], assigned["key"]), assigned["value"]) != assigned["value"]
        ):
            return False
        for sign in _BRACKETS.findall(line):
            if sign in b"{[(":
                blocks += 1
                around.append(blocks)
            elif len(around) > 1:
                around.pop()
    return True


_OTHERS: dict[str, Callable[[Source], bool]] = {"xml": _is_xml, "html": _has_no_attribute_twice}
