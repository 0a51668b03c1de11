"""The Python API: repository, transaction, queries and snapshots.

Names are imported on first use, since a command line starts for each edit and needs few of them.
``gitscalpel`` passes them on to its users.
"""

from __future__ import annotations

TYPE_CHECKING = False  # loading `typing` takes a third of the start of a served call
if TYPE_CHECKING:
    from typing import Any

    from gitscalpel.adapters.registry import parse_request as parse_request
    from gitscalpel.api.file_view import FileTracker as FileTracker
    from gitscalpel.api.file_view import View as View
    from gitscalpel.api.history import Status as Status
    from gitscalpel.api.repository import Repository as Repository
    from gitscalpel.api.transaction import Transaction as Transaction
    from gitscalpel.changesets.answers import Factor as Factor
    from gitscalpel.changesets.answers import FileOutline as FileOutline
    from gitscalpel.changesets.answers import GateRow as GateRow
    from gitscalpel.changesets.answers import Match as Match
    from gitscalpel.changesets.answers import References as References
    from gitscalpel.changesets.answers import Risk as Risk
    from gitscalpel.changesets.answers import Shown as Shown
    from gitscalpel.changesets.answers import SymbolTree as SymbolTree
    from gitscalpel.changesets.operations import CopyFile as CopyFile
    from gitscalpel.changesets.operations import Delete as Delete
    from gitscalpel.changesets.operations import Imports as Imports
    from gitscalpel.changesets.operations import Insert as Insert
    from gitscalpel.changesets.operations import Lines as Lines
    from gitscalpel.changesets.operations import Move as Move
    from gitscalpel.changesets.operations import MoveFile as MoveFile
    from gitscalpel.changesets.operations import Operation as Operation
    from gitscalpel.changesets.operations import Patch as Patch
    from gitscalpel.changesets.operations import Remove as Remove
    from gitscalpel.changesets.operations import Rename as Rename
    from gitscalpel.changesets.operations import Replace as Replace
    from gitscalpel.changesets.operations import Signature as Signature
    from gitscalpel.changesets.operations import Text as Text
    from gitscalpel.changesets.operations import Write as Write
    from gitscalpel.changesets.requests import Changeset as Changeset
    from gitscalpel.changesets.requests import changeset as changeset
    from gitscalpel.changesets.requests import parse_changeset as parse_changeset
    from gitscalpel.errors import BadCall as BadCall
    from gitscalpel.errors import Damaged as Damaged
    from gitscalpel.errors import DoesNotFit as DoesNotFit
    from gitscalpel.errors import GateIndeterminate as GateIndeterminate
    from gitscalpel.errors import GateRefused as GateRefused
    from gitscalpel.errors import GateTimeout as GateTimeout
    from gitscalpel.errors import InputOutput as InputOutput
    from gitscalpel.errors import Interrupted as Interrupted
    from gitscalpel.errors import InterruptedLate as InterruptedLate
    from gitscalpel.errors import Misconfigured as Misconfigured
    from gitscalpel.errors import NotAllowed as NotAllowed
    from gitscalpel.errors import ScalpelError as ScalpelError
    from gitscalpel.errors import TryAgain as TryAgain
    from gitscalpel.errors import WaitsForPerson as WaitsForPerson
    from gitscalpel.errors import WorldMoved as WorldMoved
    from gitscalpel.errors.messages import Action as Action
    from gitscalpel.errors.messages import Spelling as Spelling
    from gitscalpel.gates.policy.policy_change import Says as Says
    from gitscalpel.git.oplog import Entry as Entry
    from gitscalpel.landing.external_changes import Watched as Watched
    from gitscalpel.landing.push import Pushed as Pushed
    from gitscalpel.landing.queue import Queue as Queue
    from gitscalpel.landing.queue import Stayed as Stayed
    from gitscalpel.landing.snapshots import Snapshot as Snapshot
    from gitscalpel.landing.suggestions import Suggestion as Suggestion
    from gitscalpel.maintenance.doctor import Check as Check
    from gitscalpel.maintenance.doctor import doctor as doctor
    from gitscalpel.maintenance.fsck import Audit as Audit
    from gitscalpel.maintenance.fsck import Finding as Finding
    from gitscalpel.maintenance.gc import Swept as Swept
    from gitscalpel.risk.calibration import Calibration as Calibration
    from gitscalpel.system.trust import Program as Program
    from gitscalpel.system.version import __version__ as __version__
    from gitscalpel.transaction.branch_update import FileOutcome as FileOutcome
    from gitscalpel.transaction.branch_update import Landed as Landed
    from gitscalpel.transaction.check.approval_gate import Decision as Decision
    from gitscalpel.transaction.check.approval_gate import Standing as Standing
    from gitscalpel.transaction.result import Result as Result
    from gitscalpel.transaction.undo_target import Step as Step
    from gitscalpel.workspace.pruning import Count as Count
    from gitscalpel.workspace.pruning import Item as Item
    from gitscalpel.workspace.refusals import Refused as Refused
    from gitscalpel.workspace.workspace import AGENT_VARIABLE as AGENT_VARIABLE

_NAMES = {
    "adapters.registry": "parse_request",
    "api.file_view": "FileTracker View",
    "api.history": "Status",
    "api.repository": "Repository",
    "api.transaction": "Transaction",
    "changesets.answers": "Factor FileOutline GateRow Match References Risk Shown SymbolTree",
    "changesets.operations": (
        "CopyFile Delete Imports Insert Lines Move MoveFile Operation Patch Remove Rename Replace "
        "Signature Text Write"
    ),
    "changesets.requests": "Changeset changeset parse_changeset",
    "errors": (
        "BadCall Damaged DoesNotFit GateIndeterminate GateRefused GateTimeout InputOutput Interrupted "
        "InterruptedLate Misconfigured NotAllowed ScalpelError TryAgain WaitsForPerson WorldMoved"
    ),
    "errors.messages": "Action Spelling",
    "gates.policy.policy_change": "Says",
    "workspace.pruning": "Count Item",
    "git.oplog": "Entry",
    "landing.external_changes": "Watched",
    "landing.push": "Pushed",
    "landing.queue": "Queue Stayed",
    "landing.snapshots": "Snapshot",
    "landing.suggestions": "Suggestion",
    "maintenance.doctor": "Check doctor",
    "maintenance.fsck": "Audit Finding",
    "maintenance.gc": "Swept",
    "risk.calibration": "Calibration",
    "system.trust": "Program",
    "system.version": "__version__",
    "transaction.branch_update": "FileOutcome Landed",
    "transaction.check.approval_gate": "Decision Standing",
    "transaction.result": "Result",
    "transaction.undo_target": "Step",
    "workspace.refusals": "Refused",
    "workspace.workspace": "AGENT_VARIABLE",
}
"""Public names by module."""
_MODULE = {name: module for module, names in _NAMES.items() for name in names.split()}
if not TYPE_CHECKING:  # a type checker would read a computed list as an empty one
    __all__ = sorted(_MODULE)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(f"gitscalpel.{_MODULE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULE})
