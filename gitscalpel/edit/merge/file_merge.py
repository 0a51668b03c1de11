"""Three-way merge of a file by its definitions, for places where the lines conflict.

Two functions inserted at the same place conflict as lines but not as definitions. Merges that succeed
by lines are checked as well, since both sides may have defined the same name at two places.

Reading the definitions of a large file takes longer than anything else. So definitions, statements and
runs of comments that are the same in all versions are left out before. Their neighbours stay, so that
the merge sees what is next to what.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

import msgspec
import tree_sitter

from gitscalpel.edit.merge import result_check
from gitscalpel.edit.merge.file_parts import parts_of_file
from gitscalpel.edit.merge.part_merge import MergeRegion, PartMerge
from gitscalpel.edit.new_syntax_errors import is_sound
from gitscalpel.edit.source import Source
from gitscalpel.errors import DoesNotFit
from gitscalpel.syntax.language import Language
from gitscalpel.text import merge3
from gitscalpel.text.line_diff import common_runs

SMALL_FILE_BYTES = 8_000
"""Bytes up to which all is read."""
_FEW = 30
"""Lines that are not worth a comment."""
_KEPT = 2
"""Neighbours of what changed that stay."""
_HOLDS = re.compile(
    r"^(module|program|source_file|translation_unit|compilation_unit|document|stream|stylesheet|chunk"
    r"|object|array|table|section|content|element)$"
    r"|block|body|declaration_list|declarations|namespace|preproc_if|mapping|sequence"
)
"""The types of nodes whose children are definitions, statements or keys."""
_TEXT = frozenset({"CharData", "text"})
"""The types of what stands between elements, mostly white space."""
_SAID = b"~~ left out"


class ChangedParts(msgspec.Struct, frozen=True):
    """Three versions without what nobody changed.

    Attributes:
        texts: of the versions.
        chunks: what each comment stands for.
        lines: for each, the line of ours, from 1, that its comment stands in, and how many it stands for.
    """

    texts: tuple[bytes, ...]
    chunks: dict[bytes, bytes]
    lines: tuple[tuple[int, int], ...]

    def whole(self, text: bytes) -> bytes | None:
        """A text with what was left out; None if it is not known any more where that stood."""
        found = text.split(b"\n")
        marks = [line for line in found if line in self.chunks]
        if sorted(marks) != sorted(self.chunks):
            return None
        return b"\n".join(self.chunks.get(line, line) for line in found)

    def line(self, number: int) -> int:
        """The number that a line of ours has in the whole file."""
        return number + sum(count - 1 for at, count in self.lines if at < number)


def strip_unchanged(sources: Sequence[Source]) -> ChangedParts:
    """What is left of a file's base, ours and theirs."""
    texts = tuple(source.text for source in sources)
    if max(map(len, texts)) < SMALL_FILE_BYTES or any(_SAID in text for text in texts):
        return ChangedParts(texts, {}, ())
    base, lines = sources[0], [text.split(b"\n") for text in texts]
    chunks: dict[bytes, bytes] = {}
    lost: list[tuple[int, int]] = []
    out: list[list[bytes]] = [[], [], []]
    ends = [0, 0, 0]
    for number, (starts, count) in enumerate(sorted(_ranges(base, lines))):
        chunk = lines[0][starts[0] : starts[0] + count]
        mark = _mark(chunk[0], number, base.rules)
        chunks[mark] = b"\n".join(chunk)
        for side, start in enumerate(starts):
            out[side] += [*lines[side][ends[side] : start], mark]
            ends[side] = start + count
        lost.append((len(out[1]), count))
    rest = (b"\n".join([*found, *line[end:]]) for found, line, end in zip(out, lines, ends, strict=True))
    return ChangedParts(tuple(rest), chunks, tuple(lost))


def _mark(first: bytes, number: int, rules: Language) -> bytes:
    """The comment for what begins with the line ``first``; in prose a paragraph."""
    said = b"%s %d ~~" % (_SAID, number)
    if rules.blocks != "prose":
        style = b"<!-- %s -->" if rules.separator != b";" else b"/* %s */"
        said = rules.line_comment + b" " + said if rules.line_comment else style % said
    return first[: len(first) - len(first.lstrip())] + said + b"\r" * first.endswith(b"\r")


def _ranges(base: Source, lines: Sequence[list[bytes]]) -> Iterator[tuple[tuple[int, ...], int]]:
    """The lines to leave out: where they begin in each version, and how many they are."""
    syntax = base.syntax
    for starts, length in common_runs(lines):
        if length < _FEW or syntax is None:
            continue
        for first, end in _statements(syntax.root, starts[0], starts[0] + length):
            # What is left out is followed by the blank lines that followed it.
            count = len(b"\n".join(lines[0][first:end]).rstrip().split(b"\n"))
            if count >= _FEW:
                yield tuple(start + first - starts[0] for start in starts), count


def _statements(root: tree_sitter.Node, first: int, last: int) -> Iterator[tuple[int, int]]:
    """The lines of whole nodes within ``[first, last)``, without some at either end."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        children = [child for child in node.named_children if child.type not in _TEXT]
        at = bisect_left(children, first, key=lambda child: child.start_point.row)
        end = bisect_left(children, last, key=_end)
        if _HOLDS.search(node.type) or node.parent is None:
            yield from _between(children[at:end])
        edges = dict.fromkeys(
            [*children[max(0, at - 1) : at + _KEPT], *children[max(at + _KEPT, end - _KEPT) : end + 1]]
        )
        waiting += [
            child for child in edges if min(_end(child), last) - max(child.start_point.row, first) >= _FEW
        ]


def _end(node: tree_sitter.Node) -> int:
    """The line behind a node, from 0."""
    return node.end_point.row + (node.end_point.column > 0)


def _between(nodes: list[tree_sitter.Node]) -> Iterator[tuple[int, int]]:
    """The lines of nodes that share none with their neighbours."""
    if len(nodes) > 2 * _KEPT:
        first, last = nodes[_KEPT].start_point.row, _end(nodes[-_KEPT - 1])
        if _end(nodes[_KEPT - 1]) <= first and last <= nodes[-_KEPT].start_point.row:
            yield first, last


class Conflict(msgspec.Struct, frozen=True):
    """The places at which the two changes contradict each other."""

    places: tuple[MergeRegion, ...]


def merge_by_symbols(path: str, base: bytes, ours: bytes, theirs: bytes) -> bytes | Conflict:
    """Merge the bytes of a file that both began as ``base``; whatever is in doubt is a conflict.

    Args:
        path: of the file; it says the language.
        base: as it was.
        ours: one version of it, whose additions come first.
        theirs: the other.
    """
    whole = [Source.read(path, content) for content in (base, ours, theirs)]
    if not _can_be_told_apart(whole):
        return Conflict(_lines(base, ours, theirs))
    left = strip_unchanged(whole)
    sources = _with(whole, left.texts)
    merged = _merged(sources, whole, left)
    if isinstance(merged, Source):
        return merged.document.raw
    places = merged or _lines(*left.texts)
    return Conflict(tuple(_moved(place, left) for place in places))


def _merged(
    sources: list[Source], whole: list[Source], left: ChangedParts
) -> Source | tuple[MergeRegion, ...]:
    """The merged file, or what contradicts each other; nothing, if that is not known."""
    one, mine, yours = sources
    if any(source.judged is None or not is_sound(source) for source in sources):
        return ()
    weave = PartMerge()
    text = weave.inside((parts_of_file(one), parts_of_file(mine), parts_of_file(yours)))
    if weave.places:
        return tuple(weave.places)
    all_of_it = left.whole(text)
    if all_of_it is None:
        return ()
    try:
        merged = Source.read(mine.path, whole[1].document.with_text(all_of_it).raw)
    except DoesNotFit:
        return ()
    woven = msgspec.structs.replace(mine, document=mine.document.with_text(text))
    fits = merged.document.encoding == mine.document.encoding and result_check.is_sound(
        one, mine, yours, woven
    )
    return merged if fits and not result_check.is_newly_refused(whole[1:], merged) else ()


def find_contradictions(path: str, ours: bytes, theirs: bytes, merged: bytes) -> tuple[MergeRegion, ...]:
    """What speaks against a merge by lines: lines do not see that both sides named the same thing.

    Returns:
        definitions that would stand twice in one scope, imports that give one name to two things, and
        a file that would not be read any more; all of it only if neither version is so.
    """
    three = [Source.read(path, content) for content in (merged, ours, theirs)]
    places: list[MergeRegion] = []
    if _can_be_told_apart(three):
        after, *versions = _with(three, strip_unchanged(three).texts)
        if after.judged is not None:
            names = dict.fromkeys(symbol.qualname for symbol in result_check.find_duplicates(versions, after))
            places += [MergeRegion(name, None, "both define it, at two places") for name in names]
            if result_check.has_import_conflict(versions, after):
                places.append(MergeRegion(None, None, "both import something else by one name"))
    if not places and result_check.is_newly_refused(three[1:], three[0]) and is_sound(three[0]):
        # What does not parse at all is left to the gate, which says where.
        places.append(
            MergeRegion(None, None, "what reads such files would refuse it, and takes both versions")
        )
    return tuple(places)


def _with(sources: list[Source], texts: tuple[bytes, ...]) -> list[Source]:
    """The same files with other texts."""
    return [
        msgspec.structs.replace(source, document=source.document.with_text(text))
        for source, text in zip(sources, texts, strict=True)
    ]


def _can_be_told_apart(sources: list[Source]) -> bool:
    """Whether all versions are text of one language with definitions, in one encoding."""
    first = sources[0]
    return first.language is not None and all(
        source.language == first.language
        and (source.document.encoding, source.document.bom) == (first.document.encoding, first.document.bom)
        for source in sources
    )


def _moved(place: MergeRegion, left: ChangedParts) -> MergeRegion:
    """A place with its lines in the whole file."""
    return (
        place._replace(lines=(left.line(place.lines[0]), left.line(place.lines[1]))) if place.lines else place
    )


def _lines(base: bytes, ours: bytes, theirs: bytes) -> tuple[MergeRegion, ...]:
    """The lines that both changed."""
    split = [merge3.split_lines(text) for text in (base, ours, theirs)]
    found = [
        MergeRegion(None, (r.ours[0] + 1, max(r.ours[0] + 1, r.ours[1])), "both changed these lines")
        for r in merge3.iter_regions(*split)
        if r.by == "both" and split[1][slice(*r.ours)] != split[2][slice(*r.theirs)]
    ]
    return tuple(found) or (MergeRegion(None, None, "the definitions of both do not go together"),)
