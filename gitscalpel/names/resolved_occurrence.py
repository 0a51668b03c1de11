"""Occurrence of a name with its meanings."""

from __future__ import annotations

import msgspec

from gitscalpel.names.entities import Binding, Meaning
from gitscalpel.names.resolver import Resolver
from gitscalpel.names.scope_rules import Scoping
from gitscalpel.syntax.occurrences import Mention, Role


class ResolvedOccurrence(msgspec.Struct, frozen=True, eq=False):
    """Occurrence of a name with its meanings.

    Attributes:
        resolver: resolver that found the meanings.
        path: path of the file.
        mention: the occurrence in its file.
        meanings: meanings of the name.
        keys: meanings of the name as a key.
    """

    resolver: Resolver
    path: str
    mention: Mention
    meanings: tuple[Meaning, ...] = ()
    keys: tuple[Meaning, ...] = ()

    @property
    def start(self) -> int:
        """Return the offset of the first byte."""
        return self.mention.start

    @property
    def role(self) -> Role:
        """Return the syntactic role of the occurrence."""
        return self.mention.role

    @property
    def kind(self) -> str:
        """Return the kind of the binding or use."""
        return self.mention.kind

    @property
    def key(self) -> bool:
        """Return True if the occurrence is also a key."""
        return self.mention.key

    @property
    def rules(self) -> Scoping:
        """Return the scope rules of the language."""
        return self.resolver.rules(self.path)

    @property
    def imported_meanings(self) -> tuple[Meaning, ...]:
        """Return the meanings that an import brings under this name."""
        if self.mention.kind != "import":
            return ()
        return tuple(self.resolver.dialect(self.path).resolve_origin(self.resolver, self.path, self.mention))

    @property
    def is_request(self) -> bool:
        """Return True if a binding is also a use that requests the value of this name."""
        return self.mention.kind == "parameter" and self.resolver.dialect(self.path).is_request(
            self.resolver, self.path, self.mention
        )

    @property
    def other_builds(self) -> tuple[tuple[Binding, str], ...]:
        """Return the meanings in other builds, each with the build."""
        return tuple(
            self.resolver.dialect(self.path).find_other_builds(self.resolver, self.path, self.mention)
        )

    @property
    def spot(self) -> tuple[int, int]:
        """Return the line, and the column in bytes."""
        return self.resolver.spot(self.path, self.mention.start)
