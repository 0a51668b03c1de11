"""Errors: code, message, hint and exit status.

Each family below is one exit status; its ``codes`` are the stable words that callers branch on. A code raised
under the wrong family fails at once.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from gitscalpel.errors.messages import BY_NAME, Action, Spelling, find_actions, spell, spell_all

Error = TypeVar("Error", bound="ScalpelError")


class ScalpelError(Exception):
    """An error with a message and a hint; immutable."""

    exit_status: ClassVar[int] = 70
    codes: ClassVar[frozenset[str]] = frozenset({"internal"})
    retryable: ClassVar[bool] = False

    code: str  # stable identifier, one of the family's ``codes``
    stays: str  # transaction that stays open despite the error, to be landed or dropped. Empty for none.
    op: int | None  # index of the operation in its changeset, if there is one
    about: str  # short description of that operation
    _message: str
    _hint: str
    _data: Mapping[str, Any]

    def __init__(self, code: str, message: str, hint: str, **data: Any) -> None:
        if code not in self.codes:
            raise AssertionError(f"{code!r} is not a code of {type(self).__name__}")
        super().__init__(code)
        fields = {"_message": message, "_hint": hint, "_data": data}
        self.__dict__.update(code=code, stays="", op=None, about="", **fields)

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("__"):  # Python sets __traceback__ and others
            raise AttributeError(f"errors are not changed; but({name}=...) makes another one")
        super().__setattr__(name, value)

    @property
    def message(self) -> str:
        """Return one or two sentences about the problem."""
        return spell(self._message)

    @property
    def hint(self) -> str:
        """Return advice on the next step, never empty."""
        return spell(self._hint)

    @property
    def data(self) -> Mapping[str, Any]:
        """Return machine-readable details (candidates, ranges, hashes, ``retry``)."""
        return self.told_data()

    @property
    def next(self) -> tuple[Action, ...]:
        return find_actions(self._hint)

    def but(self: Error, *, hint: str = "", more: str = "", stays: str = "", **data: Any) -> Error:
        """Return a copy with another hint, or text appended to it (``more``), and further details."""
        changes = {"_hint": (hint or self._hint) + more, "_data": {**self._data, **data}}
        return self._copy_with(**changes, stays=stays or self.stays)

    def alone(self: Error) -> Error:
        """Return a copy of the error without its transaction, which no longer exists."""
        data = {name: value for name, value in self._data.items() if name != "tx"}
        return self._copy_with(_data=data, stays="")

    def at(self: Error, op: int | None, name: object = "", path: object = "") -> Error:
        """Return a copy of the error about an operation: its index, name and path."""
        return self._copy_with(op=op, about=" ".join(str(word) for word in (name, path) if word))

    def told(self, spelling: Spelling = BY_NAME) -> tuple[str, str]:
        """Return message and hint in the spelling of a front end."""
        return spell(self._message, spelling), spell(self._hint, spelling)

    def told_data(self, spelling: Spelling = BY_NAME) -> Mapping[str, Any]:
        """Return the details in the spelling of a front end."""
        spelled: Mapping[str, Any] = spell_all(self._data, spelling)
        return spelled

    def _copy_with(self: Error, **changed: Any) -> Error:
        return _make_error(type(self), self.args, {**self.__dict__, **changed})

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return _make_error, (type(self), self.args, self.__dict__)


def _make_error(kind: type[Error], args: tuple[Any, ...], fields: dict[str, Any]) -> Error:
    error = kind.__new__(kind, *args)
    error.__dict__.update(fields)
    return error


class GateRefused(ScalpelError):
    """A gate failed; the branch and the checkout are unchanged."""

    exit_status = 1
    codes = frozenset({"syntax_error", "structural_gate", "gate_failed", "hook_failed", "diagnostics_failed"})


class BadCall(ScalpelError):
    """The request itself is malformed."""

    exit_status = 2
    codes = frozenset(
        {
            "invalid_args",
            "invalid_ref",
            "invalid_range",
            "invalid_position",
            "invalid_name",
            "query_syntax",
            "empty_target",
        }
    )


class DoesNotFit(ScalpelError):
    """The request is well-formed, but the file or repository has no such place."""

    exit_status = 3
    codes = frozenset(
        {
            "file_not_found",
            "not_a_file",
            "binary_file",
            "exists",
            "unsupported_language",
            "symbol_not_found",
            "symbol_ambiguous",
            "kind_mismatch",
            "name_mismatch",
            "body_only",
            "extra_definitions",
            "duplicate_symbol",
            "referenced",
            "import_cycle",
            "not_found",
            "ambiguous",
            "no_change",
            "out_of_range",
            "count_mismatch",
            "over_scoped",
            "elided",
            "query_no_match",
            "query_ambiguous",
            "index_out_of_range",
            "nested_conflict",
            "conflicted",
            "patch_failed",
            "unencodable",
            "too_large",
            "too_slow",
            "nothing_to_undo",
            "tx_not_found",
            "tx_closed",
        }
    )


class WorldMoved(ScalpelError):
    """The files changed since the caller read them; read them again and retry."""

    exit_status = 4
    retryable = True
    codes = frozenset(
        {
            "stale",
            "target_moved",
            "merge_conflict",
            "dirty_overlap",
            "branch_in_use",
            "operation_in_progress",
        }
    )


class WaitsForPerson(ScalpelError):
    """A person has to decide first."""

    exit_status = 5
    codes = frozenset({"approval_required", "rejected"})


class NotAllowed(ScalpelError):
    """A rule of the tool, the repository or the user forbids the action."""

    exit_status = 6
    codes = frozenset({"path_denied", "policy_denied", "push_denied", "untrusted"})

    @classmethod
    def outside(cls, path: str) -> NotAllowed:
        words = f"{path!r} is refused: it is outside the repository"
        return cls("path_denied", words, "give a path inside the repository", path=path)


class InputOutput(ScalpelError):
    """The disk or a stream failed (EX_IOERR)."""

    exit_status = 74
    codes = frozenset({"io_error"})

    @classmethod
    def on(cls, path: str, message: str, hint: str, **data: Any) -> InputOutput:
        """Return an ``io_error`` for a failed read or write at ``path``.

        If the path belongs to another user inside a directory of the caller, as after ``sudo``, the hint
        contains the command to take ownership.
        """
        owners = [(str(each), _find_owner_id(each)) for each in (Path(path), *Path(path).parents) if path]
        for (child, other_owner), (parent, owner) in pairwise(owners):
            if other_owner is not None and owner == os.geteuid() != other_owner:
                folder = next((each for each, _ in owners if (Path(each) / "objects").is_dir()), None)
                folder = folder or (child if Path(child).is_dir() else parent)
                command = f'sudo chown -R "$(id -u)" {shlex.quote(folder)}'
                hint = f"{child} belongs to another user, as after sudo: run `{command}`"
        return cls("io_error", message, hint, **data)


def _find_owner_id(path: Path) -> int | None:
    try:
        return path.lstat().st_uid
    except OSError:
        return None


class TryAgain(ScalpelError):
    """A resource is busy, it is too early, or the disk is full (EX_TEMPFAIL)."""

    exit_status = 75
    retryable = True
    codes = frozenset({"busy", "too_early"})


class Damaged(ScalpelError):
    """The repository contains invalid data."""

    exit_status = 76
    codes = frozenset({"corrupt"})


class Misconfigured(ScalpelError):
    """The configuration or the environment lacks something (EX_CONFIG)."""

    exit_status = 78
    codes = frozenset(
        {
            "config_error",
            "not_a_repository",
            "git_too_old",
            "identity_unknown",
            "unavailable",
        }
    )


class GateTimeout(ScalpelError):
    """A gate did not finish within its timeout."""

    exit_status = 124
    retryable = True
    codes = frozenset({"gate_timeout"})


class GateIndeterminate(ScalpelError):
    """A gate could not decide (its command exited with 125)."""

    exit_status = 125
    codes = frozenset({"gate_indeterminate"})


class Interrupted(ScalpelError):
    """The user pressed Ctrl-C before the change landed."""

    exit_status = 130
    retryable = True
    codes = frozenset({"interrupted"})


class InterruptedLate(Interrupted):
    """The user pressed Ctrl-C after the change was complete."""

    retryable = False
