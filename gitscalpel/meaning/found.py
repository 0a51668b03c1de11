"""A place of a name and what it means there: found here, or by another process."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.scoping import Scoping
from gitscalpel.meaning.things import Binding, Meaning
from gitscalpel.syntax.occurrences import Mention, Role


class Near(msgspec.Struct, frozen=True, eq=False):
    """A place that this process has looked at.

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


class Far(msgspec.Struct, frozen=True, eq=False):
    """The same of a place that another process has looked at.

    Who asks for the mention itself has the file read after all.
    """

    resolver: Resolver
    path: str
    name: str
    rules: Scoping
    start: int
    role: Role
    kind: str
    key: bool
    meanings: tuple[Meaning, ...]
    keys: tuple[Meaning, ...]
    brought: tuple[Meaning, ...]
    besides: tuple[tuple[Binding, str], ...]
    requests: bool
    spot: tuple[int, int]

    @property
    def mention(self) -> Mention:
        """The mention there."""
        return self.resolver.mention(self.path, self.name, self.start)


Found: TypeAlias = Near | Far
