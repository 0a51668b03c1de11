"""The readers that languages are held to beside their grammars: a module here for each that an entry names.

Grammars are made for highlighting and let much pass. Who will read a file has the last word on it:
Python's compiler, the readers of JSON, TOML and XML in its library.
"""

from __future__ import annotations

from importlib import import_module

from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.readers.said import Refusal, Unread


def read(syntax: Syntax, raw: bytes) -> Refusal | Unread | None:
    """What the language's reader has against a text; None where it has nothing, or there is no reader.

    Args:
        syntax: the text, in which the grammar finds no fault.
        raw: the same as the file holds it.
    """
    if not syntax.language.reader:
        return None
    # Only the one that is needed is loaded: a command line starts for every edit.
    reader = import_module(f"{__name__}.{syntax.language.reader}")
    said: Refusal | Unread | None = reader.read(syntax, raw)
    return said
