"""Namespaces of C#: in which one a node stands, and what ``using`` brings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.spread import spaces
from gitscalpel.meaning.things import WHOLE, Binding, Elsewhere, Meaning, Unknown
from gitscalpel.syntax.occurrences import Mention

_FAR = Unknown("nothing that is known here declares it")


def of(resolver: Resolver, path: str, node: tree_sitter.Node) -> str:
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


SPREAD = spaces.Spread("csharp", of, frozenset({"class"}))


def outside(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a name means that no type around it has: of its namespaces, or brought by ``using``."""
    if mention.kind == "type" and mention.name == "dynamic":
        return (Unknown("it is decided when the program runs"),)
    lexical = resolver.lexical(path)
    here = lexical.scope_of(mention)
    alias = lexical.bound(mention.name).get(here.node.id, []) if here is not None else []
    if here is not None and any(each.kind in ("import", "local", "pattern") for each in alias):
        return resolver.written(path, mention)
    own = of(resolver, path, mention.node)
    for space in spaces.around(own):
        found = spaces.declared(resolver, SPREAD, space, mention.name)
        if found and space == own:
            return found
        if found:
            return dict.fromkeys((*found, *_brought(resolver, path, mention)))
    return tuple(dict.fromkeys(_brought(resolver, path, mention))) or _spaces(resolver, own, mention)


def is_implied(mention: Mention) -> bool:
    """Whether it is what the language names: ``value`` in a setter, ``nameof``."""
    accessor = nodes.around(mention.node, "accessor_declaration") if mention.name == "value" else None
    is_setter = accessor is not None and not any(each.type == "get" for each in accessor.children)
    return mention.name in ("nameof", "_") or is_setter


def _spaces(resolver: Resolver, own: str, mention: Mention) -> tuple[Meaning, ...]:
    """A namespace that begins with a name, if there is one."""
    if mention.kind in ("type", "any"):
        for space in spaces.around(own):
            whole = f"{space}.{mention.name}" if space else mention.name
            if is_space(resolver, whole):
                return (Binding(whole, WHOLE, "csharp", mention.name),)
    if mention.kind == "type" and not _is_declared(resolver, mention.name):
        return (Elsewhere("another library"),)
    return (_FAR,)


def _is_declared(resolver: Resolver, name: str) -> bool:
    """Whether the tree declares a type of a name anywhere."""
    found = (
        each for path in spaces.files(resolver, SPREAD, name) for each in resolver.lexical(path).of(name)
    )
    return any(each.role == "bind" and each.kind in ("class", "import", "generic") for each in found)


def is_space(resolver: Resolver, whole: str) -> bool:
    """Whether the tree declares something in a namespace, or in one inside of it."""
    return bool(resolver.once(("is space", whole), lambda: _is_space(resolver, whole), ()))


def _is_space(resolver: Resolver, whole: str) -> Iterator[bool]:
    for path in spaces.files(resolver, SPREAD, whole.rpartition(".")[2]):
        for kind in ("namespace_declaration", "file_scoped_namespace_declaration"):
            for node in resolver.lexical(path).syntax.of_type(kind):
                name = node.child_by_field_name("name")
                found = of(resolver, path, name) if name is not None else ""
                if kind.startswith("file"):
                    found = _name(resolver, path, node)
                if f"{found}.".startswith(f"{whole}."):
                    yield True
                    return


def member(resolver: Resolver, space: str, name: str) -> tuple[Meaning, ...]:
    """What stands behind a namespace and a dot."""
    found = spaces.declared(resolver, SPREAD, space, name)
    if found:
        return found
    whole = f"{space}.{name}"
    return (
        (Binding(whole, WHOLE, "csharp", name),) if is_space(resolver, whole) else (Elsewhere("a library"),)
    )


def _brought(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    """What ``using`` brings under a name; ``global using`` of any file does so in all of them."""
    own = of(resolver, path, mention.node)
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
            inner = nodes.around(node, "namespace_declaration") is not None
            for space in spaces.around(own) if inner else ("",):
                whole = f"{space}.{name}" if space else name
                yield from spaces.declared(resolver, SPREAD, whole, mention.name)


def _usings(resolver: Resolver, path: str) -> Iterator[tuple[str, tree_sitter.Node]]:
    for node in resolver.lexical(path).syntax.of_type("using_directive"):
        yield path, node
    for other in resolver.once(("global usings",), lambda: spaces.files(resolver, SPREAD, "global"), ()):
        for node in resolver.lexical(other).syntax.of_type("using_directive") if other != path else ():
            if node.children[0].type == "global":
                yield other, node
