"""Packages of Kotlin: what each declares, in whatever files, and what imports lead to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.spread import spaces
from gitscalpel.meaning.things import Binding, Elsewhere, Meaning, Unknown
from gitscalpel.syntax.occurrences import Mention

_FAR = Unknown("nothing that is known here declares it")


def of(resolver: Resolver, path: str, _node: tree_sitter.Node) -> str:
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


SPREAD = spaces.Spread("kotlin", of, frozenset({"class", "function", "property"}))


def declared(resolver: Resolver, path: str, package: str, name: str) -> Iterator[Binding]:
    """What a package has under a name, as far as a file sees it."""
    for space, binding, place in spaces.spots(resolver, SPREAD, name):
        if space == package and (place.path == path or not is_private(place.mention.node)):
            yield binding


def is_private(node: tree_sitter.Node) -> bool:
    """Whether what a name declares is seen in its own file alone."""
    above = nodes.around(node, "class_declaration", "object_declaration", *_DECLARED)
    words = (each for each in (above.children if above is not None else ()) if each.type == "modifiers")
    return any(b"private" in (each.text or b"").split() for each in words)


_DECLARED = ("function_declaration", "property_declaration", "type_alias")


def outside(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a name means that nothing around it binds but its file, its package, or an import."""
    lexical = resolver.lexical(path)
    here = lexical.scope_of(mention)
    if here is not None:
        return list(resolver.written(path, mention))
    meet = lexical.rules.meet
    own = dict.fromkeys(declared(resolver, path, of(resolver, path, mention.node), mention.name))
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
        each for path in spaces.files(resolver, SPREAD, name) for each in resolver.lexical(path).of(name)
    )
    return any(each.role == "bind" and each.kind in ("class", "generic", "alias") for each in found)


def imports(resolver: Resolver, path: str) -> list[tree_sitter.Node]:
    """The imports of a file."""
    return resolver.lexical(path).syntax.of_type("import_header")


def _brought(resolver: Resolver, path: str, name: str) -> Iterator[Binding]:
    """What ``import a.*`` brings: of a package, or of a class."""
    for header in imports(resolver, path):
        if any(each.type == "wildcard_import" for each in header.children):
            parts = _dotted(resolver, path, header).split(".")
            yield from declared(resolver, path, ".".join(parts), name)
            for each in led(resolver, path, parts):
                for value in resolver.worth(each):
                    yield from (one for one in resolver.members(value, name) if isinstance(one, Binding))


def led(resolver: Resolver, path: str, parts: list[str]) -> tuple[Binding, ...]:
    """What a name with dots leads to: what a package declares, or a member of that."""
    for at in range(len(parts) - 1, -1, -1):
        found = tuple(declared(resolver, path, ".".join(parts[:at]), parts[at]))
        for name in parts[at + 1 :]:
            values = [value for each in found for value in resolver.worth(each)]
            had = (one for value in values for one in resolver.members(value, name))
            found = tuple(dict.fromkeys(one for one in had if isinstance(one, Binding)))
        if found:
            return found
    return ()


def imported(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a part of an import names."""
    parts: list[str] = []
    node: tree_sitter.Node | None = mention.node
    while node is not None:
        if node.is_named:
            parts.insert(0, nodes.text(resolver, path, node))
        node = node.prev_sibling
    return led(resolver, path, parts) or (Elsewhere("another library, or a package"),)
