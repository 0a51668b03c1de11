"""Whether a change is one of the rules: what lands on top of it is judged by others, so it ends a batch."""

from __future__ import annotations

from gitscalpel.changesets import config
from gitscalpel.changesets.file_tree import Changes
from gitscalpel.changesets.rules import Rules


def change_rules(rules: Rules, files: Changes) -> bool:
    """Whether any of these files is one that ``rules`` come from."""
    others = [*rules.policy.rules, *rules.signers]
    if not others:
        return any(file.path == config.PATH for file in files)
    from gitscalpel.changesets.globs import Globs

    ruling = Globs([f"/{config.PATH}", *others])
    return any(ruling.match(file.path) for file in files)
