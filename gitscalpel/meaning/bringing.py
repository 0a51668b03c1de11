"""What brings a name to where it is used, beside imports (``using n::f``): without it, the name means less.

Who is refused another name because of it has to know that, since it may stand far from both.
"""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.changesets.answers import quoted
from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.resolve import Place, Resolver

_MOST = 20
"""Of which it is tried what a name means without them."""


def told(resolver: Resolver, place: Place) -> Iterator[str]:
    """Where that stands which brings a name to a place, and what it says."""
    path, mention = place
    meant = set(resolver.meanings(path, mention))
    found = [*resolver.dialect(path).bringing(resolver, path, mention.name)]
    for other, node in found[:_MOST]:
        is_itself = other == path and node.start_byte <= mention.start < node.end_byte
        if is_itself or _without(resolver, place, other, node) != meant:
            said = (node.text or b"").decode("utf-8", "replace").strip().rstrip(";")
            yield f"{quoted(other)}:{resolver.line(other, node.start_byte)} ({' '.join(said.split())})"


def _without(resolver: Resolver, place: Place, other: str, node: tree_sitter.Node) -> set[object]:
    """What a place means where a declaration is not; all else stands where it stood."""
    path, mention = place
    text = resolver.lexical(other).text
    blank = b" " * (node.end_byte - node.start_byte)
    files = resolver.files.with_text(other, text[: node.start_byte] + blank + text[node.end_byte :])
    after = Resolver(files, dialect)
    return set(after.meanings(path, after.mention(path, mention.name, mention.start)))
