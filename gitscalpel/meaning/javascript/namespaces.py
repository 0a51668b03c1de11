"""Namespaces that are opened more than once: what one part exports, the others see by its bare name."""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.meaning.javascript import exports, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Meaning, Module
from gitscalpel.syntax.mentions import Mention


def reopened(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    """What the other parts of the namespaces around a name have under it."""
    for scope in mention.scopes:
        name = scope.node.child_by_field_name("name") if scope.kind == "namespace" else None
        if name is None or name.type != "identifier":
            continue
        for meaning in resolver.meanings(path, words.mention(resolver, path, name)):
            for value in resolver.worth(meaning):
                if isinstance(value, Module):
                    yield from exports.member(resolver, value, mention.name)
