"""Imports that only type checkers run (``if TYPE_CHECKING:``), and those that run time needs as well."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.lexical import Lexical
from gitscalpel.meaning.python.importing import statements, taking
from gitscalpel.meaning.python.importing.asked import Wanted
from gitscalpel.meaning.python.importing.statements import Name, Place, Statement
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text.splice import Splice

IMPORTS = ("import_statement", "import_from_statement")


def blocks(root: tree_sitter.Node, text: bytes) -> list[tree_sitter.Node]:
    """Return the bodies of ``if TYPE_CHECKING:`` at the top level of a file."""
    found = []
    for node in root.named_children:
        condition = node.child_by_field_name("condition") if node.type == "if_statement" else None
        block = node.child_by_field_name("consequence")
        said = b"" if condition is None else text[condition.start_byte : condition.end_byte]
        if block is not None and said.rpartition(b".")[2] == b"TYPE_CHECKING":
            found.append(block)
    return found


def imports(root: tree_sitter.Node, text: bytes) -> list[Statement]:
    """Return the import statements in these bodies."""
    return [
        statements.of(node, text)
        for block in blocks(root, text)
        for node in block.named_children
        if node.type in IMPORTS
    ]


def needed_at_run_time(lexical: Lexical) -> Iterator[tuple[str, Wanted]]:
    """Yield the names that run-time code uses and only type checkers import, with the import of each."""
    root, text = lexical.syntax.root, lexical.text
    inside = blocks(root, text)
    for statement in imports(root, text):
        for name in statement.names:
            bound = lexical.bound(name.bound).get(root.id, ())
            if not all(_is_in(inside, each.node) for each in bound):
                continue
            if any(_is_run(lexical, each, inside) for each in lexical.of(name.bound)):
                yield name.bound, Wanted(statement.module, name.name, name.alias)


def without(place: Place, wanted: Wanted) -> list[Splice]:
    """Return the splices that take an import out of the bodies; an empty ``if`` goes with it."""
    for block in blocks(place.root, place.text):
        for node in block.named_children:
            statement = statements.of(node, place.text) if node.type in IMPORTS else None
            names = [] if statement is None else _same(statement, wanted)
            if statement is not None and names:
                return _taken(place.text, block, statement, names)
    return []


def _same(statement: Statement, wanted: Wanted) -> list[Name]:
    given = (wanted.module, wanted.name, wanted.alias)
    return [each for each in statement.names if (statement.module, each.name, each.alias) == given]


def _taken(text: bytes, block: tree_sitter.Node, statement: Statement, names: list[Name]) -> list[Splice]:
    around = block.parent
    if len(names) < len(statement.names) or block.named_child_count > 1:
        return taking.without(text, [(statement, each) for each in names])
    if around is None or around.child_by_field_name("alternative") is not None:
        return []  # the branch would be empty
    end = text.find(b"\n", around.end_byte) + 1 or len(text)
    while text[end : end + 1] == b"\n":
        end += 1
    return [Splice(around.start_byte, end, b"")]


def _is_run(lexical: Lexical, mention: Mention, inside: list[tree_sitter.Node]) -> bool:
    """Return True if a use is evaluated when the program runs, and means a name of the module."""
    if mention.role not in ("use", "global") or _is_in(inside, mention.node):
        return False
    scope = lexical.scope_of(mention)
    if scope is None or scope.kind != "module":
        return False
    return not _is_in_annotation(mention.node, postponed=_postpones(lexical.syntax.root))


def _is_in_annotation(node: tree_sitter.Node, *, postponed: bool) -> bool:
    """Return True if a node is part of an annotation that is not evaluated when the program runs.

    Args:
        node: identifier.
        postponed: True if the file says ``from __future__ import annotations``.
    """
    inner, above = node, node.parent
    while above is not None:
        if above.type == "assignment" and inner == above.child_by_field_name("type"):
            return postponed or _is_local(above)
        if above.type in ("typed_parameter", "typed_default_parameter", "function_definition"):
            annotation = above.child_by_field_name("type") or above.child_by_field_name("return_type")
            if inner == annotation:
                return postponed
        inner, above = above, above.parent
    return False


def _is_local(node: tree_sitter.Node) -> bool:
    """Return True if a statement stands in a function, where annotations of variables are not evaluated."""
    above = node.parent
    while above is not None and above.type not in ("function_definition", "class_definition"):
        above = above.parent
    return above is not None and above.type == "function_definition"


def _postpones(root: tree_sitter.Node) -> bool:
    imported = (each.text or b"" for each in root.named_children if each.type == "future_import_statement")
    return any(b"annotations" in each for each in imported)


def _is_in(inside: list[tree_sitter.Node], node: tree_sitter.Node) -> bool:
    return any(each.start_byte <= node.start_byte < each.end_byte for each in inside)
