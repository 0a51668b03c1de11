"""Which failures are new: those that the tree before the change does not have as well.

Two failures are the same if they say the same of the same file; where, and other numbers, may differ.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from gitscalpel.report import Finding

_NUMBER = re.compile(r"\d+")


def new(after: Iterable[Finding], before: Iterable[Finding]) -> list[Finding]:
    """The findings of ``after`` that are more than in ``before``."""
    known = Counter(map(_identity, before))
    found = []
    for finding in after:
        identity = _identity(finding)
        known[identity] -= 1
        if known[identity] < 0:
            found.append(finding)
    return found


def _identity(finding: Finding) -> tuple[str, str, str]:
    return finding.path, _NUMBER.sub("0", finding.message), finding.severity
