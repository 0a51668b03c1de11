"""What a grammar is not shown: text that stands where it expects none, such as the macros of C.

It is replaced by blanks of the same length, so that every position stays. A
pattern's named groups say what to hide: those named ``attribute…`` belong to what
follows, like decorators, those named ``modifier…`` begin its header, those named
``more…`` belong to what stands before them, and so do
those named ``body…``, where its header ends; those named ``string…`` are the insides of
strings; all others belong to nothing, or lie within. What ``as_3d…`` names is shown as
the byte 3D, whatever it is called behind that, and for other groups the language may say
with which word they begin to be shown.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

import msgspec

from gitscalpel.syntax.symbols import Span

_LETTERED = "gitscalpel.lettered"
_SEEN = re.compile(rb"[^\r\n]")


class Masked(msgspec.Struct, frozen=True):
    """A text as the grammar sees it, and what is hidden in it that belongs to something.

    Attributes:
        text: as it is.
        shown: as long as the text.
        attributes: what belongs to what follows.
        modifiers: what begins it.
        more: what belongs to what stands before it, bodies among it.
        bodies: where the bodies begin.
        strings: the insides of strings.
    """

    text: bytes
    shown: bytes
    attributes: tuple[Span, ...]
    modifiers: tuple[Span, ...]
    more: tuple[Span, ...]
    bodies: frozenset[int]
    strings: tuple[Span, ...]

    def behind(self, end: int) -> Iterator[Span]:
        """The hidden parts that go on with what ends at ``end``, one behind the other."""
        at = bisect_left(self.more, (end,))
        while at < len(self.more) and not self.text[end : self.more[at].start].strip():
            yield self.more[at]
            end, at = self.more[at].end, at + 1


def masked(text: bytes, patterns: tuple[bytes, ...], words: Mapping[str, bytes]) -> Masked:
    """Hide what the groups of ``patterns`` match, one pattern after the other.

    Args:
        text: the whole of it.
        patterns: see above.
        words: what a group is shown as, by its name; blanks follow.
    """
    whole = text
    kept: dict[str, list[Span]] = {"attribute": [], "modifier": [], "more": [], "body": [], "string": []}
    for pattern in patterns:
        pieces, at = [], 0
        for found in _compiled(pattern).finditer(text):
            for name, group in found.groupdict().items():
                if group is None:
                    continue
                start, end = found.span(name)
                word = words.get(name, b"")[: len(group)]
                pieces += [text[at:start], word, _SEEN.sub(_instead(name), group[len(word) :])]
                at = end
                own = Span(end - len(group.lstrip()), start + len(group.rstrip()))
                sort = _sort(name, kept)
                if sort is not None and own.start < own.end:
                    kept[sort].append(Span(start, end) if sort == "string" else own)
        text = b"".join([*pieces, text[at:]]) if pieces else text
    bodies = frozenset(span.start for span in kept["body"])
    more = tuple(sorted([*kept["more"], *kept["body"]]))
    above = (tuple(sorted(kept["attribute"])), tuple(sorted(kept["modifier"])))
    return Masked(whole, _decodable(text), *above, more, bodies, tuple(sorted(kept["string"])))


def _decodable(text: bytes) -> bytes:
    """With a letter for each byte that is no UTF-8: conditions of queries are about characters."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("utf-8", _LETTERED).encode("utf-8")
    return text


def _lettered(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)  # noqa: S101 - it is only used to decode
    return "_" * (error.end - error.start), error.end


def _sort(name: str, sorts: Iterable[str]) -> str | None:
    """To which of the sorts what a group matches belongs, if to any."""
    said = name[6:] if name.startswith("as_") else name
    return next((sort for sort in sorts if said.startswith(sort)), None)


codecs.register_error(_LETTERED, _lettered)


def _instead(name: str) -> bytes:
    """What stands for each byte that is not shown."""
    return bytes.fromhex(name[3:5]) if name.startswith("as_") else b" "


@cache
def _compiled(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(pattern, re.MULTILINE | re.VERBOSE)
