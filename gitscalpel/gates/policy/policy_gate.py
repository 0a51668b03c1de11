"""Check a change against every rule of the policy, and explain the rules for a path."""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.changesets.answers import Finding
from gitscalpel.changesets.paths import Globs
from gitscalpel.changesets.rules import POLICY_KEYS, POLICY_RULES, Policy, Rules
from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import NotAllowed
from gitscalpel.errors.messages import call
from gitscalpel.gates.policy import approval
from gitscalpel.gates.policy.policy_change import PolicyChange, Says
from gitscalpel.gates.policy.protected_definitions import named_symbols
from gitscalpel.gates.verdict import StaticRequest, Verdict

NAME = "policy"
_MAX_SHOWN = 5
_WHOLE_REQUEST = StaticRequest()


def judge(outcome: Outcome, rules: Rules, request: StaticRequest = _WHOLE_REQUEST) -> Verdict:
    """Check a change against the policy of its target.

    Raises:
        Misconfigured: ``config_error`` or ``unavailable``: a rule cannot be applied, so nothing passes.
    """
    policy = rules.policy
    if policy == Policy():
        return Verdict(NAME, "skipped", notes=("no rule is set",))
    change = PolicyChange(outcome, policy)
    applied = [
        rule for rule in POLICY_RULES if rule.is_set(policy) and (request.is_whole or not rule.is_of_whole)
    ]
    applied.sort(key=lambda rule: rule.is_of_whole)
    findings = tuple(finding for rule in applied for finding in rule.load("find")(change))
    errors = [finding for finding in findings if finding.severity == "error"]
    own_keys = {key for rule in applied for key in rule.keys}
    keys = [key for key in POLICY_KEYS if key in own_keys and getattr(policy, key) != getattr(Policy(), key)]
    names = [name for rule in applied if rule.has_names for name in rule.load("list")(change)]
    error = _denied_error(errors) if errors else None
    return Verdict(NAME, "failed" if errors else "passed", findings, error, rules=(*keys, *names))


def _denied_error(errors: list[Finding]) -> NotAllowed:
    shown = "; ".join(f"{each.path}:{each.line}: {each.message}" for each in errors[:_MAX_SHOWN])
    others = f"; and {len(errors) - _MAX_SHOWN} more" if len(errors) > _MAX_SHOWN else ""
    return NotAllowed(
        "policy_denied",
        f"the policy of the target branch forbids this: {shown}{others}",
        f"`{call('policy', what='explain', subject='PATH')}` lists the rules for a path; "
        "leave that part out, or ask the maintainer of .gitscalpel.toml",
        findings=[{"path": f.path, "line": f.line, "message": f.message} for f in errors],
    )


def explain(path: str, rules: Rules) -> Iterator[Says]:
    """Yield an explanation of each rule that concerns a path."""
    for rule in POLICY_RULES:
        explanation = rule.load("explain") if rule.is_set(rules.policy) else None
        if explanation is not None:
            yield from explanation(path, rules.policy)
    for stage in rules.stages:
        requirement = f"needs {stage.count} approval{'s' * (stage.count > 1)}"
        requirement += f" of stage {stage.name}" if stage.name else ""
        for key, patterns in approval.iter_guarded_globs(rules, stage):
            if patterns and Globs(patterns, folded=True).match(path):
                yield Says(key, f"a change {requirement}")
        for name in named_symbols(path, stage.symbols):
            yield Says(f"{stage.key}.symbols", f"a change of {name} {requirement}")
    for gate in rules.gates.command:
        if not gate.paths or Globs(gate.paths).match(path):
            yield Says(f"gates.command {gate.name}", gate.run)
