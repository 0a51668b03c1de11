"""Find the aliases under which files may know a name: ``from a import A as B``, ``using B = A``.

Aliases are not resolved. An alias too many costs the caller a look, but with one too few a reference
would be missed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import Mention

_DEFAULT = re.compile(rb"\bexport\s*=|\bdefault\b")
_UP = 3
"""Nodes from a name to what gives it another one, at most."""
_PATHS = ("attribute", "expression", "identifier", "name", "descriptor", "constant", "scope_resolution")
"""How the types of nodes end that say where a name is found, or that it is one of a type."""
_ASSIGNED = frozenset({"assignment", "variable_declarator"})
"""Where names of one function are given as well, which is no other name of a class for anybody else."""
_GIVEN = {
    **dict.fromkeys(("aliased_import", "import_specifier", "export_specifier", "use_as_clause"), "alias"),
    **dict.fromkeys(("namespace_use_clause", "namespace_use_group_clause"), "alias"),
    **dict.fromkeys(("assignment", "type_alias_statement"), "left"),
    **dict.fromkeys(("variable_declarator", "alias_declaration", "type_alias_declaration"), "name"),
    **dict.fromkeys(("using_directive", "type_item", "type_alias"), "name"),
    "type_definition": "declarator",
    "import_header": "",
}
"""By the type of a node that gives something another name: the field in which that stands."""


def is_taken_unnamed(lexical: Lexical) -> bool:
    """Whether other files may take something from a file by a name of their own alone."""
    return _DEFAULT.search(lexical.text) is not None


def other_names(resolver: Resolver, path: str, name: str) -> Iterator[str]:
    """The names that files may know by another one which is called ``name`` in a file that can be read."""
    yield from names_given(resolver.lexical(path), name)
    yield from resolver.dialect(path).unnamed(resolver, path, name)


def names_given(lexical: Lexical, name: str) -> Iterator[str]:
    """Which names a file gives to what is called ``name``."""
    for start in Mention.places(name, lexical.text, lexical.syntax.language.name):
        node = lexical.mentions.node(name, start)
        above = _around(node)
        other = _other(above) if above is not None else None
        if above is None or other is None or other.start_byte == node.start_byte or other.named_child_count:
            continue
        if above.type not in _ASSIGNED or lexical.mentions.at(name, start).scopes[0].kind == "module":
            yield (other.text or b"").decode("utf-8", "surrogateescape")


def alias_of(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the other name that a file gives to what a name means; None if it gives none there."""
    above = _around(node)
    other = _other(above) if above is not None else None
    is_own = other is None or other.start_byte == node.start_byte or other.named_child_count
    return None if is_own else other


def _around(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """What gives another name to what a name is the last part of, and to nothing else than that."""
    above = node.parent
    for _ in range(_UP):
        if above is None or above.type in _GIVEN:
            return above
        if above.end_byte != node.end_byte or not above.type.endswith(_PATHS):
            return None
        above = above.parent
    return None


def _other(above: tree_sitter.Node) -> tree_sitter.Node | None:
    field = _GIVEN[above.type]
    if field:
        return above.child_by_field_name(field)
    alias = next((each for each in above.named_children if each.type == "import_alias"), None)
    return alias.named_children[0] if alias is not None and alias.named_children else None
