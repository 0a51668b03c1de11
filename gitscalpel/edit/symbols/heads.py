"""What stays first in a block or file, whatever is inserted as its first: directives, documentation, headers.

At the top of a file that is also its shebang, its licence and the comments that a blank line parts from
what follows; imports, where a language wants them before all else, though not before other imports.
"""

from __future__ import annotations

import tree_sitter

from gitscalpel.edit.source import Source
from gitscalpel.edit.symbols import members
from gitscalpel.syntax.leading_trivia import is_of_file
from gitscalpel.syntax.symbols import Span, Symbol


def of(body: tree_sitter.Node, imports: bool, source: Source) -> list[tree_sitter.Node]:
    """The nodes of a block, from its first on, that new code goes below; ``imports`` says that it is such."""
    captures = source.outline.captures
    found: list[tree_sitter.Node] = []
    comments: list[tree_sitter.Node] = []
    for node in members.statements(body, source):
        if captures.holds("first", node) or (captures.holds("early", node) and not imports):
            found, comments = [*found, *comments, node], []
        elif members.is_comment(node, source):
            comments.append(node)
        else:
            return found + (_of_file(comments, node, source) if body.parent is None else [])
    return found + (comments if body.parent is None else [])


def whole(position: str, source: Source) -> Symbol:
    """The file as what code is inserted into: all of it, or, of data, what holds its outermost keys."""
    from gitscalpel.edit.symbols import guard  # of interest here alone

    symbols, root = source.outline.symbols, source.outline.syntax.root
    held = root
    if source.rules.data and source.rules.blocks != "prose" and symbols:
        held = symbols[0 if position == "first" else -1].node.parent or root
    elif source.rules.data:
        blocks = source.outline.captures.among("block", root)
        held = blocks[0] if len(blocks) == 1 else root
    elif (guarded := guard.around(root, source)) is not None:
        return guarded
    file = source.outline.pointed_at(held)
    span = Span(held.start_byte, held.end_byte) if held.parent else Span(0, len(source.text))
    file.outer = file.start = file.header_end = span.start
    file.end, file.body, file.body_node, file.parent = span.end, span, held, None
    return file


def _of_file(
    comments: list[tree_sitter.Node], following: tree_sitter.Node, source: Source
) -> list[tree_sitter.Node]:
    """Those of the comments at its top that are about the file, and not about what follows them."""
    text, until = source.text, len(comments)
    while until:
        comment, after = comments[until - 1], [*comments, following][until]
        own_end = len(text[: comment.end_byte].rstrip())
        if text.count(b"\n", own_end, after.start_byte) > 1 or any(
            is_of_file(c, text) for c in comments[:until]
        ):
            break
        until -= 1
    return comments[:until]
