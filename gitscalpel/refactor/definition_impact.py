"""Effects of a changed definition on the rest of the tree: its uses, and those that no longer fit.

Parameters that the header no longer takes, but that the body still uses, are reported as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from gitscalpel.changesets.answers import Affected
from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.edit.lowered_operation import OpenSource
from gitscalpel.errors import DoesNotFit
from gitscalpel.names import unresolved_notes
from gitscalpel.names.files import ScriptFiles
from gitscalpel.names.language_registry import dialect
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.references import Reference, stands_too_often
from gitscalpel.names.resolver import Resolver
from gitscalpel.refactor import definition_uses
from gitscalpel.refactor.call_fit import CallFit
from gitscalpel.syntax import addresses
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.syntax.symbol_changes import Intent
from gitscalpel.syntax.symbols import Symbol

_WORD = re.compile(rb"[\w\x80-\xff$]+")


def removed_parameters(
    before: Resolver, after: Resolver, path: str, address: str
) -> Iterator[tuple[str, int]]:
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


_MOST_FILES = 150
"""With a word that are looked through in an edit that did not ask for it; ``refs`` looks through all."""
_MOST_PLACES = 20_000
"""At which a word stands in these files: each costs about 0.1 ms, and is kept until the answer is given."""


class DefinitionChange(NamedTuple):
    """What became of a definition of a file."""

    path: str
    intent: Intent


class Impact(NamedTuple):
    """What is to be said of it.

    Attributes:
        affected: how many uses there were, or are.
        left: the places that name nothing any more, or call what takes something else, in words.
    """

    affected: tuple[Affected, ...]
    left: tuple[str, ...]


def find_impact(overlay: Overlay, read: OpenSource, changes: Iterable[DefinitionChange]) -> Impact:
    """What changes of definitions mean for the other places of the tree; ``overlay``: after all of them."""
    before = Resolver(ScriptFiles(Overlay(overlay.below), read), dialect)
    after = Resolver(ScriptFiles(overlay, read), dialect)
    affected: list[Affected] = []
    left: list[str] = []
    for path, intent in changes:
        if intent.kind == "signature_change":
            left += _untaken(before, after, path, intent)
        resolver = after if intent.kind == "signature_change" else before
        too_many = _excess(resolver, _word(intent.symbol))
        if too_many:
            left.append(f"skipped: uses of {intent.symbol} were not looked for: the word stands {too_many}")
            continue
        try:
            if intent.kind == "signature_change":
                misfits, uses = CallFit(before, after, path, _address(after, path, intent)).misfits()
                misfit = f"the call of {intent.symbol} does not fit"
                left += (
                    f"{unresolved_notes.format_lines(one.path, [one.line])}: {misfit}: {one.why}"
                    for one in misfits
                )
            else:
                _, uses = definition_uses.find_uses(resolver, path, intent.symbol)
                left += _dangling(before, after, intent, uses)
        except DoesNotFit:
            continue  # it has no name that could be followed
        if uses:
            files = {each.path for each in uses}
            affected.append(Affected(symbol=intent.symbol, references=len(uses), files=len(files)))
    return Impact(tuple(affected), tuple(left))


def _excess(resolver: Resolver, word: str) -> str:
    """Return how often a word stands in the tree, if that is too often to follow it unasked; else ``""``.

    The count includes longer words that contain the word: it is taken before any file is parsed.
    """
    paths = [*resolver.files.holding(word)]
    if len(paths) > _MOST_FILES:
        return f"in {len(paths)} files"
    often = stands_too_often(resolver.files, word, _MOST_PLACES)
    return f"at more than {_MOST_PLACES} places" if often else ""


def _word(symbol: str) -> str:
    """The last name of an address, without a number."""
    return re.sub(r"\[\d+\]$", "", symbol).rpartition(".")[2]


def _untaken(before: Resolver, after: Resolver, path: str, intent: Intent) -> Iterator[str]:
    with suppress(DoesNotFit):  # several are called so
        for name, lines in unresolved_notes.lines_by_name(
            removed_parameters(before, after, path, intent.symbol)
        ):
            yield (
                f"{unresolved_notes.format_lines(path, lines)}: "
                f"{intent.symbol} uses {name}, which it takes no more"
            )


def _dangling(before: Resolver, after: Resolver, intent: Intent, uses: list[Reference]) -> Iterator[str]:
    became = f"is called {intent.to} now" if intent.to else "is gone"
    for path, lines in unresolved_notes.lines_by_name(definition_uses.find_dangling(before, after, uses)):
        yield f"{unresolved_notes.format_lines(path, lines)}: {intent.symbol} is left: it {became}"


def _address(resolver: Resolver, path: str, intent: Intent) -> str:
    """Return the address of a definition as it is left, with a number where others have its name."""
    source = resolver.files.source(path)
    if source is None:
        return intent.symbol
    spelt = addresses.addresses(source.outline)
    found = (each for each in source.outline.walk() if each.outer == intent.at)
    return next((spelt[id(each)] for each in found if each.qualname == intent.symbol), intent.symbol)
