"""Three-way merge of a file by its definitions where its lines conflict, and checks of the result.

Two functions inserted at the same place conflict as lines but not as definitions. Merges that succeed by
lines are checked as well, since both sides may have defined the same name at two places. In large files,
unchanged text is left out except for neighbours of changes, since reading definitions is the slowest step.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import count, pairwise
from xml.parsers import expat

import msgspec
import tree_sitter

from gitscalpel.edit.merge import part_merge
from gitscalpel.edit.merge.file_parts import parts_of_file
from gitscalpel.edit.merge.part_merge import MergeRegion, PartMerge
from gitscalpel.edit.new_syntax_errors import find_new_errors, is_source_sound, with_text
from gitscalpel.edit.source import Source
from gitscalpel.errors import DoesNotFit
from gitscalpel.syntax.languages import Language
from gitscalpel.syntax.symbols import NAMELESS, Symbol
from gitscalpel.syntax.validators import validate
from gitscalpel.text import merge3
from gitscalpel.text.line_diff import iter_common_runs, longest_ascending

_WORDS = re.compile(rb"\w+|[^\w\s]")
_LETTER = re.compile(rb"\w")
_COMMA = b" \t\r\f,"  # the end of a line may gain or lose these, such as the comma that the next line needs

Texts = tuple[bytes, bytes, bytes, bytes]  # the base, ours, theirs and the merged text
Lines = list[bytes]


def has_only_known_lines(texts: Texts, find_woven: Callable[[], frozenset[bytes]]) -> bool:
    """Return True if each line comes from a version, as often and in the order that both changes require.

    ``find_woven`` returns the stripped lines that may be combined from both sides.
    """
    rows = [[line.strip() for line in text.split(b"\n")] for text in texts]
    known = {*rows[0], *rows[1], *rows[2]}
    unknown = {*rows[3]} - known
    if unknown:
        bare_known = {line.rstrip(_COMMA) for line in known}
        woven_lines = find_woven()
        if any(line.rstrip(_COMMA) not in bare_known for line in unknown - woven_lines):
            return False
        if not _counts_agree([Counter(_WORDS.findall(text)) for text in texts]):
            return False
        rows = [[line for line in lines if line not in woven_lines] for lines in rows]
    rows = [[line.rstrip(_COMMA) for line in lines if _LETTER.search(line)] for lines in rows]
    counts = [Counter(lines) for lines in rows]
    if not _counts_agree(counts):
        return False
    base, ours, theirs, merged = _unique_lines(rows, counts)
    return _is_in_order(base, ours, theirs, merged) and _is_in_order(base, theirs, ours, merged)


def _counts_agree(counts: list[Counter[bytes]]) -> bool:
    base, ours, theirs, merged = counts
    return all(
        _is_count_expected(base[item], ours[item], theirs[item], merged[item])
        for item in {*base, *ours, *theirs, *merged}
    )


def _is_count_expected(base: int, ours: int, theirs: int, merged: int) -> bool:
    if max(base, ours, theirs) <= 1 and base in (ours, theirs):
        return merged == (theirs if ours == base else ours)
    both = ours + theirs - base
    return min(ours, theirs, both) <= merged <= max(ours, theirs, both)


def _is_in_order(base: Lines, side: Lines, other: Lines, merged: Lines) -> bool:
    """Return True if one side's lines keep their order, except where the other side moved or added them."""
    base_places, other_places, merged_places = (
        dict(zip(lines, count(), strict=False)) for lines in (base, other, merged)
    )
    common = [line for line in base if line in other_places]
    unmoved = longest_ascending(other_places[line] for line in common)
    moved = {line for line in common if other_places[line] not in unmoved}
    if moved:  # and what is new may have moved along
        ordered = [
            line for line in side if line in base_places and line not in moved and line in merged_places
        ]
    else:
        ordered = [
            line
            for line in side
            if line in merged_places and (line in base_places or line not in other_places)
        ]
    return all(merged_places[a] < merged_places[b] for a, b in pairwise(ordered))


def _unique_lines(rows: Sequence[Lines], counts: Sequence[Counter[bytes]]) -> list[Lines]:
    """Return the lines that occur at most once in each text, so that their identity is certain."""
    repeated = {line for each in counts for line, number in each.items() if number > 1}
    return [[line for line in lines if line not in repeated] for lines in rows]


Name = tuple[tuple[str, ...], str]  # a definition's path and kind


def find_duplicates(versions: Sequence[Source], merged: Source) -> list[Symbol]:
    """Return definitions that occur twice in one scope of the merged file, and in no version."""
    counts = _max_counts(merged)
    if all(number == 1 for number in counts.values()):
        return []  # mostly; so the others need not be read
    version_counts = [_max_counts(source) for source in versions]
    duplicates = {
        name for name, number in counts.items() if number > max(1, *(most[name] for most in version_counts))
    }
    return [symbol for symbol in _iter_unique(merged) if _name_of(symbol) in duplicates]


def _max_counts(source: Source) -> Counter[Name]:
    """Return the highest count of each name within one scope; unnamed items count once."""
    counts: Counter[tuple[int, Name]] = Counter()
    for symbol in _iter_unique(source):
        unnamed = (id(one) for one in symbol.line[-2::-1] if NAMELESS in one.segments)
        counts[next(unnamed, 0), _name_of(symbol)] += 1
    most: Counter[Name] = Counter()
    for (_, name), number in counts.items():
        most[name] = max(most[name], number)
    return most


def has_import_conflict(versions: Sequence[Source], merged: Source) -> bool:
    our_imports, their_imports, merged_imports = (
        {source.text[part.start : part.end] for part in parts_of_file(source).parts if part.is_import}
        for source in (*versions, merged)
    )
    return part_merge.imports_conflict(
        merged_imports - their_imports, merged_imports - our_imports, merged.rules
    )


def _iter_unique(source: Source) -> Iterator[Symbol]:
    for symbol in source.outline.walk():
        if not symbol.shared:
            yield symbol


def is_merge_sound(base: Source, ours: Source, theirs: Source, merged: Source) -> bool:
    versions = base, ours, theirs, merged
    if any(find_new_errors(version, merged).faults for version in (ours, theirs)):
        return False
    if not has_only_known_lines(
        (base.text, ours.text, theirs.text, merged.text), lambda: _find_woven_lines(versions)
    ):
        return False
    if find_duplicates((ours, theirs), merged):
        return False
    texts = [_texts_by_name(source) for source in versions]
    return all(_is_expected(name, *(text.get(name, []) for text in texts)) for name in set().union(*texts))


def _find_woven_lines(versions: Sequence[Source]) -> frozenset[bytes]:
    """Return the lines with imports or several keys, in which additions of both sides may be combined."""
    lines: set[bytes] = set()
    for source in versions:
        parts = parts_of_file(source).parts
        texts = [source.text[part.start : part.end] for part in parts if part.is_import]
        if source.rules.data and source.rules.separator == b",":
            texts = [line for line in source.text.split(b"\n") if line.strip()[-1:] in (b"}", b"]")]
        lines |= {line.strip() for text in texts for line in text.split(b"\n")}
    return frozenset(lines)


def _is_expected(
    name: Name, base: list[bytes], ours: list[bytes], theirs: list[bytes], merged: list[bytes]
) -> bool:
    """Return True if the merged texts of one name follow from the three versions."""
    if theirs in (ours, base):
        return merged == ours
    if ours == base:
        return merged == theirs
    least, most = sorted((len(ours), len(theirs)))
    if not least <= len(merged) <= max(most, len(ours) + len(theirs) - len(base)):
        return False
    # Equal additions of both sides occur once, unless they are in two parts without names.
    alike = {text for text in ours if text and ours.count(text) == theirs.count(text)}
    return NAMELESS in name[0][:-1] or all(merged.count(text) <= ours.count(text) for text in alike)


def _texts_by_name(source: Source) -> dict[Name, list[bytes]]:
    """Return the texts of each name; for a definition with members only its presence counts."""
    texts: dict[Name, list[bytes]] = {}
    for symbol in source.outline.walk():
        text = source.text[symbol.start : symbol.end].strip() if not symbol.children else b""
        texts.setdefault(_name_of(symbol), []).append(text)
    return texts


def _name_of(symbol: Symbol) -> Name:
    """Return the path of a symbol; unnamed symbols have no position, since positions shift."""
    return tuple(segment for one in symbol.line for segment in one.segments), symbol.kind


_MODULE = re.compile(rb"^(?:\t|[ ]+|require[ \t]+)(?P<path>[\w.~/-]+)[ \t]+v\d[^\n]*$", re.MULTILINE)

_ASSIGNED = re.compile(rb"(?P<key>[\w#.-]+)\s*=\s*(?P<value>.*)")
_BRACKETS = re.compile(rb"[{}\[\]()]")


def is_newly_refused(versions: Sequence[Source], merged: Source) -> bool:
    """Return True if a strict parser accepts both versions, but not the merge (a duplicate key)."""
    accepts = _select_check(merged)
    return not accepts(merged) and all(map(accepts, versions))


def _select_check(source: Source) -> Callable[[Source], bool]:
    if source.language is None:
        return _is_go_mod if source.path.rpartition("/")[2] == "go.mod" else _has_no_duplicate_key
    return _OTHERS.get(source.language.name, _is_accepted)


def _is_accepted(source: Source) -> bool:
    return source.syntax is None or validate(source.syntax, source.document.raw) is None


def _is_xml(source: Source) -> bool:
    try:
        expat.ParserCreate().Parse(source.document.raw, True)
    except expat.ExpatError:
        return False
    return True


def _has_no_duplicate_attribute(source: Source) -> bool:
    named = (
        (node.parent.id, source.text[node.start_byte : node.end_byte].partition(b"=")[0].strip().lower())
        for node in source.outline.syntax.of_type("attribute")
        if node.parent is not None
    )
    return all(count == 1 for count in Counter(named).values())


def _is_go_mod(source: Source) -> bool:
    requirements = {(match["path"], match[0].strip()) for match in _MODULE.finditer(source.text)}
    return len({path for path, _ in requirements}) == len(requirements)


def _has_no_duplicate_key(source: Source) -> bool:
    """Return True if no block of an unknown format assigns one key two values."""
    values: dict[tuple[int, bytes], bytes] = {}
    open_blocks, block_count = [0], 0
    for line in source.text.split(b"\n"):
        assigned = _ASSIGNED.fullmatch(line.strip())
        if (
            assigned
            and values.setdefault((open_blocks[-1], assigned["key"]), assigned["value"]) != assigned["value"]
        ):
            return False
        for sign in _BRACKETS.findall(line):
            if sign in b"{[(":
                block_count += 1
                open_blocks.append(block_count)
            elif len(open_blocks) > 1:
                open_blocks.pop()
    return True


_OTHERS: dict[str, Callable[[Source], bool]] = {"xml": _is_xml, "html": _has_no_duplicate_attribute}


SMALL_FILE_BYTES = 8_000  # smaller files are read whole
_FEW = 30  # fewer lines are not left out
_KEPT = 2  # neighbours of a change that are not left out
# Types of nodes whose children are definitions, statements or keys.
_HOLDS = re.compile(
    r"^(module|program|source_file|translation_unit|compilation_unit|document|stream|stylesheet|chunk"
    r"|object|array|table|section|content|element)$"
    r"|block|body|declaration_list|declarations|namespace|preproc_if|mapping|sequence"
)
_TEXT = frozenset({"CharData", "text"})  # types of text between elements, mostly white space
_SAID = b"~~ left out"


class ChangedParts(msgspec.Struct, frozen=True):
    """Three versions reduced to the changed parts and their neighbours."""

    texts: tuple[bytes, ...]
    chunks: dict[bytes, bytes]  # the omitted text for each placeholder comment
    # Line in ours (from 1) and number of omitted lines, for each placeholder comment.
    lines: tuple[tuple[int, int], ...]

    def restore_omitted(self, text: bytes) -> bytes | None:
        """Return a text with the omitted parts restored, or None if their place is lost."""
        lines = text.split(b"\n")
        marks = [line for line in lines if line in self.chunks]
        if sorted(marks) != sorted(self.chunks):
            return None
        return b"\n".join(self.chunks.get(line, line) for line in lines)

    def line(self, number: int) -> int:
        """Return the line number in the full file for a line of the reduced ours."""
        return number + sum(count - 1 for at, count in self.lines if at < number)


def reduce_to_changes(sources: Sequence[Source]) -> ChangedParts:
    texts = tuple(source.text for source in sources)
    if max(map(len, texts)) < SMALL_FILE_BYTES or any(_SAID in text for text in texts):
        return ChangedParts(texts, {}, ())
    base, lines = sources[0], [text.split(b"\n") for text in texts]
    chunks: dict[bytes, bytes] = {}
    omitted: list[tuple[int, int]] = []
    reduced: list[list[bytes]] = [[], [], []]
    ends = [0, 0, 0]
    for number, (starts, size) in enumerate(sorted(_iter_omitted_ranges(base, lines))):
        chunk = lines[0][starts[0] : starts[0] + size]
        mark = _make_placeholder(chunk[0], number, base.rules)
        chunks[mark] = b"\n".join(chunk)
        for side, start in enumerate(starts):
            reduced[side] += [*lines[side][ends[side] : start], mark]
            ends[side] = start + size
        omitted.append((len(reduced[1]), size))
    rest = (
        b"\n".join([*lines_before, *line[end:]])
        for lines_before, line, end in zip(reduced, lines, ends, strict=True)
    )
    return ChangedParts(tuple(rest), chunks, tuple(omitted))


def _make_placeholder(first: bytes, number: int, rules: Language) -> bytes:
    comment = b"%s %d ~~" % (_SAID, number)
    if rules.blocks != "prose":
        style = b"<!-- %s -->" if rules.separator != b";" else b"/* %s */"
        comment = rules.line_comment + b" " + comment if rules.line_comment else style % comment
    return first[: len(first) - len(first.lstrip())] + comment + b"\r" * first.endswith(b"\r")


def _iter_omitted_ranges(base: Source, lines: Sequence[list[bytes]]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield the line ranges to omit: the start in each version, and the length."""
    syntax = base.syntax
    for starts, length in iter_common_runs(lines):
        if length < _FEW or syntax is None:
            continue
        for first, end in _iter_node_ranges(syntax.root, starts[0], starts[0] + length):
            # What is left out is followed by the blank lines that followed it.
            count = len(b"\n".join(lines[0][first:end]).rstrip().split(b"\n"))
            if count >= _FEW:
                yield tuple(start + first - starts[0] for start in starts), count


def _iter_node_ranges(root: tree_sitter.Node, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the lines of whole nodes within ``[first, last)``, except those next to changes."""
    pending = [root]
    while pending:
        node = pending.pop()
        children = [child for child in node.named_children if child.type not in _TEXT]
        at = bisect_left(children, first, key=lambda child: child.start_point.row)
        end = bisect_left(children, last, key=_end_row)
        if _HOLDS.search(node.type) or node.parent is None:
            yield from _iter_separate_ranges(children[at:end])
        edges = dict.fromkeys(
            [*children[max(0, at - 1) : at + _KEPT], *children[max(at + _KEPT, end - _KEPT) : end + 1]]
        )
        pending += [
            child for child in edges if min(_end_row(child), last) - max(child.start_point.row, first) >= _FEW
        ]


def _end_row(node: tree_sitter.Node) -> int:
    return node.end_point.row + (node.end_point.column > 0)


def _iter_separate_ranges(nodes: list[tree_sitter.Node]) -> Iterator[tuple[int, int]]:
    """Yield the line ranges of nodes that share no line with their neighbours."""
    if len(nodes) > 2 * _KEPT:
        first, last = nodes[_KEPT].start_point.row, _end_row(nodes[-_KEPT - 1])
        if _end_row(nodes[_KEPT - 1]) <= first and last <= nodes[-_KEPT].start_point.row:
            yield first, last


class Conflict(msgspec.Struct, frozen=True):
    """The places at which two changes conflict."""

    places: tuple[MergeRegion, ...]


def merge_by_symbols(path: str, base: bytes, ours: bytes, theirs: bytes) -> bytes | Conflict:
    """Merge the bytes of a file by definitions, ours first; anything uncertain is a conflict."""
    full_sources = [Source.read(path, content) for content in (base, ours, theirs)]
    if not _are_comparable(full_sources):
        return Conflict(_find_line_conflicts(base, ours, theirs))
    changed = reduce_to_changes(full_sources)
    sources = list(map(with_text, full_sources, changed.texts))
    merged = _merge_parts(sources, full_sources, changed)
    if isinstance(merged, Source):
        return merged.document.raw
    places = merged or _find_line_conflicts(*changed.texts)
    return Conflict(tuple(_move_region(place, changed) for place in places))


def _merge_parts(
    sources: list[Source], full_sources: list[Source], changed: ChangedParts
) -> Source | tuple[MergeRegion, ...]:
    base, ours, theirs = sources
    if any(source.judged is None or not is_source_sound(source) for source in sources):
        return ()
    merge = PartMerge()
    text = merge.inside((parts_of_file(base), parts_of_file(ours), parts_of_file(theirs)))
    if merge.places:
        return tuple(merge.places)
    full_text = changed.restore_omitted(text)
    if full_text is None:
        return ()
    try:
        merged = Source.read(ours.path, full_sources[1].document.with_text(full_text).raw)
    except DoesNotFit:
        return ()
    reduced = with_text(ours, text)
    is_sound = merged.document.encoding == ours.document.encoding and is_merge_sound(
        base, ours, theirs, reduced
    )
    return merged if is_sound and not is_newly_refused(full_sources[1:], merged) else ()


def find_semantic_conflicts(path: str, ours: bytes, theirs: bytes, merged: bytes) -> tuple[MergeRegion, ...]:
    """Return the semantic conflicts of a merge that succeeded by lines.

    These are duplicate definitions in one scope, imports that bind one name twice, and a file that a strict
    parser rejects, in each case only if neither version has the fault.
    """
    sources = [Source.read(path, content) for content in (merged, ours, theirs)]
    places: list[MergeRegion] = []
    if _are_comparable(sources):
        reduced, *versions = map(with_text, sources, reduce_to_changes(sources).texts)
        if reduced.judged is not None:
            names = dict.fromkeys(symbol.qualname for symbol in find_duplicates(versions, reduced))
            places += [MergeRegion(name, None, "both sides define it, at different places") for name in names]
            if has_import_conflict(versions, reduced):
                places.append(MergeRegion(None, None, "both sides import different things under one name"))
    if not places and is_newly_refused(sources[1:], sources[0]) and is_source_sound(sources[0]):
        # What does not parse at all is left to the gate, which says where.
        places.append(
            MergeRegion(None, None, "a parser of this format rejects the merge but accepts both versions")
        )
    return tuple(places)


def _are_comparable(sources: list[Source]) -> bool:
    first = sources[0]
    return first.language is not None and all(
        source.language == first.language
        and (source.document.encoding, source.document.bom) == (first.document.encoding, first.document.bom)
        for source in sources
    )


def _move_region(place: MergeRegion, changed: ChangedParts) -> MergeRegion:
    if place.lines is None:
        return place
    first, last = place.lines
    return place._replace(lines=(changed.line(first), changed.line(last)))


def _find_line_conflicts(base: bytes, ours: bytes, theirs: bytes) -> tuple[MergeRegion, ...]:
    split = [merge3.split_lines(text) for text in (base, ours, theirs)]
    regions = [
        MergeRegion(None, (r.ours[0] + 1, max(r.ours[0] + 1, r.ours[1])), "both sides changed these lines")
        for r in merge3.iter_regions(*split)
        if r.by == "both" and split[1][slice(*r.ours)] != split[2][slice(*r.theirs)]
    ]
    return tuple(regions) or (MergeRegion(None, None, "the definitions of both sides conflict"),)
