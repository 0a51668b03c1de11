"""Which failures are new: those that the tree before the change does not have as well.

Two failures are the same if they say the same of the same file; where it is in a file, and how long it
took, may differ. Other numbers belong to what is said: ``test_v2`` is not ``test_v1``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from gitscalpel.gates.commands.findings import Failure

_One = TypeVar("_One")
_NUMBER = re.compile(r"\d+")
_TIME = r"\d+(?:\.\d+)? ?(?:ns|us|µs|ms|s|sec|seconds|min|minutes)\b"
_PASSING = re.compile(
    r"(?<![\w.])0x[0-9A-Fa-f]{4,}\b"  # where something lay in memory
    rf"|\(\s*{_TIME}\s*\)|\[\s+{_TIME}\s*\]|\bin {_TIME}\s*\Z"  # how long it took
)
_PLACE = re.compile(
    # in this file or another
    r"(?P<file>[\w/-]\.[A-Za-z]\w{0,5}(?::|\()|\.[A-Za-z]\w{0,5}[\"'], line )\d+(?:[:,] ?\d+)?"
)
_LINES = re.compile(r"\b(?P<file>lines? |columns? |col )\d+(?:(?:-|, | to | and )\d+)*", re.IGNORECASE)


def new(after: Iterable[Failure], before: Iterable[Failure]) -> list[Failure]:
    """The failures of ``after`` that are more than in ``before``."""
    return more(after, before, _identity)


def more(after: Iterable[_One], before: Iterable[_One], identity: Callable[[_One], Hashable]) -> list[_One]:
    """What ``after`` has more often than ``before``, by what makes two of them the same."""
    known = Counter(map(identity, before))
    found = []
    for each in after:
        known[identity(each)] -= 1
        if known[identity(each)] < 0:
            found.append(each)
    return found


def said(words: str, *, placed: bool) -> str:
    """What is said, without the numbers that say nothing of which failure it is.

    Args:
        words: what a tool says.
        placed: its file is known.
    """
    words = _PLACE.sub(r"\g<file>0", _PASSING.sub("0", words))
    # A line in words counts where the file is known; elsewhere it may be part of a name.
    return _LINES.sub(r"\g<file>0", words) if placed else words


def _identity(failure: Failure) -> tuple[str, str, str, str]:
    finding = failure.finding
    if failure.test:
        words = _NUMBER.sub("0", failure.words)  # its name tells which it is
    else:
        words = said(failure.words, placed=bool(finding.path))
    return finding.path, failure.test, words, finding.severity
