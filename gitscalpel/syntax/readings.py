r"""One text as its grammar sees its lines and blanks, and as its language's own readers do.

Where a line ends, a comment ends, and what stands behind that is code. Languages differ in what ends a line
beside ``\n``, or parts words, and not every grammar knows what its language says of it. Editing works on the
text as the grammar sees it. What judges looks at both: neither may hide anything.
"""

from __future__ import annotations

import re
from functools import cache, partial

from gitscalpel.syntax.language import Language
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.states import States


def readings(language: Language, text: bytes, states: States) -> tuple[Syntax, Syntax]:
    """The text as it is, and as the language's readers see it, mostly the same; with the same positions."""
    return states.parsed(language, text), states.parsed(language, as_read(language, text))


def as_read(language: Language, text: bytes) -> bytes:
    """The text with plain signs for what the language takes for these; every byte stays in its place."""
    for pattern, instead in language.read_as:
        text = _compiled(pattern).sub(partial(_instead, instead), text)
    return text


def _instead(to: bytes, found: re.Match[bytes]) -> bytes:
    """``to``, or the sign whose number is group 1, in hexadecimal; where that has met nothing, all stays."""
    if found.re.groups:
        if found[1] is None:
            return found[0]
        to = bytes.fromhex(found[1].decode("ascii"))
    return to.replace(b"\r", b"\n") + b" " * (len(found[0]) - len(to))


@cache
def _compiled(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(pattern)
