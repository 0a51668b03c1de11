"""Symbols: definitions, data and headings with their names, extents, leading trivia and children.

Some grammars wrap a name in other nodes (pointers, parameters), and in some a name includes its owner
(``Foo::bar``, a receiver). Captures mark both, so queries stay flat however deep the wrapping is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
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
"""The segment of a symbol with a position instead of a name (``items[2]``), until the position is known."""
ANONYMOUS = "<anon>"
"""The segment of a class without a name."""
_MUST_BE_QUOTED = re.compile(r"""[."`]|\A/|\A\s|\s\Z|\A\Z|\#\d+\Z|\[\d+\]\Z""")


class Span(NamedTuple):
    """Bytes ``[start, end)`` of the text."""

    start: int
    end: int


class LeadingTrivia(NamedTuple):
    """Leading trivia of a definition, each part with its extent.

    Modifiers (``public``, ``static``) are not included: they begin the header.
    """

    comments: Span | None = None
    decorators: Span | None = None
    export: Span | None = None


class Symbol(msgspec.Struct, eq=False):
    """A definition in one text; all positions are byte offsets."""

    segments: tuple[str, ...]  # names that it adds to a path, mostly one (``exports.f`` adds two)
    kind: str  # function, method, class, variable, field, interface, …
    full_start: int  # start of its leading trivia, or of its own text without any
    start: int  # start of its own text, at its modifiers
    end: int  # end of its own text, after a trailing comment on the last line
    header_end: int  # start of its body or value, or ``end`` without one
    body: Span | None  # block of its children, or the place for one (before a closing word)
    lead: LeadingTrivia
    node: tree_sitter.Node  # outermost syntax node, whose siblings are its neighbours
    own: tree_sitter.Node  # its node without wrappers (``export``)
    body_node: tree_sitter.Node | None
    inner_decorators: tuple[Span, ...] = ()  # decorators among its modifiers (``public @A final``)
    local: bool = False  # True if it is inside a function, named or not
    shared: bool = False  # True if its name may occur again (overloads, accessors, declarations)
    declared: bool = False  # True if it only declares a definition that may be elsewhere (prototypes)
    defines: bool = True  # False for parts of data or prose, which other code cannot use
    named: bool = True  # False for a node that was selected by position
    verbatim: bool = False  # True if no node of the grammar has this extent: edits keep its bytes
    index: int | None = None  # position, from 0, among its unnamed siblings
    level: str | None = None  # depth of a heading: a number, or its style
    anchor: str | None = None  # another name that locates it without its path (``#id``)
    parent: Symbol | None = None
    children: list[Symbol] = []

    @property
    def identity(self) -> tuple[tuple[str, ...], str]:
        """Own segments, including the parent's if list items are alike, and the kind."""
        return (*(self.parent.segments if self.parent else ()), *self.segments), self.kind

    @property
    def name(self) -> str:
        return self.own_path[-1]

    @property
    def own_path(self) -> tuple[str, ...]:
        """The segments that it adds to a path, with the position if it is unnamed."""
        return self.segments if self.index is None else (*self.segments[:-1], f"[{self.index}]")

    @property
    def full_end(self) -> int:
        """End of its node, or of the nodes after it that continue it."""
        return max(self.node.end_byte, self.end)

    @property
    def line(self) -> tuple[Symbol, ...]:
        """The enclosing symbols, outermost first, and itself."""
        found = [self]
        while (parent := found[-1].parent) is not None:
            found.append(parent)
        return tuple(reversed(found))

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(segment for symbol in self.line for segment in symbol.own_path)

    @property
    def qualname(self) -> str:
        """The dotted path in an address, quoted if necessary."""
        path_text = ""
        for symbol in self.line:
            for segment in symbol.segments if symbol.index is None else symbol.segments[:-1]:
                path_text += "." * bool(path_text) + quote_segment(segment)
            if symbol.index is not None:
                path_text += f"[{symbol.index}]"
        return path_text

    def walk(self) -> Iterator[Symbol]:
        """Yield itself and all below, parents before children, without recursion since data may nest."""
        waiting = [self]
        while waiting:
            symbol = waiting.pop()
            yield symbol
            waiting += reversed(symbol.children)


def find_opening(block: tree_sitter.Node) -> int:
    """Return the offset of a block's bracket; some grammars include the words before it."""
    return _find_bracketed(block)[1]


def list_body_children(block: tree_sitter.Node) -> list[tree_sitter.Node]:
    """Return the named children of a block, without leading words that some grammars include."""
    holder, start = _find_bracketed(block)
    return [child for child in holder.named_children if child.start_byte >= start]


def find_body_span(block: tree_sitter.Node) -> Span | None:
    """Return the span between a block's brackets or keywords, or None without such."""
    holder, start = _find_bracketed(block)
    first = next((child for child in holder.children if child.start_byte == start), block)
    last = holder.children[-1]
    return Span(first.end_byte, last.start_byte) if last.type in ("}", "]", ")", "end") else None


def _find_bracketed(block: tree_sitter.Node) -> tuple[tree_sitter.Node, int]:
    """Return the node whose child is the bracket, the block or its last child, and the bracket's offset."""
    last = block.child(block.child_count - 1) if block.child_count else None
    for holder in (block, last) if last is not None and last.end_byte == block.end_byte else (block,):
        start = next((child.start_byte for child in holder.children if child.type == "{"), None)
        if start is not None:
            return holder, start
    return block, block.start_byte


def quote_segment(segment: str) -> str:
    """Return a segment as written in a symbol address."""
    if not _MUST_BE_QUOTED.search(segment):
        return segment
    if '"' in segment and "`" not in segment:
        return f"`{segment}`"
    return '"' + segment.replace('"', '""') + '"'


_UTF8 = ("utf-8", "surrogateescape")
_SEPARATOR = re.compile(r"\s*(?:\?\.|\.|::?|\\)\s*")
_PLAIN_PATH = re.compile(r"[\w$#.?:\s\\]+\Z")
_LETTER = re.compile(r"\w")
_WORD = re.compile(rb"\w+")
_QUOTED = re.compile(r"@?(['\"`])(.+)\1\Z", re.DOTALL)
_ARGUMENTS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")


class Name(msgspec.Struct, frozen=True):
    """A definition's name in the tree."""

    node: tree_sitter.Node  # node of the name alone, without wrappers
    segments: tuple[str, ...]  # the segments that it adds to a path
    value: tree_sitter.Node | None  # the bound value, if it is inside the wrappers
    callable: bool  # True if a wrapper makes it a function
    owned: bool  # True if the segments begin with those of an owner


class Names:
    """The name captures of one tree, by node id."""

    def __init__(self, text: bytes, ids: Mapping[str, set[int]]) -> None:
        self._text, self._ids = text, ids

    def _is(self, name: str, node: tree_sitter.Node) -> bool:
        return node.id in self._ids.get(name, ())

    def read(
        self, node: tree_sitter.Node, owner: tree_sitter.Node | None, last: tree_sitter.Node
    ) -> Name | None:
        """Return the name from ``node`` to ``last``, after that of ``owner``, or None if it is not a name."""
        owners = _owner_path(owner)
        if self._is("unnamed", node):
            return Name(node, owners, None, False, bool(owners))
        text = None if last == node else self._text[node.start_byte : last.end_byte].decode(*_UTF8)
        value, is_callable = None, False
        while (inner := self._unwrap(node)) is not None:
            if self._is("qualified", node):
                owners += _owner_path(node.child_by_field_name("scope"))
            elif node.children[0].type != "(":  # brackets change nothing
                is_callable = self._is("callable", node)
                value = value or node.child_by_field_name("value")
            node = inner
        if self._is("misread", node) or node.start_byte == node.end_byte:
            return None
        is_callable = is_callable or self._is("callable", node)
        segments = owners + self._split_segments(node, text or self._name_text(node))
        if "" in segments and not self._is("literal", node):
            return None
        return Name(node, segments, value, is_callable, bool(owners))

    def _unwrap(self, node: tree_sitter.Node) -> tree_sitter.Node | None:
        """Return the name, or the next node around it, or None if ``node`` is the name."""
        if self._is("declarator", node):
            return node.child_by_field_name("declarator") or node.named_child(0)
        return node.child_by_field_name("name") if self._is("qualified", node) else None

    def _split_segments(self, node: tree_sitter.Node, text: str) -> tuple[str, ...]:
        if self._is("dotted", node):
            return tuple(_strip_quotes(part.text) for part in _iter_leaves(node))
        return (
            (_strip_quotes(text.encode(*_UTF8)),)
            if self._is("literal", node)
            else _split_segments(node, text)
        )

    def _name_text(self, node: tree_sitter.Node) -> str:
        """Return the name's text, without parts that the query excludes."""
        end, part = node.end_byte, node.child_by_field_name("declarator") if node.child_count else None
        inner = node.children if self._ids.get("rest") else ()
        while part is not None:
            inner, part = (*inner, part), part.child_by_field_name("declarator")
        end = next((part.start_byte for part in inner if self._is("rest", part)), end)
        return self._text[node.start_byte : end].decode(*_UTF8).strip()

    def word(self, node: tree_sitter.Node) -> str:
        """Return the word at the start of ``node``, in lower case."""
        found = _WORD.match(self._text, node.start_byte)
        return (found.group() if found else b"").decode(*_UTF8).lower()


def _owner_path(node: tree_sitter.Node | None) -> tuple[str, ...]:
    if node is None:
        return ()
    text = (node.text or b"").decode(*_UTF8)
    while (shortened := _ARGUMENTS.sub("", text)) != text:
        text = shortened
    parts = (part.strip('"`') for part in _SEPARATOR.split(text.strip("*&()? \t\r\n")))
    return tuple(part for part in parts if part)


def _iter_leaves(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield the names in a node that nests them (``a.b."c"``)."""
    for child in node.named_children:
        if child.type == node.type:
            yield from _iter_leaves(child)
        else:
            yield child


def _strip_quotes(raw: bytes | None) -> str:
    """Return a name as written, without quotes around it, and with lines joined."""
    text = " ".join((raw or b"").decode(*_UTF8).split())
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def _split_segments(node: tree_sitter.Node, text: str) -> tuple[str, ...]:
    if text.isidentifier():  # as most are
        return (text,)
    if quoted := _QUOTED.match(text):
        return (quoted.group(2),)
    if node.type.endswith("string") or text[:1] in "'\"`":
        return (text.strip("'\"`"),)
    if (node.text or b"")[:1] == b'"':
        return (text[1:-1],)  # in brackets, which the grammar is shown as quotes
    if not _PLAIN_PATH.match(text) or not _LETTER.search(text):
        return (" ".join(text.split()),)
    segments = tuple(part for part in _SEPARATOR.split(text.lstrip(":")) if part)
    return segments[1:] if len(segments) > 1 and segments[0] == "this" else segments or (text,)
