"""Parameters that a definition no longer takes, and that its body still uses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitscalpel.meaning.lexical import Lexical
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.syntax import addresses
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.syntax.symbols import Symbol

_WORD = re.compile(rb"[\w\x80-\xff$]+")


def untaken(before: Resolver, after: Resolver, path: str, address: str) -> Iterator[tuple[str, int]]:
    """The names that a body uses and that only the heading before bound for it, each with its line.

    Nothing is said where to use a name is to have it (PHP).

    Args:
        before: of the tree before the heading changed.
        after: of the tree after it.
        path: of the file.
        address: of the definition, the same in both.

    Raises:
        DoesNotFit: the address means none there, or several.
    """
    was, now = (_defined(each, path, address) for each in (before, after))
    if was is None or now is None:
        return
    old, new = before.lexical(path), after.lexical(path)
    for word in sorted(_bound_by_heading(old, was) - _bound_by_heading(new, now)):
        if any(is_own for _, is_own in _uses(old, was, word)):
            yield from (
                (word, after.line(path, each.start)) for each, own in _uses(new, now, word) if not own
            )


def _defined(resolver: Resolver, path: str, address: str) -> Symbol | None:
    source = resolver.files.source(path)
    return None if source is None else addresses.resolve(source.outline, address)


def _bound_by_heading(lexical: Lexical, symbol: Symbol) -> set[str]:
    start, end = symbol.start, _body(symbol)[0]
    words = {word.decode("utf-8", "replace") for word in _WORD.findall(lexical.text[start:end])}
    return {
        word
        for word in words
        if any(start <= each.start < end for those in lexical.bound(word).values() for each in those)
    }


def _uses(lexical: Lexical, symbol: Symbol, word: str) -> Iterator[tuple[Mention, bool]]:
    """Where the body uses a word, and whether the definition itself binds it."""
    start, end = _body(symbol)
    for mention in lexical.of(word):
        if mention.role == "use" and start <= mention.start < end:
            scope = lexical.scope_of(mention)
            yield mention, scope is not None and scope.span[0] >= symbol.start


def _body(symbol: Symbol) -> tuple[int, int]:
    return symbol.body or (symbol.header_end, symbol.end)
