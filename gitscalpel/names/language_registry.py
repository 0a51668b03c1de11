"""Find the class that resolves the names of a language, by the entry in ``syntax/languages.py``."""

from __future__ import annotations

from functools import cache

from gitscalpel.names.resolver import Language
from gitscalpel.names.scope_rules import is_followed, language_class


def importer_of(language: str) -> str:
    """Return the package in ``refactor`` that rewrites a language's imports; empty if there is none."""
    importer: str = language_class(language).importer if is_followed(language) else ""
    return importer


@cache
def dialect(language: str) -> Language:
    """Return the name resolution of a language, loaded on first use."""
    found: Language = language_class(language)()
    return found
