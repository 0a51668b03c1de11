"""Namespaces, using directives, and types with their parts.

A type is identified by its declaration. A partial type has several.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import WHOLE, Binding, Class, Elsewhere, Instance, Meaning, Unknown, Value
from gitscalpel.names.languages import namespaced
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import Mention

_FAR = Unknown("nothing that is known here declares it")


def namespace_at(resolver: Resolver, path: str, node: tree_sitter.Node) -> str:
    """The namespace in which a node stands."""
    parts: list[str] = []
    above = node.parent
    while above is not None:
        if above.type == "namespace_declaration":
            parts.insert(0, _name(resolver, path, above))
        elif above.type == "compilation_unit":
            whole = (each for each in above.children if each.type == "file_scoped_namespace_declaration")
            parts[:0] = [_name(resolver, path, each) for each in whole]
        above = above.parent
    return ".".join(parts)


def _name(resolver: Resolver, path: str, node: tree_sitter.Node) -> str:
    return "".join(nodes.text(resolver, path, node.child_by_field_name("name")).split())


NAMESPACE_RULES = namespaced.NamespaceRules("csharp", namespace_at, frozenset({"class"}))


def look_up_outside(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a name means that no type around it has: of its namespaces, or brought by ``using``."""
    if mention.kind == "type" and mention.name == "dynamic":
        return (Unknown("it is decided when the program runs"),)
    lexical = resolver.lexical(path)
    here = lexical.scope_of(mention)
    alias = lexical.bound(mention.name).get(here.node.id, []) if here is not None else []
    if here is not None and any(each.kind in ("import", "local", "pattern") for each in alias):
        return resolver.written(path, mention)
    own = namespace_at(resolver, path, mention.node)
    for space in namespaced.enclosing_namespaces(own):
        found = namespaced.declared_in(resolver, NAMESPACE_RULES, space, mention.name)
        if found and space == own:
            return found
        if found:
            return dict.fromkeys((*found, *_brought(resolver, path, mention)))
    return tuple(dict.fromkeys(_brought(resolver, path, mention))) or _spaces(resolver, own, mention)


def is_implied(mention: Mention) -> bool:
    """Whether it is what the language names: ``value`` in a setter, ``nameof``."""
    accessor = nodes.ancestor(mention.node, "accessor_declaration") if mention.name == "value" else None
    is_setter = accessor is not None and not any(each.type == "get" for each in accessor.children)
    return mention.name in ("nameof", "_") or is_setter


def _spaces(resolver: Resolver, own: str, mention: Mention) -> tuple[Meaning, ...]:
    """A namespace that begins with a name, if there is one."""
    if mention.kind in ("type", "any"):
        for space in namespaced.enclosing_namespaces(own):
            whole = f"{space}.{mention.name}" if space else mention.name
            if is_namespace(resolver, whole):
                return (Binding(whole, WHOLE, "csharp", mention.name),)
    if mention.kind == "type" and not _is_declared(resolver, mention.name):
        return (Elsewhere("another library"),)
    return (_FAR,)


def _is_declared(resolver: Resolver, name: str) -> bool:
    """Whether the tree declares a type of a name anywhere."""
    found = (
        each
        for path in namespaced.files_with(resolver, NAMESPACE_RULES, name)
        for each in resolver.lexical(path).of(name)
    )
    return any(each.role == "bind" and each.kind in ("class", "import", "generic") for each in found)


def is_namespace(resolver: Resolver, whole: str) -> bool:
    """Whether the tree declares something in a namespace, or in one inside of it."""
    return bool(resolver.once(("is space", whole), lambda: _is_space(resolver, whole), ()))


def _is_space(resolver: Resolver, whole: str) -> Iterator[bool]:
    for path in namespaced.files_with(resolver, NAMESPACE_RULES, whole.rpartition(".")[2]):
        for kind in ("namespace_declaration", "file_scoped_namespace_declaration"):
            for node in resolver.lexical(path).syntax.of_type(kind):
                name = node.child_by_field_name("name")
                found = namespace_at(resolver, path, name) if name is not None else ""
                if kind.startswith("file"):
                    found = _name(resolver, path, node)
                if f"{found}.".startswith(f"{whole}."):
                    yield True
                    return


def namespace_member(resolver: Resolver, space: str, name: str) -> tuple[Meaning, ...]:
    """What stands behind a namespace and a dot."""
    found = namespaced.declared_in(resolver, NAMESPACE_RULES, space, name)
    if found:
        return found
    whole = f"{space}.{name}"
    return (
        (Binding(whole, WHOLE, "csharp", name),)
        if is_namespace(resolver, whole)
        else (Elsewhere("a library"),)
    )


def _brought(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    """What ``using`` brings under a name; ``global using`` of any file does so in all of them."""
    own = namespace_at(resolver, path, mention.node)
    for where, node in resolver.once(("usings", path), lambda: _usings(resolver, path), ()):
        is_static = any(each.type == "static" for each in node.children)
        said = node.named_children[-1]
        if node.child_by_field_name("name") is not None:
            alias = node.child_by_field_name("name")
            if alias is not None and where != path and nodes.text(resolver, where, alias) == mention.name:
                yield from resolver.written(where, nodes.mention(resolver, where, alias))
        elif is_static:
            for value in resolver.values(where, said):
                found = resolver.members(value, mention.name)
                yield from (each for each in found if isinstance(each, Binding))
        else:
            name = "".join(nodes.text(resolver, where, said).split()).removeprefix("global::")
            inner = nodes.ancestor(node, "namespace_declaration") is not None
            for space in namespaced.enclosing_namespaces(own) if inner else ("",):
                whole = f"{space}.{name}" if space else name
                yield from namespaced.declared_in(resolver, NAMESPACE_RULES, whole, mention.name)


def _usings(resolver: Resolver, path: str) -> Iterator[tuple[str, tree_sitter.Node]]:
    for node in resolver.lexical(path).syntax.of_type("using_directive"):
        yield path, node
    for other in resolver.once(
        ("global usings",), lambda: namespaced.files_with(resolver, NAMESPACE_RULES, "global"), ()
    ):
        for node in resolver.lexical(other).syntax.of_type("using_directive") if other != path else ():
            if node.children[0].type == "global":
                yield other, node


TYPES = (
    "class_declaration",
    "struct_declaration",
    "record_declaration",
    "interface_declaration",
    "enum_declaration",
)
INTERFACE = Elsewhere("an interface")
_CALLED_SO = re.compile(r"I[A-Z]")


def base_types(resolver: Resolver, of: Class) -> Iterator[Value]:
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


def other_parts(resolver: Resolver, of: Class) -> Iterator[Class]:
    """The other parts of a type."""
    name = of.node.child_by_field_name("name")
    if name is None or of.node.type not in TYPES or not is_partial(of.node):
        return
    mention = nodes.mention(resolver, of.path, name)
    for binding in resolver.written(of.path, mention):
        for twin in same_in_other_parts(resolver, binding) if isinstance(binding, Binding) else ():
            for each in namespaced.classes_of(resolver, twin):
                if each != of and is_partial(each.node):
                    yield each
        for each in namespaced.classes_of(resolver, binding) if isinstance(binding, Binding) else ():
            if each != of and is_partial(each.node):
                yield each


def same_in_other_parts(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """The same in another part: of a namespace, or of a type."""
    if binding.scope == WHOLE:
        return
    if binding.kind == "class":
        holder = namespaced.class_of_member(resolver, binding)
        for each in other_parts(resolver, holder) if holder is not None else ():
            yield from resolver.own_members(each, binding.name)
    elif binding.kind in namespaced.OPEN_SCOPES:
        for place in resolver.binders(binding):
            if place.mention.kind == "class":
                space = namespace_at(resolver, place.path, place.mention.node)
                yield from namespaced.declared_in(resolver, NAMESPACE_RULES, space, binding.name)


def type_of_this(path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What ``this`` is where it stands."""
    around = nodes.ancestor(node, *TYPES)
    yield Instance(Class(path, around)) if around is not None else Unknown("this stands in no type")


def type_of_base(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What ``base`` is where it stands."""
    around = nodes.ancestor(node, *TYPES)
    own = Class(path, around) if around is not None else None
    whole = (own, *other_parts(resolver, own)) if own is not None else ()
    found = [value for part in whole for value in base_types(resolver, part)]
    yield from (Instance(value) if isinstance(value, Class) else value for value in found)
    if not found:
        yield Elsewhere("object")


def record_parameters(resolver: Resolver, of: Class, name: str) -> Iterator[Binding]:
    """The parameters of a record, which are properties as well: members of its declaration already."""
    if of.node.type == "record_declaration":
        yield from resolver.own_members(of, name)


def extension_methods(resolver: Resolver, name: str) -> tuple[tuple[Binding, str, tree_sitter.Node], ...]:
    """The methods of a name that extend a type, each with the parameter that says which."""
    return resolver.once(("extending", name), lambda: _extending(resolver, name), ())


def _extending(resolver: Resolver, name: str) -> Iterator[tuple[Binding, str, tree_sitter.Node]]:
    for path in namespaced.files_with(resolver, NAMESPACE_RULES, name):
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
