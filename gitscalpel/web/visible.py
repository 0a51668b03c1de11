"""Characters that nobody sees, and that make others look otherwise, by their numbers.

A reviewer agrees to what he sees; signs that turn the direction of a line can make that another program
("Trojan Source", CVE-2021-42574). Joiners (U+200C, U+200D) stay: scripts and emoji need them.
"""

from __future__ import annotations

import re
from typing import Any

from gitscalpel.phrases import spelt
from gitscalpel.report import text_of

_UNSEEN = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)


def visible(value: Any) -> Any:
    """A value as it is shown; what says that it is HTML already is ours, and stays."""
    if hasattr(value, "__html__"):
        return value
    if not isinstance(value, str):
        return value
    return _UNSEEN.sub(lambda found: f"<U+{ord(found[0]):04X}>", text_of(spelt(value)))
