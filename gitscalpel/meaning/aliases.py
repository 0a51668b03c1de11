"""Under which other names a file may know what is called by one: ``from a import A as B``, ``using B = A``.

What they mean is not asked: a name too many costs whoever asks a look, and one too few would be left out.
"""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.lexical import Lexical
from gitscalpel.syntax.mentions import Mention

_UP = 3
"""Nodes from a name to what gives it another one, at most."""
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


def given(lexical: Lexical, name: str) -> Iterator[str]:
    """Which names a file gives to what is called ``name``."""
    for start in Mention.places(name, lexical.text, lexical.syntax.language.name):
        node = lexical.mentions.node(name, start)
        for above in _around(node):
            other = _other(above)
            if other is not None and other.start_byte != node.start_byte and not other.named_child_count:
                yield (other.text or b"").decode("utf-8", "surrogateescape")


def _around(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    above = node.parent
    for _ in range(_UP):
        if above is not None:
            if above.type in _GIVEN:
                yield above
            above = above.parent


def _other(above: tree_sitter.Node) -> tree_sitter.Node | None:
    field = _GIVEN[above.type]
    if field:
        return above.child_by_field_name(field)
    alias = next((each for each in above.named_children if each.type == "import_alias"), None)
    return alias.named_children[0] if alias is not None and alias.named_children else None
