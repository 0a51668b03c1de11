"""Namespaces: dotted, and opened more than once, so that each part sees what another one exports."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.javascript import exports, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Meaning, Module, Unknown, Value
from gitscalpel.syntax.mentions import Mention

_MODULES = ("internal_module", "module")


def reopened(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    """What the other parts of the namespaces around a name have under it."""
    for scope in mention.scopes:
        name = scope.node.child_by_field_name("name") if scope.kind == "namespace" else None
        for value in _opened(resolver, path, name) if name is not None else ():
            if isinstance(value, Module):
                yield from exports.member(resolver, value, mention.name)


def _opened(resolver: Resolver, path: str, name: tree_sitter.Node) -> Iterator[Value]:
    """All parts of what a namespace is called."""
    if name.type == "identifier":
        yield from resolver.values(path, name)
    elif name.type == "nested_identifier":
        outer, word = name.child_by_field_name("object"), name.child_by_field_name("property")
        for value in _opened(resolver, path, outer) if outer is not None else ():
            for each in resolver.members(value, words.text(resolver, path, word)):
                yield from resolver.worth(each)


def worth(resolver: Resolver, path: str, mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    """The namespace that a name is given; of ``a.b``, ``a`` is one that has nothing but ``b``."""
    language = resolver.lexical(path).syntax.language.name
    if above.type in _MODULES:
        yield Module(path, language, (above.start_byte, above.end_byte))
    elif above.type == "nested_identifier" and above.parent is not None and above.parent.type in _MODULES:
        is_last = above.child_by_field_name("property") == mention.node
        part = above.parent if is_last else above
        yield Module(path, language, (part.start_byte, part.end_byte))
    else:
        yield Unknown("its parts are not read here")


def twins(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """The same name of a dotted namespace in its other parts."""
    for place in resolver.binders(binding) if binding.kind == "namespace" else ():
        above = place.mention.node.parent
        outer = above.child_by_field_name("object") if above is not None else None
        if outer is None or place.mention.kind != "namespace" or outer.id == place.mention.node.id:
            continue
        for value in resolver.values(place.path, outer):
            for each in exports.member(resolver, value, binding.name) if isinstance(value, Module) else ():
                if isinstance(each, Binding) and each != binding:
                    yield each
