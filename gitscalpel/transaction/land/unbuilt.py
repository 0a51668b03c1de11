"""A changeset that is built when its turn has come: once, on the tip that it lands on, by whoever lands it.

What is built before has to be built again for every landing that was faster, and each of those who wait
builds his own. So what is quickly built waits as what was sent. What may take long is built before:
nobody waits in line for that.
"""

from __future__ import annotations

from contextlib import suppress

from gitscalpel.changesets import paths
from gitscalpel.changesets.file_tree import Changes, Overlay
from gitscalpel.changesets.operations import Insert, Operation, Replace, Text, Write
from gitscalpel.changesets.requests import Changeset
from gitscalpel.errors import ScalpelError
from gitscalpel.transaction.candidate import Candidate, candidate
from gitscalpel.transaction.check import programs
from gitscalpel.transaction.stage.begun import begun
from gitscalpel.workspace import TreeTarget, Workspace

_MOST = 16
"""Operations."""
_LARGEST = 1 << 18
"""Bytes of a file, and of what is to be put into it."""


def is_quick(ws: Workspace, changeset: Changeset, target: TreeTarget) -> bool:
    """Whether a changeset is built in a moment, from the files that it names, and no program judges it."""
    seen = Overlay(target.snapshot)
    return (
        target.tip is not None
        and not changeset.require_approval
        and len(changeset.operations) <= _MOST
        and all(map(_is_plain, changeset.operations))
        and not programs.may_judge(ws, target.rules)
        and all(_is_small(op, seen) for op in changeset.operations)
    )


def nothing_yet(ws: Workspace, changeset: Changeset, target: TreeTarget) -> Candidate:
    """The change before it is built: it has its name, and starts from what its caller has seen."""
    return candidate(ws, target.snapshot.tree, begun(ws, target, changeset.message), Changes())


def is_unbuilt(change: Candidate) -> bool:
    """Whether it is such a change still."""
    return not change.is_open and not change.meta.whole


def _is_plain(op: Operation) -> bool:
    """Whether it concerns one file, and counts no lines, which may be those of the file on the screen."""
    match op:
        case Replace() | Insert():
            return op.start is None and not (isinstance(op, Replace) and op.rename)
        case Text():
            return not op.regex
        case _:
            return isinstance(op, Write)


def _is_small(op: Operation, seen: Overlay) -> bool:
    with suppress(ScalpelError):  # whoever builds it says what is wrong
        content = seen.content(paths.resolve(op.path, seen))
        return max(len(content or b""), len(repr(op))) <= _LARGEST
    return False
