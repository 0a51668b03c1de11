"""Parts of a file or of a definition: its definitions and statements, each with a key.

Only white space and separators are between two parts, so nothing is lost if the parts are joined in another
order. The terminator of a statement, and a comment behind it on its line, belong to the statement.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec
import tree_sitter

from gitscalpel.edit.source import Source
from gitscalpel.syntax.captures import is_import
from gitscalpel.syntax.symbols import FUNCTIONS, NAMELESS, Span, Symbol

Key = tuple[object, ...]  # identifies a part among its neighbours: the names that it defines, or its text
BETWEEN = b" \t\r\n\f,;"
_CLOSING = re.compile(rb"[ \t]*;+")


class Part(msgspec.Struct, frozen=True):
    """A definition, statement or comment."""

    key: Key  # key of the part, the same in all versions of the file
    start: int  # byte range, including leading trivia
    end: int
    symbol: Symbol | None = None  # the definition, if the part is exactly one
    is_named: bool = False  # True if the part is identified by its name, False if by its text
    is_import: bool = False
    is_comment: bool = False


class PartList(msgspec.Struct, frozen=True):
    """The parts of a file or of a definition; ``is_ordered`` if the order matters (an enumeration)."""

    source: Source
    start: int
    end: int
    parts: tuple[Part, ...]
    is_ordered: bool = False

    def between(self, before: Part | None, after: Part | None) -> bytes:
        """Return the text between two parts. None means the start or end of the range."""
        start = self.start if before is None else before.end
        return self.source.text[start : self.end if after is None else after.start]

    def text(self, part: Part) -> bytes:
        return self.source.text[part.start : part.end]


def has_parts(symbol: Symbol) -> bool:
    """Return True if a definition has members whose order does not matter."""
    return symbol.kind not in FUNCTIONS and any(_contains(symbol, child) for child in symbol.children)


def parts_of_file(source: Source) -> PartList:
    root = source.outline.syntax.root
    block = _find_data_block(root) if source.rules.data else root
    return _read_inside(source, Span(0, len(source.text)), source.outline.symbols, block)


def parts_of_symbol(symbol: Symbol, source: Source) -> PartList:
    found = _read_inside(source, Span(symbol.header_end, symbol.end), symbol.children, symbol.body_node)
    return msgspec.structs.replace(found, is_ordered=symbol.kind == "enum")


def _contains(symbol: Symbol, child: Symbol) -> bool:
    return symbol.header_end <= child.full_start and child.end <= symbol.end


def _find_data_block(node: tree_sitter.Node) -> tree_sitter.Node:
    """Return the node that contains the keys; data files nest it in other nodes."""
    while node.named_child_count == 1 and node.named_children[0].named_child_count:
        node = node.named_children[0]
    return node


def _read_inside(
    source: Source, span: Span, symbols: Iterable[Symbol], block: tree_sitter.Node | None
) -> PartList:
    nodes = _iter_statements(block) if block is not None and source.rules.blocks != "prose" else []
    joined = _join_overlaps([*_iter_symbol_parts(symbols, source), *(_make_part(n, source) for n in nodes)])
    terminated = joined if source.rules.blocks == "prose" else _iter_terminated(joined, span.end, source)
    inside = [part for part in terminated if span.start <= part.start and part.end <= span.end]
    return PartList(source, *span, tuple(_number_keys(_iter_with_rests(inside, span, source))))


def _iter_statements(block: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield the statements of a block; some grammars group all imports in one node."""
    for node in block.named_children:
        children = node.named_children if is_import(node) else []
        yield from children if len(children) > 1 and all(map(is_import, children)) else [node]


def _iter_symbol_parts(symbols: Iterable[Symbol], source: Source) -> Iterator[Part]:
    """Yield the definitions of a scope; members of one without an end of its own follow it."""
    pending = [*symbols][::-1]
    while pending:
        symbol = pending.pop()
        is_named = NAMELESS not in symbol.segments
        key = symbol.segments if is_named else source.text[symbol.start : symbol.end].rstrip(BETWEEN)
        yield Part((key, symbol.kind), symbol.full_start, symbol.end, symbol, is_named)
        pending += reversed([child for child in symbol.children if child.full_start >= symbol.end])


def _make_part(node: tree_sitter.Node, source: Source) -> Part:
    text = source.text[node.start_byte : node.end_byte].rstrip(BETWEEN)
    end = max(node.start_byte + len(text), node.start_byte)
    is_import_node = not source.rules.data and is_import(node)
    return Part((text,), node.start_byte, end, is_import=is_import_node, is_comment="comment" in node.type)


def _join_overlaps(parts: list[Part]) -> Iterator[Part]:
    joined: Part | None = None
    for part in sorted(parts, key=lambda part: (part.start, -part.end)):
        if joined is None or part.start >= joined.end:
            if joined is not None:
                yield joined
            joined = part
        else:
            joined = _join_parts(joined, part)
    if joined is not None:
        yield joined


def _join_parts(first: Part, second: Part) -> Part:
    start, end = first.start, max(first.end, second.end)
    named_parts = [part for part in (first, second) if part.symbol is not None or part.is_named]
    if len(named_parts) < 2:
        kept_part = named_parts[0] if named_parts else first
        return msgspec.structs.replace(kept_part, start=start, end=end)
    return Part((*first.key, *second.key), start, end, None, first.is_named and second.is_named)


def _iter_terminated(parts: Iterable[Part], limit: int, source: Source) -> Iterator[Part]:
    text, has_terminators = source.text, source.rules.separator != b";"
    extended: Part | None = None
    for part in parts:
        if extended is not None:
            if (
                part.is_comment
                and not extended.is_comment
                and not text[extended.end : part.start].strip(b" \t")
            ):
                extended = msgspec.structs.replace(extended, end=part.end)
                continue
            yield extended
        terminator = _CLOSING.match(text, part.end, limit) if has_terminators else None
        extended = msgspec.structs.replace(part, end=terminator.end()) if terminator else part
    if extended is not None:
        yield extended


def _iter_with_rests(parts: list[Part], room: Span, source: Source) -> Iterator[Part]:
    text, position = source.text, room.start
    is_prose = source.rules.blocks == "prose"
    for part in [*parts, None]:
        end = room.end if part is None else part.start
        text_between = text[position:end]
        content = text_between.strip(BETWEEN)
        is_edge = position == room.start or part is None
        if content and (is_prose or not is_edge):
            start = position + text_between.index(content)
            yield Part(
                (content,) if not is_prose else ("text",), start, start + len(content), is_named=is_prose
            )
        if part is not None:
            yield part
            position = part.end


def _number_keys(parts: Iterable[Part]) -> Iterator[Part]:
    seen: Counter[Key] = Counter()
    for part in parts:
        yield msgspec.structs.replace(part, key=(*part.key, seen[part.key]))
        seen[part.key] += 1
