"""Symbol tree of a text, built from its language's query, and a cache of the texts in a changeset.

Patterns overlap, and some statements name one thing twice: one definition for each name and statement stays.
A binding is a function or class if its value is, and a name for a type shares the type's body. Grammars show
headings but not always their content, so a section is a heading up to the next of its level or above.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import msgspec
import tree_sitter

from gitscalpel.errors import DoesNotFit
from gitscalpel.syntax import extents, parse
from gitscalpel.syntax.captures import Captures, Definition, read_captures
from gitscalpel.syntax.extents import TriviaIndex
from gitscalpel.syntax.languages import Language
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.symbols import (
    BINDINGS,
    FUNCTIONS,
    NAMELESS,
    TYPES,
    LeadingTrivia,
    Span,
    Symbol,
    list_body_children,
)
from gitscalpel.text.line_refs import NodeRef


def nest_symbols(
    symbols: list[Symbol], scopes: list[tree_sitter.Node], prefixes: list[tree_sitter.Node]
) -> Iterator[Symbol]:
    """Yield the top-level symbols with their children in place.

    Positions nest, so one sorted pass with a stack gives parents and children, in time linear in the file.
    Names are local inside ``scopes``. A node of ``prefixes`` without a body is the scope of what follows it.
    """
    reach = {node.id: _scope_end(node, prefixes) for node in prefixes}
    events: list[tuple[int, int, int, Symbol | None]] = [
        (s.node.start_byte, -(s.full_end if s.body else reach.get(s.node.id, s.full_end)), 1, s)
        for s in symbols
    ]
    events += [(node.start_byte, -node.end_byte, 2, None) for node in scopes]
    stack: list[tuple[int, Symbol | None]] = []
    places: Counter[tuple[int, tuple[str, ...]]] = Counter()
    for start, end, _, symbol in sorted(events, key=lambda event: event[:3]):
        while stack and stack[-1][0] <= start:
            stack.pop()
        holder = symbol
        if symbol is not None:
            if stack and (twin := stack[-1][1]) is not None and twin.node.id == symbol.node.id:
                stack.pop()  # one statement binds both names; the first with a body holds what is in it
                holder = twin if twin.body is not None else symbol
            symbol.parent = next((s for _, s in reversed(stack) if s is not None), None)
            # The function node of a definition lies within it; only what is around counts.
            symbol.local = any(s is None or s.kind in FUNCTIONS for _, s in stack)
            if (symbol.kind in BINDINGS or symbol.declared) and _is_no_symbol(stack):
                continue
            _settle_kind(symbol)
            if symbol.segments[-1] == NAMELESS and symbol.kind == "item":
                place = id(symbol.parent), symbol.segments
                symbol.index = places[place]
                places[place] += 1
            if symbol.parent is None:
                yield symbol
            else:
                symbol.parent.children.append(symbol)
        stack.append((-end, holder))


def _scope_end(prefix: tree_sitter.Node, prefixes: list[tree_sitter.Node]) -> int:
    """Return the end of the scope that ``prefix`` opens: at the next prefix, or with the enclosing block."""
    after = [n.start_byte for n in prefixes if n.start_byte > prefix.start_byte and n.parent == prefix.parent]
    return min(after, default=prefix.parent.end_byte if prefix.parent else prefix.end_byte)


def _is_no_symbol(stack: list[tuple[int, Symbol | None]]) -> bool:
    """Return True if a binding here is a function's local, or part of another (``a = b = 1``)."""
    for _, symbol in reversed(stack):
        if symbol is None or symbol.kind in FUNCTIONS:
            return True
        if symbol.kind in BINDINGS:
            return symbol.body is None
        if symbol.kind in TYPES:
            return False
    return False


def _settle_kind(symbol: Symbol) -> None:
    """Change a function or variable directly in a type to a method or field."""
    if symbol.parent is not None and symbol.parent.kind in TYPES:
        symbol.kind = {"function": "method", "variable": "field"}.get(symbol.kind, symbol.kind)


def extend_sections(symbols: Iterable[Symbol], text: bytes) -> None:
    """Extend every heading among ``symbols`` (in document order) to its section.

    A level is a number, or the style of the heading, which ranks by its first occurrence.
    """
    ranks: dict[str, int] = {}
    open_ones: list[tuple[int, Symbol]] = []
    for symbol in symbols:
        if symbol.level is None:
            continue
        level = symbol.level
        rank = int(level) if level.isdigit() else ranks.setdefault(level, len(ranks))
        while open_ones and open_ones[-1][0] >= rank:
            _close_section(open_ones.pop()[1], symbol.full_start, text)
        open_ones.append((rank, symbol))
    for _, symbol in open_ones:
        _close_section(symbol, len(text), text)


def _close_section(symbol: Symbol, end: int, text: bytes) -> None:
    content = text[symbol.end : end]
    own = content.rstrip()
    symbol.header_end = symbol.end + len(own) - len(own.lstrip())
    symbol.end += len(own)
    symbol.body = Span(symbol.header_end, symbol.end)


_BINDING, _FUNCTION, _TYPE = range(3)


def without_locals(definitions: Sequence[Definition], captures: Captures) -> list[Definition]:
    """Return the definitions without those that are certainly local variables of functions.

    Cases that need extents are left to :func:`nest_symbols`.
    """
    shared = Counter(each.node.id for each in definitions)
    plain = {id(each) for each in definitions if _is_plain_binding(each) and shared[each.node.id] == 1}
    events = [
        (each.node.start_byte, -each.node.end_byte, _BINDING, id(each))
        for each in definitions
        if id(each) in plain
    ]
    events += (
        (node.start_byte, -node.end_byte, kind, 0) for node, kind in _iter_scope_nodes(definitions, captures)
    )
    stack: list[tuple[int, int]] = []
    for start, end, kind, definition_id in sorted(events):
        while stack and stack[-1][0] <= start:
            stack.pop()
        if kind != _BINDING:
            stack.append((-end, kind))
        elif not stack or stack[-1][1] == _TYPE:
            plain.discard(definition_id)
    return [each for each in definitions if id(each) not in plain]


def _is_plain_binding(definition: Definition) -> bool:
    return (
        definition.kind in BINDINGS
        and definition.body is None
        and not (definition.declared or definition.more)
    )


def _iter_scope_nodes(
    definitions: Sequence[Definition], captures: Captures
) -> Iterator[tuple[tree_sitter.Node, int]]:
    """Yield the nodes in which names are local to a function or belong to a type."""
    types = {each.body.id for each in definitions if each.kind in TYPES and each.body is not None}
    for each in definitions:
        if each.kind in FUNCTIONS:
            yield each.node, _FUNCTION
        elif each.kind in TYPES:
            yield each.node, _TYPE
    for node in captures.nodes["function"]:
        if _id_of_body(node) not in types:
            yield node, _FUNCTION
    yield from ((node, _FUNCTION) for node in captures.nodes["local"])
    yield from ((node, _TYPE) for node in captures.nodes["class"])


def without_asides(asides: list[tree_sitter.Node], definitions: list[Definition]) -> list[Definition]:
    """Return the definitions outside all of ``asides``."""
    spans: list[Span] = []
    for node in sorted(asides, key=lambda node: node.start_byte):
        if not spans or node.start_byte >= spans[-1].end:
            spans.append(Span(node.start_byte, node.end_byte))
    starts = [span.start for span in spans]
    indexes = (bisect(starts, each.node.start_byte) - 1 for each in definitions)
    return [
        each
        for each, index in zip(definitions, indexes, strict=True)
        if index < 0 or each.node.start_byte >= spans[index].end
    ]


def unique_by_name(definitions: list[Definition]) -> list[Definition]:
    """Return one definition for each name: the widest, then the one with the earliest pattern."""
    best: dict[int, Definition] = {}
    for definition in sorted(
        definitions,
        key=lambda each: (each.node.start_byte - each.node.end_byte, each.pattern),
    ):
        best.setdefault(definition.name.node.start_byte, definition)
    return sorted(best.values(), key=lambda each: each.name.node.start_byte)


def merge_statement_names(symbols: Iterable[Symbol]) -> list[Symbol]:
    """Return the symbols with double names of one statement (``typedef struct s { … } s``) merged."""
    best: dict[tuple[int, tuple[str, ...]], Symbol] = {}
    for symbol in symbols:
        best.setdefault((symbol.node.id, symbol.segments), symbol)
    return list(best.values())


ASSIGNED = "assigned"


class Bindings:
    """The functions, classes and blocks of one tree, used to classify its bindings."""

    def __init__(self, captures: Captures) -> None:
        self._holds = captures.holds
        self._kinds = captures.kinds
        named = (captures.ids.get(name, set[int]()) for name in ("function", "class", "block"))
        self._classified_ids = set[int]().union(*named)

    def classify(self, definition: Definition) -> Definition | None:
        """Return the definition with its real kind and body, or None if it defines nothing."""
        value = definition.value
        if definition.body is None and self._holds("complete", definition.node):
            return None
        if definition.body is None and value is not None:
            definition = self._bind_value(definition, value)
        return None if definition.kind == ASSIGNED else self._add_type_body(definition)

    def _bind_value(self, definition: Definition, value: tree_sitter.Node) -> Definition:
        """Return the definition as the function or class in ``value``, or with its block as body."""
        value = self._unwrap_value(value)
        if self._holds("block", value):
            kind = self._kinds.get(value.id, definition.kind)
            return msgspec.structs.replace(definition, kind=kind, body=value, value=None)
        if self._holds("function", value) or self._holds("class", value):
            kind = "function" if self._holds("function", value) else "class"
            inner = value.child_by_field_name("body")
            is_block = inner is not None and self._holds("block", inner)
            return msgspec.structs.replace(
                definition, kind=kind, body=inner if is_block else None, value=inner or value
            )
        block = self._block_of(value) if definition.kind in TYPES else None
        return msgspec.structs.replace(definition, body=block, value=None) if block else definition

    def _unwrap_value(self, value: tree_sitter.Node) -> tree_sitter.Node:
        """Return the value without wrappers that some grammars put around every expression."""
        inner = value
        while inner.id not in self._classified_ids:
            child = inner.named_child(0) if inner.named_child_count == 1 else None
            if child is None or (child.start_byte, child.end_byte) != (inner.start_byte, inner.end_byte):
                return value
            inner = child
        return inner

    def _block_of(self, value: tree_sitter.Node) -> tree_sitter.Node | None:
        """Return the block of a call that creates a type (``Struct.new do … end``)."""
        inner: tree_sitter.Node | None = value
        while inner is not None and not self._holds("block", inner):
            inner = inner.child_by_field_name("body") or inner.child_by_field_name("block")
        return inner

    def _add_type_body(self, definition: Definition) -> Definition:
        """Return the definition with the body and kind of its type, named or nameless."""
        type_node = definition.node.child_by_field_name("type")
        if type_node is None or type_node.id not in self._kinds or definition.kind not in TYPES | BINDINGS:
            return definition
        body = type_node.child_by_field_name("body")
        if definition.kind in TYPES:
            kind = definition.kind if body is None else self._kinds[type_node.id]
            return msgspec.structs.replace(definition, kind=kind, body=body, declared=body is None)
        return (
            definition
            if type_node.child_by_field_name("name")
            else msgspec.structs.replace(definition, body=body)
        )


class Outline(msgspec.Struct, frozen=True, dict=True):
    """The symbols of one text, and its captures."""

    syntax: Syntax
    captures: Captures
    symbols: tuple[Symbol, ...]

    def walk(self) -> Iterator[Symbol]:
        """Yield every symbol in document order, parents before children."""
        for symbol in self.symbols:
            yield from symbol.walk()

    def around(self, start: int, end: int) -> Symbol | None:
        """Return the innermost definition around a byte range."""
        found, inside = None, self.symbols
        while True:
            inner_symbol = next((s for s in inside if s.node.start_byte <= start and end <= s.full_end), None)
            if inner_symbol is None:
                return found
            found, inside = inner_symbol, tuple(inner_symbol.children)

    @cached_property
    def definitions(self) -> dict[int, Symbol]:
        """Definitions by the id of their own node, without wrappers (``export``)."""
        found: dict[int, Symbol] = {}
        for symbol in self.walk():
            found.setdefault(self.own_node(symbol).id, symbol)
        return found

    def of_node(self, node: tree_sitter.Node) -> list[Symbol]:
        return self._symbols_by_node.get(node.id, [])

    @cached_property
    def _symbols_by_node(self) -> dict[int, list[Symbol]]:
        found: dict[int, list[Symbol]] = {}
        for symbol in self.walk():
            found.setdefault(symbol.node.id, []).append(symbol)
        return found

    def own_node(self, symbol: Symbol) -> tree_sitter.Node:
        """Return the node of a definition within its extent, without wrappers (``export``)."""
        outer = symbol.node
        inner = node = outer.named_descendant_for_byte_range(symbol.own.start_byte, outer.end_byte) or outer
        while node.id not in self.captures.kinds:
            if node.parent is None or node.id == outer.id:
                return inner
            node = node.parent
        return node

    def at(self, ref: NodeRef) -> Symbol | None:
        """Return the definition or other node of this type and extent, or None."""
        node = self.syntax.root.named_descendant_for_byte_range(ref.start, ref.end)
        while (
            node is not None
            and node.start_byte == ref.start
            and ref.end in (node.end_byte, self._node_end(node))
        ):
            if node.type == ref.type:
                return self.definitions.get(node.id) or self.pointed_at(node)
            node = node.parent
        return None

    def _node_end(self, node: tree_sitter.Node) -> int:
        return (
            node.end_byte
            if self.syntax.language.data
            else max(extents.find_content_end(node), node.start_byte)
        )

    def pointed_at(self, node: tree_sitter.Node) -> Symbol:
        """Return a symbol for a node that is not a definition; its name is its type."""
        parent = self.around(node.start_byte, node.end_byte)
        blocks = {block.id for block in self.nodes("block")}
        outermost, extent, end = node, (node.start_byte, node.end_byte), self._node_end(node)
        start = node.start_byte
        if _is_sole_argument(node):
            start, end = node.named_children[0].start_byte, node.named_children[-1].end_byte
        while (parent_node := outermost.parent) is not None and parent_node.parent is not None:
            if parent_node.id in blocks or (parent_node.start_byte, parent_node.end_byte) != extent:
                break
            outermost = parent_node  # a statement of nothing but an expression
        body = next((child for child in node.named_children if child.id in blocks), None)
        return Symbol(
            segments=(node.type,),
            kind=node.type,
            full_start=start,
            start=start,
            end=end,
            header_end=body.start_byte if body else end,
            body=Span(body.start_byte, body.end_byte) if body else None,
            lead=LeadingTrivia(),
            node=outermost,
            own=node,
            body_node=body,
            defines=False,
            named=False,
            parent=parent,
        )

    def bound_with(self, symbol: Symbol) -> set[tuple[str, ...]]:
        """Return the names that one statement binds, including ``symbol``'s (``a, b = …``)."""
        return {s.segments for s in self.of_node(symbol.node)}

    def outside(self, start: int, end: int) -> list[Symbol]:
        """Return the symbols wholly before ``start`` or after ``end``; for a section its heading counts."""
        ends = ((s, s.end if s.level is None else s.header_end) for s in self.walk())
        return [s for s, own in ends if own <= start or s.start >= end]

    @cached_property
    def places(self) -> dict[int, int]:
        """Position, from 0, of each symbol (by id) among its siblings of the same name."""
        found: dict[int, int] = {}
        for siblings in (self.symbols, *(symbol.children for symbol in self.walk())):
            seen: Counter[tuple[str, ...]] = Counter()
            for symbol in siblings:
                found[id(symbol)] = seen[symbol.segments]
                seen[symbol.segments] += 1
        return found

    def nodes(self, capture: str) -> list[tree_sitter.Node]:
        return self.captures.nodes.get(capture, [])

    @cached_property
    def inside_strings(self) -> tuple[tuple[range, bool], ...]:
        """The rows that begin inside each multi-line string, and whether it is documentation."""
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
        """The ids of documentation strings, which open a block or the file."""
        if self.syntax.language.data:
            return frozenset()
        blocks = {node.id for node in self.nodes("block")} | {self.syntax.root.id}
        comments = {node.id for node in self.nodes("comment")}
        return frozenset(
            node.id
            for node in self.nodes("doc")
            if node.parent is not None
            and node.parent.id in blocks
            and node.id
            == next(child.id for child in list_body_children(node.parent) if child.id not in comments)
        )


def _is_sole_argument(node: tree_sitter.Node) -> bool:
    """Return True for a generator without its own parentheses (``sum(x for x in y)``)."""
    if node.type != "generator_expression" or node.parent is None:
        return False
    return node.parent.type == "call" and node.parent.child_by_field_name("arguments") == node


def outline_of(syntax: Syntax) -> Outline:
    """Return the cached outline of a parsed text. Raises ``too_large``."""
    return syntax.compute_once(read_outline)


def has_too_many(syntax: Syntax) -> bool:
    """Return True if a text has more definitions than are read."""
    return bool(syntax.compute_once(read_captures).cut)


_ECMA = frozenset({"import_statement", "export_statement"})
IMPORT_TYPES = {
    "python": frozenset({"import_statement", "import_from_statement"}),
    **dict.fromkeys(("javascript", "typescript", "tsx"), _ECMA),
}
"""Types of the nodes of import statements, by language."""


def is_surely_read(syntax: Syntax) -> bool:
    """Return True if a parsed text is certainly within the limits for reading its definitions.

    If unknown, return False. A definition has at least two nodes.
    """
    root = syntax.root
    is_known = syntax.language.name in IMPORT_TYPES
    return (
        is_known
        and not parse.definition_limit_reason(root, root.descendant_count // 2)
        and syntax.compute_once(_is_shallow)
    )


def _is_shallow(syntax: Syntax) -> bool:
    try:
        parse.require_depth_limit(syntax.root, parse.SYMBOLS)
    except DoesNotFit:
        return False
    return True


def read_outline(syntax: Syntax) -> Outline:
    """Read the outline of a parsed text. Raises ``too_large``."""
    found = syntax.compute_once(read_captures)
    if found.cut:
        raise parse.too_large_error(found.cut)
    parse.require_nesting_limit((d.node.start_byte, d.node.end_byte) for d in found.definitions)
    marks = TriviaIndex(syntax, found)
    unique = unique_by_name(without_asides(found.nodes["aside"], found.definitions))
    definitions = [d for d in map(Bindings(found).classify, unique) if d is not None]
    marks.keep_single_wholes([definition.node for definition in definitions])
    seen = without_locals(extents.join_clauses(definitions, found), found)
    symbols = merge_statement_names(extents.make_symbol(definition, marks) for definition in seen)
    extend_sections(symbols, syntax.text)
    bound = {symbol.body_node.id for symbol in symbols if symbol.body_node}
    symbols += [
        s
        for s in map(extents.make_anonymous_class, found.nodes["class"])
        if s.body_node and s.body_node.id not in bound
    ]
    types = {s.body_node.id for s in symbols if s.body_node and s.kind in TYPES}
    functions = [node for node in found.nodes["function"] if _id_of_body(node) not in types]
    scopes = [*functions, *found.nodes["local"]]
    return Outline(syntax, found, tuple(nest_symbols(symbols, scopes, found.nodes["prefix"])))


def _id_of_body(node: tree_sitter.Node) -> int | None:
    body = node.child_by_field_name("body")
    return body.id if body else None


_LAST = 6
"""Texts of a file that are kept in addition to the first: edits try more texts than they produce."""
_FEW = 16
"""Files after which the size of all texts is checked; a tree takes 100 times the size of its text."""


class TextStates:
    """Cache of texts of one file with their trees."""

    def __init__(self) -> None:
        self._states: dict[tuple[str, bytes], Syntax] = {}

    def parse(self, language: Language, text: bytes) -> Syntax:
        """Return ``text`` with its tree, which is derived from the previous one if possible."""
        key = (language.name, text)
        found = self._states.get(key)
        if found is None:
            found = Syntax(language, text, self._latest_syntax(language))
        elif next(iter(self._states)) == key:
            return found
        else:
            del self._states[key]
        self._states[key] = found
        if len(self._states) > _LAST + 1:
            del self._states[list(self._states)[1]]
        return found

    @property
    def size(self) -> int:
        return sum(len(syntax.text) for syntax in self._states.values())

    def forget(self) -> None:
        self._states.clear()

    def _latest_syntax(self, language: Language) -> Syntax | None:
        return next((s for s in reversed(self._states.values()) if s.language == language), None)


class ParseCache:
    """Cache of parsed files, so that edits and gates of a changeset parse each text once.

    Above ``most`` bytes the least recently used files are dropped.
    """

    def __init__(self, most: int = 1_000_000) -> None:
        self._most = most
        self._files: dict[str, TextStates] = {}

    def states_of(self, path: str) -> TextStates:
        found = self._files.pop(path, None)
        if found is None:
            found = TextStates()
            self._make_room()
        self._files[path] = found
        return found

    def follow(self, path: str, to: str) -> None:
        """Share the cache of the file at ``path`` with the path ``to``."""
        self._files[to] = self.states_of(path)

    def _make_room(self) -> None:
        size = 0 if len(self._files) % _FEW else sum(states.size for states in self._files.values())
        for states in self._files.values() if size > self._most else ():
            size -= states.size
            states.forget()
            if size < self._most // 2:
                break
