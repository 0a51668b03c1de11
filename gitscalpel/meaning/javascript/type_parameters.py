"""Type parameters of declarations that are one: TypeScript wants them called alike in all of these.

https://www.typescriptlang.org/docs/handbook/declaration-merging.html
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.meaning.javascript import words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding

_DECLARATIONS = ("class_declaration", "abstract_class_declaration", "interface_declaration")


def declaring(resolver: Resolver, binding: Binding) -> Binding | None:
    """Return the class or interface of which a name is a type parameter; None if it is that of none."""
    node = _declaration(resolver, binding)
    name = node.child_by_field_name("name") if node is not None else None
    if name is None:
        return None
    found = resolver.meanings(binding.path, words.mention(resolver, binding.path, name))
    return next((each for each in found if isinstance(each, Binding)), None)


def twins(resolver: Resolver, binding: Binding, declarations: Iterable[Binding]) -> Iterator[Binding]:
    """Yield the type parameters of other declarations that stand where a binding does in its own."""
    own = _declaration(resolver, binding)
    at = _named(resolver, binding.path, own).index(binding.name) if own is not None else -1
    for declaration in declarations:
        for place in resolver.binders(declaration):
            node = place.mention.node.parent
            if node is None or node.type not in _DECLARATIONS:
                continue
            span = (node.start_byte, node.end_byte)
            is_own = place.path == binding.path and span == binding.scope
            if not is_own and _named(resolver, place.path, node)[at : at + 1] == [binding.name]:
                yield Binding(place.path, span, binding.kind, binding.name, binding.space)


def _declaration(resolver: Resolver, binding: Binding) -> tree_sitter.Node | None:
    """Return the declaration of which a name is a type parameter."""
    if binding.kind != "generic":
        return None
    start, end = binding.scope
    node = resolver.lexical(binding.path).syntax.root.descendant_for_byte_range(start, max(start, end - 1))
    while node is not None and (node.start_byte, node.end_byte) != binding.scope:
        node = node.parent
    is_known = node is not None and node.type in _DECLARATIONS
    return node if is_known and binding.name in _named(resolver, binding.path, node) else None


def _named(resolver: Resolver, path: str, declaration: tree_sitter.Node | None) -> list[str]:
    """Return the names of the type parameters of a declaration."""
    given = declaration.child_by_field_name("type_parameters") if declaration is not None else None
    return [
        words.text(resolver, path, each.child_by_field_name("name") or each)
        for each in (given.named_children if given is not None else ())
        if each.type == "type_parameter"
    ]
