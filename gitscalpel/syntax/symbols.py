"""What a symbol is: a definition with its name, extent, lead and children; or a part of data or prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import msgspec
import tree_sitter

FUNCTIONS = frozenset({"function", "method", "constructor", "procedure", "proc"})
BINDINGS = frozenset({"variable", "constant", "field", "member"})
TYPES = frozenset(
    {
        *("class", "mixin", "interface", "enum", "type", "struct", "union", "trait"),
        *("record", "annotation", "table", "impl", "extension", "object", "protocol"),
    }
)
NAMELESS = "[]"
"""The segment of what has a place instead of a name (``items[2]``), until an address says which."""
ANONYMOUS = "<anon>"
"""The segment of a class without a name."""
_MUST_BE_QUOTED = re.compile(r"""[."`]|\A/|\A\s|\s\Z|\A\Z|\#\d+\Z|\[\d+\]\Z""")


class Span(NamedTuple):
    """Bytes ``[start, end)`` of the text."""

    start: int
    end: int


class Lead(NamedTuple):
    """What stands above or before a definition and belongs to it, each part with its extent.

    Modifiers (``public``, ``static``) are none: they begin the header.
    """

    comments: Span | None = None
    decorators: Span | None = None
    export: Span | None = None


class Symbol(msgspec.Struct, eq=False):
    """A definition in one text; all positions are bytes.

    Attributes:
        segments: the names it adds to a path, mostly one (``exports.f`` adds two).
        kind: function, method, class, variable, field, interface, …
        outer: where its lead begins, or its own text if it has none.
        start, end: its own text, from its modifiers on, with a trailing comment on the last line.
        header_end: where its body or value begins; ``end`` if it has neither.
        body: the block with its children, or the place for it (before a closing word, below a
            heading); None without.
        mixed: the decorators that stand among the modifiers of its header (``public @A final``).
        node: the outermost syntax node, the one whose siblings are its neighbours.
        own: its node without what is wrapped around it (``export``).
        local: it stands in a function, named or not.
        shared: it may share its name with others (overloads, accessors, namespaces, what is declared).
        declared: it only announces what may be defined elsewhere (prototypes).
        defines: others may rely on it; they do not on a part of data or prose.
        named: it has a name, and is not just a node that somebody points at.
        verbatim: the grammar has no node of this extent, so edits take its bytes as they are.
        index: its place, from 0, among those beside it that have no names.
        level: of a heading, how deep it is; a number, or its style.
        anchor: another name for it that says where it is without what is around it (``#id``).
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
    own: tree_sitter.Node
    body_node: tree_sitter.Node | None
    mixed: tuple[Span, ...] = ()
    local: bool = False
    shared: bool = False
    declared: bool = False
    defines: bool = True
    named: bool = True
    verbatim: bool = False
    index: int | None = None
    level: str | None = None
    anchor: str | None = None
    parent: Symbol | None = None
    children: list[Symbol] = []

    @property
    def standing(self) -> tuple[tuple[str, ...], str]:
        """Its segments with those right around it, where items of a list are alike, and its kind."""
        return (*(self.parent.segments if self.parent else ()), *self.segments), self.kind

    @property
    def name(self) -> str:
        """Its own name, the last segment."""
        return self.own_path[-1]

    @property
    def own_path(self) -> tuple[str, ...]:
        """What it adds to a path, with the place of what has no name."""
        return self.segments if self.index is None else (*self.segments[:-1], f"[{self.index}]")

    @property
    def reach(self) -> int:
        """Where its node ends, or what goes on with it behind its node."""
        return max(self.node.end_byte, self.end)

    @property
    def line(self) -> tuple[Symbol, ...]:
        """The symbols around it, outermost first, and itself."""
        found = [self]
        while (above := found[-1].parent) is not None:
            found.append(above)
        return tuple(reversed(found))

    @property
    def path(self) -> tuple[str, ...]:
        """The segments from the top of the file."""
        return tuple(segment for symbol in self.line for segment in symbol.own_path)

    @property
    def qualname(self) -> str:
        """The dotted path as an address spells it, quoted where it must be."""
        spelt = ""
        for symbol in self.line:
            for segment in symbol.segments if symbol.index is None else symbol.segments[:-1]:
                spelt += "." * bool(spelt) + quoted(segment)
            if symbol.index is not None:
                spelt += f"[{symbol.index}]"
        return spelt

    def walk(self) -> Iterator[Symbol]:
        """Itself and all below it, parents before children; without recursion, since data nests deep."""
        waiting = [self]
        while waiting:
            symbol = waiting.pop()
            yield symbol
            waiting += reversed(symbol.children)


def opening(block: tree_sitter.Node) -> int:
    """Where a block's bracket stands; some grammars count the words before it to the block."""
    return _bracketed(block)[1]


def inside(block: tree_sitter.Node) -> list[tree_sitter.Node]:
    """The named children of a block, without the words that some grammars count to it."""
    holder, start = _bracketed(block)
    return [child for child in holder.named_children if child.start_byte >= start]


def hollow(block: tree_sitter.Node) -> Span | None:
    """What stands between a block's brackets, or the words that serve as such; None without."""
    holder, start = _bracketed(block)
    first = next((child for child in holder.children if child.start_byte == start), block)
    last = holder.children[-1]
    return Span(first.end_byte, last.start_byte) if last.type in ("}", "]", ")", "end") else None


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
    if not _MUST_BE_QUOTED.search(segment):
        return segment
    if '"' in segment and "`" not in segment:
        return f"`{segment}`"
    return '"' + segment.replace('"', '""') + '"'
