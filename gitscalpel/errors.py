"""One tree of errors: what went wrong, what to do next, and the exit status.

Each family below is one exit status; its ``codes`` are the stable words that
callers branch on. Raising a code under the wrong family is a defect and fails
at once, so this file is the only place that maps a code to an exit status.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar

_OPEN, _CLOSE = "\ufdd0", "\ufdd1"
"""Noncharacters, which Unicode keeps for use inside a program: no text and no file name holds them."""
_FIELD = re.compile(f"{_OPEN}([^={_CLOSE}]*)(?:=([^{_CLOSE}]*))?{_CLOSE}")

Spelling = Callable[[str, str], str]
"""How a face calls a field of an operation, by its name and the value that it is to have (or "")."""


def arg(name: str, value: object = "") -> str:
    """A field of an operation, for a message or hint; each face spells it as its callers give it."""
    return f"{_OPEN}{name}{f'={value}' if value != '' else ''}{_CLOSE}"


def by_name(name: str, value: str) -> str:
    """A field as JSON and Python know it."""
    return f"{name} {value}" if value else name


def _spelt(text: str, spelling: Spelling) -> str:
    return _FIELD.sub(lambda found: spelling(found[1], found[2] or ""), text)


class ScalpelError(Exception):
    """A refusal or failure that says what to do next.

    Attributes:
        code: stable identifier, one of the family's ``codes``.
        data: machine-readable details (candidates, ranges, hashes, ``retry``).
        op: index of the operation in its changeset, if there is one.
        about: that operation in a few words.
        spelling: how its message and hint call the fields of operations.
    """

    exit_status: ClassVar[int] = 70
    codes: ClassVar[frozenset[str]] = frozenset({"internal"})
    retryable: ClassVar[bool] = False

    def __init__(self, code: str, message: str, hint: str, **data: Any) -> None:
        if code not in self.codes:
            raise AssertionError(f"{code!r} is no code of {type(self).__name__}")
        super().__init__(code)
        self.code = code
        self.message = message
        self.hint = hint
        self.data = data
        self.op: int | None = None
        self.about = ""
        self.spelling: Spelling = by_name

    @property
    def message(self) -> str:
        """What is wrong, one or two sentences."""
        return _spelt(self._message, self.spelling)

    @message.setter
    def message(self, text: str) -> None:
        self._message = text

    @property
    def hint(self) -> str:
        """What to do next; never empty."""
        return _spelt(self._hint, self.spelling)

    @hint.setter
    def hint(self, text: str) -> None:
        self._hint = text

    def __str__(self) -> str:
        return self.message

    def at(self, op: int, name: object, path: object) -> None:
        """Say which operation of a changeset it is about."""
        self.op, self.about = op, " ".join(str(word) for word in (name, path) if word)

    def __reduce__(self) -> tuple[Any, ...]:
        """So that it comes back from another machine as it was."""
        return _again, (type(self), (self.code, self._message, self._hint), self.data, self.op)


def _again(
    kind: type[ScalpelError], words: tuple[str, str, str], data: dict[str, Any], op: int | None
) -> ScalpelError:
    error = kind(*words, **data)
    error.op = op
    return error


class GateRefused(ScalpelError):
    """A gate said no; nothing was written to the branch or the checkout."""

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
            "nothing_to_undo",
            "tx_not_found",
            "tx_closed",
        }
    )


class WorldMoved(ScalpelError):
    """Something changed since the caller looked; look again and retry."""

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
    """A rule of the tool, the repository or the user forbids it."""

    exit_status = 6
    codes = frozenset({"path_denied", "policy_denied", "untrusted"})


class InputOutput(ScalpelError):
    """The disk or a stream failed (EX_IOERR)."""

    exit_status = 74
    codes = frozenset({"io_error"})


class TryAgain(ScalpelError):
    """Busy, or the disk is full (EX_TEMPFAIL)."""

    exit_status = 75
    retryable = True
    codes = frozenset({"busy"})


class Damaged(ScalpelError):
    """The repository holds something that cannot be right."""

    exit_status = 76
    codes = frozenset({"corrupt"})


class Misconfigured(ScalpelError):
    """The surroundings are missing something (EX_CONFIG)."""

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
    """A gate did not finish in its time."""

    exit_status = 124
    retryable = True
    codes = frozenset({"gate_timeout"})


class GateIndeterminate(ScalpelError):
    """A gate could not tell (its command exited with 125)."""

    exit_status = 125
    codes = frozenset({"gate_indeterminate"})


class Interrupted(ScalpelError):
    """The user pressed Ctrl-C; what had not landed did not happen."""

    exit_status = 130
    retryable = True
    codes = frozenset({"interrupted"})
