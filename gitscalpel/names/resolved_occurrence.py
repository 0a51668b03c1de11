"""Occurrence of a name, and its meanings there."""

from __future__ import annotations

import msgspec

from gitscalpel.names.entities import Binding, Meaning
from gitscalpel.names.resolver import Resolver
from gitscalpel.names.scope_rules import Scoping
from gitscalpel.syntax.occurrences import Mention, Role


class ResolvedOccurrence(msgspec.Struct, frozen=True, eq=False):
    """Occurrence of a name with its meanings.

    Attributes:
        resolver: who knows what it means.
        path: of the file.
        mention: there.
        meanings: what it means.
        keys: what it means as a key.
    """

    resolver: Resolver
    path: str
    mention: Mention
    meanings: tuple[Meaning, ...] = ()
    keys: tuple[Meaning, ...] = ()

    @property
    def start(self) -> int:
        """Its first byte."""
        return self.mention.start

    @property
    def role(self) -> Role:
        """What stands there."""
        return self.mention.role

    @property
    def kind(self) -> str:
        """Of what is bound."""
        return self.mention.kind

    @property
    def key(self) -> bool:
        """Whether it is a key as well."""
        return self.mention.key

    @property
    def rules(self) -> Scoping:
        """Of its language."""
        return self.resolver.rules(self.path)

    @property
    def brought(self) -> tuple[Meaning, ...]:
        """What an import brings there under this name."""
        if self.mention.kind != "import":
            return ()
        return tuple(self.resolver.dialect(self.path).brings(self.resolver, self.path, self.mention))

    @property
    def requests(self) -> bool:
        """Whether it is a use of what has the name elsewhere, though it binds it."""
        return self.mention.kind == "parameter" and self.resolver.dialect(self.path).requests(
            self.resolver, self.path, self.mention
        )

    @property
    def besides(self) -> tuple[tuple[Binding, str], ...]:
        """What it is in other builds, and in which."""
        return tuple(self.resolver.dialect(self.path).besides(self.resolver, self.path, self.mention))

    @property
    def spot(self) -> tuple[int, int]:
        """Its line, and its column in bytes."""
        return self.resolver.spot(self.path, self.mention.start)
