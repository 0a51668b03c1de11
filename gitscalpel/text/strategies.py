"""What is forgiven in a text that was sent, where it does not stand in a file as it is.

One ordered list for every way in. Each strategy is tried only if those before it found nothing; each
forgives something that language models are known to get wrong, and none goes by similarity.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import msgspec

_BLANKS = b" \t"
_RUN = re.compile(rb"[ \t]+")
_ESCAPE = re.compile(rb"""\\([ntr"'\\])""")
_DECODED = {b"n": b"\n", b"t": b"\t", b"r": b"\r"}
_NUMBERED = re.compile(rb"[ \t]*([0-9]{1,9})(?::[0-9a-fA-F]{4,16})?(?:[ \t]*\|(?: |\Z)|\t|\xe2\x86\x92)")
_BLANK_END = re.compile(rb"[^ \t\n][ \t]*\n((?:[ \t]*\n)+)\Z")
_BLANK_LINE = re.compile(rb"(?<=\n)[ \t]*\n\Z")
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_SPACES = "\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_TYPES = str.maketrans({
    **dict.fromkeys(_DASHES, "-"),
    **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
    **dict.fromkeys(_SPACES, " "),
})  # fmt: skip


class Strategy(msgspec.Struct, frozen=True):
    """One way to read what was sent.

    Attributes:
        name: as an answer's ``matched`` has it.
        forgives: in words, what differs from the file.
        key: what counts of a line; lines are compared one to one, and the file's own are kept.
        rewrite: old and new text as they were meant, which must then stand in the file exactly.
        number: the line at which the old text says that it stands.
        ends: the old text must end where the file does.
        search: finds the places in a text where parts of lines count too; ``key`` compares whole lines.
        fit: the new text as the file would write it, by the file's own text at the place.
    """

    name: str
    forgives: str
    key: Callable[[bytes], bytes] | None = None
    rewrite: Callable[[bytes, bytes], tuple[bytes, bytes]] | None = None
    number: Callable[[bytes], int | None] | None = None
    ends: bool = False
    search: Callable[[bytes, bytes], Sequence[tuple[int, int]]] | None = None
    fit: Callable[[bytes, bytes], bytes] | None = None


def line_trimmed(line: bytes) -> bytes:
    """White space at both ends does not count."""
    return line.strip(_BLANKS)


def whitespace_normalised(line: bytes) -> bytes:
    """Nor does the length of a run of white space inside."""
    return _RUN.sub(b" ", line.strip(_BLANKS))


def typographic(line: bytes) -> bytes:
    """Dashes, quotes and blanks count as the ASCII characters that they are typed as."""
    if line.isascii():
        return line.strip(_BLANKS)
    text = line.decode("utf-8", "surrogateescape").translate(_TYPES)
    return text.encode("utf-8", "surrogateescape").strip(_BLANKS)


def normalised(line: bytes) -> bytes:
    """Return a line in Unicode's composed normal form."""
    return _in_form("NFC", line)


def find_normalised(text: bytes, old: bytes) -> list[tuple[int, int]]:
    """Return the places of ``text`` that equal ``old`` in Unicode's normal form, whole characters only."""
    if text.isascii() or old.isascii():
        return []
    wanted, parts, starts, ends, at, length = normalised(old), [], {}, {}, 0, 0
    for part in _characters(text.decode("utf-8", "surrogateescape")):
        raw = part.encode("utf-8", "surrogateescape")
        starts[length] = at
        parts.append(normalised(raw))
        at, length = at + len(raw), length + len(parts[-1])
        ends[length] = at
    composed, found = b"".join(parts), []
    place = composed.find(wanted)
    while place >= 0:
        if place in starts and place + len(wanted) in ends:
            found.append((starts[place], ends[place + len(wanted)]))
        place = composed.find(wanted, place + 1)
    return found


def in_form_of(own: bytes, new: bytes) -> bytes:
    """Return ``new`` in the Unicode normal form of ``own``, the file's text; as it is if that has none."""
    if own == _in_form("NFC", own):
        return _in_form("NFC", new)
    return _in_form("NFD", new) if own == _in_form("NFD", own) else new


def _characters(text: str) -> Iterator[str]:
    """Yield each character with those behind it that compose with it."""
    import unicodedata

    part = ""
    for char in text:
        joins = (
            not char.isascii()
            and part
            and (
                unicodedata.combining(char)
                or unicodedata.normalize("NFC", part + char) != unicodedata.normalize("NFC", part) + char
            )
        )
        if part and not joins:
            yield part
            part = ""
        part += char
    if part:
        yield part


def _in_form(form: Literal["NFC", "NFD"], text: bytes) -> bytes:
    if text.isascii():
        return text
    import unicodedata

    decoded = text.decode("utf-8", "surrogateescape")
    return unicodedata.normalize(form, decoded).encode("utf-8", "surrogateescape")


def unnumbered(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """Both without line-number prefixes, if every line of ``old`` has one and they are consecutive."""
    bare = _unnumbered(old)
    if bare is None:
        return old, new
    return bare, _unnumbered(new) or new


def first_number(old: bytes) -> int | None:
    """The number that its first line is prefixed with."""
    prefix = _NUMBERED.match(old)
    return int(prefix[1]) if prefix else None


def _unnumbered(text: bytes) -> bytes | None:
    ended = text.endswith(b"\n")
    lines = text.removesuffix(b"\n").split(b"\n")
    found = [_NUMBERED.match(line) for line in lines]
    numbers = [int(prefix[1]) for prefix in found if prefix]
    if len(numbers) != len(lines) or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return None
    bare = [line[prefix.end() :] for line, prefix in zip(lines, found, strict=True) if prefix]
    return b"\n".join(bare) + (b"\n" if ended else b"")


def unended(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """Both without the blank lines that ``old`` ends with, as far as ``new`` has them too."""
    blank = _BLANK_END.search(old)
    if blank is None:
        return old, new
    bare = new
    for _ in range(blank[1].count(b"\n")):
        bare = _BLANK_LINE.sub(b"", bare)
    return old[: blank.start(1)], bare


def decode(text: bytes) -> bytes:
    r"""``text`` with one level of ``\n``, ``\t``, ``\r``, ``\"``, ``\'`` and ``\\`` decoded."""
    decoded = _ESCAPE.sub(lambda found: _DECODED.get(found[1], found[1]), text)
    return decoded.replace(b"\r\n", b"\n")


# "indentation-flexible" would come third. Lines that are equal without their common indentation
# are equal when trimmed, so its rung can never be the first to find anything; what it stands for,
# measuring the difference in indentation, is done for every hit of those with a key (see reindent).
STRATEGIES: Sequence[Strategy] = (
    Strategy("line-trimmed", "white space at the beginnings and ends of lines", key=line_trimmed),
    Strategy("whitespace-normalised", "the length of white space", key=whitespace_normalised),
    Strategy("typographic", "typographic dashes, quotes and blanks", key=typographic),
    Strategy("line-numbers", "line-number prefixes", rewrite=unnumbered, number=first_number),
    Strategy(
        "escapes-decoded",
        r"escapes such as \n and \" that were not decoded",
        rewrite=lambda old, new: (decode(old), decode(new)),
    ),
    Strategy("end-of-file", "blank lines for the end of the file", rewrite=unended, ends=True),
    Strategy(
        "normalised",
        "another Unicode normal form",
        key=normalised,
        search=find_normalised,
        fit=in_form_of,
    ),
)

BY_LINES = frozenset(strategy.name for strategy in STRATEGIES if strategy.key)
"""Those under which new text has to be brought to the file's own way of writing."""
