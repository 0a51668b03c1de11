"""Fan-in: how many places use what changes. They rely on what it did so far."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from gitscalpel.errors import ScalpelError
from gitscalpel.meaning import remaining
from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.risk.about import About, Touched
from gitscalpel.risk.measured import Measured, by_doublings, many
from gitscalpel.snapshot import Overlay

NAME = "fan_in"
_MOST, _MOST_FILES = 8, 150
"""Definitions whose uses are looked for, and files with a word that are looked through for one."""


def scaled(uses: float) -> float:
    """1 from 255 uses on."""
    return by_doublings(uses, 8)


def measure(about: About) -> Measured:
    """The uses of changed definitions outside of these; where names are not followed, files with the word."""
    before = [each for each in about.touched if each.kind != "add"]
    if not before:
        return Measured(0, 0.0, "no definition changes that was there")
    resolver = Resolver(Files(Overlay(about.outcome.overlay.below), about.outcome.read), dialect)
    told = dict(_told(resolver, before[:_MOST]))
    uses = sum(told.values())
    most = max(told, key=lambda name: told[name], default="")
    words = f"{many(uses, 'place')} use{'s' * (uses == 1)} what changes"
    words += f", most of all {most}" if len(told) > 1 and uses else ""
    left = len(before) - _MOST
    return Measured(
        uses, scaled(uses), words + (f"; of {left} more it was not looked for" if left > 0 else "")
    )


def _told(resolver: Resolver, touched: list[Touched]) -> Iterator[tuple[str, int]]:
    for each in touched:
        word = each.symbol.rpartition(".")[2]
        files = [path for path in resolver.files.holding(word) if path != each.path]
        count = len(files)
        if count <= _MOST_FILES:
            with suppress(ScalpelError, RecursionError):  # names are not followed there: files are counted
                count = len(remaining.used(resolver, each.path, each.symbol)[1])
        yield each.symbol, count
