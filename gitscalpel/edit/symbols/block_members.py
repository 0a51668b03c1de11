"""Members of a block: their extents, the preamble above them, and the blank lines between them.

New first members go below the preamble: directives, documentation and headers. In a file that includes the
shebang, the licence, comments followed by a blank line, and imports if the language wants them first. A file
inside an include guard (``#ifndef A``, ``#define A``, ``#endif``) consists of the guarded part.
"""

from __future__ import annotations

import re

import tree_sitter

from gitscalpel.edit.source import Source
from gitscalpel.syntax.captures import is_import
from gitscalpel.syntax.extents import is_of_file
from gitscalpel.syntax.symbols import (
    FUNCTIONS,
    TYPES,
    Span,
    Symbol,
    find_body_span,
    find_opening,
    list_body_children,
)


def list_members(body: tree_sitter.Node, source: Source) -> list[tree_sitter.Node]:
    """Return the statements of a block, and comments on their own lines that belong to no statement.

    A documentation string or label belongs to the block if the block has other members.
    """
    symbols = source.outline
    leading_ranges = [(symbol.full_start, symbol.start) for symbol in symbols.walk()]
    all_nodes = [
        n for n in [*_comments_above(body), *list_statements(body, source)] if not _is_trailing(n, source)
    ]
    uncommented = [
        n
        for n in all_nodes
        if not is_comment(n, source) or not any(a <= n.start_byte < b for a, b in leading_ranges)
    ]
    nodes = uncommented or all_nodes
    members = [n for n in nodes if not is_label(n, source)]
    return [n for n in members if n.id not in symbols.docstrings] or members or nodes


def _comments_above(body: tree_sitter.Node) -> list[tree_sitter.Node]:
    """Return comments above the first statement, which some grammars leave outside an indented block."""
    comments: list[tree_sitter.Node] = []
    node = body.prev_sibling if body.children and body.children[0].is_named else None
    while node is not None and node.is_extra:
        comments.insert(0, node)
        node = node.prev_sibling
    return comments


def list_statements(body: tree_sitter.Node, source: Source) -> list[tree_sitter.Node]:
    """Return the named children of a block that are not the tail of another, ungrouped."""
    symbols = source.outline
    nodes: list[tree_sitter.Node] = []
    for node in (n for n in list_body_children(body) if not symbols.captures.holds("tail", n)):
        is_block = symbols.captures.holds("block", node) and node.id not in symbols.captures.kinds
        is_group = is_block and node.children and node.children[0].is_named
        nodes += node.named_children if is_group else [node]
    return [node for node in nodes if not symbols.captures.holds("filler", node)]


def is_label(node: tree_sitter.Node, source: Source) -> bool:
    return source.outline.captures.holds("label", node)


def label_end(node: tree_sitter.Node) -> int:
    after = node.next_sibling
    return after.end_byte if after is not None and after.type == ":" else node.end_byte


def _is_trailing(node: tree_sitter.Node, source: Source) -> bool:
    before = node.prev_named_sibling
    while before is not None and source.outline.captures.holds("filler", before):
        if (before.text or b"").strip():
            break
        before = before.prev_named_sibling  # blanks that are a node
    return is_comment(node, source) and before is not None and before.end_point.row == node.start_point.row


def member_start(node: tree_sitter.Node, source: Source) -> int:
    return min([node.start_byte, *(s.full_start for s in source.outline.of_node(node))])


def member_end(node: tree_sitter.Node, source: Source) -> int:
    ends = [s.end for s in source.outline.of_node(node)]
    after = node.next_sibling
    default_end = after.end_byte if after is not None and after.type == ";" else node_end(node, source)
    return max(ends, default=default_end)


def node_end(node: tree_sitter.Node, source: Source) -> int:
    """Return the end of a node without line endings and blank lines, which some grammars include."""
    masked = source.outline.syntax.masked.behind(node.end_byte)
    end = node.start_byte + len(source.text[node.start_byte : node.end_byte].rstrip())
    return max([end, *(part.end for part in masked)])


def find_bracketed_span(block: tree_sitter.Node, source: Source) -> Span | None:
    """Return the range between a block's brackets, keywords or outermost labels, or None."""
    if not block.children:
        return None  # an empty file
    first, last = block.children[0], block.children[-1]
    labels = source.outline.captures
    if labels.holds("label", first) and labels.holds("label", last) and first != last:
        return Span(first.end_byte, last.start_byte)
    return find_body_span(block)


def marker_indent(at: int, source: Source) -> bytes | None:
    """Return the indentation of text after list markers such as ``- ``, or None without one."""
    before = source.text[source.text.rfind(b"\n", 0, at) + 1 : at]
    markers = source.rules.markers
    if not markers or not before.strip() or before.strip(b" \t" + markers):
        return None
    return b"".join(b"\t" if sign == ord("\t") else b" " for sign in before)


def is_comment(node: tree_sitter.Node, source: Source) -> bool:
    """Return True for a comment; some grammars name comments after their context."""
    return node.is_extra or source.outline.captures.holds("comment", node)


def edge_text(position: str, span: Span, children: list[tree_sitter.Node], source: Source) -> Span | None:
    """Return the text at the start or end of a block between tags, or None."""
    content = source.text[span.start : span.end]
    start = span.start + len(content) - len(content.lstrip())
    end = span.start + len(content.rstrip())
    if not source.rules.inline or start >= end:
        return None
    is_inside = children and (
        member_start(children[0], source) <= start
        if position == "first"
        else node_end(children[-1], source) >= end
    )
    return None if is_inside else Span(start, end)


def list_preamble(body: tree_sitter.Node, imports: bool, source: Source) -> list[tree_sitter.Node]:
    """Return the leading nodes of a block below which new code goes; ``imports`` is True for a new import."""
    captures = source.outline.captures
    preamble: list[tree_sitter.Node] = []
    comments: list[tree_sitter.Node] = []
    for node in list_statements(body, source):
        if captures.holds("first", node) or (captures.holds("early", node) and not imports):
            preamble, comments = [*preamble, *comments, node], []
        elif is_comment(node, source):
            comments.append(node)
        else:
            return preamble + (_file_preamble(comments, node, source) if body.parent is None else [])
    return preamble + (comments if body.parent is None else [])


def file_target(position: str, source: Source) -> Symbol:
    """Return the file as a target of insertion; for data, the node with the outermost keys."""
    symbols, root = source.outline.symbols, source.outline.syntax.root
    block = root
    if source.rules.data and source.rules.blocks != "prose" and symbols:
        block = symbols[0 if position == "first" else -1].node.parent or root
    elif source.rules.data:
        blocks = source.outline.captures.among("block", root)
        block = blocks[0] if len(blocks) == 1 else root
    elif (guarded := find_guarded(root, source)) is not None:
        return guarded
    file = source.outline.pointed_at(block)
    span = Span(block.start_byte, block.end_byte) if block.parent else Span(0, len(source.text))
    file.full_start = file.start = file.header_end = span.start
    file.end, file.body, file.body_node, file.parent = span.end, span, block, None
    return file


def _file_preamble(
    comments: list[tree_sitter.Node], following: tree_sitter.Node, source: Source
) -> list[tree_sitter.Node]:
    """Return the comments at the top that describe the file, not the code below them."""
    text, count = source.text, len(comments)
    while count:
        comment, after = comments[count - 1], [*comments, following][count]
        comment_end = len(text[: comment.end_byte].rstrip())
        if text.count(b"\n", comment_end, after.start_byte) > 1 or any(
            is_of_file(c, text) for c in comments[:count]
        ):
            break
        count -= 1
    return comments[:count]


def find_guarded(root: tree_sitter.Node, source: Source) -> Symbol | None:
    """Return the part inside an include guard as a target of insertion, or None."""
    nodes = [node for node in root.named_children if not is_comment(node, source)]
    if len(nodes) != 1 or nodes[0].type != "preproc_ifdef":
        return None
    guard = nodes[0]
    opening, closing = guard.children[0], guard.children[-1]
    if (opening.type, closing.type) != ("#ifndef", "#endif") or guard.child_by_field_name("alternative"):
        return None
    name, *children = [node for node in guard.named_children if not is_comment(node, source)]
    if not children or children[0].type != "preproc_def" or _defined_name(children[0]) != name.text:
        return None
    file, start = source.outline.pointed_at(guard), node_end(children[0], source)
    span = Span(start, max(start, len(source.text[: closing.start_byte].rstrip())))
    file.full_start = file.start = file.header_end = span.start
    file.end, file.body, file.body_node, file.parent = span.end, span, guard, None
    return file


def _defined_name(definition: tree_sitter.Node) -> bytes | None:
    name = definition.child_by_field_name("name")
    return name.text if name else None


# Sorts of code: siblings of one sort form a group. LEAD is decorators alone.
BLOCK, LINE, IMPORT, LEAD = "block", "line", "import", "lead"
_BLANK_LINES = re.compile(rb"(?:[ \t]*\r?\n)*")


def count_blanks_after(text: bytes, at: int) -> tuple[int, int]:
    """Return the number of blank lines after the line that ends at ``at``, and their end."""
    end_of_line = text.find(b"\n", at)
    if end_of_line < 0:
        return 0, len(text)
    match = _BLANK_LINES.match(text, end_of_line + 1)
    end = match.end() if match else end_of_line + 1
    return text.count(b"\n", end_of_line + 1, end), end


def count_blanks_before(text: bytes, at: int) -> tuple[int, int]:
    """Return the number of blank lines above the line that contains ``at``, and their start."""
    start = text.rfind(b"\n", 0, at) + 1
    count = 0
    while start > 0:
        above = text.rfind(b"\n", 0, start - 1) + 1
        if text[above:start].strip(b" \t\r\n"):
            break
        start, count = above, count + 1
    return count, start


def kept_blanks(at: int, source: Source) -> Span | None:
    """Return the blank lines, maybe none, below the text that ends in this line, if they are content."""
    kept_text = text_ending_at(at, source)
    if kept_text is None or b"+" not in source.text[kept_text.start_byte :].split(b"\n", 1)[0].split(b"#")[0]:
        return None
    end_of_line = source.text.find(b"\n", node_end(kept_text, source))
    start = end_of_line + 1 or len(source.text)
    return Span(start, count_blanks_after(source.text, start - 1)[1] if start < len(source.text) else start)


def text_ending_at(at: int, source: Source) -> tree_sitter.Node | None:
    """Return the node of a text without closing delimiter that is the last code before ``at``, or None."""
    end = len(source.text[:at].rstrip())
    return next((n for n in source.outline.nodes("keeps") if node_end(n, source) == end), None)


def has_previous(symbol: Symbol, source: Source) -> bool:
    """Return True if a sibling or comment precedes the symbol in its block, with no label between."""
    if _is_prose(source):
        is_first = symbol.parent is not None and symbol.parent.header_end == symbol.full_start
        return not is_first and bool(source.text[: symbol.full_start].strip())
    sibling = symbol.node.prev_named_sibling
    while sibling is not None and (
        sibling.start_byte >= symbol.full_start or _is_captured(sibling, "filler", source)
    ):
        sibling = sibling.prev_named_sibling
    if sibling is None or sibling.parent is None or sibling.start_byte < find_opening(sibling.parent):
        return False
    return not _is_captured(sibling, "label", source)


def has_following(symbol: Symbol, source: Source) -> bool:
    """Return True if a sibling or comment follows the symbol in its block, with no label between."""
    if _is_prose(source):
        return bool(source.text[symbol.end :].strip())
    sibling = symbol.node.next_named_sibling
    while sibling is not None and (
        sibling.start_byte < symbol.end or _is_captured(sibling, "filler", source)
    ):
        sibling = sibling.next_named_sibling
    return sibling is not None and not _is_captured(sibling, "label", source)


def _is_prose(source: Source) -> bool:
    return source.rules.blocks == "prose"


def _is_captured(node: tree_sitter.Node, capture: str, source: Source) -> bool:
    return source.outline.captures.holds(capture, node)


def measure_gap_beside(symbol: Symbol, side: str, sort: str, source: Source) -> int:
    """Return the number of blank lines between ``symbol`` and new code of a ``sort`` on a side.

    That is the gap to the neighbour on that side, else the gap on the other side, else the default. Imports
    form a group: a new one at its edge keeps the distance of imports, and the code after it keeps its own.
    """
    if sort == LEAD:
        return 0
    gaps = {
        "before": count_blanks_before(source.text, symbol.full_start)[0]
        if has_previous(symbol, source)
        else None,
        "after": count_blanks_after(source.text, symbol.end)[0] if has_following(symbol, source) else None,
    }
    other_side = "after" if side == "before" else "before"
    if sort == sort_of(symbol.node, source) == IMPORT:
        gaps = {
            each: gap if _sort_beside(symbol.node, each, source) == IMPORT else None
            for each, gap in gaps.items()
        }
    chosen = gaps[other_side] if gaps[side] is None else gaps[side]
    return default_gap(symbol.node, sort, source) if chosen is None else chosen


def _sort_beside(node: tree_sitter.Node, side: str, source: Source) -> str | None:
    neighbour = node
    while True:
        sibling = neighbour.prev_named_sibling if side == "before" else neighbour.next_named_sibling
        if sibling is None or not is_comment(sibling, source):
            return None if sibling is None else sort_of(sibling, source)
        neighbour = sibling


def measure_gap_in_block(children: list[tree_sitter.Node], first: bool, sort: str, source: Source) -> int:
    """Return the number of blank lines between a block's outermost child and new code outside it."""
    pair = children[:2] if first else children[-2:]
    if len(pair) == 2 and all(sort_of(node, source) == sort for node in pair):
        return count_blanks_after(source.text, member_end(pair[0], source))[0]
    return default_gap(children[0 if first else -1], sort, source)


def default_gap(neighbour: tree_sitter.Node, sort: str, source: Source) -> int:
    if BLOCK not in (sort, sort_of(neighbour, source)) and not _is_prose(source):
        return 0
    top_level = neighbour.parent is None or neighbour.parent.parent is None
    return source.rules.top_gap if top_level else source.rules.gap


def sort_of(node: tree_sitter.Node, source: Source) -> str:
    """Return the sort of a statement: import, one-line statement (not a function or type), or other."""
    if is_import(node):
        return IMPORT
    symbols = source.outline.of_node(node)
    has_body = any(s.kind in FUNCTIONS | TYPES and s.header_end < s.end for s in symbols)
    comment_ends = [s.lead.comments.end + 1 for s in symbols if s.lead.comments]
    start, end = max([node.start_byte, *comment_ends]), max([node.end_byte, *(s.end for s in symbols)])
    return BLOCK if has_body or b"\n" in source.text[start:end].rstrip() else LINE
