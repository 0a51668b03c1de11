"""Under which name a file began, as transactions remember it; ``carried.py`` says what follows from that."""

from __future__ import annotations

from typing import Literal

import msgspec


class Carried(msgspec.Struct, frozen=True):
    """A file that was moved or copied to where it is.

    Attributes:
        origin: its first path.
        by: what has edited its text under a name by which it is in another language: an edit that the
            structure gate judges only where it is strict (``exempt``), or one of text or lines.
    """

    origin: str
    by: Literal["", "exempt", "text"] = ""
