"""Namespaces: which one a scope is a part of, and what all files together declare in one.

A namespace is a module here, and its path is its whole name (``a::b``; ``""`` is the global one). What is
inline or has no name is a part of the one around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.c import includes
from gitscalpel.meaning.c.signatures import told, word
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import Binding, Class, Module, Unknown
from gitscalpel.syntax.occurrences import Mention, Scope

_Spots: TypeAlias = dict[str, list[Place]]
OPEN = ("module", "namespace")
"""The kinds of scopes that go on elsewhere."""
BROUGHT = Unknown("a using declaration brings others of this name as well, which are not known here")


class Declared(NamedTuple):
    """A name that a file declares in a namespace.

    Attributes:
        path: of the file.
        mention: there.
        binding: what it means there.
        kind: of what is bound; ``using`` where it is brought from elsewhere.
    """

    path: str
    mention: Mention
    binding: Binding
    kind: str


def module(name: str) -> Module:
    """The namespace of a name."""
    return Module(name, "cpp")


def of_node(node: tree_sitter.Node) -> str:
    """The namespace in which a node stands."""
    parts: list[str] = []
    above = nodes.around(node, "namespace_definition")
    while above is not None:
        parts = [*own_name(above), *parts]
        above = nodes.around(above, "namespace_definition")
    return "::".join(parts)


def own_name(definition: tree_sitter.Node) -> list[str]:
    """What a definition of a namespace adds to the name of the one around it."""
    name = definition.child_by_field_name("name")
    if name is None or any(each.type == "inline" for each in definition.children):
        return []
    return word(name).replace(" ", "").split("::")


def of_scope(scope: Scope) -> str | None:
    """The namespace that a scope is a part of; None of any other scope."""
    return of_node(scope.node) if scope.kind in OPEN else None


def of_mention(resolver: Resolver, path: str, mention: Mention) -> str | None:
    """The namespace in which a mention binds its name; None: in no namespace."""
    holder = resolver.lexical(path).holder(mention)
    found = of_scope(holder)
    if found is None or mention.kind != "namespace":
        return found
    return joined(found, told(mention))


def joined(*parts: str) -> str:
    """The name of a namespace in others."""
    return "::".join(part for part in parts if part)


def is_anonymous(node: tree_sitter.Node) -> bool:
    """Whether it stands in a namespace without a name, which other files do not see."""
    above = nodes.around(node, "namespace_definition")
    while above is not None:
        if above.child_by_field_name("name") is None:
            return True
        above = nodes.around(above, "namespace_definition")
    return False


def declared(resolver: Resolver, space: str, name: str) -> tuple[Declared, ...]:
    """What the files of the tree declare in a namespace under a name."""
    return resolver.once(("declared", space, name), lambda: _declared(resolver, space, name), ())


def _declared(resolver: Resolver, space: str, name: str) -> Iterator[Declared]:
    for path, mention in _spots(resolver, name).get(space, ()):
        if mention.role != "bind":
            found = resolver.meanings(path, mention)
        else:
            found = tuple(resolver.written(path, mention))
        kind = mention.kind if mention.role == "bind" else "using"
        yield from (Declared(path, mention, each, kind) for each in found if isinstance(each, Binding))


def brought(resolver: Resolver, path: str | None, space: str, name: str) -> Iterator[Unknown]:
    """That ``using`` brings into a namespace what the tree does not have, as far as a file sees that."""
    for each, mention in _spots(resolver, name).get(space, ()):
        is_seen = path is None or each in includes.seen(resolver, path)
        if mention.role != "bind" and is_seen:
            found = resolver.meanings(each, mention)
            yield from () if any(isinstance(one, Binding) for one in found) else (BROUGHT,)


def _spots(resolver: Resolver, name: str) -> _Spots:
    """Where a name is bound, or brought by ``using``, by the namespace in which it then is."""
    nothing: tuple[_Spots, ...] = ({},)
    return resolver.once(("spots", name), lambda: (_all_spots(resolver, name),), nothing)[0]


def _all_spots(resolver: Resolver, name: str) -> _Spots:
    found: _Spots = {}
    for path in resolver.files.holding(name):
        for mention in includes.bare(resolver, path, name):
            space = None
            if mention.role == "bind":
                space = of_mention(resolver, path, mention)
            elif mention.role not in ("comment", "string") and is_using(mention.node):
                space = of_scope(mention.scopes[0])
            if space is not None:
                found.setdefault(space, []).append(Place(path, mention))
    return found


def spaces_of(resolver: Resolver, name: str, kind: str) -> list[str]:
    """The namespaces in which something of a kind is called so."""
    spots = _spots(resolver, name)
    return [space for space, places in spots.items() if any(place.mention.kind == kind for place in places)]


def is_using(node: tree_sitter.Node) -> bool:
    """Whether a name's node is what ``using a::b`` brings."""
    above = node.parent
    if above is None or above.type != "qualified_identifier":
        return False
    while above is not None and above.type == "qualified_identifier":
        above = above.parent if above.end_byte == node.end_byte else None
    brought = ("namespace", "enum")
    is_declaration = above is not None and above.type == "using_declaration"
    return is_declaration and above is not None and not any(each.type in brought for each in above.children)


def bringing(resolver: Resolver, path: str, name: str) -> Iterator[tuple[str, tree_sitter.Node]]:
    """The declarations that bring a name by ``using``, of what a file includes."""
    for each in includes.seen(resolver, path):
        for mention in includes.bare(resolver, each, name):
            declaration = nodes.around(mention.node, "using_declaration")
            if is_using(mention.node) and declaration is not None:
                yield each, declaration


def visible(resolver: Resolver, path: str, found: Iterable[Declared]) -> list[Declared]:
    """What of it a file sees: of what it includes, else of what those see that include it."""
    all_of = list(found)
    own = includes.seen(resolver, path) if all_of else {}
    here = [each for each in all_of if each.path in own]
    if here or not all_of:
        return here
    around = {one for each in includes.including(resolver, path) for one in includes.seen(resolver, each)}
    return [each for each in all_of if each.path in around]


def directives(resolver: Resolver, path: str, space: str) -> Iterator[str]:
    """The namespaces whose names ``using namespace`` brings into one, in what a file sees."""
    for each in includes.seen(resolver, path):
        for holder, name in _directives(resolver, each):
            if of_scope(holder) == space:
                yield name


def directives_in(resolver: Resolver, path: str, scope: Scope) -> Iterator[str]:
    """Those of a block."""
    for holder, name in _directives(resolver, path):
        if holder.node.id == scope.node.id:
            yield name


def enums(resolver: Resolver, path: str, scope: Scope) -> Iterator[tuple[str, tree_sitter.Node]]:
    """Yield the names of the enums whose enumerators ``using enum`` brings into a scope, with their files."""
    space = of_scope(scope)
    for each in (path,) if space is None else includes.seen(resolver, path):
        for holder, name in _enums(resolver, each):
            if holder.node.id == scope.node.id or (space is not None and of_scope(holder) == space):
                yield each, name


def enums_of_class(resolver: Resolver, of: Class) -> Iterator[tuple[str, tree_sitter.Node]]:
    """Yield those that ``using enum`` brings into a class."""
    for holder, name in _enums(resolver, of.path):
        if holder.node.id == of.node.id:
            yield of.path, name


def enums_of_space(resolver: Resolver, space: str) -> Iterator[tuple[str, tree_sitter.Node]]:
    """Yield those that the files of the tree bring into a namespace."""
    for path in resolver.once(("holding", "using enum"), lambda: resolver.files.holding("using enum"), ()):
        for holder, name in _enums(resolver, path):
            if of_scope(holder) == space:
                yield path, name


def _enums(resolver: Resolver, path: str) -> tuple[tuple[Scope, tree_sitter.Node], ...]:
    """Return the names of enums in ``using enum`` of a file, with the scopes in which these stand."""
    return resolver.once(("using enum", path), lambda: _all_enums(resolver, path), ())


def _all_enums(resolver: Resolver, path: str) -> Iterator[tuple[Scope, tree_sitter.Node]]:
    for node in _using(resolver, path):
        if any(each.type == "enum" for each in node.children) and node.named_children:
            last = node.named_children[-1]
            yield nodes.mention(resolver, path, _last_name(last)).scopes[0], last


def _using(resolver: Resolver, path: str) -> list[tree_sitter.Node]:
    """Return the ``using`` declarations of a file of C++."""
    source = resolver.files.source(path)
    if source is None or source.language is None or source.language.name != "cpp":
        return []
    if resolver.files.lexical(path) is None or b"using" not in source.text:
        return []
    return resolver.lexical(path).syntax.of_type("using_declaration")


def _last_name(node: tree_sitter.Node) -> tree_sitter.Node:
    while node.type == "qualified_identifier":
        node = node.child_by_field_name("name") or node.named_children[-1]
    return node


def is_opened_to(resolver: Resolver, space: str) -> bool:
    """Whether some file brings all names of another namespace into one."""
    for path in resolver.once(("holding", "using"), lambda: resolver.files.holding("using"), ()):
        if includes.is_read(resolver, path):
            for holder, _ in _directives(resolver, path):
                if of_scope(holder) == space:
                    return True
    return False


def _directives(resolver: Resolver, path: str) -> tuple[tuple[Scope, str], ...]:
    return resolver.once(("directives", path), lambda: _all_directives(resolver, path), ())


def _all_directives(resolver: Resolver, path: str) -> Iterator[tuple[Scope, str]]:
    for node in _using(resolver, path):
        if any(each.type == "namespace" for each in node.children) and node.named_children:
            last = node.named_children[-1]
            name = _last_name(last)
            for space in _named(resolver, path, last, word(name)):
                yield nodes.mention(resolver, path, name).scopes[0], space


def _named(resolver: Resolver, path: str, node: tree_sitter.Node, name: str) -> Iterable[str]:
    """The namespace that is meant, innermost first; an alias is followed, all else is told by its words."""
    around, said = of_node(node).split("::"), word(node).replace(" ", "").strip(":")
    known = {joined(space, name) for space in spaces_of(resolver, name, "namespace")}
    for end in range(len(around), -1, -1):
        if joined(*around[:end], said) in known:
            return (joined(*around[:end], said),)
    if spaces_of(resolver, name, "alias"):
        return [each.path for each in resolver.values(path, node) if isinstance(each, Module)]
    return (said,)
