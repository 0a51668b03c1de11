"""What grammars let pass that the languages do not, with nothing odd in it: known, counted, not mended."""

from __future__ import annotations

import re

KNOWN: dict[str, tuple[tuple[bytes, str], ...]] = {
    "node": ((rb"/\?\?/", "what a regular expression holds"),),
    "Lua": ((rb"function \S*[\x80-\xff]", "a name with letters beyond ASCII, which LuaJIT takes"),),
    "gcc": ((rb"#if 0\n[^#]*[\x80-\xff]", "what no compiler reads but to find its end"),),
    "javac": (
        (rb"\n\s*\{ \}\n", "a block outside of everything, as in jshell"),
        (rb"\\u+(?![0-9a-fA-F]{4})", "a sign by a number that is none"),
    ),
    "rustc": (
        (rb"-> \?i32", "a bound that was taken out of the language"),
        (rb"\"[^\"\n]*\\(?![nrt0x\\u'\"\n])", "an escape in a string that there is not"),
    ),
}


def why(reader: str, program: bytes) -> str:
    """Why a program may pass that a reader refuses; nothing, where that is not known."""
    return next((words for pattern, words in KNOWN.get(reader, ()) if re.search(pattern, program)), "")
