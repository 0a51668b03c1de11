"""Fuzzy search for a text in a file, and the closest lines where it is not found.

Each strategy ignores a difference that language models are known to introduce, by whole lines, and none goes
by similarity. They are those that coding agents share (opencode's replacers), without the ones that guess.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, Literal

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
    """One way to compare the caller's text with the file."""

    name: str  # name, as reported in ``matched``
    forgives: str  # description of the ignored difference
    # Maps a line to the text to compare. Lines are compared one to one, and the file's own are kept.
    key: Callable[[bytes], bytes] | None = None
    # Corrects old and new text; the corrected old text must occur in the file exactly.
    rewrite: Callable[[bytes, bytes], tuple[bytes, bytes]] | None = None
    number: Callable[[bytes], int | None] | None = None  # returns the line number that the old text claims
    ends: bool = False  # True if the old text must end at the end of the file
    # Finds matches that may begin or end within a line; ``key`` compares whole lines.
    search: Callable[[bytes, bytes], Sequence[tuple[int, int]]] | None = None
    # Adapts the new text to the file's own text at the match.
    fit: Callable[[bytes, bytes], bytes] | None = None


def trim_line(line: bytes) -> bytes:
    return line.strip(_BLANKS)


def normalize_white_space(line: bytes) -> bytes:
    return _RUN.sub(b" ", line.strip(_BLANKS))


def replace_typography(line: bytes) -> bytes:
    if line.isascii():
        return line.strip(_BLANKS)
    text = line.decode("utf-8", "surrogateescape").translate(_TYPES)
    return text.encode("utf-8", "surrogateescape").strip(_BLANKS)


def normalize_unicode(line: bytes) -> bytes:
    return _normalize("NFC", line)


def find_normalised(text: bytes, old: bytes) -> list[tuple[int, int]]:
    """Return the ranges of ``text`` that equal ``old`` in Unicode's normal form, whole characters only."""
    if text.isascii() or old.isascii():
        return []
    pattern, parts, starts, ends, at, length = normalize_unicode(old), [], {}, {}, 0, 0
    for part in _iter_characters(text.decode("utf-8", "surrogateescape")):
        raw = part.encode("utf-8", "surrogateescape")
        starts[length] = at
        parts.append(normalize_unicode(raw))
        at, length = at + len(raw), length + len(parts[-1])
        ends[length] = at
    composed, spans = b"".join(parts), []
    start = composed.find(pattern)
    while start >= 0:
        if start in starts and start + len(pattern) in ends:
            spans.append((starts[start], ends[start + len(pattern)]))
        start = composed.find(pattern, start + 1)
    return spans


def match_unicode_form(file_text: bytes, new: bytes) -> bytes:
    """Return ``new`` in the Unicode normal form of ``file_text``, the file's text, if that has one."""
    if file_text == _normalize("NFC", file_text):
        return _normalize("NFC", new)
    return _normalize("NFD", new) if file_text == _normalize("NFD", file_text) else new


def _iter_characters(text: str) -> Iterator[str]:
    """Yield each character together with the combining characters after it."""
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


def _normalize(form: Literal["NFC", "NFD"], text: bytes) -> bytes:
    if text.isascii():
        return text
    import unicodedata

    decoded = text.decode("utf-8", "surrogateescape")
    return unicodedata.normalize(form, decoded).encode("utf-8", "surrogateescape")


def strip_line_numbers(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """Return both texts without line-number prefixes, if all lines of ``old`` have consecutive ones."""
    bare = _strip_numbers(old)
    if bare is None:
        return old, new
    return bare, _strip_numbers(new) or new


def parse_first_number(old: bytes) -> int | None:
    """Return the line-number prefix of the first line, or None."""
    prefix = _NUMBERED.match(old)
    return int(prefix[1]) if prefix else None


def _strip_numbers(text: bytes) -> bytes | None:
    ended = text.endswith(b"\n")
    lines = text.removesuffix(b"\n").split(b"\n")
    prefixes = [_NUMBERED.match(line) for line in lines]
    numbers = [int(prefix[1]) for prefix in prefixes if prefix]
    if len(numbers) != len(lines) or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return None
    bare = [line[prefix.end() :] for line, prefix in zip(lines, prefixes, strict=True) if prefix]
    return b"\n".join(bare) + (b"\n" if ended else b"")


def strip_end_blanks(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """Return both texts without the blank lines at the end of ``old``, as far as ``new`` has them too."""
    blank = _BLANK_END.search(old)
    if blank is None:
        return old, new
    bare = new
    for _ in range(blank[1].count(b"\n")):
        bare = _BLANK_LINE.sub(b"", bare)
    return old[: blank.start(1)], bare


def decode_escapes(text: bytes) -> bytes:
    r"""Decode one level of ``\n``, ``\t``, ``\r``, ``\"``, ``\'`` and ``\\``."""
    decoded = _ESCAPE.sub(lambda match: _DECODED.get(match[1], match[1]), text)
    return decoded.replace(b"\r\n", b"\n")


# opencode's "indentation-flexible" is missing: lines that are equal without their common indentation are
# equal when trimmed, so it would never be the first to find a match. `indentation.reindent` adapts new lines.
STRATEGIES: Sequence[Strategy] = (
    Strategy("line-trimmed", "white space at the beginnings and ends of lines", key=trim_line),
    Strategy("whitespace-normalised", "the length of white space", key=normalize_white_space),
    Strategy("typographic", "typographic dashes, quotes and blanks", key=replace_typography),
    Strategy("line-numbers", "line-number prefixes", rewrite=strip_line_numbers, number=parse_first_number),
    Strategy(
        "escapes-decoded",
        r"escapes such as \n and \" that were not decoded",
        rewrite=lambda old, new: (decode_escapes(old), decode_escapes(new)),
    ),
    Strategy("end-of-file", "blank lines for the end of the file", rewrite=strip_end_blanks, ends=True),
    Strategy(
        "normalised",
        "another Unicode normal form",
        key=normalize_unicode,
        search=find_normalised,
        fit=match_unicode_form,
    ),
)

# Strategies after which new text is adapted to the file's own way of writing.
BY_LINES = frozenset(strategy.name for strategy in STRATEGIES if strategy.key)


Known = Callable[[int], Container[int]]  # maps an offset in a file to the line numbers there


class Hit(msgspec.Struct, frozen=True):
    """A match in the file, as byte offsets, with the file's own lines if it was compared by lines."""

    start: int
    end: int
    lines: tuple[bytes, ...] = ()


class MatchResult(msgspec.Struct, frozen=True):
    """All matches of one strategy, in order; matches may overlap."""

    strategy: str
    hits: tuple[Hit, ...]
    # ``old``, ``new``: the caller's texts, as the strategy reads them.
    old: bytes = b""
    new: bytes = b""
    forgives: str = ""  # description of the ignored difference; empty if there is none


class FoldedText:
    """A text with every CRLF as LF, and a mapping back to its own byte offsets."""

    def __init__(self, raw: bytes) -> None:
        self.raw_text = raw
        self.text = raw.replace(b"\r\n", b"\n")
        pairs = re.finditer(rb"\r\n", raw) if len(self.text) != len(raw) else ()
        self._feeds = [pair.start() - index for index, pair in enumerate(pairs)]

    def raw_offset(self, offset: int) -> int:
        return offset + bisect_left(self._feeds, offset)

    @cached_property
    def lines(self) -> list[bytes]:
        """The lines without their endings; a final newline starts no further line."""
        return split_lf_lines(self.text)

    @cached_property
    def starts(self) -> list[int]:
        return list(accumulate((len(line) + 1 for line in self.lines), initial=0))[:-1]


def split_lf_lines(text: bytes) -> list[bytes]:
    """Return the lines of a text with LF endings; a final newline starts no further line."""
    return text.removesuffix(b"\n").split(b"\n") if text else []


def find_matches(
    text: FoldedText, old: bytes, new: bytes = b"", *, whole: bool = False, known: Known | None = None
) -> MatchResult | None:
    """Return all matches of ``old`` (with LF endings), by the first strategy that finds one.

    A text of white space identifies no place, so it is matched exactly or not at all.

    Args:
        text: the file.
        old: the text to find.
        new: its replacement, which is corrected in the same way.
        whole: match whole lines only.
        known: returns the present and former numbers of the line at an offset of the file.
    """
    hits = find_by_lines(text, old, _keep_line) if whole else find_exact(text, old)
    if hits:
        return MatchResult("exact", hits, old, new)
    if not old.strip():
        return None
    for strategy in STRATEGIES:
        pattern, replacement = strategy.rewrite(old, new) if strategy.rewrite else (old, new)
        if strategy.rewrite and (pattern == old or not pattern.strip()):
            continue
        hits = _find_places(text, pattern, strategy, whole=whole)
        number = strategy.number(old) if strategy.number else None
        if number is not None and known is not None:
            hits = tuple(hit for hit in hits if number in known(hit.start))
        if strategy.ends:
            hits = tuple(hit for hit in hits if hit.end == text.raw_offset(len(text.text)))
        if hits:
            if strategy.fit and not hits[0].lines:
                replacement = strategy.fit(text.raw_text[hits[0].start : hits[0].end], replacement)
            return MatchResult(strategy.name, hits, pattern, replacement, strategy.forgives)
    return None


def _find_places(text: FoldedText, old: bytes, strategy: Strategy, *, whole: bool) -> tuple[Hit, ...]:
    if strategy.search and not whole:
        spans = strategy.search(text.text, old)
        return tuple(Hit(text.raw_offset(start), text.raw_offset(end)) for start, end in spans)
    key = strategy.key or (_keep_line if whole else None)
    return find_by_lines(text, old, key) if key else find_exact(text, old)


def _keep_line(line: bytes) -> bytes:
    return line


def find_exact(text: FoldedText, old: bytes) -> tuple[Hit, ...]:
    return tuple(
        Hit(text.raw_offset(at), text.raw_offset(at + len(old))) for at in _iter_occurrences(text.text, old)
    )


def find_by_lines(text: FoldedText, old: bytes, key: Callable[[bytes], bytes]) -> tuple[Hit, ...]:
    """Return every run of lines that equals the lines of ``old`` under ``key``.

    A hit includes the last line's ending if ``old`` ends with one.
    """
    keys = [key(line) for line in split_lf_lines(old)]
    rows = b"\n" + b"\n".join(map(key, text.lines)) + b"\n"
    has_ending = old.endswith(b"\n")
    hits, row, searched = [], 0, 0
    for at in _iter_occurrences(rows, b"\n" + b"\n".join(keys) + b"\n"):
        row, searched = row + rows.count(b"\n", searched, at), at
        last = row + len(keys) - 1
        end = min(text.starts[last] + len(text.lines[last]) + has_ending, len(text.text))
        lines = tuple(text.lines[row : last + 1])
        hits.append(Hit(text.raw_offset(text.starts[row]), text.raw_offset(end), lines))
    return tuple(hits)


def drop_overlaps(hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    """Return the hits without overlaps, preferring the first from left to right."""
    kept: list[Hit] = []
    for hit in hits:
        if not kept or hit.start >= kept[-1].end:
            kept.append(hit)
    return tuple(kept)


def _iter_occurrences(text: bytes, part: bytes) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


_WORD = re.compile(rb"\w+")
_COMPARED = 40  # maximum lines compared letter by letter, chosen by shared words
_SHOWN = 200  # bytes of a line that a message shows


def find_nearest_lines(lines: Sequence[bytes], old: Sequence[bytes]) -> list[int]:
    """Return the numbers of up to three lines that are most similar to the longest line of ``old``."""
    from difflib import SequenceMatcher

    longest = max((line.strip() for line in old), key=len, default=b"")
    words = set(_WORD.findall(longest.lower()))
    shared = [
        (len(words.intersection(_WORD.findall(line.lower()))), number) for number, line in enumerate(lines, 1)
    ]
    candidates = sorted(((n, number) for n, number in shared if n), key=lambda s: (-s[0], s[1]))[:_COMPARED]
    text = longest.decode("utf-8", "replace")[:400]
    scored = []
    for _, number in candidates:
        line = lines[number - 1].strip().decode("utf-8", "replace")[:400]
        ratio = SequenceMatcher(None, text, line, False).ratio()
        if ratio >= 0.6:
            scored.append((-ratio, number))
    return [number for _, number in sorted(scored)[:3]]


class Difference(msgspec.Struct, frozen=True):
    """The first line of a text that differs from the file, at the place where most lines agree."""

    nth: int  # number of the line within the text, from 1
    sent: bytes  # the line as the caller sent it
    number: int  # line in the file, from 1
    file_line: bytes | None  # the file's line, or None beyond the end of the file
    blanks: bool  # True if the lines differ only in white space

    @property
    def words(self) -> str:
        sent = _shorten(self.sent)
        if self.file_line is None:
            return f"its line {self.nth} ({sent!r}) would be below the end of the file"
        file_line = _shorten(self.file_line)
        remark = ", as all of it only in white space" if self.blanks else self._form_remark
        return f"its line {self.nth} ({sent!r}) differs from line {self.number} ({file_line!r}){remark}"

    @property
    def _form_remark(self) -> str:
        """Remark for lines that differ only in their Unicode normal form, else an empty text."""
        file_line = self.file_line or b""
        if (
            file_line.isascii()
            or self.sent.isascii()
            or normalize_unicode(file_line) != normalize_unicode(self.sent)
        ):
            return ""
        return " only in its Unicode normal form"

    @property
    def data(self) -> dict[str, Any]:
        file_line = None if self.file_line is None else _shorten(self.file_line)
        fields = {"nth": self.nth, "sent": _shorten(self.sent)}
        return {**fields, "line": self.number, "text": file_line, "white_space": self.blanks}


def _shorten(line: bytes) -> str:
    text = line[:_SHOWN].decode("utf-8", "replace")
    return text if len(line) <= _SHOWN else f"{text}…"


def find_first_difference(lines: Sequence[bytes], old: Sequence[bytes]) -> Difference | None:
    """Return where ``old`` first differs from the file, or None without a similar place."""
    positions: defaultdict[bytes, list[int]] = defaultdict(list)
    for at, line in enumerate(lines):
        if line.strip():
            positions[b" ".join(line.split())].append(at)
    words = [b" ".join(line.split()) for line in old]
    votes = Counter(at - nth for nth, line in enumerate(words) for at in positions[line][:_COMPARED])
    begins = positions[words[0]] if words else []  # where the first line stands, if that is certain
    start = min(votes, key=lambda at: (begins != [at], -votes[at], at), default=None)
    if start is None or start < 0:
        return None
    file_lines = [*lines[start : start + len(old)], *[None] * max(0, start + len(old) - len(lines))]
    nth = next((nth for nth, line in enumerate(old) if file_lines[nth] != line), None)
    if nth is None:
        return None
    blanks = all(
        line is not None and line.split() == sent.split() for line, sent in zip(file_lines, old, strict=True)
    )
    return Difference(nth + 1, old[nth], start + nth + 1, file_lines[nth], blanks)
