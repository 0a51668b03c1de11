"""JavaScript in files of another kind: components of Vue, Svelte and Astro, MDX, and pages of HTML.

The code is read at its place, as a text of the same length in which all else is blank, so that offsets
and lines are those of the file. What a template uses is not read.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from gitscalpel.edit.source import Source
from gitscalpel.meaning.files import Files

_SCRIPT = re.compile(
    rb"(?is)<script\b(?P<attributes>(?:[^>\"']|\"[^\"]*\"|'[^']*')*)>(?P<code>.*?)</script\s*>"
)
_TYPE = re.compile(
    rb"""(?i)\btype\s*=(?!\s*["']?(?:module|(?:text|application)/(?:java|type)script|ts|js|jsx|tsx)\b)"""
)
"""A script that is no JavaScript, but a template or data."""
_FRONT = re.compile(rb"\A\s*---[ \t]*\r?\n(?P<code>.*?\n)---", re.DOTALL)
_FENCE = re.compile(rb"(?m)^[ \t]*(?:```|~~~)")
_STATEMENT = re.compile(rb"(?m)^(?:import|export)\b[^\n]*\n?(?:[^\n]*\S[^\n]*\n?)*")
_NOT_BLANK = re.compile(rb"[^\r\n]")
SUFFIXES = (".vue", ".svelte", ".astro", ".mdx", ".html", ".htm")


class ScriptFiles(Files):
    """Files of a tree in which those that embed JavaScript are read as TypeScript."""

    def source(self, path: str) -> Source | None:
        """See :meth:`Files.source`; of a file that embeds code, its code alone."""
        if not path.endswith(SUFFIXES):
            return super().source(path)
        if path not in self._sources:
            whole = super().source(path)
            self._sources[path] = (
                None if whole is None else Source.read(f"{path}.ts", read_code(path, whole.text))
            )
        return self._sources[path]


def read_code(path: str, text: bytes) -> bytes:
    """Return the text of a file with blanks for all that is not JavaScript."""
    code, at = bytearray(_NOT_BLANK.sub(b" ", text)), 0
    for start, end in _spans(posixpath.splitext(path)[1], text):
        at = max(at, start)
        code[at:end] = text[at:end]
        at = max(at, end)
    return bytes(code)


def _spans(suffix: str, text: bytes) -> Iterator[tuple[int, int]]:
    """Yield the spans of the code in a file."""
    if suffix == ".mdx":
        fences = [found.start() for found in _FENCE.finditer(text)]
        for found in _STATEMENT.finditer(text):
            if sum(each < found.start() for each in fences) % 2 == 0:
                yield found.span()
        return
    front = _FRONT.match(text) if suffix == ".astro" else None
    if front is not None:
        yield front.span("code")
    for found in _SCRIPT.finditer(text, front.end() if front is not None else 0):
        if _TYPE.search(found["attributes"]) is None:
            yield found.span("code")
