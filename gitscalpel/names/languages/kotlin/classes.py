"""Packages, imports, and classes with their companions and receivers.

A package is declared by any number of files. A class or object is identified by its declaration.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import WHOLE, Binding, Class, Elsewhere, Instance, Meaning, Unknown, Value
from gitscalpel.names.languages import namespaced
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import Mention

_FAR = Unknown("nothing that is known here declares it")


def package_of(resolver: Resolver, path: str, _node: tree_sitter.Node) -> str:
    """The package of a file."""
    return resolver.once(("package", path), lambda: (_said(resolver, path),), ("",))[0]


def _said(resolver: Resolver, path: str) -> str:
    for header in resolver.lexical(path).syntax.root.named_children:
        if header.type == "package_header":
            return _dotted(resolver, path, header)
    return ""


def _dotted(resolver: Resolver, path: str, header: tree_sitter.Node) -> str:
    found = next((each for each in header.named_children if each.type == "identifier"), None)
    return "".join(nodes.text(resolver, path, found).split())


NAMESPACE_RULES = namespaced.NamespaceRules(
    "kotlin", package_of, frozenset({"class", "function", "property"})
)


def declared_in(resolver: Resolver, path: str, package: str, name: str) -> Iterator[Binding]:
    """What a package has under a name, as far as a file sees it."""
    for space, binding, place in namespaced.namespace_places(resolver, NAMESPACE_RULES, name):
        if space == package and (place.path == path or not is_private(place.mention.node)):
            yield binding


def is_private(node: tree_sitter.Node) -> bool:
    """Whether what a name declares is seen in its own file alone."""
    above = nodes.ancestor(node, "class_declaration", "object_declaration", *_DECLARED)
    words = (each for each in (above.children if above is not None else ()) if each.type == "modifiers")
    return any(b"private" in (each.text or b"").split() for each in words)


_DECLARED = ("function_declaration", "property_declaration", "type_alias")


def look_up_outside(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a name means that nothing around it binds but its file, its package, or an import."""
    lexical = resolver.lexical(path)
    here = lexical.scope_of(mention)
    if here is not None:
        return list(resolver.written(path, mention))
    meet = lexical.rules.meet
    own = dict.fromkeys(declared_in(resolver, path, package_of(resolver, path, mention.node), mention.name))
    own = own or dict.fromkeys(_brought(resolver, path, mention.name))
    found = [
        each
        for each in own
        if any(meet(place.mention.kind, mention.kind) for place in resolver.binders(each))
    ]
    if found:
        return found
    if mention.kind == "type" and not _is_declared(resolver, mention.name):
        return (Elsewhere("another library"),)
    return (_FAR,)


def _is_declared(resolver: Resolver, name: str) -> bool:
    found = (
        each
        for path in namespaced.files_with(resolver, NAMESPACE_RULES, name)
        for each in resolver.lexical(path).of(name)
    )
    return any(each.role == "bind" and each.kind in ("class", "generic", "alias") for each in found)


def imports_of(resolver: Resolver, path: str) -> list[tree_sitter.Node]:
    """The imports of a file."""
    return resolver.lexical(path).syntax.of_type("import_header")


def _brought(resolver: Resolver, path: str, name: str) -> Iterator[Binding]:
    """What ``import a.*`` brings: of a package, or of a class."""
    for header in imports_of(resolver, path):
        if any(each.type == "wildcard_import" for each in header.children):
            parts = _dotted(resolver, path, header).split(".")
            yield from declared_in(resolver, path, ".".join(parts), name)
            for each in look_up_dotted(resolver, path, parts):
                for value in resolver.worth(each):
                    yield from (one for one in resolver.members(value, name) if isinstance(one, Binding))


def look_up_dotted(resolver: Resolver, path: str, parts: list[str]) -> tuple[Binding, ...]:
    """What a name with dots leads to: what a package declares, or a member of that."""
    for at in range(len(parts) - 1, -1, -1):
        found = tuple(declared_in(resolver, path, ".".join(parts[:at]), parts[at]))
        for name in parts[at + 1 :]:
            values = [value for each in found for value in resolver.worth(each)]
            had = (one for value in values for one in resolver.members(value, name))
            found = tuple(dict.fromkeys(one for one in had if isinstance(one, Binding)))
        if found:
            return found
    return ()


def import_meanings(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a part of an import names."""
    parts: list[str] = []
    node: tree_sitter.Node | None = mention.node
    while node is not None:
        if node.is_named:
            parts.insert(0, nodes.text(resolver, path, node))
        node = node.prev_sibling
    return look_up_dotted(resolver, path, parts) or (Elsewhere("another library, or a package"),)


TYPES = ("class_declaration", "object_declaration", "companion_object", "object_literal", "enum_entry")
_PLAIN_WORDS = """
map filter forEach let also lazy any all none first firstOrNull last takeIf takeUnless repeat use
synchronized mapNotNull flatMap filterNot associate associateBy associateWith groupBy sortedBy sumOf find
count maxOf minOf forEachIndexed mapIndexed fold reduce require check joinToString getOrPut
"""
_PLAIN = frozenset(_PLAIN_WORDS.split())
"""Functions of the library whose lambdas have no receiver."""


def base_types(resolver: Resolver, of: Class) -> Iterator[Value]:
    """What it inherits from, and its companion."""
    if of.node.type == "enum_entry":
        enum = nodes.ancestor(of.node, "class_declaration")
        yield from (Class(of.path, enum),) if enum is not None else ()
    for each in of.node.named_children:
        kind = _named(each) if each.type == "delegation_specifier" else None
        yield from resolver.values(of.path, kind) if kind is not None else ()
    yield from companions_of(of)


def companions_of(of: Class) -> Iterator[Class]:
    """What is meant by the name of a class where a value is asked for."""
    for body in (each for each in of.node.named_children if each.type.endswith("class_body")):
        yield from (Class(of.path, each) for each in body.named_children if each.type == "companion_object")


def companion_member(resolver: Resolver, path: str, receiver: tree_sitter.Node, name: str) -> list[Binding]:
    """What the companion of a class that is named has under a name."""
    return [
        member
        for value in resolver.values(path, receiver)
        if isinstance(value, Class)
        for each in companions_of(value)
        for member in resolver.members(each, name)
        if isinstance(member, Binding)
    ]


def _named(node: tree_sitter.Node) -> tree_sitter.Node | None:
    while node.type != "user_type" and node.named_children:
        node = node.named_children[0]
    return node


def other_parts(resolver: Resolver, of: Class) -> Iterator[Class]:
    """The other declarations of a class of its package."""
    name = next((each for each in of.node.named_children if each.type == "type_identifier"), None)
    if name is None or of.node.parent is None or of.node.parent.type != "source_file":
        return
    for binding in resolver.written(of.path, nodes.mention(resolver, of.path, name)):
        for twin in same_in_package(resolver, binding) if isinstance(binding, Binding) else ():
            yield from (each for each in namespaced.classes_of(resolver, twin) if each != of)


def same_in_package(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """What a package declares under one name, and the same members of that."""
    if binding.scope == WHOLE:
        return
    if binding.kind == "class":
        holder = namespaced.class_of_member(resolver, binding)
        for each in other_parts(resolver, holder) if holder is not None else ():
            yield from resolver.own_members(each, binding.name)
    elif binding.kind in namespaced.OPEN_SCOPES:
        for place in resolver.binders(binding):
            if place.mention.kind in NAMESPACE_RULES.kinds and not is_private(place.mention.node):
                package = package_of(resolver, place.path, place.mention.node)
                yield from declared_in(resolver, "", package, binding.name)


def is_of_companion(resolver: Resolver, binding: Binding) -> bool:
    """Whether a member is that of a companion."""
    holder = namespaced.class_of_member(resolver, binding)
    return holder is not None and holder.node.type == "companion_object"


def may_have_receiver(lambda_: tree_sitter.Node) -> bool:
    """Whether a lambda may have a receiver that nobody knows."""
    call = nodes.ancestor(lambda_, "call_expression", "value_argument", "statements", "class_body")
    if call is None or call.type != "call_expression" or not call.named_children:
        return True
    called = call.named_children[0]
    last = (called.text or b"").decode("utf-8", "replace").replace("?.", ".").rpartition(".")[2]
    return last.strip() not in _PLAIN


def type_of_this(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What ``this`` is where it stands; ``this@A`` by the name of the class."""
    label = next((each for each in node.named_children if each.type == "type_identifier"), None)
    if label is not None:
        yield from _labelled(path, node, label)
        return
    above = node.parent
    while above is not None:
        if above.type == "lambda_literal" and may_have_receiver(above):
            yield Unknown("a lambda may have a receiver")
            return
        kind = extended_type(above)
        if kind is not None:
            for value in resolver.values(path, kind):
                yield Instance(value) if isinstance(value, Class) else value
            return
        if above.type in TYPES:
            yield Instance(Class(path, above))
            return
        above = above.parent
    yield Unknown("this stands in no class")


def _labelled(path: str, node: tree_sitter.Node, label: tree_sitter.Node) -> Iterator[Value]:
    above = nodes.ancestor(node, *TYPES)
    while above is not None:
        name = next((each for each in above.named_children if each.type == "type_identifier"), None)
        if name is not None and name.text == label.text:
            yield Instance(Class(path, above))
            return
        above = nodes.ancestor(above, *TYPES)
    yield Unknown("nobody can tell what is called so")


def extended_type(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The type that a function or property extends."""
    if node.type not in ("function_declaration", "property_declaration", "anonymous_function"):
        return None
    found = next((each for each in node.named_children if each.type == "receiver_type"), None)
    return found.named_children[-1] if found is not None and found.named_children else None


def type_of_super(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What ``super`` is where it stands."""
    around = nodes.ancestor(node, *TYPES)
    found = list(base_types(resolver, Class(path, around))) if around is not None else []
    yield from (Instance(value) if isinstance(value, Class) else value for value in found)
    if not found:
        yield Elsewhere("Any")
