"""Check that the rules which a change leaves can still be read and applied.

The tree is checked, not the edit, so that moved files, links or folders in place of the configuration,
and files that the rules name are included.
"""

from __future__ import annotations

from gitscalpel.changesets import config
from gitscalpel.changesets.file_tree import Change, Snapshot, content_of
from gitscalpel.changesets.globs import Globs
from gitscalpel.changesets.rules import Rules
from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import Misconfigured
from gitscalpel.gates.verdict import Verdict

NAME = "configuration"


def judge(outcome: Outcome, rules: Rules) -> Verdict | None:
    """A refusal, where the configuration would be one that nobody can be judged by.

    Args:
        outcome: the change.
        rules: of its target.
    """
    if not any(_concerns(change, rules) for change in outcome.changes):
        return None
    error = fault(outcome.overlay)
    if error is None:
        return None
    hint = "correct the new text; nothing could land under it"
    return Verdict(NAME, "failed", error=error.but(hint=hint))


def _concerns(change: Change, rules: Rules) -> bool:
    """Whether a change is one of the rules; patterns cost some start-up, and mostly there are none."""
    if change.path == config.PATH or change.path.startswith(f"{config.PATH}/"):
        return True
    return bool(rules.policy.rules) and Globs(rules.policy.rules).concern(change)


def fault(files: Snapshot) -> Misconfigured | None:
    """Why nobody can be judged by the configuration that ``files`` hold; None: it can be read."""
    try:
        config.refuse_other_kind(files.entry(config.PATH))
        rules = config.parse(content_of(files, config.PATH), {})
        _compile(rules)
        if rules.policy.rules:
            from gitscalpel.gates.policy import ast_grep_rules

            list(ast_grep_rules.read(files, rules.policy.rules))
    except Misconfigured as error:
        if error.code != "config_error":
            raise  # it is this machine that lacks something
        return error
    return None


def _compile(rules: Rules) -> None:
    policy = rules.policy
    symbols = [each for stage in rules.stages for each in stage.symbols]
    named = [each.partition("::")[0] for each in (*policy.protected, *symbols)]
    lists = [policy.allow or (), policy.deny, policy.rules, policy.secrets_allowed, rules.gates.pinned]
    lists += [*(stage.paths for stage in rules.stages), *(gate.paths for gate in rules.gates.command)]
    lists += [each.paths for each in rules.suggest]
    lists += [globs for rule in policy.require for globs in (rule.change, rule.needs)]
    Globs([*named, *(glob for globs in lists for glob in globs)])
