"""What grammars let pass that the languages do not, with nothing odd in it: known, counted, not mended."""

from __future__ import annotations

import re

KNOWN: dict[str, tuple[tuple[bytes, str], ...]] = {
    "rustc": ((rb"\"c\\(?![nrt0x\\u'\"\n])", "an escape in a string that there is not"),),
}


def why(reader: str, program: bytes) -> str:
    """Why a program may pass that a reader refuses; nothing, where that is not known."""
    return next((words for pattern, words in KNOWN.get(reader, ()) if re.search(pattern, program)), "")
