"""Namespaces, imports, and classes with their members.

Classes, interfaces, traits and enums are identified by their declarations.
https://www.php.net/manual/en/language.namespaces.rules.php
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import Binding, Class, Elsewhere, Instance, Meaning, Unknown, Value
from gitscalpel.names.languages import namespaced
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import Mention

_FAR = Unknown("nothing that is known here declares it")
_QUALIFIED = ("qualified_name", "relative_name")


def namespace_at(resolver: Resolver, path: str, node: tree_sitter.Node) -> str:
    """The namespace in which a node stands: that of a block around it, or the last one that begins before."""
    around = nodes.ancestor(node, "namespace_definition")
    if around is None:
        said = [
            each
            for each in resolver.lexical(path).syntax.root.named_children
            if each.type == "namespace_definition" and each.start_byte <= node.start_byte
        ]
        around = said[-1] if said else None
    name = around.child_by_field_name("name") if around is not None else None
    return nodes.text(resolver, path, name).replace(" ", "")


NAMESPACE_RULES = namespaced.NamespaceRules("php", namespace_at, frozenset({"class", "function", "constant"}))


def declared_in(resolver: Resolver, space: str, name: str, kind: str) -> list[Binding]:
    """What a namespace has of one kind: types, functions and constants are apart."""
    found = []
    for where, binding, place in namespaced.namespace_places(resolver, NAMESPACE_RULES, name):
        meet = resolver.lexical(place.path).rules.meet
        if where == space and meet(place.mention.kind, kind) and binding not in found:
            found.append(binding)
    return found


def look_up_outside(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a name means that no class or function around it binds."""
    above = mention.node.parent
    if above is not None and above.type in _QUALIFIED:
        return _qualified(resolver, path, mention, nodes.text(resolver, path, above))
    for each in resolver.lexical(path).of(mention.name):
        if each.kind in ("import", "alias") and each.role == "bind" and import_kind(each) == mention.kind:
            return resolver.written(path, each)
    own = namespace_at(resolver, path, mention.node)
    found = declared_in(resolver, own, mention.name, mention.kind)
    if not found and mention.kind != "type":
        found = declared_in(resolver, "", mention.name, mention.kind)
    return found or _missing(resolver, mention)


def _missing(resolver: Resolver, mention: Mention) -> tuple[Meaning, ...]:
    known = {
        place.mention.kind
        for _, _, place in namespaced.namespace_places(resolver, NAMESPACE_RULES, mention.name)
    }
    is_known = ("class" if mention.kind == "type" else mention.kind) in known
    if not is_known:
        return (Elsewhere("the tree declares no such thing"),)
    return (_FAR,)


def import_kind(mention: Mention) -> str:
    """What an import brings: types, unless it says otherwise."""
    clause = nodes.ancestor(mention.node, "namespace_use_clause")
    holder = nodes.ancestor(mention.node, "namespace_use_declaration")
    words = {each.type for part in (clause, holder) if part is not None for each in part.children}
    return "function" if "function" in words else "constant" if "const" in words else "type"


def _qualified(resolver: Resolver, path: str, mention: Mention, said: str) -> Iterable[Meaning]:
    """A name with backslashes: a whole one, or behind what is imported or the namespace here."""
    own = namespace_at(resolver, path, mention.node)
    prefix = said.rpartition("\\")[0]
    if said.startswith("\\"):
        whole = prefix[1:]
    elif prefix.partition("\\")[0].lower() == "namespace":
        whole = "\\".join(each for each in (own, prefix.partition("\\")[2]) if each)
    else:
        first, _, rest = prefix.partition("\\")
        start = _imported(resolver, path, first) or "\\".join(each for each in (own, first) if each)
        whole = "\\".join(each for each in (start, rest) if each)
    return declared_in(resolver, whole, mention.name, mention.kind) or _missing(resolver, mention)


def _imported(resolver: Resolver, path: str, name: str) -> str:
    """The whole name of what a file imports under a name."""
    for each in resolver.lexical(path).of(name):
        if each.role == "bind" and each.kind in ("import", "alias") and import_kind(each) == "type":
            return qualified_name(resolver, path, each)
    return ""


def qualified_name(resolver: Resolver, path: str, mention: Mention) -> str:
    """The whole name of what an import is about."""
    clause = nodes.ancestor(mention.node, "namespace_use_clause")
    if clause is None:
        return ""
    said = nodes.text(resolver, path, clause.named_children[0])
    holder = clause.parent
    if holder is not None and holder.type == "namespace_use_group" and holder.parent is not None:
        prefix = next((each for each in holder.parent.named_children if each.type == "namespace_name"), None)
        said = f"{nodes.text(resolver, path, prefix)}\\{said}"
    return said.lstrip("\\")


def import_meanings(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What an import leads to."""
    space, _, name = qualified_name(resolver, path, mention).rpartition("\\")
    return declared_in(resolver, space, name, import_kind(mention)) or (
        Elsewhere("another library, or a namespace"),
    )


TYPES = (
    "class_declaration",
    "interface_declaration",
    "trait_declaration",
    "enum_declaration",
    "anonymous_class",
)
_CLAUSES = ("base_clause", "class_interface_clause", "use_declaration")


def base_types(resolver: Resolver, of: Class) -> Iterator[Value]:
    """What it extends, implements, and uses."""
    body = of.node.child_by_field_name("body")
    for clause in (*(body.named_children if body is not None else ()), *of.node.named_children):
        for kind in clause.named_children if clause.type in _CLAUSES else ():
            if kind.type in ("name", "qualified_name"):
                yield from resolver.values(of.path, kind)


def has_members(resolver: Resolver, name: str) -> bool:
    """Whether a class of the tree has a member of a name."""
    return bool(resolver.once(("has members", name), lambda: _members(resolver, name), ()))


def _members(resolver: Resolver, name: str) -> Iterator[bool]:
    for path in namespaced.files_with(resolver, NAMESPACE_RULES, name):
        found = resolver.lexical(path).of(name)
        if any(each.role == "bind" and each.kind in ("property", "method", "constant") for each in found):
            yield True
            return


def enclosing_class(path: str, node: tree_sitter.Node) -> Class | None:
    """The class in which a node stands."""
    around = nodes.ancestor(node, *TYPES)
    return Class(path, around) if around is not None else None


def type_of_this(path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What ``$this`` is where it stands."""
    found = enclosing_class(path, node)
    yield Instance(found) if found is not None else Unknown("$this stands in no class")


def relative_type(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What ``self``, ``static`` and ``parent`` are where they stand."""
    found = enclosing_class(path, node)
    if found is None:
        yield Unknown("it stands in no class")
    elif nodes.text(resolver, path, node).lower() != "parent":
        yield found
    else:
        yield from base_types(resolver, found)
        if not any(True for _ in base_types(resolver, found)):
            yield Elsewhere("nothing")
