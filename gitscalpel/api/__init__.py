"""The Python API: repository, transaction, queries and snapshots.

Names are imported on first use, since a command line starts for each edit and needs few of them.
``gitscalpel`` passes them on to its users.
"""

from __future__ import annotations

TYPE_CHECKING = False  # loading `typing` takes a third of the start of a served call
if TYPE_CHECKING:
    from typing import Any

    from gitscalpel.adapters.registry import parse_request
    from gitscalpel.api.file_view import FileTracker, View
    from gitscalpel.api.history import Status
    from gitscalpel.api.repository import Repository
    from gitscalpel.api.transaction import Transaction
    from gitscalpel.changesets.answers import (
        Factor,
        FileOutline,
        GateRow,
        Match,
        References,
        Risk,
        Shown,
        SymbolTree,
    )
    from gitscalpel.changesets.operations import (
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
    from gitscalpel.changesets.requests import Changeset, changeset, parse_changeset
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
    from gitscalpel.errors.messages import Action, Spelling
    from gitscalpel.gates.policy.policy_change import Says
    from gitscalpel.git.oplog import Entry
    from gitscalpel.landing.external_changes import Watched
    from gitscalpel.landing.push import Pushed
    from gitscalpel.landing.queue import Queue, Stayed
    from gitscalpel.landing.snapshots import Snapshot
    from gitscalpel.landing.suggestions import Suggestion
    from gitscalpel.maintenance.doctor import Check, doctor
    from gitscalpel.maintenance.fsck import Audit, Finding
    from gitscalpel.maintenance.gc import Swept
    from gitscalpel.risk.calibration import Calibration
    from gitscalpel.system.trust import Program
    from gitscalpel.system.version import __version__
    from gitscalpel.transaction.branch_update import FileOutcome, Landed
    from gitscalpel.transaction.check.approval_gate import Decision, Standing
    from gitscalpel.transaction.result import Result
    from gitscalpel.transaction.undo_target import Step
    from gitscalpel.workspace.pruning import Count, Item
    from gitscalpel.workspace.refusals import Refused
    from gitscalpel.workspace.workspace import AGENT_VARIABLE

_WHERE = {
    "adapters.registry": ("parse_request",),
    "api.file_view": (
        "FileTracker",
        "View",
    ),
    "api.history": ("Status",),
    "api.repository": ("Repository",),
    "api.transaction": ("Transaction",),
    "changesets.answers": (
        "Factor",
        "FileOutline",
        "GateRow",
        "Match",
        "References",
        "Risk",
        "Shown",
        "SymbolTree",
    ),
    "changesets.operations": (
        "CopyFile",
        "Delete",
        "Imports",
        "Insert",
        "Lines",
        "Move",
        "MoveFile",
        "Operation",
        "Patch",
        "Remove",
        "Rename",
        "Replace",
        "Signature",
        "Text",
        "Write",
    ),
    "changesets.requests": (
        "Changeset",
        "changeset",
        "parse_changeset",
    ),
    "errors": (
        "BadCall",
        "Damaged",
        "DoesNotFit",
        "GateIndeterminate",
        "GateRefused",
        "GateTimeout",
        "InputOutput",
        "Interrupted",
        "InterruptedLate",
        "Misconfigured",
        "NotAllowed",
        "ScalpelError",
        "TryAgain",
        "WaitsForPerson",
        "WorldMoved",
    ),
    "errors.messages": (
        "Action",
        "Spelling",
    ),
    "gates.policy.policy_change": ("Says",),
    "workspace.pruning": (
        "Count",
        "Item",
    ),
    "git.oplog": ("Entry",),
    "landing.external_changes": ("Watched",),
    "landing.push": ("Pushed",),
    "landing.queue": (
        "Queue",
        "Stayed",
    ),
    "landing.snapshots": ("Snapshot",),
    "landing.suggestions": ("Suggestion",),
    "maintenance.doctor": (
        "Check",
        "doctor",
    ),
    "maintenance.fsck": (
        "Audit",
        "Finding",
    ),
    "maintenance.gc": ("Swept",),
    "risk.calibration": ("Calibration",),
    "system.trust": ("Program",),
    "system.version": ("__version__",),
    "transaction.branch_update": (
        "FileOutcome",
        "Landed",
    ),
    "transaction.check.approval_gate": (
        "Decision",
        "Standing",
    ),
    "transaction.result": ("Result",),
    "transaction.undo_target": ("Step",),
    "workspace.refusals": ("Refused",),
    "workspace.workspace": ("AGENT_VARIABLE",),
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
    "__version__",
    "changeset",
    "doctor",
    "parse_changeset",
    "parse_request",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(f"gitscalpel.{_MODULE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
