"""Commands land, queue and push.

``queue`` lands many open transactions in order. What cannot land stays open, with the reason. ``push``
publishes a transaction as a branch of a remote, for a pull request.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from gitscalpel.api import Pushed, Queue, ScalpelError
from gitscalpel.changesets.answers import FileRow, message_subject, remark
from gitscalpel.commands import approvals, reply
from gitscalpel.commands.findings import list_remarks
from gitscalpel.commands.reply import (
    Caller,
    CommandRequest,
    Message,
    Onto,
    Reply,
    ReplyText,
    TransactionRequest,
    Wait,
    describe_field,
)
from gitscalpel.errors.messages import MARKED, Spelling, action, arg
from gitscalpel.publish import pull_request
from gitscalpel.publish.pull_request import PullRequest
from gitscalpel.system import serialization

LandAnswer = reply.EditAnswer


class LandRequest(TransactionRequest, frozen=True, kw_only=True):
    """Transaction to land, and when."""

    examples = ("7k3m", "7k3m --wait 30")

    message: Message = None
    expect: approvals.Expect = ""
    wait: Wait = 0.0
    not_before: Annotated[
        str | None,
        describe_field(
            f"Earliest time to land, as HH:MM of today or a date and time; {arg('wait')} is the time to wait "
            "for it.",
            "TIME",
        ),
    ] = None


def perform_land(caller: Caller, request: LandRequest) -> Reply:
    """Land a transaction."""
    chosen = caller.require_transaction(request)
    done = chosen.land(
        request.message, wait=request.wait, expect=request.expect, not_before=request.not_before
    )
    return reply.result_reply(done)


class QueueRequest(CommandRequest, frozen=True, kw_only=True):
    """Transactions to land in order."""

    examples = ("", "7k3m 9f2c --batch 4")

    ids: Annotated[
        tuple[str, ...],
        describe_field("Transaction IDs, in landing order (default: all, oldest first).", "ID", place=True),
    ] = ()
    onto: Onto = None
    batch: Annotated[int, describe_field("Maximum batch size (default: 8).", "N")] = 8
    wait: Wait = 0.0
    window: Annotated[
        str | None,
        describe_field(
            f"Time of day in which to land; {arg('wait')} is the time to wait for it. Transactions that are "
            "left at its end stay open.",
            "HH:MM-HH:MM",
        ),
    ] = None


class LandedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A transaction that landed."""

    tx: str
    commit: str | None
    message: str


class StayedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A transaction that stays open, with the error of its landing."""

    tx: str
    code: str
    message: str
    hint: str


class QueueAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Result of the queue, in the order of the landings."""

    target: str
    landed: tuple[LandedRow, ...]
    stayed: tuple[StayedRow, ...]


def perform_queue(caller: Caller, request: QueueRequest) -> Reply:
    """Land several transactions."""
    done = caller.edits.queue(
        *request.ids, onto=request.onto, batch=request.batch, wait=request.wait, window=request.window
    )
    answer = serialization.convert(done.data(caller.spelling), QueueAnswer)
    wrong = _queue_error(done, answer) if done.stayed else None
    warnings = tuple(dict.fromkeys(words for one in done.landed for words in list_remarks(one)))
    return Reply(
        answer,
        lambda spelling: ReplyText(_queue_text(done, spelling), complete=True),
        warnings=warnings,
        wrong=wrong,
    )


def _queue_error(done: Queue, answer: QueueAnswer) -> ScalpelError:
    """Return the error of the first transaction that stays open, on behalf of all."""
    first = done.stayed[0].error
    message, hint = first.told(MARKED)
    said = f"{len(done.stayed)} stayed open; {done.stayed[0].tx}: {message}"
    return type(first)(first.code, said, hint, **{**first.data, **msgspec.to_builtins(answer)})


def _queue_text(done: Queue, spelling: Spelling) -> str:
    lines = [f"landed  {one.tx}  {message_subject(one.message)}" for one in done.landed]
    for one in done.stayed:
        message, hint = one.error.told(spelling)
        lines += [f"stayed  {one.tx}  {one.error.code}: {message}", f"        hint: {hint}"]
    return "\n".join(lines) or "no open transactions"


class PushRequest(TransactionRequest, frozen=True, kw_only=True):
    """Transaction to push, and the remote branch."""

    examples = ("7k3m", "7k3m --pr")

    remote: Annotated[
        str | None, describe_field("Remote (default: the push remote of the target branch).", "NAME")
    ] = None
    branch: Annotated[
        str | None,
        describe_field("Branch on the remote, not the target branch (default: scalpel/ID-MESSAGE).", "NAME"),
    ] = None
    pr: Annotated[bool, describe_field("Open or update a pull request with gh or glab, if installed.")] = (
        False
    )


class PushAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The pushed branch.

    ``moved`` is true if the push changed the branch, ``kept`` if commits by others remain below the pushed
    ones.
    """

    tx: str
    target: str
    base: str | None
    remote: str
    branch: str
    before: str | None
    commit: str
    moved: bool
    kept: bool
    files: tuple[FileRow, ...]
    pr: PullRequest


def perform_push(caller: Caller, request: PushRequest) -> Reply:
    """Push a transaction."""
    done = caller.require_transaction(request).push(request.remote, request.branch)
    pull = pull_request.prepare_pull_request(caller.repo, done, open_it=request.pr)
    result = done.result
    answer = PushAnswer(
        tx=str(result.tx),
        target=result.target,
        base=result.base,
        remote=done.remote,
        branch=done.branch,
        before=done.before,
        commit=done.commit,
        moved=done.moved,
        kept=done.added,
        files=tuple(result.patch.rows),
        pr=pull,
    )
    warnings = result.said
    if request.pr and pull.opened is not True:
        warnings = (*warnings, remark(f"no pull request was opened: {pull.said}", severity="note"))
    following = (action("show-tx", tx=result.tx), action("drop", ids=result.tx))
    return Reply(answer, lambda _: _push_text(done, pull), warnings, following)


def _push_text(done: Pushed, pull: PullRequest) -> ReplyText:
    what = "pushed" if done.moved else "is there already"
    lines = [
        f"{what}: {done.remote} {done.branch}: {message_subject(done.result.message)}  [{done.result.tx}]"
    ]
    lines += [f"  {row.path}  +{row.added} -{row.removed}" for row in done.result.patch.rows]
    lines += ["  on top of what others have pushed there"] if done.added and done.moved else []
    if pull.opened is True:
        lines += [pull.said or "the pull request is open"]
    elif pull.url:
        lines += [f"open a pull request: {pull.url}"]
    return ReplyText("\n".join(lines))
