"""What a used name means: by its scopes, and by all that goes on with them elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.meaning.c import arguments, classes, macros, spaces
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Class, Elsewhere, Meaning, Module, Unknown, Value
from gitscalpel.syntax.occurrences import Mention, Scope

_TYPES = ("tag", "type", "generic")


def used(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a name means where it is used."""
    until = resolver.lexical(path).scope_of(mention)
    doubt: list[Meaning] = []
    for scope in mention.scopes:
        if until is not None and _holds(scope, until):
            break
        found = list(opened(resolver, path, scope, mention))
        named = [each for each in found if isinstance(each, Binding)]
        if named:
            more = [spaces.BROUGHT] if spaces.BROUGHT in found else []
            return [*arguments.others(resolver, path, mention, named, doubt), *more]
        doubt += [each for each in found if isinstance(each, Unknown)]
    if until is not None and until.kind not in spaces.OPEN:
        beside = classes.taken(resolver, Class(path, until.node), mention.name)
        return [*resolver.written(path, mention), *beside]
    space = spaces.of_scope(until or mention.scopes[-1]) or ""
    named = list(in_space(resolver, path, space, mention))
    found = arguments.others(resolver, path, mention, named, doubt)
    found += spaces.brought(resolver, path, space, mention.name) if named else ()
    return found or unseen(resolver, path, mention)


def _holds(outer: Scope, inner: Scope) -> bool:
    return outer.span[0] <= inner.span[0] and inner.span[1] <= outer.span[1]


def opened(resolver: Resolver, path: str, scope: Scope, mention: Mention) -> Iterator[Meaning]:
    """What a scope has under a name that it does not bind itself."""
    if scope.kind in ("function", "bounds"):
        yield from _of_definition(resolver, path, scope.node, mention)
    elif scope.kind == "class":
        yield from _of_class(resolver, Class(path, scope.node), mention)
    elif scope.kind == "block":
        yield from _of_enums(resolver, path, scope, mention)
        for each in resolver.lexical(path).of(mention.name):
            if spaces.is_using(each.node) and each.scopes[0].node.id == scope.node.id and each != mention:
                yield from resolver.meanings(path, each)
    elif scope.kind in spaces.OPEN:
        space = spaces.of_scope(scope) or ""
        yield from in_space(resolver, path, space, mention)
        yield from spaces.brought(resolver, path, space, mention.name)
        yield from _of_enums(resolver, path, scope, mention)


def _of_enums(resolver: Resolver, path: str, scope: Scope, mention: Mention) -> Iterator[Meaning]:
    """Yield the enumerators that ``using enum`` brings into a scope."""
    for each in spaces.enums(resolver, path, scope):
        yield from classes.of_enum(resolver, *each, mention.name)


def _of_class(resolver: Resolver, of: Class, mention: Mention) -> Iterator[Meaning]:
    """Yield what a class has under a name, or what those have outside of which it is defined."""
    found = list(member(resolver, of, mention))
    outer = classes.definition_scope(of)
    if outer is not None and mention.start > of.scope[0] and not any(isinstance(e, Binding) for e in found):
        for value in resolver.values(of.path, outer):
            found += _around(resolver, of.path, value, mention)
    yield from found


def _of_definition(
    resolver: Resolver, path: str, definition: tree_sitter.Node, mention: Mention
) -> Iterator[Meaning]:
    """The names of what a definition outside of it is a member of."""
    scope = classes.qualifier(definition)
    if scope is None or mention.start < scope.end_byte:
        return
    for value in resolver.values(path, scope):
        found = list(_around(resolver, path, value, mention))
        if any(isinstance(each, Binding) for each in found):
            yield from (each for each in found if isinstance(each, Binding) or each == spaces.BROUGHT)
            return
        yield from found


def _around(resolver: Resolver, path: str, value: Value, mention: Mention) -> Iterator[Meaning]:
    """What a class or namespace, or one around it, has under a name."""
    if isinstance(value, Unknown):
        yield value
    around: Iterable[Class | str] = classes.enclosing(resolver, value)
    if isinstance(value, Module):
        parts = value.path.split("::")
        around = ["::".join(parts[:end]) for end in range(len(parts), 0, -1)]
    for each in around:
        found: list[Meaning] = [
            *(
                member(resolver, each, mention)
                if isinstance(each, Class)
                else in_space(resolver, path, each, mention)
            )
        ]
        yield from found
        if any(isinstance(one, Binding) for one in found):
            return


def member(resolver: Resolver, of: Class, mention: Mention) -> Iterator[Meaning]:
    """What a class has, or may have from bases that nobody knows: of those, functions alone."""
    had = resolver.members(of, mention.name)
    found: list[Meaning] = [each for each in had if not isinstance(each, Elsewhere)]
    if not any(isinstance(each, Binding) for each in found):
        own = [*classes.injected(resolver, of, mention.name)]
        found = own or [*classes.inherited(resolver, of, mention.name)] or found
    named = [each for each in found if isinstance(each, Binding)]
    is_call = arguments.call(mention.node) is not None
    beyond = any(not isinstance(each, Class) for each in resolver.ancestry(of))
    yield from named
    yield from (spaces.BROUGHT,) if named and spaces.BROUGHT in found else ()
    if not named and beyond and is_call:
        yield Unknown("a base that is not known here may have it")


def in_space(resolver: Resolver, path: str, space: str, mention: Mention) -> Iterator[Binding]:
    """What a namespace has under a name, as far as a file sees it."""
    seen: dict[Binding, None] = {}
    blocks = [scope for scope in mention.scopes if scope.kind == "block"]
    brought = [each for scope in blocks for each in spaces.directives_in(resolver, path, scope)]
    for each in (space, *spaces.directives(resolver, path, space), *brought):
        seen |= dict.fromkeys(_visible(resolver, path, each, mention))
    yield from seen


def _visible(resolver: Resolver, path: str, space: str, mention: Mention) -> Iterator[Binding]:
    found = fitting(resolver, path, mention, spaces.declared(resolver, space, mention.name))
    yield from (each.binding for each in spaces.visible(resolver, path, found))


def fitting(
    resolver: Resolver, path: str, mention: Mention, found: Iterable[spaces.Declared]
) -> list[spaces.Declared]:
    """Those that a name may mean by where it stands: functions where it is called, tags behind ``struct``."""
    rules = resolver.lexical(path).rules
    named = [each for each in found if each.kind != "macro"]
    if rules.told is None:
        met = [e for e in named if e.kind in ("using", "namespace") or rules.meet(e.kind, mention.kind)]
        # A type that only a tag can be: it is a header of C++, though nothing else in it says so.
        return met or [each for each in named if each.kind == "tag" and mention.kind == "type"]
    kinds = {each.kind for each in named}
    if mention.kind == "tag":
        return [each for each in named if each.kind in ("tag", "using")]
    if "tag" in kinds and "type" in kinds:
        named = [each for each in named if each.kind != "tag" or resolver.dialect(each.path) is None] or named
        named = [each for each in named if each.kind != "tag"] if _is_from_c(resolver, named) else named
    if "tag" in kinds and "function" in kinds:
        left = "tag" if mention.kind != "type" else "function"
        return [each for each in named if each.kind != left]
    return named


def _is_from_c(resolver: Resolver, found: Iterable[spaces.Declared]) -> bool:
    """Whether what is declared is so in C, where a tag and a type of its name are two."""
    return all(resolver.lexical(each.path).rules.told is None for each in found if each.kind == "tag")


def unseen(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a name means that nothing declares in what its file includes."""
    if mention.kind == "label":
        return (Elsewhere("no label"),)
    if mention.kind in _TYPES and mention.name in ("std",):
        return (Elsewhere("the library"),)
    if macros.opens(resolver, mention.name):
        return (Unknown("a macro may open a namespace that is called so"),)
    around = dict.fromkeys(spaces.of_scope(scope) for scope in mention.scopes)
    for space in around:
        declared = spaces.declared(resolver, space, mention.name) if space is not None else ()
        if fitting(resolver, path, mention, declared):
            return (Unknown("nothing that is included declares it, but the tree does"),)
    return (Elsewhere("what is included"),)
