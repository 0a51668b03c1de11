"""A file's bytes and encoding, and the UTF-8 text, without byte order mark, in which all editing happens.

A file whose bytes do not survive the round trip through its encoding is edited as bytes, so everything
outside an edit stays identical.
"""

from __future__ import annotations

import bisect
import codecs
import re
from functools import cached_property

import msgspec

from gitscalpel.errors import DoesNotFit

_BOMS = (
    # UTF-32 first: its little-endian mark begins with UTF-16's.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ASCII = bytes(range(0x20, 0x7F)) + b"\t\n\r\f"
_FOREIGN = re.compile(rb"[\x80-\xff]+")
BYTES = "bytes"  # the encoding name of content that is kept as the bytes it has


class Document(msgspec.Struct, frozen=True, dict=True):
    """A file's content, ready to be edited. Lines are counted as git counts them."""

    raw: bytes
    encoding: str
    bom: bytes
    text: bytes

    @classmethod
    def read(cls, raw: bytes, cookie: bytes = b"") -> Document:
        """Recognise the encoding by BOM, then by the file's own declaration, then as UTF-8, else keep bytes.

        ``cookie`` is the pattern of an encoding declaration in the file's language; group 1 is the name.
        """
        bom, encoding = next(((b, e) for b, e in _BOMS if raw.startswith(b)), (b"", ""))
        body = raw[len(bom) :]
        if not encoding:
            declaration = re.compile(cookie).match(body) if cookie else None
            encoding = (
                _normalize_encoding(declaration.group(1).decode("ascii", "ignore"))
                if declaration
                else "utf-8"
            )
        if encoding == BYTES:
            return cls(raw, BYTES, bom, body)
        try:
            decoded = body.decode(encoding)
            if decoded.encode(encoding) == body:
                return cls(raw, encoding, bom, decoded.encode("utf-8"))
        except (UnicodeError, ValueError):
            pass
        return cls(raw, BYTES, bom, body)

    @property
    def is_binary(self) -> bool:
        """Return True if the text contains a NUL byte, which is git's own test."""
        return b"\0" in self.text

    def strip_bom(self, content: bytes) -> bytes:
        """Return the caller's first bytes without the byte order mark, which many programs display."""
        return content.removeprefix(codecs.BOM_UTF8) if self.bom else content

    def with_text(self, text: bytes) -> Document:
        """Return the document with new content in the same encoding.

        Raises:
            DoesNotFit: ``unencodable``, if the encoding lacks a character, or the text is not valid UTF-8.
        """
        if self.encoding == BYTES:
            self._require_encodable(text)
            return Document(self.bom + text, self.encoding, self.bom, text)
        try:
            body = text.decode("utf-8").encode(self.encoding)
        except UnicodeDecodeError as error:
            raise DoesNotFit(
                "unencodable",
                f"the new text contains the byte 0x{text[error.start]:02x}, which is not UTF-8",
                "send the new text in UTF-8; it is written in the encoding of the file",
                encoding=self.encoding,
            ) from None
        except UnicodeEncodeError as error:
            character = error.object[error.start]
            raise DoesNotFit(
                "unencodable",
                f"the file is encoded as {self.encoding}, which has no {character!r} "
                f"(U+{ord(character):04X})",
                "use characters of that encoding, or convert the file first",
                encoding=self.encoding,
                character=character,
            ) from None
        return Document(self.bom + body, self.encoding, self.bom, text)

    def _require_encodable(self, text: bytes) -> None:
        """Raise if the text adds a non-ASCII character and the file does not show its encoding.

        Bytes that the file already contains may be moved and copied, and raw bytes are written unchanged. A
        file that contains UTF-8 characters counts as a damaged UTF-8 file.
        """
        known = set(_FOREIGN.findall(self.text))
        if self.bom or any(map(_is_utf8, known)):
            return
        known_bytes = b"\n".join(known)
        for run in set(_FOREIGN.findall(text)) - known:
            character = _find_character(run, known_bytes)
            if character:
                raise DoesNotFit(
                    "unencodable",
                    f"the file is not UTF-8 and does not declare its encoding, so {character!r} "
                    f"(U+{ord(character):04X}) cannot be written to it",
                    "use ASCII or an escape, or convert the file to UTF-8 first",
                    encoding=self.encoding,
                    character=character,
                )

    @cached_property
    def starts(self) -> list[int]:
        """Offset of the first byte of each line, followed by the length of the text."""
        starts = [0, *(m.end() for m in re.finditer(rb"\n", self.text))]
        if starts[-1] != len(self.text):
            starts.append(len(self.text))
        return starts

    @property
    def line_count(self) -> int:
        """Number of lines as ``git diff`` counts them: a final newline starts no further line."""
        return len(self.starts) - 1

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Return the byte range of lines ``first`` to ``last`` (from 1, inclusive) with line endings."""
        return self.starts[first - 1], self.starts[last]

    def line(self, number: int) -> bytes:
        """Return line ``number`` (from 1) without its ending."""
        start, end = self.span(number, number)
        line = self.text[start:end]
        return line[: len(line) - len(ending_of(line))]

    def line_at(self, offset: int) -> int:
        """Return the number of the line that contains the byte at ``offset``."""
        return max(1, min(bisect.bisect_right(self.starts, offset), self.line_count))

    @cached_property
    def eol(self) -> str:
        """Name of the line ending: ``lf``, ``crlf``, ``mixed`` or ``none``."""
        feeds = self.text.count(b"\n")
        pairs = self.text.count(b"\r\n")
        if not feeds:
            return "none"
        return "crlf" if pairs == feeds else "mixed" if pairs else "lf"


def ending_of(line: bytes) -> bytes:
    return b"\r\n" if line.endswith(b"\r\n") else b"\n" if line.endswith(b"\n") else b""


def _find_character(run: bytes, known_bytes: bytes) -> str:
    """Return a UTF-8 character of ``run`` that is not part of the file's own bytes, or ``""``.

    New text may be adjacent to bytes of the file, so both may form one run.
    """
    count = len(run)
    start = bisect.bisect(range(1, count + 1), False, key=lambda end: run[:end] not in known_bytes)
    end = count - bisect.bisect(range(1, count + 1), False, key=lambda size: run[-size:] not in known_bytes)
    if start >= end:
        return ""
    starts, ends = range(start, max(-1, start - 4), -1), range(end, min(count, end + 3) + 1)
    pieces = (run[first:last] for first in starts for last in ends)
    return next((piece.decode("utf-8")[0] for piece in pieces if _is_utf8(piece)), "")


def _is_utf8(run: bytes) -> bool:
    try:
        run.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _normalize_encoding(name: str) -> str:
    """Return Python's name of an encoding, or ``bytes`` if it is unknown or changes ASCII.

    Python also lists codecs from bytes to bytes (``base64``), and encodings that would not read the declaring
    line itself (``utf-16``, ``utf-7``).
    """
    try:
        encoding = codecs.lookup(name).name
        return encoding if _ASCII.decode(encoding) == _ASCII.decode("ascii") else BYTES
    except (LookupError, ValueError):
        return BYTES
