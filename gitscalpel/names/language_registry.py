"""Find what resolves the names of a language, by the entry of the language in ``syntax/languages.py``."""

from __future__ import annotations

from functools import cache

from gitscalpel.names.resolver import Language
from gitscalpel.names.scope_rules import is_followed, language_class


def importing(language: str) -> str:
    """Return the package in ``refactor`` that rewrites a language's imports; empty if none does."""
    importer: str = language_class(language).importer if is_followed(language) else ""
    return importer


@cache
def dialect(language: str) -> Language:
    """Return what resolves a language's names, loaded for the first caller."""
    found: Language = language_class(language)()
    return found
