"""Commands apply, begin, stage, diff, drop, worktree and suggest.

``apply`` takes a changeset or patch and is atomic. ``begin`` opens a transaction, ``stage`` adds work
done by hand in its worktree or in the checkout, and ``suggest`` runs the team's commands that suggest
follow-up changesets.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import msgspec

from gitscalpel.api import BadCall, Result, ScalpelError, parse_request
from gitscalpel.changesets.answers import Edited, message_subject
from gitscalpel.commands import reply
from gitscalpel.commands.reply import (
    Caller,
    ChangeRequest,
    CommandRequest,
    Message,
    Onto,
    Reply,
    ReplyText,
    TransactionRequest,
    describe_field,
    plain_text,
)
from gitscalpel.errors.messages import MARKED, Spelling, action, arg, call

if TYPE_CHECKING:
    from gitscalpel.api import Suggestion


ApplyAnswer = reply.EditAnswer


class ApplyRequest(ChangeRequest, frozen=True, kw_only=True):
    """Changeset or patch to apply."""

    examples = ("change.json", "fix.patch --checkout")

    changeset: Annotated[
        str,
        describe_field(
            "Changeset or patch (default: -, standard input); "
            f"`{call('help', topic='editing')}` lists the formats.",
            "FILE|-",
            form="file",
        ),
    ]


def perform_apply(caller: Caller, request: ApplyRequest) -> Reply:
    """Apply a changeset or patch."""
    sent = parse_request(request.changeset.encode("utf-8", "surrogateescape"))
    if request.message:
        sent = sent.reworded(request.message)
    return reply.apply_changeset(caller, request, sent)


BeginAnswer = reply.EditAnswer


class BeginRequest(CommandRequest, frozen=True, kw_only=True):
    """Initial content of a transaction."""

    examples = ("-m 'Two edits, one commit'", "--adopt src/app.py --worktree")

    adopt: Annotated[bool, describe_field("Move the uncommitted changes of PATH into the transaction.")] = (
        False
    )
    paths: Annotated[
        tuple[str, ...],
        describe_field(f"Files or directories for {arg('adopt')}.", "PATH", place=True, path=True),
    ] = ()
    worktree: Annotated[bool, describe_field("Check the transaction out in a linked worktree.")] = False
    message: Message = None
    onto: Onto = None


def perform_begin(caller: Caller, request: BeginRequest) -> Reply:
    """Open a transaction."""
    if request.adopt != bool(request.paths):
        adopt = arg("adopt")
        hint = f"give both, such as begin {adopt} src new.py"
        if not request.adopt:
            typed = " ".join(request.paths)
            hint = f"for a message: {arg('message', 'TEXT' if '/' in typed else typed)}; for files, {hint}"
        raise BadCall("invalid_args", f"{adopt} needs PATHS, and PATHS need it", hint)
    tx = caller.transactions.begin(request.message, onto=request.onto, adopt=request.paths)
    if request.worktree:
        try:
            tx.worktree()
        except ScalpelError:
            with suppress(ScalpelError, OSError):
                tx.forget()
            raise
    result = tx.result
    return Reply(result.answer(), lambda spelling: ReplyText(_begin_text(result, spelling)), next=result.next)


def _begin_text(result: Result, spelling: Spelling) -> str:
    lines = [f"began {result.tx} for {result.target}", *reply.file_lines(result)]
    lines += [f"worktree: {result.worktree}"] if result.worktree else []
    return "\n".join([*lines, f"edit in it with: {spelling.field('tx', str(result.tx))}"])


StageAnswer = reply.EditAnswer


class StageRequest(TransactionRequest, frozen=True, kw_only=True):
    """Changes to add to a transaction."""

    examples = ("7k3m", "7k3m --from-checkout src/app.py")

    from_checkout: Annotated[
        tuple[str, ...],
        describe_field(
            "Files or directories of the working tree whose uncommitted changes are added.",
            "PATH",
            path=True,
            many=True,
        ),
    ] = ()
    message: Message = None


def perform_stage(caller: Caller, request: StageRequest) -> Reply:
    """Add changes made by hand to a transaction."""
    tx = caller.require_transaction(request)
    paths, message = request.from_checkout, request.message
    return reply.result_reply(tx.take(*paths, message=message) if paths else tx.stage(message=message))


DiffAnswer = reply.EditAnswer


class DiffRequest(TransactionRequest, frozen=True, kw_only=True):
    """Transaction to show."""

    examples = ("7k3m", "7k3m --json")


def perform_diff(caller: Caller, request: DiffRequest) -> Reply:
    """Show the patch of a transaction."""
    if request.tx is None and caller.repo.inside is None:
        hint = f"give its ID; {call('list')} shows them, and `git diff` what is uncommitted in the checkout"
        raise BadCall("invalid_args", "no transaction given", hint)
    result = caller.require_transaction(request).result
    return Reply(
        result.answer(),
        lambda _: ReplyText(diff=result.patch.diff, page=True),
        next=(action("land", tx=result.tx),),
    )


DropAnswer = reply.EditAnswer | list[reply.EditAnswer]


class DropRequest(CommandRequest, frozen=True, kw_only=True):
    """Transactions to drop."""

    examples = ("7k3m", "7k3m 9f2c")

    ids: Annotated[
        tuple[str, ...],
        describe_field(
            "Transaction IDs (default in a transaction's worktree: that transaction).", "ID", place=True
        ),
    ] = ()


def perform_drop(caller: Caller, request: DropRequest) -> Reply:
    """Drop transactions."""
    ids = list(dict.fromkeys(request.ids or (caller.require_transaction_id(TransactionRequest()),)))
    if len(ids) > 1:
        ids = list(dict.fromkeys(caller.transactions.transaction(tx).id for tx in ids))  # check all first
    results = [caller.transactions.drop(tx) for tx in ids]
    answers = [result.answer() for result in results]
    text = "\n".join(map(_drop_line, results))
    return Reply(answers if len(answers) > 1 else answers[0], plain_text(text))


def _drop_line(result: Result) -> str:
    kept = f"; its commit {result.head[:12]} is kept as refs/scalpel/keep/{result.tx}" if result.head else ""
    return f"dropped {result.tx}{kept}"


class WorktreeRequest(TransactionRequest, frozen=True, kw_only=True):
    """Transaction that needs a worktree."""

    examples = ("7k3m", "7k3m --json")


class WorktreeAnswer(Edited, frozen=True, kw_only=True):
    """The transaction, with the path of its worktree."""

    path: str


def perform_worktree(caller: Caller, request: WorktreeRequest) -> Reply:
    """Lease a worktree for a transaction."""
    tx = caller.require_transaction(request)
    path = str(tx.worktree())
    result = tx.result
    answer = WorktreeAnswer(**msgspec.structs.asdict(result.answer()), path=path)
    following = (action("stage", tx=result.tx), action("land", tx=result.tx))
    return Reply(answer, plain_text(path, verbatim=True), next=following)


class SuggestRequest(TransactionRequest, frozen=True, kw_only=True):
    """Transaction, and the commands to run."""

    examples = ("7k3m", "7k3m --only docs")

    only: Annotated[str | None, describe_field("Name of the only suggestion command to run.", "NAME")] = None


class SuggestionRow(msgspec.Struct, frozen=True, kw_only=True):
    """Suggestion of one command.

    Attributes:
        name: name of the command.
        tx: suggested transaction. Null if there is none, or if it was rejected.
        message, paths, state: those of the suggested transaction.
        code, error: error of the suggestion or of a gate, or null.
    """

    name: str
    tx: str | None
    message: str
    paths: tuple[str, ...]
    state: str | None
    code: str | None
    error: str | None


class SuggestAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Suggestions for the transaction ``answers``."""

    answers: str
    suggestions: tuple[SuggestionRow, ...]


def perform_suggest(caller: Caller, request: SuggestRequest) -> Reply:
    """Run the commands that suggest changesets."""
    tx = caller.require_transaction(request)
    found = tx.suggest(request.only)
    answer = SuggestAnswer(
        answers=tx.id, suggestions=tuple(_suggestion_row(each, caller.spelling) for each in found)
    )
    first = next((each.error for each in found if each.error is not None), None)
    following = tuple(action("show-tx", tx=row.tx) for row in answer.suggestions if row.tx)
    wrong = None if first is None else _suggestion_error(first, answer)
    return Reply(
        answer,
        lambda spelling: ReplyText(_suggestion_text(found, spelling), complete=True),
        next=following,
        wrong=wrong,
    )


def _suggestion_error(first: ScalpelError, answer: SuggestAnswer) -> ScalpelError:
    message, hint = first.told(MARKED)
    return type(first)(first.code, message, hint, **{**first.data, **msgspec.to_builtins(answer)})


def _suggestion_row(each: Suggestion, spelling: Spelling) -> SuggestionRow:
    made, error = each.result, each.error
    return SuggestionRow(
        name=each.name,
        tx=made.tx if made else None,
        message=made.message if made else "",
        paths=tuple(row.path for row in made.patch.rows) if made else (),
        state=made.state if made else None,
        code=error.code if error else None,
        error=error.told(spelling)[0] if error else None,
    )


def _suggestion_text(found: list[Suggestion], spelling: Spelling) -> str:
    return (
        "\n".join(line for each in found for line in _suggestion_lines(each, spelling)) or "nobody was asked"
    )


def _suggestion_lines(each: Suggestion, spelling: Spelling) -> list[str]:
    lines = []
    if each.result is not None:
        lines += [f"{each.name} suggests {each.result.tx}: {message_subject(each.result.message)}"]
        lines += [f"  {row.path}  +{row.added} -{row.removed}" for row in each.result.patch.rows]
    if each.error is not None:
        message, hint = each.error.told(spelling)
        lines += [f"{each.name}: {each.error.code}: {message}", f"  hint: {hint}"]
    return lines or [f"{each.name} has nothing to suggest"]
