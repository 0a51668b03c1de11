"""The language's own reader, for texts that its grammar lets pass.

Grammars are made for highlighting and let much pass. The reader of the language has the last word: Python's
compiler, and the standard library's readers of JSON, TOML and XML.
"""

from __future__ import annotations

from importlib import import_module

import msgspec

from gitscalpel.syntax.parse import Syntax

LARGE = 2_000_000
"""Bytes from which on readers that take a second for each million are not asked."""


class Refusal(msgspec.Struct, frozen=True):
    """It cannot be read: the place, from 1, and why."""

    line: int
    column: int
    message: str


class Unread(msgspec.Struct, frozen=True):
    """This reader cannot tell, and why."""

    why: str


def validate(syntax: Syntax, raw: bytes) -> Refusal | Unread | None:
    """What the language's reader has against a text; None where it has nothing, or there is no reader.

    Args:
        syntax: the text, in which the grammar finds no fault.
        raw: the same as the file holds it.
    """
    if not syntax.language.reader:
        return None
    name = syntax.language.reader
    module = import_module(f"{__name__}.{'python' if name == 'python' else 'data_formats'}")
    found: Refusal | Unread | None = getattr(module, f"read_{name}")(syntax, raw)
    return found
