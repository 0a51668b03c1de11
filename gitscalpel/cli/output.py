"""Writes answers: one JSON object, or text for people."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Any, TextIO

import msgspec

from gitscalpel import BadCall, InputOutput, Repository, Transaction, View, report
from gitscalpel.cli.parser import Given

HEALED: list[str] = []
"""What killed commands had left, and what became of it: every answer of this process says so."""


OPENED: list[Repository] = []
"""The repository that this process answers for, at a terminal."""


def opened() -> Repository:
    """The repository that the caller stands in; what takes a while is said on standard error.

    A terminal is shown what gates print while they run.
    """

    def tell(words: str) -> None:
        complain([words])

    show = tell if sys.stderr is not None and sys.stderr.isatty() else None
    repo = Repository(notify=tell, warn=HEALED.append, show=show, long_lived=False)
    OPENED.append(repo)
    return repo


def transaction(repo: Repository, given: Given) -> Transaction | None:
    """The open transaction that ``--tx`` names, or in whose worktree the caller stands.

    Raises:
        BadCall: ``invalid_args``: it is given together with ``--onto``.
    """
    if given.tx is not None and given.onto is not None:
        raise BadCall("invalid_args", "--tx and --onto exclude each other", "give one of them")
    tx = given.tx or (None if given.onto else repo.inside)
    return None if tx is None else repo.transaction(tx)


def place(repo: Repository, given: Given) -> View:
    """What a call that only looks is to look at: a transaction, or a branch."""
    tx = transaction(repo, given)
    return repo.view(given.onto) if tx is None else tx.view()


def chosen(repo: Repository, given: Given) -> Transaction:
    """The open transaction that the argument names, or in whose worktree the caller stands.

    Raises:
        BadCall: ``invalid_args``, if neither says which.
    """
    return repo.transaction(chosen_id(repo, given))


def chosen_id(repo: Repository, given: Given) -> str:
    """The id for :func:`chosen`."""
    tx = given.tx or repo.inside
    if tx is None:
        raise BadCall("invalid_args", "which transaction?", "give its ID; git scalpel list shows them")
    return str(tx)


def print_json(envelope: dict[str, Any]) -> None:
    """One JSON object on standard output, in UTF-8 whatever the locale."""
    _write(msgspec.json.encode(report.clean(envelope)) + b"\n")


def answer(
    command: str,
    data: Any,
    text: str,
    as_json: bool,
    *,
    diff: str = "",
    then: str = "",
    brief: bool = False,
    page: bool = False,
    warnings: Iterable[str] = (),
    following: Iterable[str] = (),
) -> None:
    """Answer with ``data`` as JSON, or with ``text``; warnings go to standard error.

    ``diff`` is a patch below the text, and ``then`` is said below that. A ``brief`` one is only for who
    looks on at a terminal, and at most a screen of it. There a text to ``page`` goes through the pager.
    """
    warnings, following = [*HEALED, *warnings], list(following)
    if as_json:
        print_json(report.success(command, data, warnings, following))
        return
    complain(f"warning: {warning}" for warning in warnings)
    if not sys.stdout.isatty():
        _write(_printable(_joined(text, "" if brief else diff, then), sys.stdout).encode("utf-8"))
        return
    from gitscalpel.cli import terminal

    setting = OPENED[-1].setting if OPENED else lambda _: None
    if brief:
        diff = terminal.shortened(diff, text.count("\n") + then.count("\n") + 2)
    text, diff, then = (_printable(part, sys.stdout) for part in (text, diff, then))
    shown = _joined(text, terminal.coloured(diff, setting), then)
    pager = terminal.pager(shown, setting) if page else ""
    if not pager or not OPENED[-1].page(shown, pager):
        _write(shown.encode("utf-8"))


def _joined(*parts: str) -> str:
    return "".join(part if part.endswith("\n") else f"{part}\n" for part in parts if part)


def _write(answer: bytes) -> None:
    """Write to standard output; when that fails, what was asked for has been done all the same."""
    try:
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        complain([f"it is done, but the answer could not be written: {error}"])
        raise SystemExit(InputOutput.exit_status) from None


def complain(lines: Iterable[str]) -> None:
    """Lines for people on standard error."""
    sys.stderr.write("".join(f"{_printable(line, sys.stderr)}\n" for line in lines))


def _printable(text: str, to: TextIO) -> str:
    """``text`` without what would steer a terminal (from file names and contents)."""
    plain = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if to.isatty():
        plain = "".join(c if c in "\n\t" or ord(c) >= 0x20 else f"\\x{ord(c):02x}" for c in plain)
    return plain
