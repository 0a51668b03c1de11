"""What stands where a name is used: what it is set to, what is added to it, what it is called with."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.syntax.occurrences import Mention

_ADDING = frozenset({"push", "unshift", "add", "set", "splice", "fill", "concat", "includes", "indexOf"})
_AROUND = ("parenthesized_expression", "non_null_expression", "await_expression")
_ELEMENTS = ("jsx_opening_element", "jsx_self_closing_element")


def arguments(call: tree_sitter.Node) -> list[tree_sitter.Node]:
    """What a call gives, in its order."""
    given = call.child_by_field_name("arguments")
    return [] if given is None else [each for each in given.named_children if each.type != "comment"]


def set_to(mention: Mention) -> Iterator[tree_sitter.Node]:
    """What a variable or member is set to: by an assignment, as a key, as an attribute."""
    node, above = _held(mention)
    if mention.node.type == "shorthand_property_identifier":
        yield mention.node
    elif above is None:
        return
    elif above.type == "pair" and _is(above, "key", node):
        yield from _field(above, "value")
    elif above.type == "assignment_expression" and _is(above, "left", node):
        yield from _field(above, "right")
    elif above.type == "jsx_attribute":
        yield from (one for each in above.named_children[1:] for one in each.named_children[:1])


def added(mention: Mention) -> Iterator[tree_sitter.Node]:
    """What is put into a list that a mention names."""
    node, above = _held(mention)
    if above is None:
        return
    call = above.parent
    if above.type == "member_expression" and _is(above, "object", node) and call is not None:
        does = above.child_by_field_name("property")
        is_adding = does is not None and (does.text or b"").decode() in _ADDING
        yield from arguments(call) if is_adding and call.type == "call_expression" else ()
    elif above.type == "subscript_expression" and _is(above, "object", node) and call is not None:
        yield from _field(call, "right") if _is(call, "left", above) else ()


def typed(mention: Mention) -> Iterator[tree_sitter.Node]:
    """The type that a mention names."""
    node, above = mention.node, mention.node.parent
    if mention.role == "bind" or node.type not in ("type_identifier", "identifier"):
        return
    if above is not None and above.type == "nested_type_identifier":
        node, above = above, above.parent
    is_generic = above is not None and above.type == "generic_type"
    if above is not None and is_generic and _is(above, "name", node):
        yield above
    elif above is not None and (node.type != "identifier" or above.type == "extends_clause"):
        yield node


def taken(mention: Mention) -> Iterator[tree_sitter.Node]:
    """What a function is used as: called, made an element of, handed over."""
    yield from called(mention)
    yield from elements(mention)
    above = mention.node.parent
    if above is not None and above.type == "arguments":
        yield mention.node


def called(mention: Mention) -> Iterator[tree_sitter.Node]:
    """The call, if what a mention names is called there."""
    node, above = _held(mention)
    while above is not None and above.type in _AROUND:
        node, above = above, above.parent
    if above is not None and (_is(above, "function", node) or _is(above, "constructor", node)):
        yield above


def elements(mention: Mention) -> Iterator[tree_sitter.Node]:
    """What is spread into an element of the component that a mention names."""
    node, above = _held(mention)
    if above is not None and above.type in _ELEMENTS and _is(above, "name", node):
        for each in above.named_children:
            spread = each.named_children[0] if each.type == "jsx_expression" and each.named_children else None
            if spread is not None and spread.type == "spread_element":
                yield from spread.named_children[:1]


def _held(mention: Mention) -> tuple[tree_sitter.Node, tree_sitter.Node | None]:
    """The expression that a mention is, with what stands before its dot, and what is around it."""
    node, above = mention.node, mention.node.parent
    while above is not None and above.type in ("string", "computed_property_name"):
        node, above = above, above.parent
    if above is not None and above.type == "member_expression" and _is(above, "property", node):
        node, above = above, above.parent
    return node, above


def _is(above: tree_sitter.Node, field: str, node: tree_sitter.Node) -> bool:
    found = above.child_by_field_name(field)
    return found is not None and found.id == node.id


def _field(node: tree_sitter.Node, field: str) -> Iterator[tree_sitter.Node]:
    found = node.child_by_field_name(field)
    if found is not None:
        yield found
