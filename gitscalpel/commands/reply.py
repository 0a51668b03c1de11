"""Caller of a command, fields that requests share, and replies.

Each field is described once, for people and for programs. ``how`` has the details of its form on the
command line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Protocol

import msgspec
from msgspec import Meta

from gitscalpel.api import BadCall, Misconfigured, ScalpelError, changeset
from gitscalpel.api.file_view import Views
from gitscalpel.api.open_repository import with_methods_of
from gitscalpel.changesets.answers import CHECKOUT, Edited, message_subject, quote_for_line
from gitscalpel.changesets.rules import POLICY_KEYS
from gitscalpel.errors.messages import Action, Spelling, action, arg, call, spell

if TYPE_CHECKING:
    from pathlib import Path

    from gitscalpel.api import Changeset, Result, Transaction, View
    from gitscalpel.api.edits import Edits, Undoing
    from gitscalpel.api.history import History
    from gitscalpel.api.maintenance import Hooks, Maintenance
    from gitscalpel.api.open_repository import OpenRepository
    from gitscalpel.api.snapshots import Snapshots
    from gitscalpel.api.transaction import Transactions


_DEFAULT_TARGET = "scalpel.land"
"""Key of git's configuration for the default target of edits: ``branch`` or ``checkout``."""


class ReplyText(msgspec.Struct, frozen=True):
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
        result: result whose findings the text lists below it, or None for just the warnings.
        list_mentions: see :class:`gitscalpel.commands.findings.Findings`.
    """

    answer: Any
    words: Callable[[Spelling], ReplyText]
    warnings: tuple[str, ...] = ()
    next: tuple[Action, ...] = ()
    wrong: ScalpelError | None = None
    raw: bool = False
    status: int = 0
    result: Result | None = None
    list_mentions: bool | None = None

    def finding_lines(self, spelling: Spelling) -> list[str]:
        """Return the warnings and notes as lines of text, which belong below the result."""
        facts = self.result.facts if self.result is not None else None
        if not self.warnings and (facts is None or not (facts.unchecked or facts.stale_docs)):
            return []
        from gitscalpel.commands import findings  # most calls have none

        if self.result is None:
            return findings.warning_findings(self.warnings).lines(spelling)
        return findings.result_findings(self.result, list_mentions=self.list_mentions).lines(spelling)


class ShellServices(msgspec.Struct, frozen=True):
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
        opened: Callable[[], OpenRepository],
        spelling: Spelling,
        say: Callable[[str], None] | None = None,
        typed: ShellServices | None = None,
    ) -> None:
        self._open = opened
        self.spelling = spelling
        self.say = say
        self.typed = typed

    @property
    def shell(self) -> ShellServices:
        """Return the services of the command line.

        Raises:
            BadCall: ``invalid_args``: the caller is another front end.
        """
        if self.typed is None:
            raise BadCall(
                "invalid_args", "this command is only available on the command line", "run it in a shell"
            )
        return self.typed

    def __enter__(self) -> Caller:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if "repo" in self.__dict__:
            self.repo.close()

    @property
    def views(self) -> Views:
        """The repository's files of branches and of the working tree."""
        return with_methods_of(Views, self.repo)

    @property
    def edits(self) -> Edits:
        """The repository's edits."""
        from gitscalpel.api.edits import Edits

        return with_methods_of(Edits, self.repo)

    @property
    def transactions(self) -> Transactions:
        """The repository's open transactions."""
        from gitscalpel.api.transaction import Transactions

        return with_methods_of(Transactions, self.repo)

    @property
    def history(self) -> History:
        """The repository's operations and transactions."""
        from gitscalpel.api.history import History

        return with_methods_of(History, self.repo)

    @property
    def undoing(self) -> Undoing:
        """The repository's undo and redo."""
        from gitscalpel.api.edits import Undoing

        return with_methods_of(Undoing, self.repo)

    @property
    def snapshots(self) -> Snapshots:
        """The repository's snapshots and checks of the working tree."""
        from gitscalpel.api.snapshots import Snapshots

        return with_methods_of(Snapshots, self.repo)

    @property
    def maintenance(self) -> Maintenance:
        """The repository's maintenance."""
        from gitscalpel.api.maintenance import Maintenance

        return with_methods_of(Maintenance, self.repo)

    @property
    def hooks(self) -> Hooks:
        """The repository's git hooks."""
        from gitscalpel.api.maintenance import Hooks

        return with_methods_of(Hooks, self.repo)

    @cached_property
    def repo(self) -> OpenRepository:
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
        return None if tx is None else self.transactions.transaction(tx)

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
        return self.views.view(self.onto(request)) if tx is None else tx.view()

    def require_transaction_id(self, request: _HasTransaction) -> str:
        """Return the id of the transaction that a call names, or whose worktree is the working directory.

        Raises:
            BadCall: ``invalid_args``: there is neither.
        """
        tx = request.tx or self.repo.inside
        if tx is None:
            hint = f"give its ID; {call('list')} shows them"
            raise BadCall("invalid_args", "no transaction given", hint)
        return str(tx)

    def require_transaction(self, request: _HasTransaction) -> Transaction:
        """Return the open transaction of a call; see :meth:`named`."""
        return self.transactions.transaction(self.require_transaction_id(request))


def plain_text(text: str, *, page: bool = False, verbatim: bool = False) -> Callable[[Spelling], ReplyText]:
    """Return text that is the same for all front ends."""
    return lambda _: ReplyText(text, page=page, verbatim=verbatim)


PANELS = ("Target", "Code", "Options", "Transaction", "Output")
"""Groups of options in a help text, in order."""
Count = Annotated[int, Meta(ge=1)]
"""An integer from 1 on."""
Seconds = Annotated[float, Meta(ge=0)]


def describe_field(words: str, shown: str = "", **how: Any) -> Meta:
    """Return the description of a field.

    Args:
        words: description; fields and calls in it are marked.
        shown: name of the value.
        how: ``place``: the argument is positional; ``path``: the value is a path, relative to the root of
            the repository; ``many``: several values may follow the option; ``short``: short option;
            ``also``:
                other
            names; ``typed``: name of the option if not the field's; ``offers``: returns values for
                completion;
            ``form``: special form on the command line, see ``cli/options.py``.
    """
    return Meta(description=spell(words), extra={"words": words, "shown": shown, **how})


Onto = Annotated[str | None, describe_field("Target branch (default: the current branch).", "BRANCH")]
Checkout = Annotated[
    bool,
    describe_field(
        "Edit the working tree and commit nothing (as default: `git config scalpel.land checkout`)."
    ),
]
InTx = Annotated[str | None, describe_field("ID of an open transaction.", "ID")]
OfTx = Annotated[
    str | None,
    describe_field(
        "Transaction ID (default in a transaction's worktree: that transaction).", "ID", place=True
    ),
]
Message = Annotated[
    str | None,
    describe_field(
        "Commit message; repeat the option for further paragraphs.", "TEXT", short="-m", form="paragraphs"
    ),
]
Wait = Annotated[
    Seconds,
    describe_field("Time to retry while something temporary blocks the landing (default: 0).", "SECONDS"),
]
NameFile = Annotated[str, describe_field("File.", form="name")]
NameLine = Annotated[int | None, describe_field("Line of the name.", form="none")]
NameField = Annotated[
    str | None, describe_field("Name in that line; name#2 is the second of that name.", form="none")
]
Trust = Annotated[
    Literal["resolver", "server", "both"] | None,
    describe_field(
        "Source to follow if the resolver and a language server disagree; both: reject the edit.",
        "WHOM",
    ),
]
Base = Annotated[str | None, describe_field("Blob ID of the file version that you have read.", "BLOB")]
TargetFile = Annotated[str, describe_field("File.", form="target")]
Symbol = Annotated[str | None, describe_field("Name of a definition, such as Outer.inner.", form="none")]
FirstLine = Annotated[
    str | int | None, describe_field("First line, or a range such as 42-55 or 42:9f3c-55:01be.", form="none")
]
LastLine = Annotated[str | int | None, describe_field("Last line.", form="none")]
Query = Annotated[str | None, describe_field("Selector of the target.", "SELECTOR")]
Node = Annotated[
    str | None, describe_field(f"node_id of the target as find reports it; requires {arg('base')}.", "ID")
]
Match = Annotated[int | None, describe_field("Index of the selector's match, from 0.", "N")]
Kind = Annotated[str | None, describe_field("Required kind of the target: function, class, method, …")]


class CommandRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all requests."""

    panel: ClassVar[str] = "Options"
    """Group of the class's own fields, from :data:`PANELS`."""
    own_panel: ClassVar[str] = "Options"
    """Group of the fields that a command's own request adds."""
    examples: ClassVar[tuple[str, ...]] = ()
    """Two command lines for the help, without the name of the command."""


ListMentions = Annotated[
    bool, describe_field("List the places that mention a name in words, instead of their number.")
]


class ReadRequest(CommandRequest, frozen=True, kw_only=True):
    """Source of a reading command: a branch, a transaction, or the files on disk."""

    panel: ClassVar[str] = "Target"

    checkout: Annotated[bool, describe_field("Read the working tree instead of the branch.")] = False
    onto: Onto = None
    tx: InTx = None


class TransactionRequest(CommandRequest, frozen=True, kw_only=True):
    """Request about one transaction."""

    tx: OfTx = None


class TransactionOptions(CommandRequest, frozen=True, kw_only=True):
    """Options of every command that makes a transaction."""

    panel: ClassVar[str] = "Transaction"

    message: Message = None
    checkout: Checkout = False
    onto: Onto = None
    tx: InTx = None
    dry_run: Annotated[bool, describe_field("Print the diff and write nothing.")] = False
    no_land: Annotated[
        bool, describe_field(f"Keep the edit in an open transaction; `{call('land', tx='ID')}` lands it.")
    ] = False
    wait: Wait = 0.0


class ChangeRequest(TransactionOptions, frozen=True, kw_only=True):
    """A change made of operations, with its transaction."""

    own_panel: ClassVar[str] = "Code"

    no_record: Annotated[
        bool,
        describe_field(f"With {arg('checkout')}: record nothing, for a read-only .git (cannot be undone)."),
    ] = False
    require_approval: Annotated[
        bool, describe_field("Keep the edit in an open transaction until another user approves it.")
    ] = False


class OperationRequest(ChangeRequest, frozen=True, kw_only=True):
    """Options of every operation, with its transaction."""

    panel: ClassVar[str] = "Target"

    expect: Annotated[str | None, describe_field("Content hash that the target must still have.", "HASH")] = (
        None
    )
    base: Base = None


class FileTransferRequest(OperationRequest, frozen=True, kw_only=True):
    """Source and target of a moved or copied file or directory."""

    path: Annotated[str, describe_field("File or directory.", "PATH", place=True, path=True)]
    to: Annotated[
        str,
        describe_field(
            "New path; a path that ends with / is the directory to put it in.",
            "TO",
            place=True,
            path=True,
            into="path",
        ),
    ]


class AddressedRequest(OperationRequest, frozen=True, kw_only=True):
    """An operation on one place in a file, with one kind of address."""

    path: TargetFile
    symbol: Symbol = None
    start: FirstLine = None
    end: LastLine = None
    query: Query = None
    node: Node = None
    match: Match = None
    kind: Kind = None


EditAnswer = Edited
_MAX_ROWS = 10
"""Maximum number of policy rules that the text lists."""


def build_operation(op: str, fields: tuple[str, ...], request: ChangeRequest, **more: Any) -> dict[str, Any]:
    """Return the operation ``op`` with the requested ``fields`` that are set, and ``more``."""
    named = {name: getattr(request, name) for name in fields if hasattr(request, name)}
    return {"op": op, **{name: value for name, value in (named | more).items() if value is not None}}


def apply_operation(caller: Caller, request: ChangeRequest, operation: dict[str, Any]) -> Reply:
    """Apply one operation."""
    return apply_changeset(caller, request, changeset(operation, message=request.message))


def apply_changeset(caller: Caller, request: ChangeRequest, sent: Changeset, note: str = "") -> Reply:
    """Apply a changeset as the request says: try, stage, or land it. The reply includes ``note``."""
    if request.require_approval and not sent.require_approval:
        sent = msgspec.structs.replace(sent, require_approval=True)
    listing: bool | None = getattr(request, "list_mentions", None)
    tx = caller.transaction(request)
    try:
        if tx is not None and request.no_record:
            words = f"{arg('no_record')} is for edits of the checkout, not of transaction {tx.id}"
            raise BadCall("invalid_args", words, f"leave out {arg('no_record')}")
        if tx is not None:
            done = tx.apply(sent, dry_run=request.dry_run)
            return result_reply(done, note, list_mentions=listing)
        onto = (
            sent.onto
            if sent.onto and not (request.onto or request.checkout)
            else _find_target(caller, request, sent)
        )
        done = caller.edits.apply(
            sent,
            onto=onto,
            dry_run=request.dry_run,
            land=not request.no_land,
            wait=request.wait,
            record=not request.no_record,
        )
        return result_reply(done, note, list_mentions=listing)
    except ScalpelError as error:
        if error.op is not None and not error.about:  # a gate reports only the index
            operation = sent.operations[error.op]
            raise error.at(error.op, operation.word, operation.path) from error
        raise


def _find_target(caller: Caller, request: ChangeRequest, sent: Changeset) -> str | None:
    """Return the target of a change. One that needs approval goes to a branch in any case."""
    if sent.require_approval and not request.checkout:
        return request.onto
    return caller.onto(request)


def result_reply(result: Result, note: str = "", *, list_mentions: bool | None = None) -> Reply:
    """Return the reply for a transaction that was staged, landed or tried."""

    def words(spelling: Spelling) -> ReplyText:
        text, then = _edit_text(result, note, spelling)
        return ReplyText(text, result.patch.diff, then, brief=result.tx is not None, page=result.tx is None)

    return Reply(
        result.answer(note), words, result.said, result.next, result=result, list_mentions=list_mentions
    )


def _edit_text(result: Result, note: str, spelling: Spelling) -> tuple[str, str]:
    """Return the texts above and below the diff."""
    if result.tx is None and result.state == "edited":
        return "\n".join(
            [f"edited, not recorded: {message_subject(result.message)}", *file_lines(result)]
        ), ""
    if result.tx is None:
        return note, ""
    done = {"landed": "landed on", "edited": "edited, in"}.get(result.state, "staged for")
    what = f"{done if result.landed is None else 'landed on'} {result.target}"
    if result.state == "undone":
        what += " before, and undone since"
    if result.state == "dropped":
        what += " before, and dropped since"
    lines = [f"{what}: {message_subject(result.message)}  [{result.tx}]", *file_lines(result)]
    lines += [f"  {note}"] if note else []
    for row in result.facts.ops:
        lines += [f"  note: {note}" for note in row.corrections]
        lines += [f"  lead: {row.lead}"] if row.lead else []
        lines += [f"  matched: {row.matched}"] if row.matched and row.matched != "exact" else []
    if result.state in ("undone", "dropped"):
        return "\n".join(lines), ""
    if result.state == "edited":
        return "\n".join(lines), f"undo with: {spelling.call(result.back)}"
    if result.landed:
        merged = [file.path for file in result.landed.files if file.what == "merged"]
        lines += [f"  {quote_for_line(path)}: your uncommitted changes stay on top" for path in merged]
        lines += [f"  {words}" for words in _checked_rules(result)]
        return "\n".join(lines), f"undo with: {spelling.call(result.back)}"
    return "\n".join(lines), f"land with: {spelling.call(action('land', tx=result.tx))}"


def _checked_rules(result: Result) -> list[str]:
    """Return a line with the policy packs and team rules that checked the change."""
    names = [name for gate in result.facts.gates for name in gate.rules or () if name not in POLICY_KEYS]
    more = f" and {len(names) - _MAX_ROWS} more" if len(names) > _MAX_ROWS else ""
    return [f"policy: held against {', '.join(names[:_MAX_ROWS])}{more}"] if names else []


def file_lines(result: Result) -> list[str]:
    """Return a line for each changed file."""
    return [f"  {quote_for_line(row.path)}  +{row.added} -{row.removed}" for row in result.patch.rows]
