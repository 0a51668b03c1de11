"""Which names an addressed place means."""

from __future__ import annotations

from gitscalpel.errors import DoesNotFit
from gitscalpel.errors.messages import arg
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import Binding, Elsewhere, Unknown


def meant(resolver: Resolver, place: Place, *, keys: bool = False) -> set[Binding]:
    """The names that a place certainly means; with ``keys``, also what it is as a key (``{ x }``).

    Raises:
        DoesNotFit: ``symbol_not_found``, ``symbol_ambiguous``.
    """
    rules, mention = resolver.lexical(place.path).rules, place.mention
    why = resolver.dialect(place.path).addressed(resolver, *place)
    if why:
        raise DoesNotFit(
            "symbol_not_found", why, f"address what declares it, by {arg('symbol')} or by its line"
        )
    # Members may be called as words of the language are.
    is_member = mention.role == "member" or mention.kind in ("member", rules.static or "member")
    is_signed = mention.node.start_byte < mention.start and mention.role not in ("comment", "string", "text")
    if rules.is_word(mention) and not (is_signed or is_member):
        raise DoesNotFit(
            "symbol_not_found",
            f"{place.mention.name} is a word of the language, and no name",
            f"address what it stands for, by {arg('symbol')} or by its line",
        )
    meanings = resolver.meanings(*place) or tuple(resolver.dialect(place.path).quoted(resolver, *place))
    bindings = {each for each in meanings if isinstance(each, Binding)}
    if bindings and len(bindings) == len(set(meanings)):
        as_key = resolver.dialect(place.path).key(resolver, *place) if keys and place.mention.key else ()
        return bindings | {each for each in as_key if isinstance(each, Binding)}
    why = next((each.why for each in meanings if isinstance(each, Unknown)), "it is no name there")
    if any(isinstance(each, Elsewhere) for each in meanings):
        why = "it is defined outside of the repository"
    where = f"{place.path}:{resolver.line(place.path, place.mention.start)}"
    raise DoesNotFit(
        "symbol_ambiguous" if bindings else "symbol_not_found",
        f"nobody can tell what {place.mention.name} in {where} means: {why}",
        f"address what defines it, by {arg('symbol')} or by its line",
    )


def unknown(resolver: Resolver, place: Place) -> str:
    """Why nobody can tell what a place means; nothing where somebody can."""
    meanings = resolver.meanings(*place)
    is_open = bool(meanings) and all(isinstance(each, Unknown) for each in meanings)
    return next((each.why for each in meanings if isinstance(each, Unknown)), "") if is_open else ""
