"""What an edit of definitions means for those who use them: how many there are, and which no longer fit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from gitscalpel.edit.lowered import Read
from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning import remaining, told
from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.embedded import ScriptFiles
from gitscalpel.meaning.python import fitting
from gitscalpel.meaning.references import Reference, stands_too_often
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding
from gitscalpel.meaning.untaken import untaken
from gitscalpel.report import Affected
from gitscalpel.snapshot import Overlay
from gitscalpel.syntax.changes import Intent

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


def consequences(overlay: Overlay, read: Read, changes: Iterable[Change]) -> Told:
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
            _, uses = remaining.used(resolver, path, intent.symbol)
        except DoesNotFit:
            continue  # it has no name that could be followed
        if not uses:
            continue
        files = {each.path for each in uses}
        affected.append(Affected(symbol=intent.symbol, references=len(uses), files=len(files)))
        if intent.kind == "signature_change":
            left += _misfits(after, intent, uses)
        else:
            left += _dangling(before, after, intent, uses)
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


def _misfits(resolver: Resolver, intent: Intent, uses: list[Reference]) -> Iterator[str]:
    for each in uses:
        if resolver.lexical(each.path).syntax.language.name != "python":
            continue
        found = [one for one in resolver.meanings(each.path, each.mention) if isinstance(one, Binding)]
        origin = [one for one in found if one.kind in ("module", "class", "function")]
        why = (
            fitting.misfit(resolver, each.path, each.mention.node, _defined(resolver, origin))
            if origin
            else None
        )
        if why:
            line = resolver.line(each.path, each.mention.start)
            yield f"{told.spots(each.path, [line])}: the call of {intent.symbol} does not fit: {why}"


def _defined(resolver: Resolver, found: list[Binding]) -> Binding:
    """The name where it is defined, along the imports that bring it."""
    binding, seen = found[0], {found[0]}
    while True:
        brought = [
            one
            for place in resolver.binders(binding)
            if place.mention.kind == "import"
            for one in resolver.dialect(place.path).brings(resolver, place.path, place.mention)
            if isinstance(one, Binding) and one not in seen
        ]
        if not brought:
            return binding
        binding = brought[0]
        seen.add(binding)
