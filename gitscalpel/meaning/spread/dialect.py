"""What those languages answer alike to what ``resolve.py`` asks of names that others may declare as well."""

from __future__ import annotations

from collections.abc import Iterable

from gitscalpel.meaning.plain import Plain
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Meaning, Unknown
from gitscalpel.syntax.occurrences import Mention


class Spread(Plain):
    """See :class:`gitscalpel.meaning.resolve.Linking`; nothing but the name tells names apart."""

    def settled(
        self, resolver: Resolver, path: str, mention: Mention, found: tuple[Meaning, ...]
    ) -> Iterable[Meaning]:
        """As they were found."""
        del resolver, path, mention
        return dict.fromkeys(found)

    def akin(self, resolver: Resolver, binding: Binding) -> Iterable[Binding]:
        """Nothing joins declarations but what is known here."""
        del resolver, binding
        return ()

    def keyword(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """The parameter of what is called."""
        found = list(dict.fromkeys(self.parameters(resolver, path, mention)))
        return found or (Unknown("nobody can tell what is called"),)

    def parameters(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """The parameters of that name of all that may be called."""
        raise NotImplementedError

    def overridden(self, resolver: Resolver, binding: Binding, member: Binding) -> bool:
        """Whether a member takes the place of one that a base has under its name."""
        rules = resolver.lexical(binding.path).rules
        mine, its = ({p.mention.kind for p in resolver.binders(each)} for each in (binding, member))
        return any(rules.meet(one, other) for one in mine - rules.hiding for other in its - rules.hiding)
