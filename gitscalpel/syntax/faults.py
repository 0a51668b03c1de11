"""What does not parse: where the grammar says so, and where it lets pass what the language does not."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import tree_sitter

from gitscalpel.syntax import lenience
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.query import captures
from gitscalpel.syntax.symbols import Span


class SyntaxFault(msgspec.Struct, frozen=True):
    """A place where the text does not parse; ``line`` and ``column`` count from 1."""

    line: int
    column: int
    message: str
    start: int
    end: int


def faults(syntax: Syntax) -> tuple[SyntaxFault, ...]:
    """Every place where the text does not parse, in document order; looked for once."""
    return syntax.once(_all)


def _all(syntax: Syntax) -> tuple[SyntaxFault, ...]:
    language, text = syntax.language, syntax.text
    if language.parses not in ("strictly", "partly"):
        return ()
    found = list(_unparsed(syntax.root, text)) if syntax.root.has_error else []
    odd = [
        *lenience.unended(syntax.of_type(language.ended)),
        *lenience.unparted(syntax.of_type(language.parted)),
    ]
    if language.aligned:
        blocks = syntax.once(captures).nodes["block"]
        odd += lenience.unaligned([syntax.root, *blocks], text)
    if language.has_anchors and (b"*" in text or b"&" in text):
        marks = syntax.found("[(anchor) (alias)] @found")
        odd += lenience.unanchored(syntax.of_type("document"), marks, text)
    if language.has_anchors and b"<<:" in text:
        pairs = "[(block_mapping_pair key: (_) @found) (flow_pair key: (_) @found)]"
        odd += lenience.unmerged(syntax.found(pairs), text)
    if language.never:
        odd += [(node, f"unexpected {_word(node, text)!r}") for node in syntax.found(language.never)]
    return tuple(sorted([*found, *(_fault(*each) for each in odd)], key=lambda fault: fault.start))


def loose(syntax: Syntax) -> list[Span]:
    """Return the stretches that the grammar cannot parse, and missing signs, in document order."""
    found, waiting = [], [syntax.root] if syntax.root.has_error else []
    while waiting:
        node = waiting.pop()
        if node.is_missing:
            found.append(Span(node.start_byte, node.end_byte))
            continue
        worse = [child for child in node.children if child.has_error or child.is_missing or child.is_error]
        waiting += worse
        if node.is_error:
            lost = list(_between(syntax.text, node))
            found += lost or ([] if worse else [Span(node.start_byte, node.end_byte)])
    return sorted(found)


def _between(text: bytes, node: tree_sitter.Node) -> Iterator[Span]:
    """Yield the stretches of a fault between the nodes that the grammar has made sense of."""
    at = node.start_byte
    for child in node.children:
        if child.child_count or child.is_error:
            yield from _stretch(text, at, child.start_byte)
            at = child.end_byte
    yield from _stretch(text, at, node.end_byte)


def _stretch(text: bytes, start: int, end: int) -> list[Span]:
    """Return the part of a stretch from its first sign on; nothing if it is blank."""
    inside = text[start:end]
    lead = len(inside) - len(inside.lstrip())
    return [Span(start + lead, end)] if lead < len(inside) else []


def _unparsed(root: tree_sitter.Node, text: bytes) -> Iterator[SyntaxFault]:
    """The outermost nodes that do not parse; without recursion, since trees are deeper than stacks."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_missing:
            yield _fault(node, f"expected {node.type!r}")
        elif node.is_error:
            word = _word(node, text)
            yield _fault(node, f"unexpected {word!r}" if word else "unexpected end")
        else:
            waiting += [child for child in reversed(node.children) if child.has_error or child.is_missing]


def _word(node: tree_sitter.Node, text: bytes) -> str:
    return text[node.start_byte : node.end_byte].decode("utf-8", "replace").split("\n")[0][:40]


def _fault(node: tree_sitter.Node, message: str) -> SyntaxFault:
    row, column = node.start_point
    return SyntaxFault(row + 1, column + 1, message, node.start_byte, node.end_byte)
