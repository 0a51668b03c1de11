"""Refuse changes outside of the paths that a caller may edit, for callers that share a server.

The restriction belongs to the session, and the policy to the target. So this check is not a gate with a
verdict that a transaction keeps: it runs on each edit, land, drop, undo and restore.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitscalpel.changesets.answers import quoted
from gitscalpel.changesets.globs import Globs
from gitscalpel.errors import NotAllowed

_SHOWN = 5
_ALL = frozenset({"*", "**", "/**", "**/*"})
"""Globs that mean every path."""


def refuse(changed: Iterable[str], within: Sequence[str]) -> None:
    """Refuse changes of paths that no glob of ``within`` means.

    Raises:
        NotAllowed: ``policy_denied``.
    """
    allowed = Globs(within)
    outside = [quoted(path) for path in changed if not allowed.match(path)]
    if not outside:
        return
    shown = ", ".join(outside[:_SHOWN])
    shown += f" and {len(outside) - _SHOWN} more" if len(outside) > _SHOWN else ""
    raise NotAllowed(
        "policy_denied",
        f"you may change {', '.join(within) or 'nothing'}, and this changes {shown}",
        "leave that part out, or ask who has confined you",
        paths=outside,
        within=list(within),
    )


def refuse_unconfined(what: str, within: Sequence[str]) -> None:
    """Refuse what may change any file, unless ``within`` means all of them.

    Raises:
        NotAllowed: ``policy_denied``.
    """
    if _ALL.intersection(within) and not any(glob.startswith("!") for glob in within):
        return
    raise NotAllowed(
        "policy_denied",
        f"you may change {', '.join(within) or 'nothing'}, and {what} may change any file",
        "do it with edits, or ask who has confined you",
        paths=[],
        within=list(within),
    )
