"""Input of the policy rules: a change, its policy, and the encodings in which its files can be read.

A file may declare a wrong encoding, or several. Rules that look for text that an author may want to hide
check all readings.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from gitscalpel.changesets.file_tree import Change, Snapshot
from gitscalpel.changesets.rules import Policy
from gitscalpel.edit.outcome import Outcome
from gitscalpel.edit.source import Source
from gitscalpel.errors import Misconfigured
from gitscalpel.syntax.languages import read_document
from gitscalpel.text.line_diff import Range, diff_lines
from gitscalpel.text.merge3 import split_lines


class Says(NamedTuple):
    """Explanation of a configuration key for a path; ``passes`` is False if every change is forbidden."""

    key: str
    words: str
    passes: bool = True


class PolicyChange:
    """A change and the policy to check it against.

    Attributes:
        target: files before the change.
        changes: changes by path, including submodules.
        read: opens a file of the change, old or new.
        patterns: rules that look for patterns. None until they are read.
    """

    def __init__(self, outcome: Outcome, policy: Policy) -> None:
        self._overlay = outcome.overlay
        self._ranges: dict[tuple[bytes, bytes], list[Range]] = {}
        self.policy = policy
        self.read: Callable[[str, bytes], Source] = outcome.read
        self.target: Snapshot = outcome.overlay.below
        self.changes: list[Change] = outcome.changes
        self.patterns: Sequence[object] | None = None

    @cached_property
    def paths(self) -> list[str]:
        return [change.path for change in self.changes]

    def before(self, path: str) -> bytes:
        """Return the old content of a file, or b"" if there was none."""
        return self._overlay.before(path) or b""

    def after(self, path: str) -> bytes:
        """Return the new content of a file, or b"" if there is none."""
        return self._overlay.content(path) or b""

    def added_lines(
        self, path: str, read: Callable[[bytes], bytes] | None = None
    ) -> Iterator[tuple[int, bytes]]:
        """Yield the new lines of a file in UTF-8, with their numbers from 1.

        ``read`` converts the content to UTF-8. None decodes it as usual.
        """
        to_utf8 = read or (lambda raw: read_document(path, raw).text)
        before, after = to_utf8(self.before(path)), to_utf8(self.after(path))
        new = split_lines(after)
        for _, _, first, last in self._changed_ranges(before, after):
            yield from ((number + 1, new[number]) for number in range(first, last))

    def size(self, path: str) -> int:
        ranges = self._changed_ranges(self.before(path), self.after(path))
        return sum((b - a) + (d - c) for a, b, c, d in ranges)

    def _changed_ranges(self, before: bytes, after: bytes) -> list[Range]:
        pair = before, after
        if pair not in self._ranges:
            self._ranges[pair] = diff_lines(split_lines(before), split_lines(after))
        return self._ranges[pair]


def not_installed_error(rule: str, error: ImportError) -> Misconfigured:
    return Misconfigured(
        "unavailable",
        f"{rule} is set, but {error.name} is not installed",
        "install it: pip install 'gitscalpel[policy]'",
    )


TextDecoder = Callable[[bytes], bytes]  # Converts the bytes of a file to text in UTF-8
_DECLARED_ENCODING = re.compile(rb"(?i:coding|charset)[ \t]*[:=]?[ \t]*[\"']?([-\w.:]{2,40})")
_HEAD_LENGTH = 2048  # Bytes at the start of a file that may declare its encoding
_NEXT_LINE = "\x85"  # Line end in EBCDIC


def iter_decoders(path: str, content: bytes) -> Iterator[TextDecoder]:
    """Yield the decodings of a file: the usual one, the raw bytes, and each declared encoding."""
    yield lambda raw: read_document(path, raw).text
    yield lambda raw: raw
    if b"\0" in content:
        yield lambda raw: raw.replace(b"\0", b"")  # ASCII as UTF-16 without a byte order mark
    for name in dict.fromkeys(
        match[1].decode("ascii") for match in _DECLARED_ENCODING.finditer(content[:_HEAD_LENGTH])
    ):
        for each in (name, re.sub(r"-(?:unix|dos|mac)\Z", "", name)):
            if _is_text_encoding(each):
                yield lambda raw, encoding=each: _decode_lenient(raw, encoding)  # type: ignore[misc]


def _is_text_encoding(name: str) -> bool:
    try:
        "".encode(codecs.lookup(name).name)
    except (LookupError, ValueError):  # unknown, or from bytes to bytes
        return False
    return True


def _decode_lenient(raw: bytes, encoding: str) -> bytes:
    try:
        text = raw.decode(encoding, "replace")
    except (UnicodeError, ValueError):  # a codec that cannot replace invalid bytes
        return raw
    return text.replace(_NEXT_LINE, "\n").encode("utf-8", "replace")
