"""What a grammar is not shown: text that stands where it expects none, such as the macros of C.

It is replaced by blanks of the same length, so that every position stays. A
pattern's groups say what to hide: those named ``attribute…`` belong to what
follows, like decorators; all others belong to nothing, or lie within.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from gitscalpel.syntax.symbols import Span

_SEEN = re.compile(rb"[^\r\n]")


class Masked(NamedTuple):
    """A text as the grammar sees it, and the hidden attributes in it."""

    shown: bytes
    attributes: tuple[Span, ...]


def masked(text: bytes, patterns: tuple[bytes, ...]) -> Masked:
    """Hide what the groups of ``patterns`` match, one pattern after the other."""
    attributes: list[Span] = []
    for pattern in patterns:
        pieces, at = [], 0
        for found in _compiled(pattern).finditer(text):
            for name, group in found.groupdict().items():
                if group is None:
                    continue
                start, end = found.span(name)
                pieces += [text[at:start], _SEEN.sub(b" ", group)]
                at = end
                if name.startswith("attribute"):
                    attributes.append(Span(start, start + len(group.rstrip())))
        text = b"".join([*pieces, text[at:]]) if pieces else text
    return Masked(text, tuple(sorted(attributes)))


@cache
def _compiled(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(pattern, re.MULTILINE | re.VERBOSE)
