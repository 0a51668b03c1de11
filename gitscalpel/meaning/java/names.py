"""What a name means that its file does not bind: inherited, of its package, or imported with others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gitscalpel.meaning.java import classes, packages
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import WHOLE, Binding, Class, Elsewhere, Meaning
from gitscalpel.syntax.occurrences import Mention, Scope


def free(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a name means that no scope of its file binds."""
    found: tuple[Meaning, ...] = ()
    if mention.kind in ("type", "any"):
        found = packages.types(resolver, packages.of(resolver, path), mention.name)
    found = found or tuple(_brought(resolver, path, mention))
    if found or mention.kind not in ("type", "any"):
        return found or (Elsewhere("another library"),)
    return (
        (Binding(mention.name, WHOLE, "java", mention.name),)
        if mention.name.islower()
        else (Elsewhere("another library"),)
    )


def _brought(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    """What ``import a.*`` and ``import static a.B.*`` bring."""
    for node, is_static in packages.whole(resolver, path):
        for value in resolver.values(path, node):
            for each in resolver.members(value, mention.name):
                is_kind = mention.kind in ("type", "any") or is_static
                if isinstance(each, Binding) and each.scope != WHOLE and is_kind:
                    yield each


def inherited(resolver: Resolver, path: str, scope: Scope, mention: Mention) -> Iterable[Meaning]:
    """What a class has under a name without defining it itself."""
    own = Class(path, scope.node)
    meet = resolver.lexical(path).rules.meet
    for each in resolver.ancestry(own):
        if not isinstance(each, Class):
            continue
        for member in resolver.own_members(each, mention.name):
            kinds = [place.mention.kind for place in resolver.binders(member)]
            if any(meet(kind, mention.kind) for kind in kinds):
                return (member,)
    component = classes.component(resolver, own, mention.name) if _may_be_read(mention) else None
    return (component,) if component is not None else ()


def _may_be_read(mention: Mention) -> bool:
    """Whether a record's component is read where a name stands: by itself, or by its method."""
    call = mention.node.parent
    given = call.child_by_field_name("arguments") if call is not None and mention.kind == "method" else None
    return mention.kind != "method" or (given is not None and not given.named_children)
