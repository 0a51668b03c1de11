"""Include guards: ``#ifndef A``, ``#define A``, the whole header, ``#endif``; the file is what they hold."""

from __future__ import annotations

import tree_sitter

from gitscalpel.edit.source import Source
from gitscalpel.edit.symbols import members
from gitscalpel.syntax.symbols import Span, Symbol


def around(root: tree_sitter.Node, source: Source) -> Symbol | None:
    """What a guard holds, as what code is inserted into; None where the file has none."""
    alone = [node for node in root.named_children if not members.is_comment(node, source)]
    if len(alone) != 1 or alone[0].type != "preproc_ifdef":
        return None
    held = alone[0]
    begins, ends = held.children[0], held.children[-1]
    if (begins.type, ends.type) != ("#ifndef", "#endif") or held.child_by_field_name("alternative"):
        return None
    name, *inside = [node for node in held.named_children if not members.is_comment(node, source)]
    if not inside or inside[0].type != "preproc_def" or _name(inside[0]) != name.text:
        return None
    file, start = source.outline.pointed_at(held), members.end_of(inside[0], source)
    span = Span(start, max(start, len(source.text[: ends.start_byte].rstrip())))
    file.outer = file.start = file.header_end = span.start
    file.end, file.body, file.body_node, file.parent = span.end, span, held, None
    return file


def _name(definition: tree_sitter.Node) -> bytes | None:
    name = definition.child_by_field_name("name")
    return name.text if name else None
