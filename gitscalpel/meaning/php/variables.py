"""Variables of PHP: what is one over functions that are closures, or make properties of their parameters."""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.meaning import nodes
from gitscalpel.meaning.php import spaces
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.spread import spaces as spread
from gitscalpel.meaning.things import Binding

_PARAMETERS = ("simple_parameter", "variadic_parameter")


def twins(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """What else is the same: around a closure, as a property, or declared again in its namespace."""
    places = resolver.binders(binding)
    for place in places:
        if place.mention.kind == "variable" and binding.kind == "function":
            yield from _outer(resolver, binding, places)
            yield from _promoted(resolver, binding, place)
            return
        if place.mention.kind in spaces.SPREAD.kinds and binding.kind in spread.OPEN:
            space = spaces.of(resolver, place.path, place.mention.node)
            yield from spaces.declared(resolver, space, binding.name, place.mention.kind)


def _outer(resolver: Resolver, binding: Binding, places: tuple[Place, ...]) -> Iterator[Binding]:
    mention = places[0].mention
    at = next((at for at, each in enumerate(mention.scopes) if each.span == binding.scope), None)
    if at is None:
        return
    kind, around = mention.scopes[at].node.type, mention.scopes[at + 1 :]
    above = [each.mention.node.parent and each.mention.node.parent.parent for each in places]
    is_own = any(each is not None and each.type in _PARAMETERS for each in above)
    given = any(nodes.around(each.mention.node, "anonymous_function_use_clause") for each in places)
    if (kind == "arrow_function" and not is_own) or (kind == "anonymous_function" and given):
        for scope in around:
            if scope.kind in ("function", "module"):
                yield Binding(
                    binding.path, scope.span, scope.kind, binding.name, _space(resolver, binding, scope)
                )
                return


def _space(resolver: Resolver, binding: Binding, scope: object) -> str:
    """Which of several names of a scope that are spelt alike the variable is."""
    lexical = resolver.lexical(binding.path)
    for mention in lexical.of(binding.name):
        if mention.role == "bind" and mention.kind == "variable" and lexical.holder(mention) == scope:
            return lexical.spaces(mention, lexical.holder(mention))[0]
    return ""


def _promoted(resolver: Resolver, binding: Binding, place: Place) -> Iterator[Binding]:
    """The property that a parameter of this constructor is as well."""
    lexical = resolver.lexical(binding.path)
    for mention in lexical.of(binding.name):
        above = nodes.around(mention.node, "property_promotion_parameter")
        method = nodes.around(above, "method_declaration") if above is not None else None
        is_own = method is not None and (method.start_byte, method.end_byte) == binding.scope
        if mention.kind == "property" and is_own and place.path == binding.path:
            found = resolver.written(binding.path, mention)
            yield from (each for each in found if isinstance(each, Binding))


def globals_(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """Variables of other files' own that may be the same, as files include each other."""
    if binding.kind not in spread.OPEN:
        return
    if not any(place.mention.kind == "variable" for place in resolver.binders(binding)):
        return
    for path in spread.files(resolver, spaces.SPREAD, binding.name):
        for mention in resolver.lexical(path).of(binding.name):
            if mention.role in ("bind", "global") and mention.kind in ("variable", ""):
                for each in resolver.written(path, mention):
                    if isinstance(each, Binding) and each.kind in spread.OPEN and each != binding:
                        yield each
