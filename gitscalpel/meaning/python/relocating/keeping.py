"""Whether a file goes on calling a module what it called it, as its new name is something else there."""

from __future__ import annotations

from gitscalpel.meaning.journey import Journey
from gitscalpel.meaning.python.moving import rooted
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Module
from gitscalpel.syntax.occurrences import Mention

_NAMES = ("bind", "early", "use", "global", "nonlocal")


def keeps(resolver: Resolver, journey: Journey, path: str, name: str, *, now: str, target: str) -> bool:
    """Whether what a file binds as ``name`` keeps that.

    Args:
        resolver: of the files before.
        journey: what moves.
        path: of the file, before.
        name: what the module is called there.
        now: what it would be called there.
        target: the path of the module, before.
    """
    word, dot, _ = now.partition(".")
    if word == name:
        return False
    lexical = resolver.lexical(path)
    uses = lexical.of(name)
    around = rooted.parts(journey.means(target)) if dot else []
    for mention in lexical.of(word):
        if mention.role not in _NAMES or _is_package(resolver, path, mention, around):
            continue
        scope = lexical.holder(mention) if mention.role == "bind" else lexical.scope_of(mention)
        if scope is None or scope.kind == "module":
            return True
        if any(scope.span[0] <= each.start < scope.span[1] for each in uses):
            return True
    return False


def _is_package(resolver: Resolver, path: str, mention: Mention, around: list[str]) -> bool:
    """Whether a name is that of a package in which the module will be."""
    values = [value for each in resolver.meanings(path, mention) for value in resolver.worth(each)]
    places = [rooted.parts(each.path) for each in values if isinstance(each, Module)]
    return bool(values) and len(places) == len(values) and all(around[: len(p)] == p for p in places)
