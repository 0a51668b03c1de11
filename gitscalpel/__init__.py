"""gitscalpel: transactional edits of code, with git as the database.

    import gitscalpel
    from gitscalpel import Replace, Text

    with gitscalpel.open() as repo:
        repo.edit(Replace(path="a.py", symbol="f", code="def f(): return 2"))

        with repo.begin("Two edits, one commit") as tx:
            tx.edit(Text(path="a.py", old="1", new="2"))
            tx.edit(Text(path="b.py", old="1", new="2"))

What stands in ``__all__`` is the promise; it is imported when it is first
used, since the command line starts for every edit and needs little of it.
"""

from __future__ import annotations

TYPE_CHECKING = False  # loading `typing` takes a third of the start of a served call
if TYPE_CHECKING:
    import os
    from typing import Any

    from gitscalpel.api import (
        AGENT_VARIABLE,
        Action,
        Audit,
        BadCall,
        Calibration,
        Changeset,
        Check,
        CopyFile,
        Count,
        Damaged,
        Decision,
        Delete,
        DoesNotFit,
        Entry,
        Factor,
        FileOutcome,
        FileOutline,
        FileTracker,
        Finding,
        GateIndeterminate,
        GateRefused,
        GateRow,
        GateTimeout,
        Imports,
        InputOutput,
        Insert,
        Interrupted,
        InterruptedLate,
        Item,
        Landed,
        Lines,
        Match,
        Misconfigured,
        Move,
        MoveFile,
        NotAllowed,
        Operation,
        Patch,
        Program,
        Pushed,
        Queue,
        References,
        Refused,
        Remove,
        Rename,
        Replace,
        Repository,
        Result,
        Risk,
        Says,
        ScalpelError,
        Shown,
        Signature,
        Snapshot,
        Spelling,
        Standing,
        Status,
        Stayed,
        Step,
        Suggestion,
        Swept,
        SymbolTree,
        Text,
        Transaction,
        TryAgain,
        View,
        WaitsForPerson,
        Watched,
        WorldMoved,
        Write,
        changeset,
        doctor,
        parse_changeset,
        parse_request,
    )
    from gitscalpel.api import __version__ as __version__

__all__ = [
    "AGENT_VARIABLE",
    "Action",
    "Audit",
    "BadCall",
    "Calibration",
    "Changeset",
    "Check",
    "CopyFile",
    "Count",
    "Damaged",
    "Decision",
    "Delete",
    "DoesNotFit",
    "Entry",
    "Factor",
    "FileOutcome",
    "FileOutline",
    "FileTracker",
    "Finding",
    "GateIndeterminate",
    "GateRefused",
    "GateRow",
    "GateTimeout",
    "Imports",
    "InputOutput",
    "Insert",
    "Interrupted",
    "InterruptedLate",
    "Item",
    "Landed",
    "Lines",
    "Match",
    "Misconfigured",
    "Move",
    "MoveFile",
    "NotAllowed",
    "Operation",
    "Patch",
    "Program",
    "Pushed",
    "Queue",
    "References",
    "Refused",
    "Remove",
    "Rename",
    "Replace",
    "Repository",
    "Result",
    "Risk",
    "Says",
    "ScalpelError",
    "Shown",
    "Signature",
    "Snapshot",
    "Spelling",
    "Standing",
    "Status",
    "Stayed",
    "Step",
    "Suggestion",
    "Swept",
    "SymbolTree",
    "Text",
    "Transaction",
    "TryAgain",
    "View",
    "WaitsForPerson",
    "Watched",
    "WorldMoved",
    "Write",
    "changeset",
    "doctor",
    "open",
    "parse_changeset",
    "parse_request",
]


def open(path: str | os.PathLike[str] | None = None) -> Repository:  # noqa: A001 - gitscalpel.open()
    """Open the repository that ``path`` is in; see :class:`Repository`."""
    from gitscalpel.api.repository import Repository

    return Repository(path)


def __getattr__(name: str) -> Any:
    if name not in __all__ and name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from gitscalpel import api

    value = getattr(api, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
