"""What is written out: of which type it is, and whether a key in it is a field or a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
import tree_sitter

from gitscalpel.meaning.go import embedded, types
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Elsewhere, Instance, Meaning, Unknown, Value
from gitscalpel.syntax.occurrences import Mention


def meant(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What the key ``x`` in ``T{x: 1}`` means: a field of a struct, else what the name means there."""
    element = mention.node.parent and mention.node.parent.parent
    literal = element.parent if element is not None else None
    found: list[Meaning] = []
    for value in kinds(resolver, path, literal) if literal is not None else ():
        for each in types.underlying(resolver, value):
            if not isinstance(each, Class):
                found.append(each if isinstance(each, (Elsewhere, Unknown)) else Unknown("it is no struct"))
            elif each.node.type != "field_declaration_list":
                found += resolver.named(path, msgspec.structs.replace(mention, role="use", kind="name"))
            else:
                found += _field(resolver, each, mention.name)
    return dict.fromkeys(found) or (Unknown("nothing is known of what it is written for"),)


def _field(resolver: Resolver, of: Class, name: str) -> Iterable[Meaning]:
    own = resolver.of_class(of, name)
    return (own,) if resolver.binders(own) else tuple(embedded.named(resolver, of, name))


def kinds(resolver: Resolver, path: str, literal: tree_sitter.Node) -> Iterator[Value]:
    """The types that what stands in braces may have."""
    above = literal.parent
    if above is None:
        return
    if above.type == "composite_literal":
        kind = above.child_by_field_name("type")
        yield from resolver.values(path, kind) if kind is not None else ()
        return
    holder, field = above.parent, "value"
    if holder is not None and holder.type == "keyed_element":
        field = "key" if holder.child_by_field_name("key") == above else "value"
        holder = holder.parent
    for value in kinds(resolver, path, holder) if holder is not None else ():
        for each in types.element(resolver, value, field):
            yield each.of if isinstance(each, Instance) else each
