"""Symbols: definitions, data and headings with their names, extents, leads and children.

Some grammars wrap a name in other nodes (pointers, parameters), and in some a name includes its owner
(``Foo::bar``, a receiver). Captures mark both, so queries stay flat however deep the wrapping is. A
definition adds its owner's path segments, where the name has one, and its own.
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
    """Return where a block's bracket stands; some grammars count the words before it to the block."""
    return _find_bracketed(block)[1]


def inside(block: tree_sitter.Node) -> list[tree_sitter.Node]:
    """Return the named children of a block, without the words that some grammars count to it."""
    holder, start = _find_bracketed(block)
    return [child for child in holder.named_children if child.start_byte >= start]


def hollow(block: tree_sitter.Node) -> Span | None:
    """Return what stands between a block's brackets, or the words that serve as such; None without."""
    holder, start = _find_bracketed(block)
    first = next((child for child in holder.children if child.start_byte == start), block)
    last = holder.children[-1]
    return Span(first.end_byte, last.start_byte) if last.type in ("}", "]", ")", "end") else None


def _find_bracketed(block: tree_sitter.Node) -> tuple[tree_sitter.Node, int]:
    """The node whose child is the bracket, the block or what stands last in it, and where that begins."""
    last = block.child(block.child_count - 1) if block.child_count else None
    for holder in (block, last) if last is not None and last.end_byte == block.end_byte else (block,):
        start = next((child.start_byte for child in holder.children if child.type == "{"), None)
        if start is not None:
            return holder, start
    return block, block.start_byte


def quoted(segment: str) -> str:
    """Return a segment as a symbol address spells it."""
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
    """A definition's name in the tree.

    Attributes:
        node: the name alone, without what is wrapped around it.
        segments: what it adds to a path.
        value: what is bound to it, if that stands in the wrapping.
        callable: the wrapping makes it a function.
        owned: the segments begin with those of an owner.
    """

    node: tree_sitter.Node
    segments: tuple[str, ...]
    value: tree_sitter.Node | None
    callable: bool
    owned: bool


class Names:
    """The parts of names that the query of one tree captured, by their ids."""

    def __init__(self, text: bytes, ids: Mapping[str, set[int]]) -> None:
        self._whole = text
        self._callables = ids.get("callable", set())
        self._declarators = ids.get("declarator", set())
        self._qualified = ids.get("qualified", set())
        self._misread = ids.get("misread", set())
        self._rest = ids.get("rest", set())
        self._unnamed = ids.get("unnamed", set())
        self._literal = ids.get("literal", set())
        self._dotted = ids.get("dotted", set())

    def read(
        self, node: tree_sitter.Node, owner: tree_sitter.Node | None, last: tree_sitter.Node
    ) -> Name | None:
        """Return the name that ``node`` is or wraps, or that goes on to ``last``, under what ``owner`` names.

        None if that is no name.
        """
        owners = _owners(owner)
        if node.id in self._unnamed:
            return Name(node, owners, None, False, bool(owners))
        text = None if last == node else self._whole[node.start_byte : last.end_byte].decode(*_UTF8)
        value, is_callable = None, False
        while (inner := self._inside(node)) is not None:
            if node.id in self._qualified:
                owners += _owners(node.child_by_field_name("scope"))
            elif node.children[0].type != "(":  # brackets change nothing
                is_callable = node.id in self._callables
                value = value or node.child_by_field_name("value")
            node = inner
        if node.id in self._misread or node.start_byte == node.end_byte:
            return None
        is_callable = is_callable or node.id in self._callables
        segments = owners + self._segments(node, text or self._text(node))
        if "" in segments and node.id not in self._literal:
            return None
        return Name(node, segments, value, is_callable, bool(owners))

    def _inside(self, node: tree_sitter.Node) -> tree_sitter.Node | None:
        """Return the name, or the next node around it; None if ``node`` is the name."""
        if node.id in self._declarators:
            return node.child_by_field_name("declarator") or node.named_child(0)
        return node.child_by_field_name("name") if node.id in self._qualified else None

    def _segments(self, node: tree_sitter.Node, text: str) -> tuple[str, ...]:
        if node.id in self._dotted:
            return tuple(_strip_quotes(part.text) for part in _leaves(node))
        return (_strip_quotes(text.encode(*_UTF8)),) if node.id in self._literal else _segments(node, text)

    def _text(self, node: tree_sitter.Node) -> str:
        """Return the name's text, up to what the query says is no part of it."""
        end, part = node.end_byte, node.child_by_field_name("declarator") if node.child_count else None
        inner = node.children if self._rest else ()
        while part is not None:
            inner, part = (*inner, part), part.child_by_field_name("declarator")
        end = next((part.start_byte for part in inner if part.id in self._rest), end)
        return self._whole[node.start_byte : end].decode(*_UTF8).strip()

    def word(self, node: tree_sitter.Node) -> str:
        """Return the word in the text that begins where ``node`` does, in small letters."""
        found = _WORD.match(self._whole, node.start_byte)
        return (found.group() if found else b"").decode(*_UTF8).lower()


def _owners(node: tree_sitter.Node | None) -> tuple[str, ...]:
    """Return the path of a type, without its arguments, pointers and brackets."""
    if node is None:
        return ()
    text = (node.text or b"").decode(*_UTF8)
    while (bare := _ARGUMENTS.sub("", text)) != text:
        text = bare
    parts = (part.strip('"`') for part in _SEPARATOR.split(text.strip("*&()? \t\r\n")))
    return tuple(part for part in parts if part)


def _leaves(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield the names in a node that nests them (``a.b."c"``)."""
    for child in node.named_children:
        if child.type == node.type:
            yield from _leaves(child)
        else:
            yield child


def _strip_quotes(raw: bytes | None) -> str:
    """Return a name as it is spelt, without the quotes around it; lines are joined."""
    text = " ".join((raw or b"").decode(*_UTF8).split())
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def _segments(node: tree_sitter.Node, text: str) -> tuple[str, ...]:
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
