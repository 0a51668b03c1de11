"""What a symbol is: a definition with its name, extent, lead and children."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import msgspec
import tree_sitter

FUNCTIONS = frozenset({"function", "method", "constructor"})
BINDINGS = frozenset({"variable", "constant", "field", "member"})
TYPES = frozenset(
    {
        *("class", "mixin", "interface", "enum", "type", "struct", "union", "trait"),
        *("record", "annotation", "impl", "extension", "object", "protocol"),
    }
)


ANONYMOUS = "<anon>"
"""The segment of a class without a name."""

_PLAIN = re.compile(r'(?![/\s])(?!.*#[0-9]+\Z)[^."`]*(?<!\s)\Z', re.DOTALL)
"""A segment that an address can spell without quotes."""


class Span(NamedTuple):
    """Bytes ``[start, end)`` of the text."""

    start: int
    end: int


class Lead(NamedTuple):
    """What stands above or before a definition and belongs to it, each part with its extent."""

    comments: Span | None = None
    decorators: Span | None = None
    words: Span | None = None


class Symbol(msgspec.Struct, eq=False):
    """A definition in one text; all positions are bytes.

    Attributes:
        segments: the names it adds to a path, mostly one (``exports.f`` adds two).
        kind: function, method, class, variable, field, interface, …
        outer: where its lead begins, or its own text if it has none.
        start, end: its own text, with a trailing comment on the last line.
        header_end: where its body or value begins; ``end`` if it has neither.
        body: the block with its children, or the place for it before a closing word; None without.
        node: the outermost syntax node, the one whose siblings are its neighbours.
        local: it stands in a function, named or not.
        shared: it may share its name with others (overloads, accessors).
        declared: it only announces what may be defined elsewhere (prototypes).
        defines: it is a definition, and not just a node that somebody points at.
    """

    segments: tuple[str, ...]
    kind: str
    outer: int
    start: int
    end: int
    header_end: int
    body: Span | None
    lead: Lead
    node: tree_sitter.Node
    body_node: tree_sitter.Node | None
    local: bool = False
    shared: bool = False
    declared: bool = False
    defines: bool = True
    parent: Symbol | None = None
    children: list[Symbol] = []

    @property
    def name(self) -> str:
        """Its own name, the last segment."""
        return self.segments[-1]

    @property
    def path(self) -> tuple[str, ...]:
        """The segments from the top of the file."""
        return (*self.parent.path, *self.segments) if self.parent else self.segments

    @property
    def qualname(self) -> str:
        """The dotted path as an address spells it, quoted where it must be."""
        return ".".join(quoted(segment) for segment in self.path)

    def walk(self) -> Iterator[Symbol]:
        """Itself and all below it, parents before children."""
        yield self
        for child in self.children:
            yield from child.walk()


def opening(block: tree_sitter.Node) -> int:
    """Where a block's bracket stands; some grammars count the words before it to the block."""
    return _bracketed(block)[1]


def inside(block: tree_sitter.Node) -> list[tree_sitter.Node]:
    """The named children of a block, without the words that some grammars count to it."""
    holder, start = _bracketed(block)
    return [child for child in holder.named_children if child.start_byte >= start]


def hollow(block: tree_sitter.Node) -> Span:
    """What stands between the brackets of a block, or the words that serve as such."""
    start = opening(block)
    first = next(c for c in _bracketed(block)[0].children if c.start_byte == start)
    return Span(first.end_byte, max(block.end_byte - _closer(block), first.end_byte))


def _closer(block: tree_sitter.Node) -> int:
    """How long the closing bracket or word is."""
    last = block
    while last.child_count and (child := last.child(last.child_count - 1)) is not None:
        last = child
    return last.end_byte - last.start_byte


def _bracketed(block: tree_sitter.Node) -> tuple[tree_sitter.Node, int]:
    """The node whose child is the bracket, the block or what stands last in it, and where that begins."""
    last = block.child(block.child_count - 1) if block.child_count else None
    for holder in (block, last) if last is not None and last.end_byte == block.end_byte else (block,):
        start = next((child.start_byte for child in holder.children if child.type == "{"), None)
        if start is not None:
            return holder, start
    return block, block.start_byte


def quoted(segment: str) -> str:
    """A segment as a symbol address spells it."""
    mark = "`" if '"' in segment else '"'
    return segment if _PLAIN.match(segment) else f"{mark}{segment}{mark}"
