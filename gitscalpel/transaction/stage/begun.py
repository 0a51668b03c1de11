"""What a transaction knows at its beginning."""

from __future__ import annotations

import msgspec

from gitscalpel.changesets.validation import worded
from gitscalpel.git import refs
from gitscalpel.transaction.candidate import Meta
from gitscalpel.workspace import Target, Workspace


class TakesLong(Exception):
    """What was to be built in a moment is not: whoever builds it shall keep nobody waiting."""


def blank(ws: Workspace, target: Target, message: str | None = None) -> Meta:
    """What one for a branch knows before anybody has put something into it.

    Raises:
        BadCall: ``invalid_args``: the message is not text.
    """
    asked = worded(message) if message and message.strip() else None
    return Meta(
        branch=target.branch,
        base=target.tip,
        asked=asked,
        agent=ws.session.agent,
        begun=ws.session.clock(),
        log=ws.store.resolve(refs.OPS),
        trailers=target.rules.record.trailers,
    )


def begun(ws: Workspace, target: Target, message: str | None = None) -> Meta:
    """What one knows that this user begins."""
    return msgspec.structs.replace(blank(ws, target, message), by=(ws.user(),))
