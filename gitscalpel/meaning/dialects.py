"""Which language answers for which files: one line here and one folder for each whose names are followed."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache

from gitscalpel.meaning.resolve import Dialect

_DIALECTS: Mapping[str, str] = {"python": "Python"}
"""By the name of a language, the class in ``<language>/dialect.py``."""


@cache
def dialect(language: str) -> Dialect:
    """What is known of a language's names; loaded for who asks."""
    module = importlib.import_module(f"gitscalpel.meaning.{language}.dialect")
    found: Dialect = getattr(module, _DIALECTS[language])()
    return found
