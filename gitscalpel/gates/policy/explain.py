"""What the rules of a target say about a path, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gitscalpel.changesets.globs import Globs
from gitscalpel.changesets.rules import Policy, Rules
from gitscalpel.gates.approval import guarded


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
