"""Names that a module binds, and has by a star import as well (``from m import *``).

A module is run from top to bottom: what it has under a name is what bound it last. Which of them that was
is told where a statement of the module's own stands between, or none can have been run yet; else it may be
either.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gitscalpel.meaning import earlier
from gitscalpel.meaning.python import imports, stars
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Meaning
from gitscalpel.syntax.occurrences import Mention, Scope

_AT_ONCE = ("class", "comprehension")
"""Scopes in which the code is run where it stands."""


def meant(
    resolver: Resolver, path: str, mention: Mention, scope: Scope, own: list[Meaning]
) -> Iterable[Meaning]:
    """What a name of a module means where it stands.

    Args:
        resolver: of the tree.
        path: of the module.
        mention: the name.
        scope: the module's.
        own: what it means as one that the module binds.
    """
    is_changed = mention.node.parent is not None and mention.node.parent.type == "augmented_assignment"
    if mention.role == "bind" and not is_changed:
        return own
    before = at(mention)
    brought = imports.starred(resolver, path, mention.name, before)
    if not brought:
        return own
    bound = [each for each in resolver.lexical(path).bound(mention.name)[scope.node.id] if each != mention]
    if before is not None and earlier.is_read(mention, bound):
        return [*own, *brought] if is_changed else brought
    return own if stars.is_last(resolver, path, bound, before) else [*own, *brought]


def at(mention: Mention) -> int | None:
    """Where a name is looked up while its module is run; None: in a function, most likely after that."""
    inside = [each for each in mention.scopes if each.kind != "module"]
    return mention.start if all(each.kind in _AT_ONCE for each in inside) else None


def twins(resolver: Resolver, binding: Binding) -> Iterator[Meaning]:
    """What a module may have instead of what it binds, where nobody can tell which comes last."""
    lexical = resolver.files.lexical(binding.path)
    if lexical is None:  # a folder, which is a package without a file of its own
        return
    if binding.kind == "module" and stars.statements(lexical.syntax):
        bound = lexical.bound(binding.name).get(lexical.syntax.root.id, ())
        if bound and not stars.is_last(resolver, binding.path, bound):
            yield from imports.starred(resolver, binding.path, binding.name)
