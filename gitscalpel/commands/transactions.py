"""Commands apply, begin, stage, diff, drop, worktree and suggest.

``apply`` takes a changeset or patch and is atomic. ``begin`` opens a transaction, ``stage`` adds work done
by hand
in its worktree or in the checkout, and ``suggest`` runs the team's commands that suggest follow-up
changesets.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import msgspec

from gitscalpel.api import BadCall, Result, ScalpelError, parse_request
from gitscalpel.changesets.answers import Edited, subject
from gitscalpel.commands import edit_reply
from gitscalpel.commands.common_fields import Asked, ChangeRequest, Message, Named, Onto, said
from gitscalpel.commands.reply import Caller, Reply, Words, plain
from gitscalpel.errors.messages import MARKED, Spelling, action, arg, call

if TYPE_CHECKING:
    from gitscalpel.api import Suggestion


ApplyAnswer = edit_reply.EditAnswer


class ApplyRequest(ChangeRequest, frozen=True, kw_only=True):
    """Changeset or patch to apply."""

    examples = ("change.json", "fix.patch --checkout")

    changeset: Annotated[
        str,
        said(
            "Changeset or patch (default: -, standard input); "
            f"`{call('help', topic='editing')}` lists the formats.",
            "FILE|-",
            form="file",
        ),
    ]


def perform_apply(caller: Caller, asked: ApplyRequest) -> Reply:
    """Apply a changeset or patch."""
    sent = parse_request(asked.changeset.encode("utf-8", "surrogateescape"))
    if asked.message:
        sent = sent.reworded(asked.message)
    return edit_reply.whole(caller, asked, sent)


BeginAnswer = edit_reply.EditAnswer


class BeginRequest(Asked, frozen=True, kw_only=True):
    """Initial content of a transaction."""

    examples = ("-m 'Two edits, one commit'", "--adopt src/app.py --worktree")

    adopt: Annotated[bool, said("Move the uncommitted changes of PATH into the transaction.")] = False
    paths: Annotated[
        tuple[str, ...], said(f"Files or directories for {arg('adopt')}.", "PATH", place=True, path=True)
    ] = ()
    worktree: Annotated[bool, said("Check the transaction out in a linked worktree.")] = False
    message: Message = None
    onto: Onto = None


def perform_begin(caller: Caller, asked: BeginRequest) -> Reply:
    """Open a transaction."""
    if asked.adopt != bool(asked.paths):
        adopt = arg("adopt")
        raise BadCall("invalid_args", f"{adopt} and PATHS go together", f"such as: begin {adopt} src new.py")
    tx = caller.repo.begin(asked.message, onto=asked.onto, adopt=asked.paths)
    if asked.worktree:
        try:
            tx.worktree()
        except ScalpelError:
            with suppress(ScalpelError, OSError):
                tx.forget()
            raise
    result = tx.result
    return Reply(result.answer(), lambda spelling: Words(_text(result, spelling)), next=result.next)


def _text(result: Result, spelling: Spelling) -> str:
    lines = [f"began {result.tx} for {result.target}", *edit_reply.files(result)]
    lines += [f"worktree: {result.worktree}"] if result.worktree else []
    return "\n".join([*lines, f"edit in it with: {spelling.field('tx', str(result.tx))}"])


StageAnswer = edit_reply.EditAnswer


class StageRequest(Named, frozen=True, kw_only=True):
    """Changes to add to a transaction."""

    examples = ("7k3m", "7k3m --from-checkout src/app.py")

    from_checkout: Annotated[
        tuple[str, ...],
        said(
            "Files or directories of the working tree whose uncommitted changes are added.",
            "PATH",
            path=True,
            many=True,
        ),
    ] = ()
    message: Message = None


def perform_stage(caller: Caller, asked: StageRequest) -> Reply:
    """Add changes made by hand to a transaction."""
    tx = caller.chosen(asked)
    paths, message = asked.from_checkout, asked.message
    return edit_reply.told(tx.take(*paths, message=message) if paths else tx.stage(message=message))


DiffAnswer = edit_reply.EditAnswer


class DiffRequest(Named, frozen=True, kw_only=True):
    """Transaction to show."""

    examples = ("7k3m", "7k3m --json")


def perform_diff(caller: Caller, asked: DiffRequest) -> Reply:
    """Show the patch of a transaction."""
    if asked.tx is None and caller.repo.inside is None:
        hint = f"give its ID; {call('list')} shows them, and `git diff` what is uncommitted in the checkout"
        raise BadCall("invalid_args", "which transaction?", hint)
    result = caller.chosen(asked).result
    return Reply(
        result.answer(),
        lambda _: Words(diff=result.patch.diff, page=True),
        next=(action("land", tx=result.tx),),
    )


DropAnswer = edit_reply.EditAnswer | list[edit_reply.EditAnswer]


class DropRequest(Asked, frozen=True, kw_only=True):
    """Transactions to drop."""

    examples = ("7k3m", "7k3m 9f2c")

    ids: Annotated[
        tuple[str, ...],
        said("Transaction IDs (default in a transaction's worktree: that transaction).", "ID", place=True),
    ] = ()


def perform_drop(caller: Caller, asked: DropRequest) -> Reply:
    """Drop transactions."""
    ids = list(dict.fromkeys(asked.ids or (caller.named(Named()),)))
    if len(ids) > 1:
        ids = list(dict.fromkeys(caller.repo.transaction(tx).id for tx in ids))  # check all first
    results = [caller.repo.drop(tx) for tx in ids]
    answers = [result.answer() for result in results]
    text = "\n".join(map(_line, results))
    return Reply(answers if len(answers) > 1 else answers[0], plain(text))


def _line(result: Result) -> str:
    kept = f"; its commit {result.head[:12]} is kept as refs/scalpel/keep/{result.tx}" if result.head else ""
    return f"dropped {result.tx}{kept}"


class WorktreeRequest(Named, frozen=True, kw_only=True):
    """Transaction that needs a worktree."""

    examples = ("7k3m", "7k3m --json")


class WorktreeAnswer(Edited, frozen=True, kw_only=True):
    """The transaction, with the path of its worktree."""

    path: str


def perform_worktree(caller: Caller, asked: WorktreeRequest) -> Reply:
    """Lease a worktree for a transaction."""
    tx = caller.chosen(asked)
    path = str(tx.worktree())
    result = tx.result
    answer = WorktreeAnswer(**msgspec.structs.asdict(result.answer()), path=path)
    following = (action("stage", tx=result.tx), action("land", tx=result.tx))
    return Reply(answer, plain(path, verbatim=True), next=following)


class SuggestRequest(Named, frozen=True, kw_only=True):
    """Transaction, and the commands to run."""

    examples = ("7k3m", "7k3m --only docs")

    only: Annotated[str | None, said("Name of the only suggestion command to run.", "NAME")] = None


class Row(msgspec.Struct, frozen=True, kw_only=True):
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
    suggestions: tuple[Row, ...]


def perform_suggest(caller: Caller, asked: SuggestRequest) -> Reply:
    """Run the commands that suggest changesets."""
    tx = caller.chosen(asked)
    found = tx.suggest(asked.only)
    answer = SuggestAnswer(answers=tx.id, suggestions=tuple(_row(each, caller.spelling) for each in found))
    first = next((each.error for each in found if each.error is not None), None)
    following = tuple(action("show-tx", tx=row.tx) for row in answer.suggestions if row.tx)
    wrong = None if first is None else _wrong(first, answer)
    return Reply(
        answer,
        lambda spelling: Words(_suggestion_text(found, spelling), complete=True),
        next=following,
        wrong=wrong,
    )


def _wrong(first: ScalpelError, answer: SuggestAnswer) -> ScalpelError:
    message, hint = first.told(MARKED)
    return type(first)(first.code, message, hint, **{**first.data, **msgspec.to_builtins(answer)})


def _row(each: Suggestion, spelling: Spelling) -> Row:
    made, error = each.result, each.error
    return Row(
        name=each.name,
        tx=made.tx if made else None,
        message=made.message if made else "",
        paths=tuple(row.path for row in made.patch.rows) if made else (),
        state=made.state if made else None,
        code=error.code if error else None,
        error=error.told(spelling)[0] if error else None,
    )


def _suggestion_text(found: list[Suggestion], spelling: Spelling) -> str:
    return "\n".join(line for each in found for line in _lines(each, spelling)) or "nobody was asked"


def _lines(each: Suggestion, spelling: Spelling) -> list[str]:
    lines = []
    if each.result is not None:
        lines += [f"{each.name} suggests {each.result.tx}: {subject(each.result.message)}"]
        lines += [f"  {row.path}  +{row.added} -{row.removed}" for row in each.result.patch.rows]
    if each.error is not None:
        message, hint = each.error.told(spelling)
        lines += [f"{each.name}: {each.error.code}: {message}", f"  hint: {hint}"]
    return lines or [f"{each.name} has nothing to suggest"]
