"""Whether a name is read where nothing has bound it yet, so that it is the one around: ``str = str``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.syntax.occurrences import Mention

_LOOPS = ("for_statement", "while_statement")
_LAST = ("assignment", "named_expression", "class_definition", "function_definition")
"""What binds its name when all else in it has been read."""
_ELSE = {
    "if_statement": ("elif_clause", "else_clause"),
    "match_statement": ("case_clause",),
    "try_statement": ("except_clause", "except_group_clause"),
}
"""What is done where another branch was not, or was not finished."""


def is_read(use: Mention, bound: Iterable[Mention]) -> bool:
    """Whether none of what binds a name in a scope has done so where code of this scope reads it.

    What a module or class runs from top to bottom; what is written as a type may be read later.
    """
    around = {each.id: each for each in _above(use.node)}
    if any(each.type == "type" for each in around.values()):
        return False
    return not any(_precedes(each.node, use.node, around) for each in bound)


def _precedes(binding: tree_sitter.Node, use: tree_sitter.Node, around: dict[int, tree_sitter.Node]) -> bool:
    """Whether what binds a name may have done so before it is used."""
    inner, common = binding, binding.parent
    while common is not None and common.id not in around:
        inner, common = common, common.parent
    if common is None:
        return True
    part = next(each for each in (use, *around.values()) if each.parent and each.parent.id == common.id)
    is_header = common.type == "for_statement" and common.child_by_field_name("right") == part
    if any(each.type in _LOOPS for each in (*(() if is_header else (common,)), *_above(common))):
        return True
    if is_header or common.type in _LAST:
        return False
    if part.type in _ELSE.get(common.type, ()) and inner.type in ("block", *_ELSE[common.type]):
        return False
    return inner.start_byte < part.start_byte


def _above(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    above = node.parent
    while above is not None:
        yield above
        above = above.parent
