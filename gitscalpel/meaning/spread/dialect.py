"""What those languages answer alike to what ``resolve.py`` asks."""

from __future__ import annotations

from collections.abc import Iterable

import tree_sitter

from gitscalpel.meaning.plain import Plain
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Class, Meaning, Value
from gitscalpel.syntax.mentions import Mention, Scope
from gitscalpel.text.splice import Splice


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

    def overridden(self, resolver: Resolver, binding: Binding, member: Binding) -> bool:
        """Whether a member takes the place of one that a base has under its name."""
        rules = resolver.lexical(binding.path).rules
        mine, its = ({p.mention.kind for p in resolver.binders(each)} for each in (binding, member))
        return any(rules.meet(one, other) for one in mine - rules.hiding for other in its - rules.hiding)

    def opened(self, resolver: Resolver, path: str, scope: Scope, mention: Mention) -> Iterable[Meaning]:
        """Names are looked up at once."""
        del resolver, path, scope, mention
        return ()

    def extended(self, resolver: Resolver, path: str, mention: Mention, value: Value) -> Iterable[Meaning]:
        """Nothing is added to a class elsewhere."""
        del resolver, path, mention, value
        return ()

    def imported(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """Nothing is imported from files."""
        del resolver, path, mention
        return ()

    def is_set(self, mention: Mention) -> bool:
        """Members are defined in their classes."""
        del mention
        return False

    def definers(self, resolver: Resolver, binding: Binding) -> Iterable[str]:
        """Members are defined in their classes."""
        del resolver, binding
        return ()

    def brings(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """What names something anew brings nothing."""
        del resolver, path, mention
        return ()

    def respelled(self, resolver: Resolver, path: str, mention: Mention, form: str, new: str) -> Splice:
        """There is no form but the name."""
        del resolver, path, form
        return mention.renamed(new)

    def twins(self, resolver: Resolver, binding: Binding) -> Iterable[Binding]:
        """Nothing is declared twice."""
        del resolver, binding
        return ()

    def key(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """There is no such thing."""
        del resolver, path, mention
        return ()

    def quoted(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """Strings name nothing for certain."""
        del resolver, path, mention
        return ()

    def keyword(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """There is no such thing."""
        del resolver, path, mention
        return ()

    def bases(self, resolver: Resolver, of: Class) -> Iterable[Value]:
        """Nothing is inherited."""
        del resolver, of
        return ()

    def receiver(self, mention: Mention) -> tree_sitter.Node | None:
        """Nobody can tell."""
        del mention
        return None
