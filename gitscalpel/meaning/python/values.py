"""What expressions may be worth: classes, their instances, functions, modules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import tree_sitter

from gitscalpel.meaning.python import annotated, apart, calls, imports, parameters, string_names, words
from gitscalpel.meaning.python.narrowed import narrowed
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Elsewhere, Function, Instance, Unknown, Value
from gitscalpel.syntax.occurrences import Mention

_LITERALS = frozenset(
    {
        *("string", "concatenated_string", "integer", "float", "true", "false", "none", "ellipsis"),
        *("list", "tuple", "dictionary", "set", "list_comprehension", "set_comprehension"),
        *("dictionary_comprehension", "generator_expression", "comparison_operator", "not_operator"),
    }
)


def of(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What an expression may be worth."""
    read = _READ.get(node.type)
    if node.type in _LITERALS:
        yield Elsewhere("builtins")
    elif read is None:
        yield Unknown(f"nobody can tell what a {node.type.replace('_', ' ')} gives")
    else:
        yield from read(resolver, path, node)


def bound(resolver: Resolver, path: str, mention: Mention) -> Iterator[Value]:
    """What a name is worth where a mention binds it."""
    above = mention.node.parent
    read = _BOUND.get(mention.kind) or _BOUND_IN.get(above.type if above else "")
    if read is None or above is None:
        yield from apart.bound(resolver, path, mention.node)
    else:
        yield from read(resolver, path, mention, above)


def _name(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield from narrowed(resolver, path, node, tuple(_named(resolver, path, node)))


def _named(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    mention = words.mention(resolver, path, node)
    for meaning in resolver.meanings(path, mention):
        yield from resolver.worth(meaning)


def _attribute(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    attribute = node.child_by_field_name("attribute")
    had = _named(resolver, path, attribute) if attribute is not None else ()
    found = tuple(each for value in had for each in calls.looked_up(resolver, value))
    yield from narrowed(resolver, path, node, found)


def _dotted(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """A name in a pattern."""
    yield from _named(resolver, path, node.named_children[-1])


def _inner(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for child in node.named_children[:1]:
        yield from resolver.values(path, child)


def _either(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for part in (node.named_children[0], node.named_children[-1]):
        yield from resolver.values(path, part)


def _walrus(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    value = node.child_by_field_name("value")
    if value is not None:
        yield from resolver.values(path, value)


def _item(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """Yield what a key of known keys gives: ``row["key"]``."""
    key = node.child_by_field_name("subscript")
    found = string_names.item(resolver, path, key) if key is not None and key.type == "string" else ()
    for meaning in found:
        yield from resolver.worth(meaning)
    if not found:
        yield Unknown("nobody can tell what a subscript gives")


def _lambda(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield Function(path, node)


_READ: Mapping[str, Callable[[Resolver, str, tree_sitter.Node], Iterator[Value]]] = {
    "identifier": _name,
    "attribute": _attribute,
    "dotted_name": _dotted,
    "call": calls.given,
    "parenthesized_expression": _inner,
    "await": _inner,
    "type": _inner,
    "conditional_expression": _either,
    "boolean_operator": _either,
    "named_expression": _walrus,
    "lambda": _lambda,
    "subscript": _item,
}
"""How a kind of expression is read."""


def _class(_resolver: Resolver, path: str, _mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    yield Class(path, above)


def _function(resolver: Resolver, path: str, _mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    function = Function(path, above)
    if not parameters.is_decorated(resolver, function, "setter", "deleter"):  # which the getter speaks for
        yield function


def _import(resolver: Resolver, path: str, mention: Mention, _above: tree_sitter.Node) -> Iterator[Value]:
    for meaning in imports.brings(resolver, path, mention):
        yield from resolver.worth(meaning)


def _assigned(resolver: Resolver, path: str, mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    """``x = value``, ``self.x: T = value``."""
    target = above if above.type == "attribute" else mention.node
    statement = target.parent
    left = statement.child_by_field_name("left") if statement is not None else None
    if statement is None or statement.type != "assignment" or left is None or left.id != target.id:
        yield from apart.bound(resolver, path, target)
        return
    member = string_names.member_of_enum(resolver, path, mention)
    if member is not None:
        yield member
        return
    annotation = statement.child_by_field_name("type")
    if annotation is not None:
        yield from annotated.objects(resolver, path, annotation)
        return
    right = apart.assigned(statement)
    if right is not None and right.type != "none":
        yield from resolver.values(path, right)


def _walrus_bound(
    resolver: Resolver, path: str, _mention: Mention, above: tree_sitter.Node
) -> Iterator[Value]:
    yield from _walrus(resolver, path, above)


def _nothing(_resolver: Resolver, _path: str, _mention: Mention, _above: tree_sitter.Node) -> Iterator[Value]:
    yield from ()


def _caught(resolver: Resolver, path: str, _mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    """``except E as e`` and ``with c as e``."""
    pattern = above.parent
    around = pattern.parent if pattern is not None else None
    given = pattern.named_children[0] if pattern is not None and pattern.named_children else None
    values = resolver.values(path, given) if given is not None else ()
    if around is not None and around.type == "except_clause":
        for value in values:
            yield Instance(value) if isinstance(value, Class) else value
        return
    for value in values:
        yield from calls.entered(resolver, value)


_BOUND: Mapping[str, Callable[[Resolver, str, Mention, tree_sitter.Node], Iterator[Value]]] = {
    "class": _class,
    "function": _function,
    "import": _import,
    "parameter": parameters.given,
}
"""How what a kind of binding binds is read;"""
_BOUND_IN: Mapping[str, Callable[[Resolver, str, Mention, tree_sitter.Node], Iterator[Value]]] = {
    "assignment": _assigned,
    "attribute": _assigned,
    "named_expression": _walrus_bound,
    "as_pattern_target": _caught,
    "delete_statement": _nothing,
    "expression_list": _nothing,
    "augmented_assignment": _nothing,
}
"""and where only what stands around it says what that is."""
