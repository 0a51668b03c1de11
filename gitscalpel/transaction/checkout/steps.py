"""What all that is done to the checkout has in common: its record, its answer, and what stands against it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, TypeVar

import msgspec

from gitscalpel.changesets.answers import CHECKOUT
from gitscalpel.changesets.file_tree import Change, Changes
from gitscalpel.errors import BadCall, WorldMoved
from gitscalpel.errors.messages import arg
from gitscalpel.git.oplog import Record
from gitscalpel.transaction import result
from gitscalpel.transaction.candidate import Meta
from gitscalpel.transaction.result import Result
from gitscalpel.workspace import Workspace

T = TypeVar("T")
ATTEMPTS = 3


def refuse_elsewhere(ws: Workspace) -> None:
    """Refuse where there is no checkout, or only the worktree of a transaction.

    Raises:
        BadCall: ``invalid_args``.
    """
    ws.refuse_bare()
    if ws.inside is not None:
        raise BadCall(
            "invalid_args",
            f"this is the worktree of transaction {ws.inside}, and no checkout of yours",
            f"edit the transaction ({arg('tx', ws.inside)}), or go to {ws.repo.work_tree}",
        )


def record_of(
    ws: Workspace,
    kind: Literal["edit", "undo", "redo"],
    tx: str,
    message: str,
    changes: Iterable[Change],
) -> Record:
    """The log's record of a step that writes these files."""
    return Record(
        kind=kind,
        tx=tx,
        **ws.hand(),
        message=message,
        paths=tuple(change.path for change in changes),
    )


def edited(tx: str, meta: Meta, files: Changes) -> Result:
    """The answer of a step that was made."""
    return msgspec.structs.replace(result.draft(meta, files), tx=tx, state="edited", base=None)


def plain(message: str) -> Meta:
    """What is known of a step that no operation made."""
    return Meta(branch=CHECKOUT, base=None, asked=message)


def has_changed(error: WorldMoved) -> bool:
    """Whether somebody wrote a file after we looked at it, and nothing is left of what we wrote."""
    return error.code in ("target_moved", "dirty_overlap") and not _left(error)


def _left(error: WorldMoved) -> bool:
    """Whether there is more to say of than the file that was changed: one that we had written before it."""
    refused = tuple(f"{file['path']} " for file in error.data.get("files", ()))
    return any(not words.startswith(refused) for words in error.data.get("left", ()))


def until_still(act: Callable[[], T], attempts: int = ATTEMPTS) -> T:
    """Do ``act``, which looks anew each time, until nobody writes the files meanwhile.

    Raises:
        WorldMoved: ``stale``: somebody keeps writing them.
    """
    for left in reversed(range(attempts)):
        try:
            return act()
        except WorldMoved as error:
            if not has_changed(error):
                raise stale(error) if _left(error) else error from error
            if not left:
                raise stale(error) from error
    raise AssertionError("the last attempt either returns or raises")


def stale(error: WorldMoved) -> WorldMoved:
    """Another program keeps writing, in the words of what it has done last."""
    words = f"another program is writing here: {error.message}"
    return WorldMoved("stale", words, "try again once it has ended", **error.data)
