"""Classes, interfaces, enums and records: what they inherit, and what ``this`` is in them.

Each is known by its body, which holds its members.
"""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import Binding, Class, Elsewhere, Instance, Unknown, Value

BODIES = ("class_body", "interface_body", "enum_body", "annotation_type_body")
_OF_OBJECT = {"toString": 0, "hashCode": 0, "clone": 0, "finalize": 0, "equals": 1}
"""The methods of ``java.lang.Object`` that may be overridden, and how many parameters they have."""
_PARENTS = ("superclass", "super_interfaces", "extends_interfaces", "type_list")


def body(path: str, declaration: tree_sitter.Node) -> Iterator[Class]:
    """The class that a declaration declares."""
    found = declaration.child_by_field_name("body")
    if found is not None:
        yield Class(path, found)


def bases(resolver: Resolver, of: Class) -> Iterator[Value]:
    """What it inherits from."""
    holder = of.node.parent
    if holder is None:
        return
    if holder.type == "object_creation_expression":
        kind = holder.child_by_field_name("type")
        yield from resolver.values(of.path, kind) if kind is not None else ()
    elif holder.type == "enum_constant":
        enum = nodes.around(holder, "enum_body")
        yield from (Class(of.path, enum),) if enum is not None else ()
    else:
        for kind in named_bases(holder):
            yield from resolver.values(of.path, kind)


def named_bases(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """The types that a declaration extends and implements."""
    for child in node.named_children:
        if child.type in _PARENTS:
            yield from named_bases(child)
        elif node.type in _PARENTS:
            yield child


def this(path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What ``this`` is where it stands."""
    holder = nodes.around(node, *BODIES)
    yield Instance(Class(path, holder)) if holder is not None else Unknown("this stands in no class")


def parent(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What ``super`` is where it stands."""
    holder = nodes.around(node, *BODIES)
    found = list(bases(resolver, Class(path, holder))) if holder is not None else []
    for value in found:
        yield Instance(value) if isinstance(value, Class) else value
    if not found:
        yield Elsewhere("Object")


def component(resolver: Resolver, of: Class, name: str) -> Binding | None:
    """The component of a record that is called so."""
    record = of.node.parent
    if record is None or record.type != "record_declaration":
        return None
    mentions = resolver.lexical(of.path).bound(name).get(record.id, ())
    found = [m for mention in mentions for m in resolver.named(of.path, mention) if isinstance(m, Binding)]
    return next((each for each in found if each.kind == "item"), None)


def accessors(resolver: Resolver, of: Binding) -> Iterator[Binding]:
    """The methods by which a component of a record is read: its own, or those that it fulfils."""
    for path, mention in resolver.binders(of) if of.kind == "item" else ():
        record = nodes.around(mention.node, "record_declaration") if mention.kind == "component" else None
        for record_body in body(path, record) if record is not None else ():
            for member in resolver.members(Instance(record_body), of.name):
                if isinstance(member, Binding) and any(_is_method(each) for each in resolver.binders(member)):
                    yield member


def _is_method(place: Place) -> bool:
    return place.mention.kind == "method"


def overrides(place: Place) -> bool:
    """Whether a method says that it overrides another one, or has the name of one that every class has."""
    method = place.mention.node.parent
    if method is None or method.type != "method_declaration":
        return False
    if nodes.has_modifier(place.mention.node, "@Override"):
        return True
    given = method.child_by_field_name("parameters")
    many = sum(each.type.endswith("parameter") for each in given.named_children) if given is not None else 0
    is_static = nodes.has_modifier(place.mention.node, "static")
    return not is_static and _OF_OBJECT.get(place.mention.name) == many


def has_main(name: tree_sitter.Node) -> bool:
    """Return True if the class at the top of a file that has this name has a static ``main``."""
    declaration = name.parent
    body = declaration.child_by_field_name("body") if declaration is not None else None
    if (
        body is None
        or declaration is None
        or declaration.parent is None
        or declaration.parent.parent is not None
    ):
        return False
    return any(
        member.type == "method_declaration"
        and (method := member.child_by_field_name("name")) is not None
        and method.text == b"main"
        and nodes.has_modifier(method, "static")
        for member in body.named_children
    )
