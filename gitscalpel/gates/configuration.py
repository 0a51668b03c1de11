"""The rules that a change leaves must be readable: nothing could be edited or undone under others."""

from __future__ import annotations

from gitscalpel import config
from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import Misconfigured
from gitscalpel.gates.verdict import Verdict
from gitscalpel.globs import Globs
from gitscalpel.rules import Rules

NAME = "configuration"


def judge(outcome: Outcome) -> Verdict | None:
    """A refusal, where the configuration would be one that nobody can be judged by."""
    for change in outcome.changes:
        if change.path == config.PATH and isinstance(change.content, bytes):
            try:
                _compile(config.parse(change.content, {}))
            except Misconfigured as error:
                error.hint = "correct the new text; nothing could be edited or undone under it"
                return Verdict(NAME, "failed", error=error)
    return None


def _compile(rules: Rules) -> None:
    policy = rules.policy
    named = [each.partition("::")[0] for each in policy.protected]
    lists = [policy.allow or (), policy.deny, policy.rules, policy.secrets_allowed, rules.gates.pinned]
    lists += [rules.approval.paths, *(gate.paths for gate in rules.gates.command)]
    lists += [globs for rule in policy.require for globs in (rule.change, rule.needs)]
    Globs([*named, *(glob for globs in lists for glob in globs)])
