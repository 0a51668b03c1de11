"""Input of the policy rules: a change, its policy, and the encodings in which its files can be read.

A file may declare an encoding in more ways than one, or another than it has, and ``grep`` on a history
reads it as ASCII. Rules that look for text that an author may want to hide look at all readings.
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
from gitscalpel.syntax.languages import document
from gitscalpel.text.line_diff import Range, diff_lines
from gitscalpel.text.merge3 import split_lines


class Says(NamedTuple):
    """Explanation of a rule for a path.

    Attributes:
        key: key of the configuration.
        words: effect of the rule on the path.
        passes: False if the rule forbids every change of the path.
    """

    key: str
    words: str
    passes: bool = True


class PolicyChange:
    """A change and the policy that it is held against.

    Attributes:
        policy: of the target.
        target: the files before, which no edit can have touched.
        changes: what is to be, by path; submodules as well.
        read: opens a file of the change, as it was or is to be.
        patterns: the rules that look for patterns, once somebody has read them.
    """

    def __init__(self, outcome: Outcome, policy: Policy) -> None:
        self._overlay = outcome.overlay
        self._found: dict[tuple[bytes, bytes], list[Range]] = {}
        self.policy = policy
        self.read: Callable[[str, bytes], Source] = outcome.read
        self.target: Snapshot = outcome.overlay.below
        self.changes: list[Change] = outcome.changes
        self.patterns: Sequence[object] | None = None

    @cached_property
    def paths(self) -> list[str]:
        """The paths that change."""
        return [change.path for change in self.changes]

    def before(self, path: str) -> bytes:
        """What a file held; nothing where there was none."""
        return self._overlay.before(path) or b""

    def after(self, path: str) -> bytes:
        """What it is to hold; nothing where there is to be none."""
        return self._overlay.content(path) or b""

    def added(self, path: str, read: Callable[[bytes], bytes] | None = None) -> Iterator[tuple[int, bytes]]:
        """The new lines of a file, in UTF-8, with their numbers from 1; ``read`` makes text of it."""
        text = read or (lambda raw: document(path, raw).text)
        before, after = text(self.before(path)), text(self.after(path))
        new = split_lines(after)
        for _, _, first, last in self._changed_ranges(before, after):
            yield from ((number + 1, new[number]) for number in range(first, last))

    def size(self, path: str) -> int:
        """How many lines are added and removed."""
        found = self._changed_ranges(self.before(path), self.after(path))
        return sum((b - a) + (d - c) for a, b, c, d in found)

    def _changed_ranges(self, before: bytes, after: bytes) -> list[Range]:
        """Which lines became which, found once for all rules."""
        both = before, after
        if both not in self._found:
            self._found[both] = diff_lines(split_lines(before), split_lines(after))
        return self._found[both]


def not_installed(rule: str, error: ImportError) -> Misconfigured:
    """Return the error for a rule whose library is not installed."""
    return Misconfigured(
        "unavailable",
        f"{rule} is set, and {error.name} is not installed",
        "pip install 'gitscalpel[policy]'",
    )


Spelling = Callable[[bytes], bytes]
"""From a file's bytes to its text in UTF-8."""
_DECLARED_ENCODING = re.compile(rb"(?i:coding|charset)[ \t]*[:=]?[ \t]*[\"']?([-\w.:]{2,40})")
_HEAD_LENGTH = 2048
"""Bytes in which a file says its encoding: two lines, or a head."""
_NEXT_LINE = "\x85"
"""What ends a line in EBCDIC."""


def spellings(path: str, content: bytes) -> Iterator[Spelling]:
    """How a file can be read: as we read it, as the bytes it has, and as each encoding that it names."""
    yield lambda raw: document(path, raw).text
    yield lambda raw: raw
    if b"\0" in content:
        yield lambda raw: raw.replace(b"\0", b"")  # UTF-16 without a mark, but for what is no ASCII
    for name in dict.fromkeys(
        found[1].decode("ascii") for found in _DECLARED_ENCODING.finditer(content[:_HEAD_LENGTH])
    ):
        for each in (name, re.sub(r"-(?:unix|dos|mac)\Z", "", name)):
            if _is_text_encoding(each):
                yield lambda raw, encoding=each: _decode_lenient(raw, encoding)  # type: ignore[misc]


def _is_text_encoding(name: str) -> bool:
    try:
        "".encode(codecs.lookup(name).name)
    except (LookupError, ValueError):  # none, or one of bytes as bytes
        return False
    return True


def _decode_lenient(raw: bytes, encoding: str) -> bytes:
    try:
        text = raw.decode(encoding, "replace")
    except (UnicodeError, ValueError):  # one that cannot go on behind what it does not know
        return raw
    return text.replace(_NEXT_LINE, "\n").encode("utf-8", "replace")
