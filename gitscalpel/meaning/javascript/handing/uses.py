"""Everywhere a declared name is used, under whatever name an import gives it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias, cast

import tree_sitter

from gitscalpel.meaning import aliases
from gitscalpel.meaning.javascript import exports, imports, words
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import Binding, Meaning, Unknown
from gitscalpel.syntax.occurrences import Mention

Use: TypeAlias = Callable[[Mention], Iterable[tree_sitter.Node]]
"""What of a place is of interest; nothing, if it is no use of that kind."""
_SPECIFIERS = ("import_specifier", "export_specifier")


def of(resolver: Resolver, path: str, name: tree_sitter.Node, use: Use) -> tuple[Place, ...]:
    """The places that lead to what a name declares, and use it in a way; of members also possible ones."""
    key = ("used", path, name.start_byte, use)
    found = resolver.known(key)
    if found is None:  # not with `once`: what is asked for on the way is as much as it may be
        found = tuple(_of(resolver, path, name, use))
        resolver.know(key, found)
    return cast("tuple[Place, ...]", found)


def _of(resolver: Resolver, path: str, name: tree_sitter.Node, use: Use) -> Iterator[Place]:
    mention = words.mention(resolver, path, name)
    declared = {each for each in resolver.meanings(path, mention) if isinstance(each, Binding)}
    waiting, seen = [mention.name], {mention.name}
    is_local = bool(declared) and all(each.kind not in ("class", "module", "namespace") for each in declared)
    while waiting:
        word = waiting.pop()
        paths = [path] if is_local else resolver.files.naming(word, resolver.files.language(path))
        for each in paths:
            lexical = resolver.files.lexical(each)
            places = [Place(each, other) for other in lexical.of(word)] if lexical is not None else []
            yield from (one for one in places if _is_so(use, one.mention) and _leads(resolver, one, declared))
            others = {*aliases.others(resolver, each, word)} - seen if places and not is_local else set[str]()
            if others and any(_leads(resolver, one, declared) for one in places):
                seen |= others
                waiting += sorted(others)


def _is_so(use: Use, mention: Mention) -> bool:
    """Whether a mention may be a use of a kind: it costs less to see that than what it means."""
    if mention.role not in ("use", "member", "keyword", "bind"):
        return False
    return any(True for _ in use(mention))


def _leads(resolver: Resolver, place: Place, declared: set[Binding]) -> bool:
    meant = list(_meant(resolver, place))
    if any(isinstance(each, Binding) and not declared.isdisjoint(led(resolver, each)) for each in meant):
        return True
    is_member = place.mention.role == "member" and any(each.kind == "class" for each in declared)
    return is_member and bool(meant) and all(isinstance(each, Unknown) for each in meant)


def _meant(resolver: Resolver, place: Place) -> Iterator[Meaning]:
    yield from resolver.meanings(*place)
    if place.mention.key:
        yield from resolver.dialect(place.path).key(resolver, *place)


def led(resolver: Resolver, binding: Binding) -> tuple[Binding, ...]:
    """A name, and all that the imports which bring it lead to."""
    return resolver.once(("led", binding), lambda: _led(resolver, binding), (binding,))


def _led(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    waiting, seen = [binding], {binding}
    while waiting:
        one = waiting.pop()
        yield one
        for place in resolver.binders(one):
            if place.mention.kind in ("import", "export", "passed"):
                for each in _brought(resolver, place):
                    if isinstance(each, Binding) and each not in seen:
                        seen.add(each)
                        waiting.append(each)


def _brought(resolver: Resolver, place: Place) -> Iterator[Meaning]:
    above = place.mention.node.parent
    name = above.child_by_field_name("name") if above is not None and above.type in _SPECIFIERS else None
    if name is not None and name.id == place.mention.node.id and place.mention.kind == "export":
        yield from exports.named(resolver, *place)
    elif name is not None and place.mention.kind == "export":
        yield from resolver.meanings(place.path, words.mention(resolver, place.path, name))
    elif name is not None:
        yield from imports.brings(resolver, *place, words.text(resolver, place.path, name))
    elif imports.is_default(place.mention):
        yield from imports.brings(resolver, *place, "default")
    else:
        yield from imports.brings(resolver, *place)
