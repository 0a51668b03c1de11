"""What an edit of definitions means for those who use them: how many there are, and which no longer fit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from gitscalpel.changesets.answers import Affected
from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.edit.lowered_operation import OpenSource
from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning import remaining, told
from gitscalpel.meaning.call_fit import CallFit
from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.embedded import ScriptFiles
from gitscalpel.meaning.references import Reference, stands_too_often
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.untaken import untaken
from gitscalpel.syntax.addresses import addresses
from gitscalpel.syntax.symbol_changes import Intent

_MOST_FILES = 150
"""With a word that are looked through in an edit that did not ask for it; ``refs`` looks through all."""
_MOST_PLACES = 20_000
"""At which a word stands in these files: each costs about 0.1 ms, and is kept until the answer is given."""


class Change(NamedTuple):
    """What became of a definition of a file."""

    path: str
    intent: Intent


class Told(NamedTuple):
    """What is to be said of it.

    Attributes:
        affected: how many uses there were, or are.
        left: the places that name nothing any more, or call what takes something else, in words.
    """

    affected: tuple[Affected, ...]
    left: tuple[str, ...]


def consequences(overlay: Overlay, read: OpenSource, changes: Iterable[Change]) -> Told:
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
                left += (f"{told.spots(one.path, [one.line])}: {misfit}: {one.why}" for one in misfits)
            else:
                _, uses = remaining.used(resolver, path, intent.symbol)
                left += _dangling(before, after, intent, uses)
        except DoesNotFit:
            continue  # it has no name that could be followed
        if uses:
            files = {each.path for each in uses}
            affected.append(Affected(symbol=intent.symbol, references=len(uses), files=len(files)))
    return Told(tuple(affected), tuple(left))


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
        for name, lines in told.by_name(untaken(before, after, path, intent.symbol)):
            yield f"{told.spots(path, lines)}: {intent.symbol} uses {name}, which it takes no more"


def _dangling(before: Resolver, after: Resolver, intent: Intent, uses: list[Reference]) -> Iterator[str]:
    became = f"is called {intent.to} now" if intent.to else "is gone"
    for path, lines in told.by_name(remaining.dangling(before, after, uses)):
        yield f"{told.spots(path, lines)}: {intent.symbol} is left: it {became}"


def _address(resolver: Resolver, path: str, intent: Intent) -> str:
    """Return the address of a definition as it is left, with a number where others have its name."""
    source = resolver.files.source(path)
    if source is None:
        return intent.symbol
    spelt = addresses(source.outline)
    found = (each for each in source.outline.walk() if each.outer == intent.at)
    return next((spelt[id(each)] for each in found if each.qualname == intent.symbol), intent.symbol)
