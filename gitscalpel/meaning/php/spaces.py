"""Namespaces of PHP: in which one a name stands, and what ``use`` brings.

https://www.php.net/manual/en/language.namespaces.rules.php
"""

from __future__ import annotations

from collections.abc import Iterable

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.spread import spaces
from gitscalpel.meaning.things import Binding, Elsewhere, Meaning, Unknown
from gitscalpel.syntax.occurrences import Mention

_FAR = Unknown("nothing that is known here declares it")
_QUALIFIED = ("qualified_name", "relative_name")


def of(resolver: Resolver, path: str, node: tree_sitter.Node) -> str:
    """The namespace in which a node stands: that of a block around it, or the last one that begins before."""
    around = nodes.around(node, "namespace_definition")
    if around is None:
        said = [
            each
            for each in resolver.lexical(path).syntax.root.named_children
            if each.type == "namespace_definition" and each.start_byte <= node.start_byte
        ]
        around = said[-1] if said else None
    name = around.child_by_field_name("name") if around is not None else None
    return nodes.text(resolver, path, name).replace(" ", "")


SPREAD = spaces.Spread("php", of, frozenset({"class", "function", "constant"}))


def declared(resolver: Resolver, space: str, name: str, kind: str) -> list[Binding]:
    """What a namespace has of one kind: types, functions and constants are apart."""
    found = []
    for where, binding, place in spaces.spots(resolver, SPREAD, name):
        meet = resolver.lexical(place.path).rules.meet
        if where == space and meet(place.mention.kind, kind) and binding not in found:
            found.append(binding)
    return found


def outside(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a name means that no class or function around it binds."""
    above = mention.node.parent
    if above is not None and above.type in _QUALIFIED:
        return _qualified(resolver, path, mention, nodes.text(resolver, path, above))
    for each in resolver.lexical(path).of(mention.name):
        if each.kind in ("import", "alias") and each.role == "bind" and sort(each) == mention.kind:
            return resolver.written(path, each)
    own = of(resolver, path, mention.node)
    found = declared(resolver, own, mention.name, mention.kind)
    if not found and mention.kind != "type":
        found = declared(resolver, "", mention.name, mention.kind)
    return found or _missing(resolver, mention)


def _missing(resolver: Resolver, mention: Mention) -> tuple[Meaning, ...]:
    known = {place.mention.kind for _, _, place in spaces.spots(resolver, SPREAD, mention.name)}
    is_known = ("class" if mention.kind == "type" else mention.kind) in known
    if not is_known:
        return (Elsewhere("the tree declares no such thing"),)
    return (_FAR,)


def sort(mention: Mention) -> str:
    """What an import brings: types, unless it says otherwise."""
    clause = nodes.around(mention.node, "namespace_use_clause")
    holder = nodes.around(mention.node, "namespace_use_declaration")
    words = {each.type for part in (clause, holder) if part is not None for each in part.children}
    return "function" if "function" in words else "constant" if "const" in words else "type"


def _qualified(resolver: Resolver, path: str, mention: Mention, said: str) -> Iterable[Meaning]:
    """A name with backslashes: a whole one, or behind what is imported or the namespace here."""
    own = of(resolver, path, mention.node)
    prefix = said.rpartition("\\")[0]
    if said.startswith("\\"):
        whole = prefix[1:]
    elif prefix.partition("\\")[0].lower() == "namespace":
        whole = "\\".join(each for each in (own, prefix.partition("\\")[2]) if each)
    else:
        first, _, rest = prefix.partition("\\")
        start = _imported(resolver, path, first) or "\\".join(each for each in (own, first) if each)
        whole = "\\".join(each for each in (start, rest) if each)
    return declared(resolver, whole, mention.name, mention.kind) or _missing(resolver, mention)


def _imported(resolver: Resolver, path: str, name: str) -> str:
    """The whole name of what a file imports under a name."""
    for each in resolver.lexical(path).of(name):
        if each.role == "bind" and each.kind in ("import", "alias") and sort(each) == "type":
            return whole(resolver, path, each)
    return ""


def whole(resolver: Resolver, path: str, mention: Mention) -> str:
    """The whole name of what an import is about."""
    clause = nodes.around(mention.node, "namespace_use_clause")
    if clause is None:
        return ""
    said = nodes.text(resolver, path, clause.named_children[0])
    holder = clause.parent
    if holder is not None and holder.type == "namespace_use_group" and holder.parent is not None:
        prefix = next((each for each in holder.parent.named_children if each.type == "namespace_name"), None)
        said = f"{nodes.text(resolver, path, prefix)}\\{said}"
    return said.lstrip("\\")


def brought(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What an import leads to."""
    space, _, name = whole(resolver, path, mention).rpartition("\\")
    return declared(resolver, space, name, sort(mention)) or (Elsewhere("another library, or a namespace"),)
