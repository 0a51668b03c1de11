"""Methods: where a type's are defined, and which of them an interface asks for.

A type implements an interface if it has all its methods (https://go.dev/ref/spec#Implementing_an_interface);
here they are compared by name and by the text of what they take and give, without names of packages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.go import calls, embedded, packages, types
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import Binding, Class, Instance, Value
from gitscalpel.syntax.mentions import Mention


def defined(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The type for which a name's node defines a method."""
    above = node.parent
    if above is None or above.type != "method_declaration" or above.child_by_field_name("name") != node:
        return None
    receiver = above.child_by_field_name("receiver")
    first = receiver.named_children[0] if receiver is not None and receiver.named_children else None
    return first.child_by_field_name("type") if first is not None else None


def bases(resolver: Resolver, of: Class) -> Iterator[Value]:
    """What gives a type its further members: what it consists of, and what is embedded there."""
    if of.node.type == "type_spec":
        yield from types.underlying(resolver, of)
    elif of.node.type in ("field_declaration_list", "interface_type"):
        for kind in embedded.of(of.node):
            yield from resolver.values(of.path, kind)


def twins(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """The methods that have to be called alike: of an interface and of the types that implement it."""
    own = _class(resolver, binding)
    if own is None:
        return
    is_interface = own.node.type == "interface_type"
    for other in resolver.once(("having", binding.name), lambda: _having(resolver, binding.name), ()):
        if (other.node.type == "interface_type") != is_interface:
            pair = (other, own) if is_interface else (own, other)
            if _implements(resolver, *pair):
                yield resolver.of_class(other, binding.name)


def is_asked(resolver: Resolver, binding: Binding) -> bool:
    """Whether an interface asks for it."""
    own = _class(resolver, binding)
    return own is not None and own.node.type == "interface_type"


def receivers(resolver: Resolver, path: str, mention: Mention) -> Iterator[Place]:
    """Where other methods of a type call their receivers as a mention calls one."""
    method = nodes.around(mention.node, "method_declaration")
    own = _received(resolver, path, method, mention) if method is not None else ()
    for other in packages.files(resolver, path, mention.name) if own else ():
        for each in resolver.lexical(other).of(mention.name):
            another = nodes.around(each.node, "method_declaration")
            if another is None or (other, another.start_byte) == (path, method and method.start_byte):
                continue
            if set(own) & set(_received(resolver, other, another, each)):
                yield Place(other, each)


def _received(resolver: Resolver, path: str, method: tree_sitter.Node, mention: Mention) -> tuple[Value, ...]:
    """The type whose receiver a mention binds; nothing where it binds none."""
    receiver, above = method.child_by_field_name("receiver"), mention.node.parent
    kind = above.child_by_field_name("type") if above is not None else None
    is_one = (
        receiver is not None and above is not None and above.parent is not None and above.parent == receiver
    )
    return resolver.values(path, kind) if is_one and kind is not None and mention.role == "bind" else ()


def _class(resolver: Resolver, binding: Binding) -> Class | None:
    """The type or interface that has a method; None of a field."""
    if binding.kind != "class":
        return None
    for place in resolver.binders(binding):
        above = place.mention.node.parent
        if above is not None and above.type == "method_elem" and above.parent is not None:
            return Class(place.path, above.parent)
        kind = defined(place.mention.node)
        for value in resolver.values(place.path, kind) if kind is not None else ():
            if isinstance(value, Class):
                return value
    return None


def _having(resolver: Resolver, name: str) -> Iterator[Class]:
    """The types and interfaces of the tree with a method of a name."""
    for path in resolver.files.holding(name):
        lexical = resolver.files.lexical(path) if path.endswith(".go") else None
        for mention in lexical.of(name) if lexical is not None else ():
            above = mention.node.parent
            if above is not None and above.type == "method_elem" and above.parent is not None:
                yield Class(path, above.parent)
            kind = defined(mention.node)
            for value in resolver.values(path, kind) if kind is not None else ():
                if isinstance(value, Class):
                    yield value


def _implements(resolver: Resolver, of: Class, interface: Class) -> bool:
    key = ("implements", of.path, of.node.start_byte, interface.path, interface.node.start_byte)
    return resolver.once(key, lambda: (_has_all(resolver, of, interface),), (False,))[0]


def _has_all(resolver: Resolver, of: Class, interface: Class) -> bool:
    asked = dict(_asked(resolver, interface))
    return all(_signature_of(resolver, of, name) == said for name, said in asked.items())


def _asked(resolver: Resolver, interface: Class) -> Iterator[tuple[str, str]]:
    """The methods of an interface with what they take and give."""
    for each in resolver.ancestry(interface):
        for child in each.node.named_children if isinstance(each, Class) else ():
            name = child.child_by_field_name("name")
            if child.type == "method_elem" and name is not None and isinstance(each, Class):
                yield nodes.text(resolver, each.path, name), _signature(resolver, each.path, child)


def _signature_of(resolver: Resolver, of: Class, name: str) -> str | None:
    for meaning in resolver.members(Instance(of), name):
        for place in resolver.binders(meaning) if isinstance(meaning, Binding) else ():
            above = place.mention.node.parent
            if above is not None and above.type in ("method_declaration", "method_elem"):
                return _signature(resolver, place.path, above)
    return None


def _signature(resolver: Resolver, path: str, node: tree_sitter.Node) -> str:
    """The types that a method takes and gives, without names."""
    parts = []
    for field in ("parameters", "result"):
        part = node.child_by_field_name(field)
        kinds = [] if part is None else [part] if part.type != "parameter_list" else calls.kinds(part)
        said = [nodes.text(resolver, path, kind) for kind in kinds]
        parts.append(",".join(re.sub(r"\s|\w+\.", "", word).replace("interface{}", "any") for word in said))
    return ";".join(parts)
