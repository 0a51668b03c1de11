"""What stands in a block, and where each of it begins and ends: the neighbours of a first or last child."""

from __future__ import annotations

import tree_sitter

from gitscalpel.edit.source import Source
from gitscalpel.syntax.symbols import Span, hollow, inside


def of(body: tree_sitter.Node, source: Source) -> list[tree_sitter.Node]:
    """The statements of a block, and comments on their own lines that belong to none of them.

    A documentation string or label belongs to the block as long as it has others.
    """
    symbols = source.outline
    leads = [(symbol.outer, symbol.start) for symbol in symbols.walk()]
    found = [n for n in [*_before(body), *statements(body, source)] if not _trails(n, source)]
    alone = [
        n for n in found if not is_comment(n, source) or not any(a <= n.start_byte < b for a, b in leads)
    ]
    nodes = alone or found
    members = [n for n in nodes if not is_label(n, source)]
    return [n for n in members if n.id not in symbols.docstrings] or members or nodes


def _before(body: tree_sitter.Node) -> list[tree_sitter.Node]:
    """Comments above the first statement, which some grammars leave outside a block without brackets."""
    above: list[tree_sitter.Node] = []
    node = body.prev_sibling if body.children and body.children[0].is_named else None
    while node is not None and node.is_extra:
        above.insert(0, node)
        node = node.prev_sibling
    return above


def statements(body: tree_sitter.Node, source: Source) -> list[tree_sitter.Node]:
    """The named children of a block that are no other's tail; some grammars gather them in a node."""
    symbols = source.outline
    nodes: list[tree_sitter.Node] = []
    for node in (n for n in inside(body) if not symbols.captures.holds("tail", n)):
        is_block = symbols.captures.holds("block", node) and node.id not in symbols.captures.kinds
        gathers = is_block and node.children and node.children[0].is_named
        nodes += node.named_children if gathers else [node]
    return [node for node in nodes if not symbols.captures.holds("filler", node)]


def is_label(node: tree_sitter.Node, source: Source) -> bool:
    """Whether it is no member, but a line that parts them."""
    return source.outline.captures.holds("label", node)


def label_end(node: tree_sitter.Node) -> int:
    """The end of a label with its sign."""
    after = node.next_sibling
    return after.end_byte if after is not None and after.type == ":" else node.end_byte


def _trails(node: tree_sitter.Node, source: Source) -> bool:
    """Whether it is a comment behind something on the same line."""
    before = node.prev_named_sibling
    while before is not None and source.outline.captures.holds("filler", before):
        if (before.text or b"").strip():
            break
        before = before.prev_named_sibling  # blanks that are a node
    return is_comment(node, source) and before is not None and before.end_point.row == node.start_point.row


def outer(node: tree_sitter.Node, source: Source) -> int:
    """Where a child begins, with the lead of what it defines."""
    return min([node.start_byte, *(s.outer for s in source.outline.of_node(node))])


def end(node: tree_sitter.Node, source: Source) -> int:
    """The end of a child with its terminator."""
    own = [s.end for s in source.outline.of_node(node)]
    after = node.next_sibling
    own_end = after.end_byte if after is not None and after.type == ";" else end_of(node, source)
    return max(own, default=own_end)


def end_of(node: tree_sitter.Node, source: Source) -> int:
    """The end of a node; some grammars count a line ending and the blanks below to it."""
    hidden = source.outline.syntax.masked.behind(node.end_byte)
    own = node.start_byte + len(source.text[node.start_byte : node.end_byte].rstrip())
    return max([own, *(part.end for part in hidden)])


def between_brackets(block: tree_sitter.Node, source: Source) -> Span | None:
    """What stands between a block's brackets or words, or its first and last label; None without."""
    if not block.children:
        return None  # an empty file
    first, last = block.children[0], block.children[-1]
    labels = source.outline.captures
    if labels.holds("label", first) and labels.holds("label", last) and first != last:
        return Span(first.end_byte, last.start_byte)
    return hollow(block)


def marked(at: int, source: Source) -> bytes | None:
    """The indentation of what stands behind markers such as ``- `` in its line; None without one."""
    before = source.text[source.text.rfind(b"\n", 0, at) + 1 : at]
    markers = source.rules.markers
    if not markers or not before.strip() or before.strip(b" \t" + markers):
        return None
    return b"".join(b"\t" if sign == ord("\t") else b" " for sign in before)


def is_comment(node: tree_sitter.Node, source: Source) -> bool:
    """Whether it is a comment; some grammars count comments to what they stand between."""
    return node.is_extra or source.outline.captures.holds("comment", node)


def text_at(position: str, span: Span, children: list[tree_sitter.Node], source: Source) -> Span | None:
    """What a block holds between its tags, if text is its first or last part."""
    held = source.text[span.start : span.end]
    start = span.start + len(held) - len(held.lstrip())
    end = span.start + len(held.rstrip())
    if not source.rules.inline or start >= end:
        return None
    inner = children and (
        outer(children[0], source) <= start if position == "first" else end_of(children[-1], source) >= end
    )
    return None if inner else Span(start, end)
