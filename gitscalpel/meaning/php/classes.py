"""Classes, interfaces, traits and enums of PHP; each is its declaration."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.php import spaces
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.spread import spaces as spread
from gitscalpel.meaning.things import Class, Elsewhere, Instance, Unknown, Value

TYPES = (
    "class_declaration",
    "interface_declaration",
    "trait_declaration",
    "enum_declaration",
    "anonymous_class",
)
_CLAUSES = ("base_clause", "class_interface_clause", "use_declaration")


def bases(resolver: Resolver, of: Class) -> Iterator[Value]:
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
    for path in spread.files(resolver, spaces.SPREAD, name):
        found = resolver.lexical(path).of(name)
        if any(each.role == "bind" and each.kind in ("property", "method", "constant") for each in found):
            yield True
            return


def own(path: str, node: tree_sitter.Node) -> Class | None:
    """The class in which a node stands."""
    around = nodes.around(node, *TYPES)
    return Class(path, around) if around is not None else None


def this(path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What ``$this`` is where it stands."""
    found = own(path, node)
    yield Instance(found) if found is not None else Unknown("$this stands in no class")


def relative(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What ``self``, ``static`` and ``parent`` are where they stand."""
    found = own(path, node)
    if found is None:
        yield Unknown("it stands in no class")
    elif nodes.text(resolver, path, node).lower() != "parent":
        yield found
    else:
        yield from bases(resolver, found)
        if not any(True for _ in bases(resolver, found)):
            yield Elsewhere("nothing")
