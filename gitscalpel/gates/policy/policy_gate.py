"""Check a change against every rule of the policy, and describe the rules for a path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from gitscalpel.changesets.answers import POLICY_KEYS, Finding
from gitscalpel.changesets.globs import Globs
from gitscalpel.changesets.rules import Policy, Rules
from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import NotAllowed
from gitscalpel.errors.messages import call
from gitscalpel.gates.policy import ast_grep_rules, builtin_rules, protected_definitions
from gitscalpel.gates.policy.approval import guarded
from gitscalpel.gates.policy.policy_change import PolicyChange
from gitscalpel.gates.verdict import Verdict

NAME = "policy"
Rule = Callable[[PolicyChange], Iterator[Finding]]
OF_EACH_STEP: tuple[Rule, ...] = (
    builtin_rules.find_denied_paths,
    builtin_rules.find_oversized,
    protected_definitions.findings,
    ast_grep_rules.findings,
    builtin_rules.find_secrets,
)
OF_THE_WHOLE: tuple[Rule, ...] = (*OF_EACH_STEP, builtin_rules.find_missing_companions)
_SHOWN = 5


def judge(outcome: Outcome, policy: Policy, rules: tuple[Rule, ...] = OF_THE_WHOLE) -> Verdict:
    """Hold a change against the policy of its target.

    Raises:
        Misconfigured: ``config_error`` or ``unavailable``: a rule cannot be asked; nothing passes then.
    """
    if policy == Policy():
        return Verdict(NAME, "skipped")
    judged = PolicyChange(outcome, policy)
    found = tuple(finding for rule in rules for finding in rule(judged))
    against = [finding for finding in found if finding.severity == "error"]
    return Verdict(
        NAME,
        "failed" if against else "passed",
        found,
        refusal(against) if against else None,
        rules=(*_asked(policy, rules), *ast_grep_rules.asked(judged)),
    )


def _asked(policy: Policy, rules: tuple[Rule, ...]) -> Iterator[str]:
    """Yield the keys of the policy that were asked, but for those of rules with names of their own."""
    default, of_whole = Policy(), builtin_rules.find_missing_companions in rules
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


class Says(NamedTuple):
    """What one rule says of a path.

    Attributes:
        key: of the configuration.
        words: what it says.
        passes: whether the path may be changed as far as it goes.
    """

    key: str
    words: str
    passes: bool = True


def explain(path: str, rules: Rules) -> Iterator[Says]:
    """The rules that concern a path."""
    yield from _paths(path, rules.policy)
    yield from _content(path, rules.policy)
    yield from _approval(path, rules)
    for gate in rules.gates.command:
        if not gate.paths or Globs(gate.paths).match(path):
            yield Says(f"gates.command {gate.name}", gate.run)


def _paths(path: str, policy: Policy) -> Iterator[Says]:
    if policy.deny:
        denied = Globs(policy.deny, folded=True).match(path)
        yield Says("policy.deny", "names it" if denied else "does not name it", not denied)
    if policy.allow is not None:
        allowed = Globs(policy.allow).match(path)
        yield Says(
            "policy.allow",
            "has it" if allowed else f"has only {', '.join(policy.allow) or 'nothing'}",
            allowed,
        )


def _content(path: str, policy: Policy) -> Iterator[Says]:
    for name in _symbols(path, policy.protected):
        yield Says("policy.protected", f"{name} must stay as it is")
    for rule in policy.require:
        if Globs(rule.change).match(path):
            yield Says("policy.require", f"a change needs one of {', '.join(rule.needs)}")
    if policy.rules:
        yield Says("policy.rules", f"nothing new may match the rules in {', '.join(policy.rules)}")
    if policy.packs:
        yield Says("policy.packs", f"nothing new may match the rules of {', '.join(policy.packs)}")
    if policy.secrets and not Globs(policy.secrets_allowed).match(path):
        yield Says("policy.secrets", "no new line may look like a secret")


def _approval(path: str, rules: Rules) -> Iterator[Says]:
    for stage in rules.stages:
        needs = f"needs {stage.count} approval{'s' * (stage.count > 1)}"
        needs += f" of stage {stage.name}" if stage.name else ""
        for key, patterns in guarded(rules, stage):
            if patterns and Globs(patterns, folded=True).match(path):
                yield Says(key, f"a change {needs}")
        for name in _symbols(path, stage.symbols):
            yield Says(f"{stage.key}.symbols", f"a change of {name} {needs}")


def _symbols(path: str, patterns: tuple[str, ...]) -> Iterator[str]:
    """The definitions in a file that patterns ``PATH-GLOB::SYMBOL`` name."""
    for pattern in patterns:
        where, _, name = pattern.partition("::")
        if Globs([where], folded=True).match(path):
            yield name
