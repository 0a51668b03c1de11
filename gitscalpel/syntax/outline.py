"""The symbol tree of a text, built from its language's query.

Positions nest, so one sorted pass with a stack gives parents and children;
cost is linear in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache

import msgspec
import tree_sitter

from gitscalpel.syntax import lead
from gitscalpel.syntax.bindings import Bindings
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.query import Captures, Definition, captures
from gitscalpel.syntax.symbols import BINDINGS, FUNCTIONS, TYPES, Lead, Span, Symbol

_SEPARATOR = re.compile(r"\s*(?:\?\.|\.|::)\s*")
_PLAIN_PATH = re.compile(r"[\w$#.?:\s]+\Z")
_REST_OF_LINE = re.compile(rb"[ \t]*([^\r\n]*)")


class Outline(msgspec.Struct, frozen=True, dict=True):
    """The symbols of one text, and the tokens that rules of editing look at."""

    syntax: Syntax
    captures: Captures
    symbols: tuple[Symbol, ...]

    def walk(self) -> Iterator[Symbol]:
        """Every symbol, parents before children, in document order."""
        for symbol in self.symbols:
            yield from symbol.walk()

    def bound_with(self, symbol: Symbol) -> set[tuple[str, ...]]:
        """The names that one statement binds, ``symbol``'s among them (``a, b = …``)."""
        siblings = symbol.parent.children if symbol.parent else self.symbols
        return {s.segments for s in siblings if s.node.id == symbol.node.id}

    def outside(self, start: int, end: int) -> list[tuple[str, str]]:
        """Name and kind of every definition that lies wholly before ``start`` or after ``end``."""
        return [(s.name, s.kind) for s in self.walk() if s.end <= start or s.start >= end]

    def nodes(self, capture: str) -> list[tree_sitter.Node]:
        """The nodes of one capture, such as ``string``."""
        return self.captures.nodes.get(capture, [])

    @cached_property
    def docstrings(self) -> frozenset[int]:
        """The ids of the strings that open a block or the file: documentation."""
        blocks = {node.id for node in self.nodes("block")} | {self.syntax.root.id}
        comments = {node.id for node in self.nodes("comment")}
        return frozenset(
            node.id
            for node in self.nodes("string")
            if node.parent is not None
            and node.parent.id in blocks
            and node.id == next(c.id for c in node.parent.named_children if c.id not in comments)
        )


@lru_cache(maxsize=16)
def outline(syntax: Syntax) -> Outline:
    """The symbols of a parsed text, read once."""
    found = captures(syntax)
    marks = lead.Marks(syntax, found.nodes)
    shared = {node.id for node in found.nodes["shared"]}
    blocks = {node.id for node in found.nodes["block"]}
    definitions = [d for d in map(Bindings(found).settled, _unique(found.definitions)) if d is not None]
    symbols = [_symbol(d, marks, blocks, d.node.id in shared) for d in definitions]
    bound = {symbol.body_node.id for symbol in symbols if symbol.body_node}
    symbols += [
        s for s in map(_anonymous, found.nodes["class"]) if s.body_node and s.body_node.id not in bound
    ]
    return Outline(syntax, found, tuple(_nest(symbols, found.nodes["function"])))


def _unique(definitions: list[Definition]) -> list[Definition]:
    """One definition for each name: the widest, then the one whose pattern comes first."""
    best: dict[int, Definition] = {}
    for definition in sorted(definitions, key=lambda d: (d.node.start_byte - d.node.end_byte, d.pattern)):
        best.setdefault(definition.name.start_byte, definition)
    return list(best.values())


def _symbol(definition: Definition, marks: lead.Marks, blocks: set[int], shared: bool) -> Symbol:
    node, outermost = lead.extent(definition.node, marks)
    parts, start = lead.find(node, outermost, marks)
    end = _end(outermost, marks.syntax.text, marks)
    inner = definition.body or definition.value
    block = definition.body if definition.body and definition.body.id in blocks else None
    return Symbol(
        segments=_segments(definition.name),
        kind=definition.kind,
        outer=min([start, outermost.start_byte, *(span.start for span in parts if span)]),
        start=start,
        end=end,
        header_end=inner.start_byte if inner else end,
        body=Span(block.start_byte, block.end_byte) if block else None,
        lead=parts,
        node=outermost,
        body_node=block,
        shared=shared,
    )


def _anonymous(node: tree_sitter.Node) -> Symbol:
    body = node.child_by_field_name("body") or node
    span = Span(body.start_byte, body.end_byte)
    start, end = node.start_byte, node.end_byte
    return Symbol(("<anon>",), "class", start, start, end, body.start_byte, span, Lead(), node, body)


def _segments(name: tree_sitter.Node) -> tuple[str, ...]:
    text = (name.text or b"").decode("utf-8", "surrogateescape")
    if name.type.endswith("string") or text[:1] in "'\"":
        return (text.strip("'\""),)
    if not _PLAIN_PATH.match(text):
        return (text,)
    segments = tuple(part for part in _SEPARATOR.split(text) if part)
    return segments[1:] if len(segments) > 1 and segments[0] == "this" else segments or (text,)


def _end(node: tree_sitter.Node, text: bytes, marks: lead.Marks) -> int:
    """The definition's end with a terminator, and with a trailing comment that ends the line."""
    end = node.end_byte
    after = node.next_sibling
    if after is not None and after.type == ";":
        end, after = after.end_byte, after.next_sibling
    rest = _REST_OF_LINE.match(text, end)
    assert rest is not None  # noqa: S101 - the pattern matches the empty string
    comment = after if after is not None and after.id in marks.comments else None
    if not rest.group(1) or (comment is not None and _covers(comment, rest)):
        return rest.end()
    if rest.group(1).startswith(marks.syntax.language.line_comment):
        return rest.end()
    return end


def _covers(comment: tree_sitter.Node, rest: re.Match[bytes]) -> bool:
    return comment.start_byte == rest.start(1) and comment.end_byte == rest.end(1)


def _nest(symbols: list[Symbol], functions: list[tree_sitter.Node]) -> Iterator[Symbol]:
    """Yield the top-level symbols with their children in place."""
    events: list[tuple[int, int, int, Symbol | None]] = [
        (s.node.start_byte, -s.node.end_byte, 1, s) for s in symbols
    ]
    events += [(node.start_byte, -node.end_byte, 2, None) for node in functions]
    stack: list[tuple[int, Symbol | None]] = []
    for start, end, _, symbol in sorted(events, key=lambda event: event[:3]):
        while stack and stack[-1][0] <= start:
            stack.pop()
        if symbol is not None:
            if stack and stack[-1][1] is not None and stack[-1][1].node.id == symbol.node.id:
                stack.pop()  # one statement binds both names
            symbol.parent = next((s for _, s in reversed(stack) if s is not None), None)
            # The function node of a definition lies within it; only what is around counts.
            symbol.local = any(s is None or s.kind in FUNCTIONS for _, s in stack)
            if symbol.kind in BINDINGS and _is_no_symbol(stack):
                continue
            _settle_kind(symbol)
            if symbol.parent is None:
                yield symbol
            else:
                symbol.parent.children.append(symbol)
        stack.append((-end, symbol))


def _is_no_symbol(stack: list[tuple[int, Symbol | None]]) -> bool:
    """Whether a binding here is a function's local, or part of another binding (``a = b = 1``)."""
    for _, symbol in reversed(stack):
        if symbol is None or symbol.kind in FUNCTIONS:
            return True
        if symbol.kind in BINDINGS:
            return symbol.body is None
        if symbol.kind in TYPES:
            return False
    return False


def _settle_kind(symbol: Symbol) -> None:
    """A function or variable directly in a type is its method or field."""
    if symbol.parent is not None and symbol.parent.kind in TYPES:
        symbol.kind = {"function": "method", "variable": "field"}.get(symbol.kind, symbol.kind)
