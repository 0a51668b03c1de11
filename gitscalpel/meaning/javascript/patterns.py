"""What a pattern is given, and so what the names in it are worth."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.javascript import callers, imports, jsdoc, listed, typed, types, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Elsewhere, Module, Unknown, Value

_VALUED = {"variable_declarator": "value", "assignment_expression": "right"}
_PARAMETERS = ("required_parameter", "optional_parameter")


def given(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What is put into a pattern or name where it is bound."""
    above = node.parent
    if above is None:
        return
    kind = above.child_by_field_name("type")
    if kind is not None and above.type in (*_PARAMETERS, "variable_declarator"):
        yield from types.objects(resolver, path, kind)
    elif above.type == "variable_declarator" and (told := list(jsdoc.said(resolver, path, above))):
        yield from told
    elif above.type in _VALUED:
        value = above.child_by_field_name(_VALUED[above.type])
        yield from resolver.values(path, value) if value is not None else ()
        yield from _later(resolver, path, node)
    elif above.type in ("assignment_pattern", "object_assignment_pattern"):
        yield from (
            _part(resolver, path, above) if node.type.startswith("short") else given(resolver, path, above)
        )
    elif above.type in ("pair_pattern", "object_pattern"):
        yield from _part(resolver, path, node)
    elif above.type == "for_in_statement":
        is_item = typed.is_over_items(above)
        right = above.child_by_field_name("right")
        yield from listed.items(resolver, path, right) if is_item else (Elsewhere("builtins"),)
    elif above.type == "array_pattern":
        at = next(at for at, each in enumerate(above.named_children) if each.id == node.id)
        yield from listed.of_pattern(resolver, path, above, at)
    elif above.type == "rest_pattern" and above.parent is not None and above.parent.type == "object_pattern":
        yield from resolver.values(path, above.parent)
    else:
        function = above if above.type == "arrow_function" else above.parent
        name = words.text(resolver, path, node)
        told = list(jsdoc.said(resolver, path, function, name)) if function is not None else []
        yield from told or callers.given(resolver, path, node)


def _later(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What a variable is set to after it is declared."""
    if node.type != "identifier":
        return
    lexical = resolver.lexical(path)
    own = lexical.scope_of(words.mention(resolver, path, node))
    for mention in lexical.of(words.text(resolver, path, node)):
        above = mention.node.parent
        left = above.child_by_field_name("left") if above is not None else None
        if mention.role != "use" or above is None or left is None or left.id != mention.node.id:
            continue
        if above.type == "binary_expression":
            continue  # its left side is read
        scope, right = lexical.scope_of(mention), above.child_by_field_name("right")
        if scope is not None and own is not None and scope.span == own.span and right is not None:
            is_set = above.type == "assignment_expression"
            yield from resolver.values(path, right) if is_set else (Unknown("it is set by what runs"),)


def _part(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """The member that a name in ``{ … }`` is."""
    pattern = words.around(node, "object_pattern") if node.type != "object_pattern" else node.parent
    key = node
    if node.type == "object_assignment_pattern":
        key = node.child_by_field_name("left") or node
    if node.parent is not None and node.parent.type == "pair_pattern":
        key = node.parent.child_by_field_name("key") or node
        pattern = node.parent.parent
    if pattern is None or node.type in ("rest_pattern",):
        yield Unknown("it is what is left")
        return
    name = words.text(resolver, path, key).strip("\"'")
    for value in resolver.values(path, pattern):
        if name == imports.DEFAULT and isinstance(value, Module):  # which the module need not name
            yield from imports.default(resolver, value)
            continue
        for member in resolver.members(value, name):
            yield from resolver.worth(member)
