"""One thing that was examined, and how it is."""

from __future__ import annotations

import msgspec


class Check(msgspec.Struct, frozen=True):
    """One thing that was looked at.

    Attributes:
        name: what it is.
        says: how it is.
        code: the error that it will lead to; None: it is well.
        hint: what to do, or what would be better.
    """

    name: str
    says: str
    code: str | None = None
    hint: str = ""
