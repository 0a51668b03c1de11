"""What a reader can say of a text that it does not take."""

from __future__ import annotations

import msgspec

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
