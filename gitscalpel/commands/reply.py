"""Caller of a command, and the reply: an answer for programs and text for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from gitscalpel.api import BadCall, Misconfigured, ScalpelError
from gitscalpel.changesets.answers import CHECKOUT
from gitscalpel.errors.messages import Action, Spelling, arg, call

if TYPE_CHECKING:
    from pathlib import Path

    from gitscalpel.api import Repository, Transaction, View

_DEFAULT_TARGET = "scalpel.land"
"""Key of git's configuration for the default target of edits: ``branch`` or ``checkout``."""


class Words(msgspec.Struct, frozen=True):
    """Text for people.

    Attributes:
        text: main text.
        diff: patch below the text.
        then: text below the patch.
        brief: True if the patch is only informative, so that one screen of it is enough.
        page: True if the text may be long enough for a pager.
        complete: True if the text fully describes an error.
        verbatim: True if the text is the content of a file, or a path.
        aside: True if the text belongs on standard error, next to the output of another program.
    """

    text: str = ""
    diff: str = ""
    then: str = ""
    brief: bool = False
    page: bool = False
    complete: bool = False
    verbatim: bool = False
    aside: bool = False


class Reply(msgspec.Struct, frozen=True):
    """Reply of a command.

    Attributes:
        answer: value of the command's answer type, for programs.
        words: function that returns the text for people, in the spelling of the front end.
        warnings: warnings.
        next: calls that are useful next.
        wrong: error to report together with the answer, which is also in the ``data`` of the error.
        raw: True if programs read the text as it is, not as JSON.
        status: exit status, that of another program if the command ran one.
    """

    answer: Any
    words: Callable[[Spelling], Words]
    warnings: tuple[str, ...] = ()
    next: tuple[Action, ...] = ()
    wrong: ScalpelError | None = None
    raw: bool = False
    status: int = 0


class Typed(msgspec.Struct, frozen=True):
    """Services that only the command line has.

    Attributes:
        completion: returns the completion script for a shell.
        usage: returns the help of a command, or the list of all commands for None.
        main: runs the command line of this process, and ends with ``SystemExit``.
        prepare: loads everything that a call may need, for a server process.
        environment: environment variables of this process.
        serve_mcp: serves an agent on standard input and output until it disconnects.
        serve_review: serves the review page of a repository on a port until interrupted.
    """

    completion: Callable[[str], str]
    usage: Callable[[str | None], str]
    main: Callable[[], None]
    prepare: Callable[[], None]
    environment: Mapping[str, str]
    serve_mcp: Callable[[Any], None]
    serve_review: Callable[[Path, int], None]


class _HasTarget(Protocol):
    @property
    def tx(self) -> str | None: ...
    @property
    def onto(self) -> str | None: ...
    @property
    def checkout(self) -> bool: ...


class _HasTransaction(Protocol):
    @property
    def tx(self) -> str | None: ...


class Caller:
    """Caller of commands, with a repository that is opened on first use.

    Args:
        opened: opens the repository.
        spelling: how the front end writes fields and calls.
        say: shows progress to a person, or None if a program calls.
        typed: services of the command line, or None for other front ends.
    """

    def __init__(
        self,
        opened: Callable[[], Repository],
        spelling: Spelling,
        say: Callable[[str], None] | None = None,
        typed: Typed | None = None,
    ) -> None:
        self._open = opened
        self.spelling = spelling
        self.say = say
        self.typed = typed

    @property
    def shell(self) -> Typed:
        """Return the services of the command line.

        Raises:
            BadCall: ``invalid_args``: the caller is another front end.
        """
        if self.typed is None:
            raise BadCall("invalid_args", "only available on the command line", "ask the command line for it")
        return self.typed

    def __enter__(self) -> Caller:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if "repo" in self.__dict__:
            self.repo.close()

    @cached_property
    def repo(self) -> Repository:
        """Return the repository.

        Raises:
            Misconfigured: ``not_a_repository``.
        """
        return self._open()

    def transaction(self, request: _HasTarget) -> Transaction | None:
        """Return the open transaction that is named, or whose worktree is the working directory, or None.

        Raises:
            BadCall: ``invalid_args``: a branch or the checkout is named as well.
        """
        given = {"tx": request.tx, "onto": request.onto, "checkout": request.checkout}
        named = [arg(name) for name, value in given.items() if value]
        if len(named) > 1:
            raise BadCall("invalid_args", f"{' and '.join(named)} cannot be combined", "give one of them")
        tx = request.tx or (None if named else self.repo.inside)
        return None if tx is None else self.repo.transaction(tx)

    def onto(self, request: _HasTarget) -> str | None:
        """Return the target of a call: a branch, ``@checkout``, or None for the current branch.

        Raises:
            Misconfigured: ``config_error``: the value of ``scalpel.land`` is unknown.
        """
        if request.checkout:
            return CHECKOUT
        if request.onto is not None or getattr(request, "no_land", False):
            return request.onto
        habit = self.repo.setting(_DEFAULT_TARGET)
        if habit not in (None, "branch", "checkout"):
            hint = f"`git config {_DEFAULT_TARGET} checkout`, or branch"
            raise Misconfigured("config_error", f"{_DEFAULT_TARGET} is {habit!r}", hint)
        return CHECKOUT if habit == "checkout" else None

    def view(self, request: _HasTarget) -> View:
        """Return the view that a reading call uses: that of a transaction or of a branch."""
        tx = self.transaction(request)
        return self.repo.view(self.onto(request)) if tx is None else tx.view()

    def require_transaction_id(self, request: _HasTransaction) -> str:
        """Return the id of the transaction that a call names, or whose worktree is the working directory.

        Raises:
            BadCall: ``invalid_args``: there is neither.
        """
        tx = request.tx or self.repo.inside
        if tx is None:
            hint = f"give its ID; {call('list')} shows them"
            raise BadCall("invalid_args", "which transaction?", hint)
        return str(tx)

    def require_transaction(self, request: _HasTransaction) -> Transaction:
        """Return the open transaction of a call; see :meth:`named`."""
        return self.repo.transaction(self.require_transaction_id(request))


def plain_text(text: str, *, page: bool = False, verbatim: bool = False) -> Callable[[Spelling], Words]:
    """Return text that is the same for all front ends."""
    return lambda _: Words(text, page=page, verbatim=verbatim)
