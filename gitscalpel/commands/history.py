"""Commands undo, redo and log.

``undo`` undoes your own last landing or edit of the checkout, or a named one. ``log`` lists landings,
undos, drops and errors, newest first.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import UNSET, UnsetType

from gitscalpel.api import BadCall, Step
from gitscalpel.changesets.answers import CHECKOUT, FileRow, message_subject, quote_path, short_branch_name
from gitscalpel.commands.reply import (
    Caller,
    CommandRequest,
    Count,
    Onto,
    Reply,
    ReplyText,
    describe_field,
    plain_text,
)
from gitscalpel.errors.messages import Spelling, action, arg

if TYPE_CHECKING:
    from gitscalpel.api import Entry


class CheckoutFileChange(msgspec.Struct, frozen=True, kw_only=True):
    """Change of a file in the checkout."""

    path: str
    what: str


class StepResult(msgspec.Struct, frozen=True, kw_only=True):
    """Result of an undo or redo.

    Attributes:
        tx: transaction that was undone or redone.
        target: branch, or ``@checkout``.
        state: ``undone``, ``landed`` or ``edited``.
        base, head, landed: commits of the branch before and after; null for the checkout.
        revert: True if a commit was made, False if the branch was moved.
        files: changes of files in the checkout.
    """

    tx: str
    state: str
    target: str
    base: str | None
    head: str | None
    landed: str | None
    revert: bool
    files: tuple[CheckoutFileChange, ...]


def _describe_method(step: Step) -> str:
    """Describe how the step was undone or redone."""
    if step.branch == CHECKOUT:
        return f"in {CHECKOUT}: {', '.join(quote_path(file.path) for file in step.landed.files)}"
    where = f"is at {step.landed.after[:12]}" if step.landed.after else "has no commit any more"
    return "by a revert commit" if step.revert else f"{short_branch_name(step.branch)} {where}"


def step_reply(verb: str, step: Step, onto: str | None) -> Reply:
    """Return the reply for an undo or redo on the target ``onto``."""
    back = action("redo" if verb == "undo" else "undo", onto=onto)

    def words(spelling: Spelling) -> ReplyText:
        return ReplyText(f"{_step_line(verb, step)}\ntake it back with: {spelling.call(back)}")

    return Reply(_step_data(verb, step), words, next=(back,))


def steps_reply(steps: list[Step], onto: str | None) -> Reply:
    """Return the reply for several undos."""
    lines = "\n".join(_step_line("undo", step) for step in steps)
    return Reply(
        [_step_data("undo", step) for step in steps],
        lambda _: ReplyText(lines),
        next=(action("redo", onto=onto),),
    )


def _step_line(verb: str, step: Step) -> str:
    done = "undone" if verb == "undo" else f"{_redone_state(step)} again"
    return f"{done}: {message_subject(step.message) or step.tx}  [{step.tx}]; {_describe_method(step)}"


def _redone_state(step: Step) -> str:
    return "edited" if step.branch == CHECKOUT else "landed"


def _step_data(verb: str, step: Step) -> StepResult:
    return StepResult(
        tx=step.tx,
        state="undone" if verb == "undo" else _redone_state(step),
        target=short_branch_name(step.branch),
        base=step.landed.before,
        head=step.landed.after,
        landed=step.landed.after,
        revert=step.revert,
        files=tuple(
            CheckoutFileChange(path=quote_path(file.path), what=file.what) for file in step.landed.files
        ),
    )


class UndoRequest(CommandRequest, frozen=True, kw_only=True):
    """Landing or edit to undo."""

    examples = ("", "7k3m --dry-run")

    tx: Annotated[
        str | None,
        describe_field(
            "Operation to undo (default: your last one on this branch or in the working tree).",
            "ID",
            place=True,
        ),
    ] = None
    all_since: Annotated[
        str | None,
        describe_field("Operation to undo together with all of your later ones in the same place.", "ID"),
    ] = None
    dry_run: Annotated[bool, describe_field("Print the diff and undo nothing.")] = False
    onto: Onto = None


class UndoPreview(msgspec.Struct, frozen=True, kw_only=True):
    """Effect that an undo would have, with the fields of :class:`Stepped`."""

    tx: str
    state: str
    target: str
    base: str | None
    revert: bool
    diff: str
    files: tuple[FileRow, ...]


UndoAnswer = StepResult | list[StepResult] | UndoPreview


def perform_undo(caller: Caller, request: UndoRequest) -> Reply:
    """Undo a landing or edit."""
    if request.all_since is not None:
        if request.tx is not None or request.dry_run:
            words = f"{arg('all_since')} cannot be combined with an ID or {arg('dry_run')}"
            raise BadCall("invalid_args", words, f"leave out the ID and {arg('dry_run')}")
        return steps_reply(caller.undoing.undo_since(request.all_since, onto=request.onto), request.onto)
    if request.dry_run:
        step, patch = caller.undoing.undoing(request.tx, onto=request.onto)
        return _dry_run_reply(step, patch.diff, patch.rows)
    return step_reply("undo", caller.undoing.undo(request.tx, onto=request.onto), request.onto)


def _dry_run_reply(step: Step, diff: str, rows: tuple[FileRow, ...]) -> Reply:
    """Return the reply for a dry run."""
    answer = UndoPreview(
        tx=step.tx,
        state="edited" if step.branch == CHECKOUT else "landed",
        target=short_branch_name(step.branch),
        base=step.landed.before,
        revert=step.revert,
        diff=diff,
        files=tuple(rows),
    )
    how = "by a revert commit" if step.revert else "by moving the branch back"
    if step.branch == CHECKOUT:
        how = f"in {CHECKOUT}"
    text = f"would undo {how}: {message_subject(step.message) or step.tx}  [{step.tx}]"
    return Reply(answer, lambda _: ReplyText(text, diff, page=True))


RedoAnswer = StepResult


class RedoRequest(CommandRequest, frozen=True, kw_only=True):
    """Target of the redo."""

    examples = ("", "--onto main")

    onto: Onto = None


def perform_redo(caller: Caller, request: RedoRequest) -> Reply:
    """Redo what the last undo undid."""
    return step_reply("redo", caller.undoing.redo(onto=request.onto), request.onto)


class LogRequest(CommandRequest, frozen=True, kw_only=True):
    """Part of the log to show."""

    examples = ("-n 5", "--refused")

    n: Annotated[Count, describe_field("Maximum number of operations (default: 20).", "N")] = 20
    refused: Annotated[bool, describe_field("List rejected edits instead of operations.")] = False


class LogRow(msgspec.Struct, frozen=True, kw_only=True):
    """An operation in the log.

    Attributes:
        entry: commit of the log entry.
        kind: ``land``, ``edit``, ``undo``, ``redo``, ``drop``, ``approve``, ``reject`` or ``push``.
        tx: transaction.
        branch: target branch, or ``@checkout``.
        before, after: commits of the branch.
        message: commit message of the transaction.
        user, agent: who made the operation.
        time: seconds since 1970.
        paths: affected files.
        revert: True if an undo or redo made a commit.
        confirmed: client that reports that a person confirmed the operation.
    """

    entry: str
    kind: str
    tx: str
    branch: str
    before: str | None
    after: str | None
    message: str
    user: str
    agent: str | None
    time: int
    paths: tuple[str, ...]
    revert: bool
    confirmed: str | UnsetType = UNSET


class RefusedRow(msgspec.Struct, frozen=True, kw_only=True):
    """An edit or landing that a gate, the policy or a reviewer rejected.

    Attributes:
        code: error code.
        what: rejected action: ``apply``, ``land``, ``run``, ``stage``, ``undo`` or ``redo``.
        user, agent: who made the attempt.
        time: seconds since 1970.
        paths: affected files.
        message: first line of the error message.
        tx: transaction, or null.
    """

    code: str
    what: str
    user: str
    agent: str | None
    time: int
    paths: tuple[str, ...]
    message: str
    tx: str | None


LogAnswer = list[LogRow] | list[RefusedRow]


def perform_log(caller: Caller, request: LogRequest) -> Reply:
    """Show the operation log."""
    if request.refused:
        return _list_rejections(caller, request.n)
    entries = caller.history.log(request.n)
    text = "\n".join(map(_entry_line, entries)) or "nothing has landed yet"
    return Reply([_log_row(entry) for entry in entries], plain_text(text, page=True))


def _list_rejections(caller: Caller, limit: int) -> Reply:
    found = caller.history.refused(limit)
    rows = [RefusedRow(**msgspec.structs.asdict(each)) for each in found]
    lines = [
        f"{_format_time(row.time)}  {row.code}  {row.what}  "
        f"{_join_lines(', '.join(filter(None, (row.user, row.agent))))}"
        f"{'  ' * bool(row.paths)}{_join_lines(', '.join(row.paths[:5]))}\n    {_join_lines(row.message)}"
        for row in rows
    ]
    return Reply(rows, plain_text("\n".join(lines) or "nothing was refused", page=True))


def _join_lines(text: str) -> str:
    """Join the lines of a text, since names of users and files may contain line breaks."""
    return " ".join(text.split())


def _format_time(seconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def _log_row(entry: Entry) -> LogRow:
    record = entry.record
    return LogRow(
        entry=entry.oid,
        kind=record.kind,
        tx=record.tx,
        branch=short_branch_name(record.where),
        before=record.before,
        after=record.after,
        message=record.message,
        user=record.user,
        agent=record.agent,
        time=record.time,
        paths=tuple(record.paths),
        revert=record.revert,
        confirmed=record.confirmed or UNSET,
    )


def _entry_line(entry: Entry) -> str:
    record = entry.record
    branch = short_branch_name(record.where)
    where = branch if branch == CHECKOUT else f"{branch}  {str(record.after or '-')[:10]}"
    agent = f"  ({_join_lines(record.agent)})" if record.agent else ""
    return (
        f"{_format_time(record.time)}  {record.kind:<5} {record.tx}  {where}  "
        f"{message_subject(record.message)}{agent}"
    )
