"""Calls of single gates that judge a change, with their part of the configuration."""

from __future__ import annotations

from gitscalpel.changesets.rules import Gates, Policy, Rules, Structure
from gitscalpel.edit.outcome import Outcome
from gitscalpel.gates import structure_gate, syntax_gate
from gitscalpel.gates.policy import policy_gate
from gitscalpel.gates.verdict import StaticRequest, Verdict


def judge_syntax(outcome: Outcome, allow_broken: bool = False, rules: Gates | None = None) -> Verdict:
    return syntax_gate.judge(outcome, Rules(gates=rules or Gates()), StaticRequest(allow_broken))


def judge_structure(outcome: Outcome, level: Structure) -> Verdict:
    return structure_gate.judge(outcome, Rules(gates=Gates(structure=level)), StaticRequest())


def judge_policy(outcome: Outcome, policy: Policy, *, is_whole: bool = True) -> Verdict:
    return policy_gate.judge(outcome, Rules(policy=policy), StaticRequest(is_whole=is_whole))
