"""Registry of the languages whose names are resolved: one line and one folder for each."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache

from gitscalpel.names.resolver import Dialect

_DIALECTS: Mapping[str, str] = {
    "python": "python.Python",
    "javascript": "javascript.JavaScript",
    "typescript": "javascript.TypeScript",
    "tsx": "javascript.TypeScript",
    "c": "c.C",
    "cpp": "c.C",
    "go": "go.Go",
    "java": "java.Java",
    "rust": "rust.Rust",
    "csharp": "csharp.CSharp",
    "kotlin": "kotlin.Kotlin",
    "php": "php.PHP",
    "ruby": "ruby.Ruby",
}
"""By the name of a language, the folder in which it has a ``language.py``, and the class there."""


_IMPORTING: Mapping[str, str] = {
    "python": "python",
    **dict.fromkeys(("javascript", "typescript", "tsx"), "javascript"),
}
"""By the name of a language, the folder that knows its imports."""


def importing(language: str) -> str | None:
    """The folder that knows the imports of a language; None: they are not read."""
    return _IMPORTING.get(language)


def is_followed(language: str) -> bool:
    """Whether names are followed in a language."""
    return language in _DIALECTS


@cache
def dialect(language: str) -> Dialect:
    """What is known of a language's names; loaded for who asks."""
    folder, _, name = _DIALECTS[language].partition(".")
    module = importlib.import_module(f"gitscalpel.names.languages.{folder}.language")
    found: Dialect = getattr(module, name)()
    return found
