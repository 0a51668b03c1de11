"""What a reader can say of a text that it does not take."""

from __future__ import annotations

from typing import NamedTuple

LARGE = 2_000_000
"""Bytes from which on readers that take a second for each million are not asked."""


class Refusal(NamedTuple):
    """It cannot be read: the place, from 1, and why."""

    line: int
    column: int
    message: str


class Unread(NamedTuple):
    """This reader cannot tell, and why."""

    why: str
