"""The characters that a file's bytes may stand for, in the eyes of whoever reads it.

A file says its encoding in more ways than one, and may say another than it has; who greps a history reads it
as ASCII whatever it says. What looks for something in a file that somebody may want to hide looks at all.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator

from gitscalpel.syntax.languages import document

Spelling = Callable[[bytes], bytes]
"""From a file's bytes to its text in UTF-8."""
_SAID = re.compile(rb"(?i:coding|charset)[ \t]*[:=]?[ \t]*[\"']?([-\w.:]{2,40})")
_HEAD = 2048
"""Bytes in which a file says its encoding: two lines, or a head."""
_NEXT_LINE = "\x85"
"""What ends a line in EBCDIC."""


def spellings(path: str, content: bytes) -> Iterator[Spelling]:
    """How a file can be read: as we read it, as the bytes it has, and as each encoding that it names."""
    yield lambda raw: document(path, raw).text
    yield lambda raw: raw
    if b"\0" in content:
        yield lambda raw: raw.replace(b"\0", b"")  # UTF-16 without a mark, but for what is no ASCII
    for name in dict.fromkeys(found[1].decode("ascii") for found in _SAID.finditer(content[:_HEAD])):
        for each in (name, re.sub(r"-(?:unix|dos|mac)\Z", "", name)):
            if _is_text(each):
                yield lambda raw, encoding=each: _decoded(raw, encoding)  # type: ignore[misc]


def _is_text(name: str) -> bool:
    try:
        "".encode(codecs.lookup(name).name)
    except (LookupError, ValueError):  # none, or one of bytes as bytes
        return False
    return True


def _decoded(raw: bytes, encoding: str) -> bytes:
    try:
        text = raw.decode(encoding, "replace")
    except (UnicodeError, ValueError):  # one that cannot go on behind what it does not know
        return raw
    return text.replace(_NEXT_LINE, "\n").encode("utf-8", "replace")
