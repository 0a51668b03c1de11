"""Types of C#: their parts, what they inherit, and the methods that extend them. Each is its declaration."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.csharp import spaces
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.spread import classes
from gitscalpel.meaning.spread import spaces as spread
from gitscalpel.meaning.things import WHOLE, Binding, Class, Elsewhere, Instance, Unknown, Value

TYPES = (
    "class_declaration",
    "struct_declaration",
    "record_declaration",
    "interface_declaration",
    "enum_declaration",
)
INTERFACE = Elsewhere("an interface")
_CALLED_SO = re.compile(r"I[A-Z]")


def bases(resolver: Resolver, of: Class) -> Iterator[Value]:
    """What it inherits from."""
    listed = (each for each in of.node.named_children if each.type == "base_list")
    for kind in (one for each in listed for one in each.named_children if one.type != "argument_list"):
        for value in resolver.values(of.path, kind):
            said = nodes.text(resolver, of.path, kind).rpartition(".")[2]
            is_interface = not isinstance(value, Class) and _CALLED_SO.match(said)
            yield INTERFACE if is_interface else value


def is_partial(node: tree_sitter.Node) -> bool:
    """Whether a type is declared in parts."""
    return any(each.type == "modifier" and each.text == b"partial" for each in node.children)


def parts(resolver: Resolver, of: Class) -> Iterator[Class]:
    """The other parts of a type."""
    name = of.node.child_by_field_name("name")
    if name is None or of.node.type not in TYPES or not is_partial(of.node):
        return
    mention = nodes.mention(resolver, of.path, name)
    for binding in resolver.written(of.path, mention):
        for twin in twins(resolver, binding) if isinstance(binding, Binding) else ():
            for each in classes.of(resolver, twin):
                if each != of and is_partial(each.node):
                    yield each
        for each in classes.of(resolver, binding) if isinstance(binding, Binding) else ():
            if each != of and is_partial(each.node):
                yield each


def twins(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """The same in another part: of a namespace, or of a type."""
    if binding.scope == WHOLE:
        return
    if binding.kind == "class":
        holder = classes.holder(resolver, binding)
        for each in parts(resolver, holder) if holder is not None else ():
            yield from resolver.own_members(each, binding.name)
    elif binding.kind in spread.OPEN:
        for place in resolver.binders(binding):
            if place.mention.kind == "class":
                space = spaces.of(resolver, place.path, place.mention.node)
                yield from spread.declared(resolver, spaces.SPREAD, space, binding.name)


def this(path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What ``this`` is where it stands."""
    around = nodes.around(node, *TYPES)
    yield Instance(Class(path, around)) if around is not None else Unknown("this stands in no type")


def parent(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What ``base`` is where it stands."""
    around = nodes.around(node, *TYPES)
    own = Class(path, around) if around is not None else None
    whole = (own, *parts(resolver, own)) if own is not None else ()
    found = [value for part in whole for value in bases(resolver, part)]
    yield from (Instance(value) if isinstance(value, Class) else value for value in found)
    if not found:
        yield Elsewhere("object")


def component(resolver: Resolver, of: Class, name: str) -> Iterator[Binding]:
    """The parameters of a record, which are properties as well: members of its declaration already."""
    if of.node.type == "record_declaration":
        yield from resolver.own_members(of, name)


def extending(resolver: Resolver, name: str) -> tuple[tuple[Binding, str, tree_sitter.Node], ...]:
    """The methods of a name that extend a type, each with the parameter that says which."""
    return resolver.once(("extending", name), lambda: _extending(resolver, name), ())


def _extending(resolver: Resolver, name: str) -> Iterator[tuple[Binding, str, tree_sitter.Node]]:
    for path in spread.files(resolver, spaces.SPREAD, name):
        for mention in resolver.lexical(path).of(name):
            method = mention.node.parent
            if mention.role != "bind" or method is None or method.type != "method_declaration":
                continue
            given = method.child_by_field_name("parameters")
            first = given.named_children[0] if given is not None and given.named_children else None
            if first is not None and any(each.text == b"this" for each in first.children):
                for each in resolver.written(path, mention):
                    if isinstance(each, Binding):
                        yield each, path, first
