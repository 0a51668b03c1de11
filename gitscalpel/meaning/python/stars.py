"""Star imports of a module, and whether what binds a name comes after them."""

from __future__ import annotations

import re
from collections.abc import Iterable

import tree_sitter

from gitscalpel.meaning.resolve import Resolver
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.syntax.parse import Syntax

_MAY = re.compile(rb"import[\s\\]*\*")
_AROUND = ("expression_statement", "decorated_definition")
_BINDING = (
    "function_definition",
    "class_definition",
    "import_statement",
    "import_from_statement",
    "assignment",
)


def statements(syntax: Syntax) -> list[tree_sitter.Node]:
    """The statements that import everything of a module."""
    return syntax.once(_statements)


def _statements(syntax: Syntax) -> list[tree_sitter.Node]:
    if _MAY.search(syntax.text) is None:  # most files have none, and are not looked through for that
        return []
    return [node.parent for node in syntax.of_type("wildcard_import") if node.parent is not None]


def is_run(statement: tree_sitter.Node) -> bool:
    """Whether a statement is run each time that its module is."""
    return statement.parent is not None and statement.parent.type == "module"


def is_bound(mention: Mention) -> bool:
    """Whether a module binds a name by a mention each time that it is run."""
    return _statement(mention.node) is not None


def is_last(resolver: Resolver, path: str, bound: Iterable[Mention], before: int | None = None) -> bool:
    """Whether one of a module's own bindings certainly comes after its star imports.

    Args:
        resolver: of the tree.
        path: of the module.
        bound: what binds the name in it.
        before: where it is to have done so; None: somewhere.
    """
    ends = [each.end_byte for each in statements(resolver.lexical(path).syntax)]
    if before is not None:
        ends = [end for end in ends if end <= before]
    for statement in (_statement(each.node) for each in bound):
        has_been = statement is not None and (before is None or statement.end_byte <= before)
        if statement is not None and has_been and all(end <= statement.start_byte for end in ends):
            return True
    return False


def _statement(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The statement of a module that binds a name each time that the module is run; None: it may not be."""
    above = node.parent
    while above is not None and above.type not in _BINDING:
        above = above.parent
    statement = above
    while above is not None and above.parent is not None and above.type in (*_BINDING, *_AROUND):
        above = above.parent
    return statement if above is not None and above.type == "module" else None
