"""The symbol tree of a text, built from its language's query."""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterator
from functools import cached_property

import msgspec
import tree_sitter

from gitscalpel.syntax import bounds, clauses, distinct, ends, extents, sections, variables
from gitscalpel.syntax.bindings import Bindings
from gitscalpel.syntax.marks import Marks
from gitscalpel.syntax.nesting import nested
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.query import Captures, captures
from gitscalpel.syntax.symbols import TYPES, Lead, Span, Symbol, inside
from gitscalpel.text.anchors import NodeRef


class Outline(msgspec.Struct, frozen=True, dict=True):
    """The symbols of one text, and the tokens that rules of editing look at."""

    syntax: Syntax
    captures: Captures
    symbols: tuple[Symbol, ...]

    def walk(self) -> Iterator[Symbol]:
        """Every symbol, parents before children, in document order."""
        for symbol in self.symbols:
            yield from symbol.walk()

    def around(self, start: int, end: int) -> Symbol | None:
        """The innermost definition around a range of bytes."""
        found, inside = None, self.symbols
        while True:
            below = next((s for s in inside if s.node.start_byte <= start and end <= s.reach), None)
            if below is None:
                return found
            found, inside = below, tuple(below.children)

    @cached_property
    def definitions(self) -> dict[int, Symbol]:
        """Definitions by the id of their own node, without what is wrapped around it (``export``)."""
        found: dict[int, Symbol] = {}
        for symbol in self.walk():
            found.setdefault(self._own_node(symbol).id, symbol)
        return found

    def of_node(self, node: tree_sitter.Node) -> list[Symbol]:
        """The symbols whose outermost node it is."""
        return self._by_node.get(node.id, [])

    @cached_property
    def _by_node(self) -> dict[int, list[Symbol]]:
        found: dict[int, list[Symbol]] = {}
        for symbol in self.walk():
            found.setdefault(symbol.node.id, []).append(symbol)
        return found

    def _own_node(self, symbol: Symbol) -> tree_sitter.Node:
        """The innermost node of a symbol's extent, or the one around it that is the definition."""
        whole = symbol.node
        inner = node = whole.named_descendant_for_byte_range(symbol.own.start_byte, whole.end_byte) or whole
        while node.id not in self.captures.kinds:
            if node.parent is None or node.id == whole.id:
                return inner
            node = node.parent
        return node

    def at(self, ref: NodeRef) -> Symbol | None:
        """The definition or other node of this type and extent; None if there is none."""
        node = self.syntax.root.named_descendant_for_byte_range(ref.start, ref.end)
        while (
            node is not None and node.start_byte == ref.start and ref.end in (node.end_byte, self._end(node))
        ):
            if node.type == ref.type:
                return self.definitions.get(node.id) or self.pointed_at(node)
            node = node.parent
        return None

    def _end(self, node: tree_sitter.Node) -> int:
        return node.end_byte if self.syntax.language.data else max(ends.ink(node), node.start_byte)

    def pointed_at(self, node: tree_sitter.Node) -> Symbol:
        """A node that is no definition, with the extent that edits need; its name is its type."""
        parent = self.around(node.start_byte, node.end_byte)
        blocks = {block.id for block in self.nodes("block")}
        outermost, extent, end = node, (node.start_byte, node.end_byte), self._end(node)
        start = node.start_byte
        if _is_sole_argument(node):
            start, end = node.named_children[0].start_byte, node.named_children[-1].end_byte
        while (above := outermost.parent) is not None and above.parent is not None:
            if above.id in blocks or (above.start_byte, above.end_byte) != extent:
                break
            outermost = above  # a statement of nothing but an expression
        body = next((child for child in node.named_children if child.id in blocks), None)
        return Symbol(
            segments=(node.type,),
            kind=node.type,
            outer=start,
            start=start,
            end=end,
            header_end=body.start_byte if body else end,
            body=Span(body.start_byte, body.end_byte) if body else None,
            lead=Lead(),
            node=outermost,
            own=node,
            body_node=body,
            defines=False,
            named=False,
            parent=parent,
        )

    def bound_with(self, symbol: Symbol) -> set[tuple[str, ...]]:
        """The names that one statement binds, ``symbol``'s among them (``a, b = …``)."""
        return {s.segments for s in self.of_node(symbol.node)}

    def outside(self, start: int, end: int) -> list[Symbol]:
        """What lies wholly before ``start`` or after ``end``; a section is its heading."""
        ends = ((s, s.end if s.level is None else s.header_end) for s in self.walk())
        return [s for s, own in ends if own <= start or s.start >= end]

    @cached_property
    def places(self) -> dict[int, int]:
        """For each symbol's id, its place, from 0, among its siblings of the same name."""
        found: dict[int, int] = {}
        for siblings in (self.symbols, *(symbol.children for symbol in self.walk())):
            seen: Counter[tuple[str, ...]] = Counter()
            for symbol in siblings:
                found[id(symbol)] = seen[symbol.segments]
                seen[symbol.segments] += 1
        return found

    def nodes(self, capture: str) -> list[tree_sitter.Node]:
        """The nodes of one capture, such as ``string``."""
        return self.captures.nodes.get(capture, [])

    @cached_property
    def inside_strings(self) -> tuple[tuple[range, bool], ...]:
        """The rows that begin inside each string of several lines, and whether it is documentation."""
        seen = [
            (range(node.start_point.row + 1, node.end_point.row + 1), node.id in self.docstrings)
            for node in self.nodes("string")
        ]
        spans = self.syntax.masked.strings
        lines = [found.end() for found in re.finditer(rb"\n", self.syntax.text)] if spans else []
        hidden = [(range(bisect(lines, start) + 1, bisect(lines, end) + 1), False) for start, end in spans]
        return tuple((rows, documents) for rows, documents in (*seen, *hidden) if rows)

    @cached_property
    def docstrings(self) -> frozenset[int]:
        """The ids of the strings that open a block or the file: documentation."""
        if self.syntax.language.data:
            return frozenset()
        blocks = {node.id for node in self.nodes("block")} | {self.syntax.root.id}
        comments = {node.id for node in self.nodes("comment")}
        return frozenset(
            node.id
            for node in self.nodes("doc")
            if node.parent is not None
            and node.parent.id in blocks
            and node.id == next(c.id for c in inside(node.parent) if c.id not in comments)
        )


def _is_sole_argument(node: tree_sitter.Node) -> bool:
    """Return True for a generator that has no parentheses but those of its call (``sum(x for x in y)``)."""
    if node.type != "generator_expression" or node.parent is None:
        return False
    return node.parent.type == "call" and node.parent.child_by_field_name("arguments") == node


def outline(syntax: Syntax) -> Outline:
    """The symbols of a parsed text, read once. Raises ``DoesNotFit``: ``too_large``."""
    return syntax.once(_read)


def has_too_many(syntax: Syntax) -> bool:
    """Return True if a text has more definitions than are read."""
    return bool(syntax.once(captures).cut)


def _read(syntax: Syntax) -> Outline:
    found = syntax.once(captures)
    if found.cut:
        raise bounds.too_many_definitions(found.cut)
    bounds.refuse_nested((d.node.start_byte, d.node.end_byte) for d in found.definitions)
    marks = Marks(syntax, found)
    unique = distinct.names(distinct.outside(found.nodes["aside"], found.definitions))
    definitions = [d for d in map(Bindings(found).settled, unique) if d is not None]
    marks.keep_single_wholes([definition.node for definition in definitions])
    seen = variables.without(clauses.joined(definitions, found), found)
    symbols = distinct.statements(extents.symbol(definition, marks) for definition in seen)
    sections.spread(symbols, syntax.text)
    bound = {symbol.body_node.id for symbol in symbols if symbol.body_node}
    symbols += [
        s for s in map(extents.anonymous, found.nodes["class"]) if s.body_node and s.body_node.id not in bound
    ]
    types = {s.body_node.id for s in symbols if s.body_node and s.kind in TYPES}
    functions = [node for node in found.nodes["function"] if _body_id(node) not in types]
    scopes = [*functions, *found.nodes["local"]]
    return Outline(syntax, found, tuple(nested(symbols, scopes, found.nodes["prefix"])))


def _body_id(node: tree_sitter.Node) -> int | None:
    body = node.child_by_field_name("body")
    return body.id if body else None
