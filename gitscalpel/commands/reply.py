"""The caller of a command and the reply: an answer for programs and text for people."""

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

_HABIT = "scalpel.land"
"""Where git's configuration says what edits go into: ``branch`` or ``checkout``."""


class Words(msgspec.Struct, frozen=True):
    """What people are told.

    Attributes:
        text: what is said.
        diff: a patch below that.
        then: what is said below the patch.
        brief: the patch is only for who looks on, and at most a screen of it.
        page: it may be long.
        complete: of something that is wrong: it says all of that.
        verbatim: the text is a file's own, or a path.
        aside: it is said beside what a program has printed, and belongs on standard error.
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
    """What a verb replies.

    Attributes:
        answer: for programs, of the verb's answer type.
        words: for people, in the words of their face.
        warnings: what looked odd.
        next: the calls that make sense next.
        wrong: what is refused for all that; its ``data`` holds the answer.
        raw: the text is for programs as it is.
        status: the exit status; that of a program which was run.
    """

    answer: Any
    words: Callable[[Spelling], Words]
    warnings: tuple[str, ...] = ()
    next: tuple[Action, ...] = ()
    wrong: ScalpelError | None = None
    raw: bool = False
    status: int = 0


class Typed(msgspec.Struct, frozen=True):
    """What only a face has whose calls are typed in a shell.

    Attributes:
        completion: makes what completes its calls in the shell that is named.
        usage: returns how a verb is called; for None, the list of all verbs.
        main: runs the command line of this process, and ends with ``SystemExit``.
        prepare: makes ready what it needs for any call, in a process that stays.
        environment: the variables of this process.
        speak: speaks with an agent, at standard input and output, until it goes.
        review: serves the page for reviews of a repository, on a port, until it is interrupted.
    """

    completion: Callable[[str], str]
    usage: Callable[[str | None], str]
    main: Callable[[], None]
    prepare: Callable[[], None]
    environment: Mapping[str, str]
    speak: Callable[[Any], None]
    review: Callable[[Path, int], None]


class _Place(Protocol):
    @property
    def tx(self) -> str | None: ...
    @property
    def onto(self) -> str | None: ...
    @property
    def checkout(self) -> bool: ...


class _Named(Protocol):
    @property
    def tx(self) -> str | None: ...


class Caller:
    """Somebody who calls verbs, and the repository that they stand in, which is opened when it is needed.

    Args:
        opened: opens the repository.
        spelling: how that face writes fields and calls.
        say: shows people, on the way, what they are told; None: a program calls.
        typed: what a shell is offered; None: nothing is typed here.
    """

    def __init__(
        self,
        opened: Callable[[], Repository],
        spelling: Spelling,
        say: Callable[[str], None] | None = None,
        typed: Typed | None = None,
    ) -> None:
        self._opened = opened
        self.spelling = spelling
        self.say = say
        self.typed = typed

    @property
    def shell(self) -> Typed:
        """What only a caller in a shell has.

        Raises:
            BadCall: ``invalid_args``: nothing is typed here.
        """
        if self.typed is None:
            raise BadCall("invalid_args", "nothing is typed here", "ask the command line for it")
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
        """The repository.

        Raises:
            Misconfigured: ``not_a_repository``.
        """
        return self._opened()

    def transaction(self, asked: _Place) -> Transaction | None:
        """The open transaction that is named, or in whose worktree the caller stands.

        Raises:
            BadCall: ``invalid_args``: a branch is named as well.
        """
        given = {"tx": asked.tx, "onto": asked.onto, "checkout": asked.checkout}
        named = [arg(name) for name, value in given.items() if value]
        if len(named) > 1:
            raise BadCall("invalid_args", f"{' and '.join(named)} cannot be combined", "give one of them")
        tx = asked.tx or (None if named else self.repo.inside)
        return None if tx is None else self.repo.transaction(tx)

    def onto(self, asked: _Place) -> str | None:
        """The branch, or the checkout, that a call is about; None: the branch that is checked out.

        Raises:
            Misconfigured: ``config_error``: the user's habit is none that there is.
        """
        if asked.checkout:
            return CHECKOUT
        if asked.onto is not None or getattr(asked, "no_land", False):
            return asked.onto
        habit = self.repo.setting(_HABIT)
        if habit not in (None, "branch", "checkout"):
            hint = f"`git config {_HABIT} checkout`, or branch"
            raise Misconfigured("config_error", f"{_HABIT} is {habit!r}", hint)
        return CHECKOUT if habit == "checkout" else None

    def place(self, asked: _Place) -> View:
        """What a call that only looks is to look at: a transaction, or a branch."""
        tx = self.transaction(asked)
        return self.repo.view(self.onto(asked)) if tx is None else tx.view()

    def named(self, asked: _Named) -> str:
        """The transaction that is meant, by its id.

        Raises:
            BadCall: ``invalid_args``, if nothing says which.
        """
        tx = asked.tx or self.repo.inside
        if tx is None:
            hint = f"give its ID; {call('list')} shows them"
            raise BadCall("invalid_args", "which transaction?", hint)
        return str(tx)

    def chosen(self, asked: _Named) -> Transaction:
        """The open transaction that is meant; see :meth:`named`."""
        return self.repo.transaction(self.named(asked))


def plain(text: str, *, page: bool = False, verbatim: bool = False) -> Callable[[Spelling], Words]:
    """Words that are the same in every face."""
    return lambda _: Words(text, page=page, verbatim=verbatim)
