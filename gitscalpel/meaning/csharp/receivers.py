"""What a member in C# is one of: what stands before the dot, or is made, matched or implemented."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import tree_sitter

from gitscalpel.meaning import nodes


def of(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The expression or type of which a name's node is a member."""
    above = node.parent
    if above is not None and above.type == "generic_name":
        above = above.parent
    read = _READ.get(above.type) if above is not None else None
    if above is None or read is not None:
        return read(above) if read is not None and above is not None else None
    return above.child_by_field_name("expression") or above.child_by_field_name("qualifier")


def _implemented(above: tree_sitter.Node) -> tree_sitter.Node | None:
    explicit = next((each for each in above.children if each.type == "explicit_interface_specifier"), None)
    return explicit.named_children[0] if explicit is not None else None


def _asked(above: tree_sitter.Node) -> tree_sitter.Node | None:
    access = nodes.around(above, "conditional_access_expression")
    return access.child_by_field_name("condition") if access is not None else None


def _changed(above: tree_sitter.Node) -> tree_sitter.Node | None:
    return above.parent.named_children[0] if above.parent is not None else None


def _made(above: tree_sitter.Node) -> tree_sitter.Node | None:
    """What an initializer is of."""
    listed = above.parent
    made = listed.parent if listed is not None else None
    if made is not None and made.type == "assignment_expression":
        return made.child_by_field_name("left")
    is_made = made is not None and made.type == "object_creation_expression"
    return made if is_made else None


def _matched(part: tree_sitter.Node) -> tree_sitter.Node | None:
    """What a pattern is held against: by its type, else by what stands before ``is``."""
    pattern = nodes.around(part, "recursive_pattern")
    kind = pattern.child_by_field_name("type") if pattern is not None else None
    if pattern is None or kind is not None:
        return kind
    test = pattern.parent
    return (
        test.child_by_field_name("expression")
        if test is not None and test.type == "is_pattern_expression"
        else None
    )


_READ: Mapping[str, Callable[[tree_sitter.Node], tree_sitter.Node | None]] = {
    **dict.fromkeys(("method_declaration", "property_declaration", "event_declaration"), _implemented),
    "member_binding_expression": _asked,
    "assignment_expression": _made,
    "with_initializer": _changed,
    "subpattern": _matched,
}
"""Where it is found, by what stands around the name."""
