"""What expressions may be worth: classes, their instances, functions, modules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import tree_sitter

from gitscalpel.meaning.javascript import (
    calls,
    constructors,
    elements,
    imports,
    listed,
    literals,
    patterns,
    promises,
    selves,
    types,
    words,
)
from gitscalpel.meaning.javascript.known import GLOBALS
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Elsewhere, Function, Instance, Module, Unknown, Value

_LITERALS = frozenset(
    {
        *("string", "template_string", "number", "regex", "true", "false", "array"),
        *("unary_expression", "update_expression"),
    }
)
_ELEMENTS = frozenset({"jsx_element", "jsx_self_closing_element", "jsx_fragment"})
_FUNCTIONS = frozenset({"function_expression", "arrow_function", "generator_function"})
_Read = Callable[[Resolver, str, tree_sitter.Node], Iterator[Value]]


def of(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What an expression may be worth; nothing for what has no members (``null``)."""
    read = _READ.get(node.type)
    if node.type in _LITERALS:
        yield Elsewhere("builtins")
    elif node.type in _ELEMENTS:
        yield from elements.worth(resolver)
    elif node.type in _FUNCTIONS:
        yield Function(path, node)
    elif node.type in ("class_body", "interface_body"):
        yield Instance(Class(path, node))
    elif read is None and node.type not in ("null", "undefined"):
        yield Unknown(f"nobody can tell what a {node.type.replace('_', ' ')} gives")
    elif read is not None:
        yield from read(resolver, path, node)


def _name(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    mention = words.mention(resolver, path, node)
    if mention.name == "exports" and resolver.lexical(path).scope_of(mention) is None:
        yield Instance(Class(path, resolver.lexical(path).syntax.root))
        return
    for meaning in resolver.meanings(path, mention):
        if meaning == Elsewhere("globals") and mention.name not in GLOBALS:
            yield Unknown("nothing here defines what it is taken of")
        else:
            yield from resolver.worth(meaning)


def _property(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    if words.text(resolver, path, node) == "module.exports":
        yield Instance(Class(path, resolver.lexical(path).syntax.root))
        return
    named = node.child_by_field_name("property") or node.child_by_field_name("name")
    holder = node.child_by_field_name("object")
    if holder is not None and words.text(resolver, path, named) == "prototype":
        yield from constructors.prototypes(resolver.values(path, holder))
        return
    if holder is not None and words.text(resolver, path, named) == imports.DEFAULT:
        values = resolver.values(path, holder)
        if values and all(isinstance(each, Module) for each in values):  # which need not name it
            for each in values:
                yield from imports.default(resolver, each) if isinstance(each, Module) else ()
            return
    for value in _name(resolver, path, named) if named is not None else ():
        # What is outside may hold what is of the tree: ``ref.current``, where its type is generic.
        yield Unknown("it is a part of what is defined outside") if _is_outside(value) else value


def _is_outside(value: Value) -> bool:
    return isinstance(value, Elsewhere) and value != Elsewhere("builtins")


def _subscript(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    index = node.child_by_field_name("index")
    if index is not None and index.type in ("string", "template_string") and index.named_child_count == 1:
        yield from _name(resolver, path, index.named_children[0])
    else:
        yield from listed.items(resolver, path, node.child_by_field_name("object"))


def _inner(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for child in node.named_children[:1]:
        yield from resolver.values(path, child)


def _awaited(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield from promises.awaited(resolver, _inner(resolver, path, node))


def _last(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield from resolver.values(path, node.named_children[-1])


def _either(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for field in ("consequence", "alternative", "left", "right"):
        part = node.child_by_field_name(field)
        if part is not None:
            yield from resolver.values(path, part)


def _binary(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    operator = node.child_by_field_name("operator")
    if operator is not None and operator.type in ("||", "&&", "??"):
        yield from _either(resolver, path, node)
        return
    typed = calls.misread(node)
    yield from calls.given(resolver, path, typed) if typed is not None else (Elsewhere("builtins"),)


def _right(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    right = node.child_by_field_name("right")
    yield from resolver.values(path, right) if right is not None else ()


def _as(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    if len(node.named_children) < 2:  # ``as const``
        yield from _inner(resolver, path, node)
    else:
        yield from types.objects(resolver, path, node.named_children[1])


def _asserted(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """``<T>x``."""
    yield from types.objects(resolver, path, node.named_children[0].named_children[0])


def _class(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    body = node.child_by_field_name("body")
    if body is not None:
        yield Class(path, body)


def _root(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield Instance(Class(path, node))


_READ: Mapping[str, _Read] = {
    **dict.fromkeys(
        (
            *("identifier", "type_identifier", "shorthand_property_identifier"),
            *("property_identifier", "private_property_identifier"),
        ),
        _name,
    ),
    **dict.fromkeys(("member_expression", "nested_type_identifier", "nested_identifier"), _property),
    "subscript_expression": _subscript,
    "call_expression": calls.given,
    "new_expression": calls.made,
    **dict.fromkeys(("parenthesized_expression", "non_null_expression"), _inner),
    "await_expression": _awaited,
    "satisfies_expression": _inner,
    "sequence_expression": _last,
    "ternary_expression": _either,
    "binary_expression": _binary,
    "assignment_expression": _right,
    "as_expression": _as,
    "type_assertion": _asserted,
    "class": _class,
    "object": literals.of,
    "object_pattern": patterns.given,
    "this": selves.this,
    "this_type": selves.this,
    "super": selves.parent,
    "program": _root,
}
"""How a kind of expression is read."""
