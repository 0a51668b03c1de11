"""Asks every rule of the policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gitscalpel.changesets.answers import POLICY_KEYS, Finding
from gitscalpel.changesets.rules import Policy
from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import NotAllowed
from gitscalpel.errors.messages import call
from gitscalpel.gates.policy import paths, patterns, protected_definitions, require, secrets, size
from gitscalpel.gates.policy.judged import Judged
from gitscalpel.gates.verdict import Verdict

NAME = "policy"
Rule = Callable[[Judged], Iterator[Finding]]
OF_EACH_STEP: tuple[Rule, ...] = (
    paths.findings,
    size.findings,
    protected_definitions.findings,
    patterns.findings,
    secrets.findings,
)
OF_THE_WHOLE: tuple[Rule, ...] = (*OF_EACH_STEP, require.findings)
_SHOWN = 5


def judge(outcome: Outcome, policy: Policy, rules: tuple[Rule, ...] = OF_THE_WHOLE) -> Verdict:
    """Hold a change against the policy of its target.

    Raises:
        Misconfigured: ``config_error`` or ``unavailable``: a rule cannot be asked; nothing passes then.
    """
    if policy == Policy():
        return Verdict(NAME, "skipped")
    judged = Judged(outcome, policy)
    found = tuple(finding for rule in rules for finding in rule(judged))
    against = [finding for finding in found if finding.severity == "error"]
    return Verdict(
        NAME,
        "failed" if against else "passed",
        found,
        refusal(against) if against else None,
        rules=(*_asked(policy, rules), *patterns.asked(judged)),
    )


def _asked(policy: Policy, rules: tuple[Rule, ...]) -> Iterator[str]:
    """Yield the keys of the policy that were asked, but for those of rules with names of their own."""
    default, of_whole = Policy(), require.findings in rules
    for key in POLICY_KEYS:
        is_set = getattr(policy, key) != getattr(default, key)
        if is_set and (key != "require" or of_whole):
            yield key


def refusal(against: list[Finding]) -> NotAllowed:
    """The refusal for what rules have against a change."""
    shown = "; ".join(f"{each.path}:{each.line}: {each.message}" for each in against[:_SHOWN])
    more = f"; and {len(against) - _SHOWN} more" if len(against) > _SHOWN else ""
    return NotAllowed(
        "policy_denied",
        f"the policy of the target branch refuses this: {shown}{more}",
        f"`{call('policy', what='explain', subject='PATH')}` says what holds for a path; "
        "leave that part of the change out, or ask who looks after .gitscalpel.toml",
        findings=[{"path": f.path, "line": f.line, "message": f.message} for f in against],
    )
