"""What a grammar is not shown: text that stands where it expects none, such as the macros of C.

It is replaced by blanks of the same length, so that every position stays. A
pattern's named groups say what to hide: those named ``attribute…`` belong to what
follows, like decorators, those named ``more…`` to what stands before them; all
others belong to nothing, or lie within. What ``as_3d…`` names is shown as the byte 3D.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from gitscalpel.syntax.symbols import Span

_SEEN = re.compile(rb"[^\r\n]")


class Masked(NamedTuple):
    """A text as the grammar sees it, and what is hidden in it that belongs to something."""

    shown: bytes
    attributes: tuple[Span, ...]
    more: tuple[Span, ...]


def masked(text: bytes, patterns: tuple[bytes, ...]) -> Masked:
    """Hide what the groups of ``patterns`` match, one pattern after the other."""
    kept: dict[str, list[Span]] = {"attribute": [], "more": []}
    for pattern in patterns:
        pieces, at = [], 0
        for found in _compiled(pattern).finditer(text):
            for name, group in found.groupdict().items():
                if group is None:
                    continue
                start, end = found.span(name)
                pieces += [text[at:start], _SEEN.sub(_instead(name), group)]
                at = end
                for sort, spans in kept.items():
                    if name.startswith(sort):
                        spans.append(Span(start, start + len(group.rstrip())))
        text = b"".join([*pieces, text[at:]]) if pieces else text
    return Masked(text, tuple(sorted(kept["attribute"])), tuple(sorted(kept["more"])))


def _instead(name: str) -> bytes:
    """What stands for each byte that is not shown."""
    return bytes.fromhex(name[3:5]) if name.startswith("as_") else b" "


@cache
def _compiled(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(pattern, re.MULTILINE | re.VERBOSE)
