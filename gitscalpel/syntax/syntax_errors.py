r"""Syntax errors of a text: those of the grammar, and those it accepts but the language does not.

Languages have other line endings and word separators besides ``\n``, which grammars do not always know.
Editing uses the text as the grammar sees it. Checks also use it as the language's own parser sees it, so that
neither can hide anything.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import partial
from itertools import islice

import msgspec
import tree_sitter

from gitscalpel.syntax.captures import read_captures
from gitscalpel.syntax.languages import Language
from gitscalpel.syntax.outline import TextStates
from gitscalpel.syntax.parse import Syntax, iter_unparsed
from gitscalpel.syntax.symbols import Span

UNANCHORED = "the alias"
"""The first words of the message about an alias without an anchor."""
REBOUND = "would mean another anchor"
"""Words of the message about an unchanged alias that has another value after an edit."""
_SEQUENCES = ("block_sequence", "flow_sequence")
_ITEMS = ("block_sequence_item", *_SEQUENCES)
ANCHOR_HINT = "keep the anchor, or change its aliases first"


def iter_unaligned(blocks: list[tree_sitter.Node], text: bytes) -> Iterator[tuple[tree_sitter.Node, str]]:
    """Yield blocks without a statement, and statements not aligned with the first of their block.

    ``blocks`` include the root of the tree.
    """
    for block in blocks:
        statements = [node for node in block.named_children if not node.is_extra]
        if not statements:
            if block.parent is not None:
                yield block, "expected a statement in the block"
            continue
        # If the body is in the header's line, no further line can belong to it.
        expected = _indent_before(statements[0], text) if block.parent is not None else b""
        misaligned = (node for node in statements if _indent_before(node, text) not in (None, expected))
        yield from ((node, "unexpected indent") for node in islice(misaligned, 1))


def iter_missing_commas(members: list[tree_sitter.Node]) -> Iterator[tuple[tree_sitter.Node, str]]:
    """Yield each node that follows one of ``members`` without the required comma, with a message."""
    for member in members:
        after = member.next_sibling
        while after is not None and after.is_extra:
            after = after.next_sibling
        if after is not None and after.type not in (",", "}"):
            yield after, "expected ',' before it"


def iter_unended(ends: list[tree_sitter.Node]) -> Iterator[tuple[tree_sitter.Node, str]]:
    """Yield the empty end nodes of unterminated texts, which continue to the end of the file."""
    yield from ((end, "expected the end of the text") for end in ends if end.start_byte == end.end_byte)


def iter_anchor_errors(
    documents: list[tree_sitter.Node], marks: list[tree_sitter.Node], text: bytes
) -> Iterator[tuple[tree_sitter.Node, str]]:
    """Yield aliases without an anchor above them in their document, and other YAML load errors.

    These are duplicate anchors, and merge keys with a scalar. The anchors and aliases in ``marks`` are in
    document order.
    """
    starts = [document.start_byte for document in documents]
    anchors: dict[tuple[int, bytes], tree_sitter.Node] = {}
    for mark in marks:
        key = bisect_right(starts, mark.start_byte), text[mark.start_byte + 1 : mark.end_byte]
        name = key[1].decode("utf-8", "replace")
        if mark.type == "anchor":
            if key in anchors:
                yield mark, f"duplicate anchor &{name}"
            anchors[key] = mark
        elif key not in anchors:
            yield mark, f"{UNANCHORED} *{name} has no anchor &{name} above it"
        elif _is_merged(mark, text) and any(map(_is_scalar, _iter_merged(anchors[key].parent))):
            yield mark, f"the merge key << needs a mapping, which *{name} is not"


def iter_merge_key_errors(
    keys: list[tree_sitter.Node], text: bytes
) -> Iterator[tuple[tree_sitter.Node, str]]:
    """Yield merge keys, ``<<``, whose value is a scalar, or a sequence with one in it."""
    for key in keys:
        value = key.next_named_sibling
        if text[key.start_byte : key.end_byte] == b"<<" and any(map(_is_scalar, _iter_merged(value))):
            yield key, "the merge key << needs a mapping"


def _iter_merged(value: tree_sitter.Node | None) -> Iterator[tree_sitter.Node]:
    """Yield the nodes that a merge key with this value merges: the value, or the items of a sequence."""
    inside = value.named_children if value is not None else []
    sequences = [node for node in inside if node.type in _SEQUENCES]
    for sequence in sequences:
        for item in sequence.named_children:
            yield from item.named_children[:1] if item.type == "block_sequence_item" else [item]
    if value is not None and not sequences:
        yield value


def _is_merged(alias: tree_sitter.Node, text: bytes) -> bool:
    value = alias.parent
    while value is not None and value.parent is not None and value.parent.type in _ITEMS:
        value = value.parent
    if value is not None and value.type in _SEQUENCES:
        value = value.parent
    key = value.prev_named_sibling if value else None
    return key is not None and text[key.start_byte : key.end_byte] == b"<<"


def _is_scalar(value: tree_sitter.Node | None) -> bool:
    return value is not None and any(child.type.endswith("_scalar") for child in value.children)


def _indent_before(node: tree_sitter.Node, text: bytes) -> bytes | None:
    before = text[text.rfind(b"\n", 0, node.start_byte) + 1 : node.start_byte].lstrip(b"\f")
    return None if before.strip(b" \t") else before


class SyntaxFault(msgspec.Struct, frozen=True):
    """A syntax error; ``line`` and ``column`` count from 1."""

    line: int
    column: int
    message: str
    start: int
    end: int


def find_faults(syntax: Syntax) -> tuple[SyntaxFault, ...]:
    """Return every syntax error, in document order; computed once."""
    return syntax.compute_once(_find_all)


def _find_all(syntax: Syntax) -> tuple[SyntaxFault, ...]:
    language, text = syntax.language, syntax.text
    if language.parses not in ("strictly", "partly"):
        return ()
    rejected = [
        *iter_unended(syntax.of_type(language.end_marker)),
        *iter_missing_commas(syntax.of_type(language.comma_members)),
    ]
    if language.has_aligned_blocks:
        blocks = syntax.compute_once(read_captures).nodes["block"]
        rejected += iter_unaligned([syntax.root, *blocks], text)
    if language.has_anchors and (b"*" in text or b"&" in text):
        marks = syntax.query_nodes("[(anchor) (alias)] @found")
        rejected += iter_anchor_errors(syntax.of_type("document"), marks, text)
    if language.has_anchors and b"<<:" in text:
        pairs = "[(block_mapping_pair key: (_) @found) (flow_pair key: (_) @found)]"
        rejected += iter_merge_key_errors(syntax.query_nodes(pairs), text)
    if language.forbidden_query:
        rejected += [
            (node, f"unexpected {_word_of(node, text)!r}")
            for node in syntax.query_nodes(language.forbidden_query)
        ]
    faults = [*_iter_unparsed(syntax.root, text), *(_make_fault(*each) for each in rejected)]
    return tuple(sorted(faults, key=lambda fault: fault.start))


def find_unparsed_spans(syntax: Syntax) -> list[Span]:
    """Return the stretches that do not parse, and missing tokens, in document order."""
    found, waiting = [], [syntax.root] if syntax.root.has_error else []
    while waiting:
        node = waiting.pop()
        if node.is_missing:
            found.append(Span(node.start_byte, node.end_byte))
            continue
        worse = [child for child in node.children if child.has_error or child.is_missing or child.is_error]
        waiting += worse
        if node.is_error:
            lost = list(_iter_between(syntax.text, node))
            found += lost or ([] if worse else [Span(node.start_byte, node.end_byte)])
    return sorted(found)


def _iter_between(text: bytes, node: tree_sitter.Node) -> Iterator[Span]:
    """Yield the stretches of an error between the nodes that were parsed."""
    at = node.start_byte
    for child in node.children:
        if child.child_count or child.is_error:
            yield from _strip_stretch(text, at, child.start_byte)
            at = child.end_byte
    yield from _strip_stretch(text, at, node.end_byte)


def _strip_stretch(text: bytes, start: int, end: int) -> list[Span]:
    """Return a stretch without leading white space, or nothing if it is blank."""
    inside = text[start:end]
    lead = len(inside) - len(inside.lstrip())
    return [Span(start + lead, end)] if lead < len(inside) else []


def _iter_unparsed(root: tree_sitter.Node, text: bytes) -> Iterator[SyntaxFault]:
    for node in iter_unparsed(root):
        word = _word_of(node, text)
        if node.is_missing:
            yield _make_fault(node, f"expected {node.type!r}")
        else:
            yield _make_fault(node, f"unexpected {word!r}" if word else "unexpected end")


def _word_of(node: tree_sitter.Node, text: bytes) -> str:
    return text[node.start_byte : node.end_byte].decode("utf-8", "replace").split("\n")[0][:40]


def _make_fault(node: tree_sitter.Node, message: str) -> SyntaxFault:
    row, column = node.start_point
    return SyntaxFault(row + 1, column + 1, message, node.start_byte, node.end_byte)


def parse_readings(language: Language, text: bytes, states: TextStates) -> tuple[Syntax, Syntax]:
    """Return the text unchanged, and as the language's parsers read it, with the same positions."""
    return states.parse(language, text), states.parse(language, convert_to_plain(language, text))


def convert_to_plain(language: Language, text: bytes) -> bytes:
    """Return the text with characters that the language treats as plain ones replaced; offsets stay."""
    for pattern, instead in language.read_as:
        text = re.sub(pattern, partial(_replace_match, instead), text)
    return text


def _replace_match(to: bytes, found: re.Match[bytes]) -> bytes:
    """Return ``to``, or the character whose hexadecimal number is group 1; without a match the text."""
    if found.re.groups:
        if found[1] is None:
            return found[0]
        to = bytes.fromhex(found[1].decode("ascii"))
    return to.replace(b"\r", b"\n") + b" " * (len(found[0]) - len(to))
