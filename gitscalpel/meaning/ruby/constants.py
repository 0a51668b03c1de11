"""Constants of Ruby: the whole names of classes and modules, and what each has in whatever file opens it."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.spread import spaces
from gitscalpel.meaning.things import Binding, Class, Elsewhere, Meaning, Unknown
from gitscalpel.syntax.occurrences import Mention

TYPES = ("class", "module")


def named(resolver: Resolver, path: str, node: tree_sitter.Node) -> str:
    """The whole name of a class or module."""
    said = nodes.text(resolver, path, node.child_by_field_name("name"))
    around = nodes.around(node, *TYPES)
    if said.startswith("::") or around is None:
        return said.removeprefix("::")
    return f"{named(resolver, path, around)}::{said}"


def of(resolver: Resolver, path: str, node: tree_sitter.Node) -> str:
    """The class or module whose constant a node names."""
    above = node.parent
    around = nodes.around(node, *TYPES)
    if above is not None and above.type == "scope_resolution" and above.parent is not None:
        holder = above.parent
        if holder.type in TYPES and holder.child_by_field_name("name") == above:
            return named(resolver, path, holder).rpartition("::")[0]
    if around is not None and around.child_by_field_name("name") == node:
        around = nodes.around(around, *TYPES)
    return named(resolver, path, around) if around is not None else ""


SPREAD = spaces.Spread("ruby", of, frozenset({"constant"}), ("module", "class"))


def used(resolver: Resolver, path: str, mention: Mention) -> tuple[Meaning, ...]:
    """What a constant means: of the classes and modules around it, of their bases, or of none."""
    around = [scope for scope in mention.scopes if scope.kind == "class"]
    for scope in around:
        found = spaces.declared(resolver, SPREAD, named(resolver, path, scope.node), mention.name)
        if found:
            return found
    for scope in around[:1]:
        for each in resolver.ancestry(Class(path, scope.node)):
            found = of_class(resolver, each, mention.name) if isinstance(each, Class) else ()
            if found:
                return found
    found = spaces.declared(resolver, SPREAD, "", mention.name)
    if found or not spaces.spots(resolver, SPREAD, mention.name):
        return found or (Elsewhere("a library"),)
    return (Unknown("nothing that is known here declares it"),)


def of_class(resolver: Resolver, of: Class, name: str) -> tuple[Binding, ...]:
    """The constants of a class or module under a name."""
    if of.node.type not in TYPES:
        return ()
    return spaces.declared(resolver, SPREAD, named(resolver, of.path, of.node), name)


def parts(resolver: Resolver, of: Class) -> Iterator[Class]:
    """Where else a class or module is opened."""
    said = of.node.child_by_field_name("name")
    if of.node.type not in TYPES or said is None:
        return
    space, _, name = named(resolver, of.path, of.node).rpartition("::")
    for where, _, place in spaces.spots(resolver, SPREAD, name):
        above = place.mention.node.parent
        if above is not None and above.type == "scope_resolution":
            above = above.parent
        if where == space and above is not None and above.type in TYPES:
            each = Class(place.path, above)
            if each != of:
                yield each
