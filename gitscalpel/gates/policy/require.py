"""Changes that need others: a transaction as a whole is held against these, not each step."""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.changesets.answers import Finding, quoted
from gitscalpel.changesets.globs import Globs
from gitscalpel.gates.policy.judged import Judged


def findings(judged: Judged) -> Iterator[Finding]:
    """A finding for each rule that is not met, at the first path that it is about.

    A file that is taken away is a change that needs others, and none that others need.
    """
    there = [change.path for change in judged.changes if change.new is not None]
    for rule in judged.policy.require:
        globs = Globs(rule.change)
        first = next((each.path for each in judged.changes if globs.concern(each)), None)
        if first is not None and next(Globs(rule.needs).among(there), None) is None:
            needed = f"a change here needs one of {', '.join(rule.needs)}"
            yield Finding(quoted(first), 1, 1, f"{needed}: {rule.why}" if rule.why else needed)
