"""Which types a package has, and what an import leads to.

https://docs.oracle.com/javase/specs/jls/se21/html/jls-7.html: each file says of which package it is. A
package, or what a name of one begins with, is a module here, and its path is the name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import WHOLE, Binding, Elsewhere, Meaning, Module
from gitscalpel.syntax.occurrences import Mention


def of(resolver: Resolver, path: str) -> str:
    """The package of a file; nothing where it says none."""
    return resolver.once(("java package", path), lambda: (_said(resolver, path),), ("",))[0]


def _said(resolver: Resolver, path: str) -> str:
    for clause in resolver.lexical(path).syntax.root.named_children:
        if clause.type == "package_declaration":
            return "".join(nodes.text(resolver, path, clause.named_children[-1]).split())
    return ""


def types(resolver: Resolver, package: str, name: str) -> tuple[Binding, ...]:
    """The type of a package, in whatever file it stands."""
    return resolver.once(("java type", package, name), lambda: _types(resolver, package, name), ())


def _types(resolver: Resolver, package: str, name: str) -> Iterator[Binding]:
    for path in resolver.files.holding(name):
        lexical = resolver.files.lexical(path) if path.endswith(".java") else None
        if lexical is None or of(resolver, path) != package:
            continue
        for mention in lexical.bound(name).get(lexical.syntax.root.id, ()):
            if mention.kind == "class":
                yield from (m for m in resolver.named(path, mention) if isinstance(m, Binding))


def member(resolver: Resolver, package: str, name: str) -> tuple[Meaning, ...]:
    """What stands behind a package and a dot: one of its types, or a package in it."""
    found = types(resolver, package, name)
    return found or (Binding(f"{package}.{name}", WHOLE, "java", name),)


def imports(resolver: Resolver, path: str) -> list[tree_sitter.Node]:
    """The import declarations of a file."""
    root = resolver.lexical(path).syntax.root
    return [node for node in root.named_children if node.type == "import_declaration"]


def is_static(statement: tree_sitter.Node) -> bool:
    """Whether an import brings members of a type."""
    return any(child.type == "static" for child in statement.children)


def brings(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a name that an import binds is where it comes from."""
    above = mention.node.parent
    if above is None or above.type != "scoped_identifier":
        return types(resolver, "", mention.name) or (Elsewhere("another library"),)
    scope = above.child_by_field_name("scope")
    found = [
        each
        for value in (resolver.values(path, scope) if scope is not None else ())
        for each in resolver.members(value, mention.name)
    ]
    known = [each for each in found if not (isinstance(each, Binding) and each.scope == WHOLE)]
    return known or (Elsewhere("another library"),)


def whole(resolver: Resolver, path: str) -> Iterator[tuple[tree_sitter.Node, bool]]:
    """What ``import a.*`` of a file brings everything of, and whether it brings members."""
    for statement in imports(resolver, path):
        if statement.named_children[-1].type == "asterisk":
            yield statement.named_children[0], is_static(statement)


def package(name: str) -> Module:
    """A package, or the beginning of the name of one."""
    return Module(name, "java")
