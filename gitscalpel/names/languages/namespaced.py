"""Resolve names of languages whose namespaces spread over files (C#, Kotlin, PHP, Ruby).

A namespace is a module whose path is the full name; ``""`` is the namespace of files that declare none. A
name is looked up in its scopes and their classes, and then in namespaces and imports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import WHOLE, Binding, Class, Meaning, Unknown
from gitscalpel.names.nodes import children_of
from gitscalpel.names.resolver import Language, Place, Resolver, cache_answers, cache_value
from gitscalpel.syntax.occurrences import Mention, Scope
from gitscalpel.text.splice import Splice


class NamespacedLanguage(Language):
    """A language with namespaces, whose arguments may be passed by the names of parameters."""

    def keyword(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        parameters = list(dict.fromkeys(self.parameters(resolver, path, mention)))
        return parameters or (Unknown("the called function is unknown"),)

    def parameters(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """Return the parameters with the mention's name of all possible callees."""
        raise NotImplementedError

    def resolve_origin(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        return self.resolve_imported(resolver, path, mention) if mention.kind == "import" else ()

    def replace_name(self, resolver: Resolver, path: str, mention: Mention, form: str, new: str) -> Splice:
        return mention.make_splice(f"{mention.name} as {new}" if form == "alias" else new)

    def parts(self, resolver: Resolver, of: Class) -> Iterable[Class]:
        key = ("parts", of.path, of.scope)
        return resolver.compute_once(key, lambda: dict.fromkeys(self.other_parts(resolver, of)), ())

    def find_redeclarations(self, resolver: Resolver, binding: Binding) -> Iterable[Binding]:
        return resolver.compute_once(
            ("redeclared", binding), lambda: self.other_declarations(resolver, binding), ()
        )

    def other_declarations(self, resolver: Resolver, binding: Binding) -> Iterable[Binding]:
        """Compute the other bindings that declare the same name, for :meth:`find_redeclarations`."""
        return ()

    def other_parts(self, resolver: Resolver, of: Class) -> Iterable[Class]:
        """Return the other declarations of a class, without the cache."""
        return ()


UNDECLARED = Unknown("no known declaration defines it")
DYNAMIC = Unknown("its class may have it when the program runs")
OPEN_SCOPES = ("module", "namespace")
"""Kinds of scopes whose names other files see."""


class NamespaceRules(NamedTuple):
    """Namespaces of a language."""

    language: str
    space: Callable[[Resolver, str, tree_sitter.Node], str]  # returns the namespace around a node
    kinds: frozenset[str]  # kinds of names in a namespace
    open: tuple[str, ...] = OPEN_SCOPES  # kinds of scopes whose names are those of a namespace


def declared_in(resolver: Resolver, of: NamespaceRules, space: str, name: str) -> tuple[Binding, ...]:
    """Return the bindings of a name in a namespace, in all files."""
    bindings = (each for namespace, each, _ in namespace_places(resolver, of, name) if namespace == space)
    return tuple(dict.fromkeys(bindings))


@cache_answers
def namespace_places(
    resolver: Resolver, of: NamespaceRules, name: str
) -> Iterator[tuple[str, Binding, Place]]:
    """Yield the places where namespaces bind a name, with the namespace of each."""
    for place in iter_bindings(resolver, of, name, *of.kinds):
        if resolver.lexical(place.path).holder(place.mention).kind in of.open:
            space = of.space(resolver, place.path, place.mention.node)
            for binding in resolver.own_bindings(*place):
                yield space, binding, place


def files_with(resolver: Resolver, of: NamespaceRules, word: str) -> Iterator[str]:
    for path in resolver.files.holding(word):
        lexical = resolver.files.lexical(path)
        if lexical is not None and lexical.syntax.language.name == of.language:
            yield path


def iter_bindings(resolver: Resolver, of: NamespaceRules, name: str, *kinds: str) -> Iterator[Place]:
    """Yield the places in files of the language that bind a name as one of some kinds."""
    for path in files_with(resolver, of, name):
        for mention in resolver.lexical(path).occurrences_of(name):
            if mention.role == "bind" and mention.kind in kinds:
                yield Place(path, mention)


@cache_value(False)
def is_declared(resolver: Resolver, of: NamespaceRules, name: str, *kinds: str) -> bool:
    """Return True if a file of the language binds a name as one of some kinds."""
    return any(True for _ in iter_bindings(resolver, of, name, *kinds))


def parameters_named(
    resolver: Resolver,
    path: str,
    parameters: tree_sitter.Node | None,
    name: str,
    name_of: Callable[[tree_sitter.Node], tree_sitter.Node | None],
) -> Iterator[Meaning]:
    """Yield the parameters with a name; ``name_of`` returns the name's node of one parameter."""
    for each in children_of(parameters):
        node = name_of(each)
        if node is not None and nodes.text(resolver, path, node) == name:
            yield from resolver.own_scope_meanings(path, nodes.mention(resolver, path, node))


def enclosing_namespaces(space: str, separator: str = ".") -> Iterator[str]:
    """Yield a namespace and those around it, innermost first."""
    parts = space.split(separator) if space else []
    for end in range(len(parts), -1, -1):
        yield separator.join(parts[:end])


Outside = Callable[[Resolver, str, Mention], Iterable[Meaning]]
Between = Callable[[Resolver, str, Scope, Mention], Iterable[Meaning]]


def _no_meanings(resolver: Resolver, path: str, scope: Scope, mention: Mention) -> Iterable[Meaning]:
    return ()


def look_up(
    resolver: Resolver, path: str, mention: Mention, outside: Outside, between: Between = _no_meanings
) -> list[Meaning]:
    """Return the meanings of a name at a use, unsure if a class around may inherit the name.

    ``outside`` returns the meanings by namespaces and imports, and ``between`` those in a scope that is not a
    class and does not bind the name.
    """
    until = resolver.lexical(path).scope_of(mention)
    doubt: list[Meaning] = []
    if until is not None and until.kind not in (*OPEN_SCOPES, "class"):
        return list(resolver.own_scope_meanings(path, mention))
    for scope in mention.scopes:
        if until is not None and scope.node.id == until.node.id:
            break
        if scope.kind == "class":
            meanings = inherited_members(resolver, Class(path, scope.node), mention)
        else:
            meanings = list(between(resolver, path, scope, mention))
        named = [each for each in meanings if isinstance(each, Binding)]
        doubt += [each for each in meanings if isinstance(each, Unknown)]
        if named:
            return [*named, *doubt]
    if until is not None and until.kind not in OPEN_SCOPES:
        return [*resolver.own_scope_meanings(path, mention), *doubt]
    return [*outside(resolver, path, mention), *doubt]


def inherited_members(resolver: Resolver, of: Class, mention: Mention) -> list[Meaning]:
    """Return the members of a class with a name; Unknown if an unknown base may have it."""
    members = fitting_meanings(resolver, mention, resolver.members(of, mention.name))
    named = [each for each in members if isinstance(each, Binding)]
    beyond = any(not isinstance(each, Class) for each in resolver.ancestry(of))
    if named or not beyond or mention.kind == "type":
        return list(named)
    return [Unknown("a base that is not known here may have it")]


def fitting_meanings(resolver: Resolver, mention: Mention, meanings: Iterable[Meaning]) -> list[Meaning]:
    """Return the meanings of a kind that is possible where the name is used."""
    return [
        each
        for each in meanings
        if not isinstance(each, Binding)
        or not mention.kind
        or not each.path
        or each.scope == WHOLE
        or resolver.may_have_kind(each, mention.kind)
    ]


def classes_of(resolver: Resolver, binding: Binding) -> Iterator[Class]:
    yield from (each for each in resolver.values_of(binding) if isinstance(each, Class))
