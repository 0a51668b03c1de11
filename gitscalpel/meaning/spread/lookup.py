"""What a used name means: by its scopes, the classes among them, and what is around its file."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.spread.spaces import OPEN
from gitscalpel.meaning.things import Binding, Class, Meaning, Unknown
from gitscalpel.syntax.occurrences import Mention, Scope

Outside = Callable[[Resolver, str, Mention], Iterable[Meaning]]
Between = Callable[[Resolver, str, Scope, Mention], Iterable[Meaning]]


def _nothing(resolver: Resolver, path: str, scope: Scope, mention: Mention) -> Iterable[Meaning]:
    del resolver, path, scope, mention
    return ()


def used(
    resolver: Resolver, path: str, mention: Mention, outside: Outside, between: Between = _nothing
) -> list[Meaning]:
    """What a name means where it is used; doubtful, where a class between may have it from a base.

    Args:
        resolver: of the tree.
        path: of the file.
        mention: there.
        outside: what namespaces and imports have under its name.
        between: what a scope that is no class has without binding it.
    """
    until = resolver.lexical(path).scope_of(mention)
    doubt: list[Meaning] = []
    if until is not None and until.kind not in (*OPEN, "class"):
        return list(resolver.written(path, mention))
    for scope in mention.scopes:
        if until is not None and scope.node.id == until.node.id:
            break
        if scope.kind == "class":
            found = inherited(resolver, Class(path, scope.node), mention)
        else:
            found = list(between(resolver, path, scope, mention))
        named = [each for each in found if isinstance(each, Binding)]
        doubt += [each for each in found if isinstance(each, Unknown)]
        if named:
            return [*named, *doubt]
    if until is not None and until.kind not in OPEN:
        return [*resolver.written(path, mention), *doubt]
    return [*outside(resolver, path, mention), *doubt]


def inherited(resolver: Resolver, of: Class, mention: Mention) -> list[Meaning]:
    """What a class has under a name, or may have from what nobody knows."""
    found = fitting(resolver, mention, resolver.members(of, mention.name))
    named = [each for each in found if isinstance(each, Binding)]
    beyond = any(not isinstance(each, Class) for each in resolver.ancestry(of))
    if named or not beyond or mention.kind == "type":
        return list(named)
    return [Unknown("a base that is not known here may have it")]


def fitting(resolver: Resolver, mention: Mention, found: Iterable[Meaning]) -> list[Meaning]:
    """Those that a name may mean by where it stands."""
    return [each for each in found if not isinstance(each, Binding) or _fits(resolver, mention, each)]


def _fits(resolver: Resolver, mention: Mention, binding: Binding) -> bool:
    if not mention.kind or not binding.path or binding.scope[1] < 0:
        return True
    meet = resolver.lexical(binding.path).rules.meet
    return any(meet(place.mention.kind, mention.kind) for place in resolver.binders(binding))
