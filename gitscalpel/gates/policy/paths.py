"""Paths that an edit may change, and those that it must not."""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.changesets.answers import Finding, quoted
from gitscalpel.changesets.globs import Globs
from gitscalpel.gates.policy.judged import Judged


def findings(judged: Judged) -> Iterator[Finding]:
    """A finding for each path that is denied, or not allowed."""
    policy = judged.policy
    if policy.deny:
        # What is one name on somebody's disk must not be two here.
        denied = Globs(policy.deny, folded=True)
        found = (each.path for each in judged.changes if denied.concern(each))
        yield from (_finding(path, "policy.deny names it") for path in found)
    if policy.allow is not None:
        allowed = Globs(policy.allow)
        outside = (path for path in judged.paths if not allowed.match(path))
        yield from (
            _finding(path, f"policy.allow has {', '.join(policy.allow) or 'nothing'}") for path in outside
        )


def _finding(path: str, message: str) -> Finding:
    return Finding(quoted(path), 1, 1, message)
