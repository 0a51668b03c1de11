"""What a file holds that its language's readers may take for something else than its grammar does.

A control sign, a blank that is not ASCII's, a sign that nobody sees: some readers refuse them, some end a
line there. No grammar can be asked which. Where nothing else judges the file, that is said.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

import msgspec

from gitscalpel.edit.source import Source
from gitscalpel.syntax.captures import captures

_ANYWHERE = re.compile(
    "[\0-\x08\x0b\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff]"
    "|(?<!\n)\x0c|\x0c(?!\r?\n)"  # a page that ends in a line of its own is fine with everybody
    "|\r(?!\n)|\\\\\r?[ \t\x0b\x0c]+\n"
)
_IN_CODE = re.compile("[\xa0\xad\u061c\u1680\u180e\u2000-\u200f\u202f\u205f-\u2065\u3000\ufff9-\ufffb]")
_PLAIN = frozenset({b"utf-8", b"us-ascii", b"ascii", b"iso-8859-1"})
"""Names of encodings that everybody knows who lets a file say its own."""


class Odd(msgspec.Struct, frozen=True):
    """One of them: the line, and what it is, in words."""

    line: int
    what: str


def found(before: Source | None, after: Source) -> Odd | None:
    """The first that a file has more of than before."""
    known = Counter(each.what for each in _all(before)) if before is not None else Counter[str]()
    for each in _all(after):
        known[each.what] -= 1
        if known[each.what] < 0:
            return each
    return None


def _all(source: Source) -> Iterator[Odd]:
    document, language = source.document, source.language
    if language is None:
        return
    said = re.match(language.cookie, document.raw[len(document.bom) :]) if language.cookie else None
    if said is not None and said[1].lower() not in _PLAIN:
        yield Odd(1, f"says that its encoding is {said[1].decode('ascii', 'replace')}")
    elif said is None and document.encoding != "utf-8":
        yield Odd(1, f"is not UTF-8 but {document.encoding}")
    if document.bom and not language.marked:
        yield Odd(1, "begins with a byte order mark")
    if not language.returned and b"\r\n" in source.text:
        yield Odd(source.text[: source.text.index(b"\r\n")].count(b"\n") + 1, "ends a line with CR LF")
    text = source.text.decode("utf-8", "replace")
    for sign in _ANYWHERE.finditer(text):
        yield Odd(text.count("\n", 0, sign.start()) + 1, f"holds {_name(sign[0])}")
    plain = "" if text.isascii() or language.data else _code(source)
    for sign in _IN_CODE.finditer(plain):
        yield Odd(plain.count("\n", 0, sign.start()) + 1, f"holds {_name(sign[0])}")


def _name(signs: str) -> str:
    if len(signs) > 1:
        return "a backslash before blanks at the end of a line"
    return f"U+{ord(signs):04X} {unicodedata.name(signs, '')}".strip()


def _code(source: Source) -> str:
    """The text without its comments and strings, in which people write what they like."""
    syntax, text = source.syntax, bytearray(source.text)
    nodes = syntax.once(captures).nodes if syntax else {}
    for node in (*nodes.get("comment", ()), *nodes.get("string", ())):
        inside = text[node.start_byte : node.end_byte]
        text[node.start_byte : node.end_byte] = bytes(byte if byte == 10 else 32 for byte in inside)
    return text.decode("utf-8", "replace")
