"""Leaves out of three versions what nobody changed: whole definitions and statements, a comment for each run.

To read the definitions of a large file takes longer than all else; those that are the same in all
versions need not be read. Their neighbours stay, so that it is seen what stands beside what.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

import msgspec
import tree_sitter

from gitscalpel.edit.source import Source
from gitscalpel.syntax.language import Language
from gitscalpel.text.common import runs

_SMALL = 8_000
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


class Left(msgspec.Struct, frozen=True):
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


def left(sources: Sequence[Source]) -> Left:
    """What is left of a file's base, ours and theirs."""
    texts = tuple(source.text for source in sources)
    if max(map(len, texts)) < _SMALL or any(_SAID in text for text in texts):
        return Left(texts, {}, ())
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
    return Left(tuple(rest), chunks, tuple(lost))


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
    for starts, length in runs(lines):
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
