"""Infer the values of expressions, bindings and types of Kotlin."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import Class, Elsewhere, Function, Instance, Unknown, Value
from gitscalpel.names.languages.kotlin import classes
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import Mention

LITERAL = Elsewhere("the language")
_LITERALS = frozenset(
    {
        *("string_literal", "integer_literal", "long_literal", "real_literal", "boolean_literal"),
        *("character_literal", "null_literal", "null", "hex_literal", "bin_literal", "unsigned_literal"),
    }
)
_FINAL = frozenset(
    {"String", "Int", "Long", "Boolean", "Byte", "Short", "Char", "Float", "Double", "Unit", "ByteArray"}
)
_TYPES = ("user_type", "nullable_type", "function_type", "parenthesized_type", "not_nullable_type")
_OUTSIDE = Unknown("it is what something outside of the tree gives")
_Read = Callable[[Resolver, str, tree_sitter.Node], Iterable[Value]]


def expression_values(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    """What an expression or type may be worth."""
    if node.type in _LITERALS:
        return (LITERAL,)
    read = _READ.get(node.type)
    if read is None:
        return (Unknown(f"nobody can tell what a {node.type.replace('_', ' ')} gives"),)
    return read(resolver, path, node)


def instances_of(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> Iterator[Value]:
    """What may be where a type stands."""
    for value in resolver.values(path, node) if node is not None else (Unknown("it has no type"),):
        yield Instance(value) if isinstance(value, Class) else value


def declared_type(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The type that a declaration says."""
    return next((each for each in node.named_children if each.type in _TYPES), None)


def binding_values(resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
    """What a name is worth where it is bound."""
    above = mention.node.parent
    if mention.kind in ("import", "alias"):
        header = nodes.ancestor(mention.node, "import_header")
        found = _led(resolver, path, header) if header is not None else ()
        return found or (Elsewhere("another library"),)
    read = _BOUND.get(above.type, _declared) if above is not None else None
    return read(resolver, path, above) if read is not None and above is not None else ()


def _class(_resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterable[Value]:
    return (Class(path, above),)


def _alias(resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterable[Value]:
    said = declared_type(above)
    return resolver.values(path, said) if said is not None else ()


def _function(_resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterable[Value]:
    return (Function(path, above),)


def _entry(_resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterable[Value]:
    return (Instance(Class(path, above)),)


_BOUND: Mapping[str, _Read] = {
    **dict.fromkeys(("class_declaration", "object_declaration", "companion_object"), _class),
    "type_alias": _alias,
    "function_declaration": _function,
    "enum_entry": _entry,
}
"""How what stands around a bound name is read."""


def _led(resolver: Resolver, path: str, header: tree_sitter.Node) -> list[Value]:
    parts = "".join(nodes.text(resolver, path, header.named_children[0]).split()).split(".")
    return [value for each in classes.look_up_dotted(resolver, path, parts) for value in resolver.worth(each)]


def _declared(resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterator[Value]:
    said, holder = declared_type(above), above.parent
    if said is not None and above.type != "type_parameter":
        yield from instances_of(resolver, path, said)
        return
    if above.type == "variable_declaration" and holder is not None and holder.type == "property_declaration":
        sign = next((at for at, each in enumerate(holder.children) if each.type == "="), None)
        if sign is not None:
            yield from resolver.values(path, holder.children[sign + 1])
            return
    yield Unknown("it says no type")


def _name(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for meaning in resolver.meanings(path, nodes.mention(resolver, path, node)):
        yield from resolver.worth(meaning)


def _type(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    names = [each for each in node.named_children if each.type == "type_identifier"]
    found = resolver.values(path, names[-1]) if names else ()
    is_final = len(names) == 1 and nodes.text(resolver, path, names[0]) in _FINAL
    return [LITERAL if is_final and isinstance(each, Elsewhere) else each for each in found]


def _first(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    return resolver.values(path, node.named_children[0]) if node.named_children else ()


def _last(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    found = resolver.values(path, node.named_children[-1]) if node.named_children else ()
    return [_OUTSIDE if isinstance(each, Elsewhere) else each for each in found]


def _cast(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    return instances_of(resolver, path, node.named_children[-1])


def _called(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for value in resolver.values(path, node.named_children[0]):
        if isinstance(value, Class):
            yield Instance(value)
        elif isinstance(value, Function):
            said = declared_type(value.node)
            yield from instances_of(resolver, value.path, said)
        else:
            yield value if isinstance(value, Unknown) else _OUTSIDE


def _this(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    return classes.type_of_this(resolver, path, node)


_READ: Mapping[str, _Read] = {
    **dict.fromkeys(("simple_identifier", "type_identifier", "interpolated_identifier"), _name),
    "user_type": _type,
    **dict.fromkeys(("nullable_type", "parenthesized_expression", "postfix_expression"), _first),
    **dict.fromkeys(("navigation_expression", "navigation_suffix"), _last),
    "call_expression": _called,
    "as_expression": _cast,
    "this_expression": _this,
    "super_expression": classes.type_of_super,
}
"""How a kind of expression or type is read."""
