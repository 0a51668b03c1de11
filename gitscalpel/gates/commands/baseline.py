"""Which failures are new: those that the tree before the change does not have as well.

Two failures are the same if they say the same of the same file; where it is in a file, and how long it
took, may differ. Other numbers belong to what is said: ``test_v2`` is not ``test_v1``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from gitscalpel.gates.commands.findings import Failure
from gitscalpel.regex import lazy

_NUMBER = lazy(r"\d+")
_TIME = r"\d+(?:\.\d+)? ?(?:ns|us|µs|ms|s|sec|seconds|min|minutes)\b"
_PASSING = lazy(
    r"(?<![\w.])0x[0-9A-Fa-f]{4,}\b"  # where something lay in memory
    rf"|\(\s*{_TIME}\s*\)|\[\s+{_TIME}\s*\]|\bin {_TIME}\s*\Z"  # how long it took
)
_PLACE = lazy(
    # in this file or another
    r"(?P<file>[\w/-]\.[A-Za-z]\w{0,5}(?::|\()|\.[A-Za-z]\w{0,5}[\"'], line )\d+(?:[:,] ?\d+)?"
)
_LINES = lazy(r"\b(?P<file>lines? |columns? |col )\d+(?:(?:-|, | to | and )\d+)*", re.IGNORECASE)


def new(after: Iterable[Failure], before: Iterable[Failure]) -> list[Failure]:
    """The failures of ``after`` that are more than in ``before``."""
    known = Counter(map(_identity, before))
    found = []
    for failure in after:
        identity = _identity(failure)
        known[identity] -= 1
        if known[identity] < 0:
            found.append(failure)
    return found


def _identity(failure: Failure) -> tuple[str, str, str, str]:
    finding = failure.finding
    return finding.path, failure.test, _said(failure), finding.severity


def _said(failure: Failure) -> str:
    """What is said of it, without the numbers that say nothing of which failure it is."""
    if failure.test:
        return _NUMBER.sub("0", failure.words)  # its name tells which it is
    words = _PLACE.sub(r"\g<file>0", _PASSING.sub("0", failure.words))
    # A line in words counts where the file is known; elsewhere it may be part of a name.
    return _LINES.sub(r"\g<file>0", words) if failure.finding.path else words
