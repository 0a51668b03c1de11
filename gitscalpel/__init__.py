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

TYPE_CHECKING = False  # `typing` costs a third of the start of a call that a server does
if TYPE_CHECKING:
    import os
    from typing import Any

    from gitscalpel.api.repository import Repository, Status
    from gitscalpel.api.tracker import FileTracker
    from gitscalpel.api.transaction import Transaction
    from gitscalpel.api.view import View
    from gitscalpel.dialects.reading import parse_request
    from gitscalpel.errors import (
        BadCall,
        Damaged,
        DoesNotFit,
        GateIndeterminate,
        GateRefused,
        GateTimeout,
        InputOutput,
        Interrupted,
        InterruptedLate,
        Misconfigured,
        NotAllowed,
        ScalpelError,
        TryAgain,
        WaitsForPerson,
        WorldMoved,
    )
    from gitscalpel.gates.policy.explain import Says
    from gitscalpel.git.oplog import Entry
    from gitscalpel.git.upkeep.item import Item
    from gitscalpel.git.upkeep.objects import Count
    from gitscalpel.housekeeping.audit import Audit
    from gitscalpel.housekeeping.check import Check
    from gitscalpel.housekeeping.fsck import Finding
    from gitscalpel.housekeeping.gc import Swept
    from gitscalpel.movement import FileOutcome, Landed
    from gitscalpel.operations import (
        CopyFile,
        Delete,
        Imports,
        Insert,
        Lines,
        Move,
        MoveFile,
        Operation,
        Patch,
        Remove,
        Rename,
        Replace,
        Signature,
        Text,
        Write,
    )
    from gitscalpel.phrases import Action, Spelling
    from gitscalpel.refused import Refused
    from gitscalpel.report import Factor, GateRow, Risk
    from gitscalpel.requests import Changeset, changeset, parse_changeset
    from gitscalpel.risk.calibrate import Calibration
    from gitscalpel.session import AGENT_VARIABLE
    from gitscalpel.transaction.approvals.standing import Decision, Standing
    from gitscalpel.transaction.checkout.snapshots import Snapshot
    from gitscalpel.transaction.checkout.watching import Watched
    from gitscalpel.transaction.choosing import Step
    from gitscalpel.transaction.push.pushing import Pushed
    from gitscalpel.transaction.queue import Queue, Stayed
    from gitscalpel.transaction.result import Result
    from gitscalpel.transaction.suggestions.suggesting import Suggestion
    from gitscalpel.trust import Program
    from gitscalpel.views import FileOutline, Match, References, Shown, SymbolTree

__version__ = "0.1.0"

_WHERE = {
    "api.repository": ("Repository", "Status"),
    "api.tracker": ("FileTracker",),
    "api.transaction": ("Transaction",),
    "api.view": ("View",),
    "errors": (
        *("BadCall", "Damaged", "DoesNotFit", "GateIndeterminate", "GateRefused", "GateTimeout"),
        *(
            "InputOutput",
            "Interrupted",
            "InterruptedLate",
            "Misconfigured",
            "NotAllowed",
            "ScalpelError",
            "TryAgain",
        ),
        *("WaitsForPerson", "WorldMoved"),
    ),
    "git.oplog": ("Entry",),
    "git.upkeep.item": ("Item",),
    "git.upkeep.objects": ("Count",),
    "gates.policy.explain": ("Says",),
    "housekeeping.audit": ("Audit",),
    "housekeeping.check": ("Check",),
    "housekeeping.fsck": ("Finding",),
    "housekeeping.gc": ("Swept",),
    "transaction.approvals.standing": ("Decision", "Standing"),
    "transaction.choosing": ("Step",),
    "movement": ("FileOutcome", "Landed"),
    "operations": (
        *("CopyFile", "Delete", "Imports", "Insert", "Lines", "Move", "MoveFile", "Operation", "Patch"),
        *("Remove", "Rename", "Replace", "Signature", "Text", "Write"),
    ),
    "phrases": ("Action", "Spelling"),
    "refused": ("Refused",),
    "report": ("Factor", "GateRow", "Risk"),
    "risk.calibrate": ("Calibration",),
    "requests": ("Changeset", "changeset", "parse_changeset"),
    "dialects.reading": ("parse_request",),
    "transaction.checkout.snapshots": ("Snapshot",),
    "transaction.checkout.watching": ("Watched",),
    "transaction.push.pushing": ("Pushed",),
    "transaction.queue": ("Queue", "Stayed"),
    "transaction.result": ("Result",),
    "transaction.suggestions.suggesting": ("Suggestion",),
    "trust": ("Program",),
    "views": ("FileOutline", "Match", "References", "Shown", "SymbolTree"),
    "session": ("AGENT_VARIABLE",),
}
_MODULE = {name: module for module, names in _WHERE.items() for name in names}

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


def doctor(path: str | os.PathLike[str] | None = None, spelling: Spelling | None = None) -> list[Check]:
    """Examine the surroundings of the repository that ``path`` is in; it need not be one.

    Args:
        path: a folder; None: the current one.
        spelling: see :class:`Repository`; None: by name.
    """
    from gitscalpel.housekeeping.doctor import doctor

    return doctor(path, spelling)


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(f"{__name__}.{_MODULE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
