"""To which group of imports a statement belongs (PEP 8), and its place in there."""

from __future__ import annotations

import sys
from typing import TypeAlias

from gitscalpel.meaning.python import modules
from gitscalpel.meaning.python.importing.statements import Place, Statement
from gitscalpel.meaning.things import Module

Rank: TypeAlias = tuple[int, tuple[int, str, str]]
FUTURE, STANDARD, OTHERS, OWN, HERE = range(5)
"""``__future__``, the standard library, what is installed, the repository's own, and relative ones."""


def group(place: Place, module: str) -> int:
    """The group of a module, as it is written in a file."""
    if module == "__future__":
        return FUTURE
    if module.startswith("."):
        return HERE
    if module.partition(".")[0] in sys.stdlib_module_names:
        return STANDARD
    return OWN if isinstance(modules.find(place.files, place.path, module, 0), Module) else OTHERS


def rank(place: Place, module: str, *, plain: bool) -> Rank:
    """Where the import of a module belongs: its group; plain imports first, then by name."""
    return group(place, module), (0 if plain else 1, module.lower(), module)


def of(place: Place, statement: Statement) -> Rank:
    """Where a statement belongs."""
    plain = statement.module is None
    module = statement.names[0].name if statement.module is None else statement.module
    return rank(place, module, plain=plain)
