"""Commands snapshot, restore and run.

``snapshot`` records the checkout as a commit, or runs a command between two snapshots. ``restore``
brings back the whole checkout or some files. ``run`` lands what a command does to the files. The command
runs in a worktree, or in the checkout on request.
"""

from __future__ import annotations

import time
from collections.abc import Container
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from gitscalpel.api import BadCall, DoesNotFit, Result, Snapshot, Watched
from gitscalpel.changesets.answers import CHECKOUT, Edited, FileRow
from gitscalpel.commands import reply
from gitscalpel.commands.reply import (
    Caller,
    CommandRequest,
    Reply,
    ReplyText,
    TransactionOptions,
    describe_field,
    plain_text,
)
from gitscalpel.errors.messages import Spelling, action, arg, call


class SnapshotRequest(CommandRequest, frozen=True, kw_only=True):
    """Snapshot to take, or command to run between two snapshots."""

    examples = ("-m 'Before the cleanup'", "--watch-command -- make")

    message: Annotated[str, describe_field("Reason for the snapshot.", "TEXT", short="-m")] = ""
    list: Annotated[bool, describe_field("List the snapshots, newest first.")] = False
    watch_command: Annotated[
        bool,
        describe_field(
            "Run the command after -- and record its changes as one operation that undo can undo."
        ),
    ] = False
    command: Annotated[
        tuple[str, ...],
        describe_field(f"Command to run, after --, with {arg('watch_command')}.", form="rest"),
    ] = ()


class SnapshotRow(msgspec.Struct, frozen=True, kw_only=True):
    """A snapshot.

    Attributes:
        id: id of the snapshot.
        commit: commit that contains the files.
        message: reason for the snapshot.
        time: seconds since 1970.
        left_out: files that could not be read, with reasons.
    """

    id: str
    commit: str
    message: str
    time: int
    left_out: tuple[str, ...] = ()


class CommandRun(msgspec.Struct, frozen=True, kw_only=True):
    """A command that was run in the checkout.

    Attributes:
        status: exit status of the command, also that of gitscalpel.
        before: snapshot from before the command.
        tx: operation that undo can undo. Null if the command changed no file that git tracks.
        diff, files: changes by the command.
    """

    status: int
    before: SnapshotRow
    tx: str | None
    diff: str | UnsetType = UNSET
    files: tuple[FileRow, ...] | UnsetType = UNSET


SnapshotAnswer = SnapshotRow | list[SnapshotRow] | CommandRun


def perform_snapshot(caller: Caller, request: SnapshotRequest) -> Reply:
    """Take a snapshot, list the snapshots, or run a command between two snapshots."""
    if request.watch_command != bool(request.command):
        watch = arg("watch_command")
        hint = f"such as: {call('snapshot', watch_command=True)} -- make"
        raise BadCall("invalid_args", f"{watch} needs a command after --, and vice versa", hint)
    if request.watch_command:
        return run_in_checkout(caller, request.command, request.message)
    if request.list:
        found = caller.snapshots.snapshots()
        text = "\n".join(map(_snapshot_line, found)) or "no snapshots"
        return Reply([snapshot_row(each) for each in found], plain_text(text, page=True))
    taken = caller.snapshots.snapshot(request.message)
    warnings = tuple(f"not in the snapshot: {each}" for each in taken.left_out)
    back = action("restore", id=taken.id)

    def words(spelling: Spelling) -> ReplyText:
        return ReplyText(f"snapshot {taken.id}  {taken.commit[:12]}\nrestore with: {spelling.call(back)}")

    return Reply(snapshot_row(taken), words, warnings, (back,))


def snapshot_row(snapshot: Snapshot) -> SnapshotRow:
    """Return a snapshot as data."""
    return SnapshotRow(
        id=snapshot.id,
        commit=snapshot.commit,
        message=snapshot.message,
        time=int(snapshot.time),
        left_out=snapshot.left_out,
    )


def _snapshot_line(snapshot: Snapshot) -> str:
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(snapshot.time))
    return f"{when}  {snapshot.id}  {snapshot.commit[:10]}  {snapshot.message}".rstrip()


def run_in_checkout(
    caller: Caller, command: tuple[str, ...], message: str | None, ok: Container[int] = (0,)
) -> Reply:
    """Run a command in the checkout. The reply has its exit status, or 0 if the status is in ``ok``."""
    told = _run_reply(caller.snapshots.watch(*command, message=message, aloud=caller.say is not None))
    return msgspec.structs.replace(told, status=0) if told.status in ok else told


def _run_reply(watched: Watched) -> Reply:
    did = watched.did
    answer = CommandRun(
        status=watched.status,
        before=snapshot_row(watched.before),
        tx=did.tx if did else None,
        diff=did.patch.diff if did else UNSET,
        files=tuple(did.patch.rows) if did else UNSET,
    )
    back = action("undo")

    def words(spelling: Spelling) -> ReplyText:
        if did is None:
            why = "" if watched.warnings else "no file has changed that git would see: "
            return ReplyText(f"{why}there is no step to undo", aside=True)
        lines = [f"changed  [{did.tx}]", *reply.file_lines(did), f"undo with: {spelling.call(back)}"]
        return ReplyText("\n".join(lines), aside=True)

    return Reply(answer, words, watched.warnings, (back,) if did else (), status=watched.status)


RestoreAnswer = reply.EditAnswer


class RestoreRequest(CommandRequest, frozen=True, kw_only=True):
    """Snapshot and files to restore."""

    examples = ("7k3m", "7k3m src/app.py")

    id: Annotated[str, describe_field("Snapshot ID.", "ID", place=True)]
    paths: Annotated[
        tuple[str, ...],
        describe_field(
            "Files or directories (default: the whole working tree).", "PATH", place=True, path=True
        ),
    ] = ()


def perform_restore(caller: Caller, request: RestoreRequest) -> Reply:
    """Restore files from a snapshot."""
    before, result = caller.snapshots.restore(request.id, request.paths)
    note = f"what was there is snapshot {before.id}"
    warnings = (*(f"not in that snapshot: {each}" for each in before.left_out), *before.warnings)
    if result is None:
        state = "unchanged"
        answer = Edited(tx=None, state=state, target=CHECKOUT, landed=None, diff="", files=(), note=note)
        return Reply(answer, lambda _: ReplyText("the files are as the snapshot has them already"), warnings)
    back = action("undo")

    def words(spelling: Spelling) -> ReplyText:
        lines = [f"restored, in {result.target}  [{result.tx}]", *reply.file_lines(result), f"  {note}"]
        return ReplyText("\n".join(lines), result.patch.diff, f"undo with: {spelling.call(back)}", brief=True)

    return Reply(result.answer(note), words, warnings, (back,))


RunAnswer = reply.EditAnswer | CommandRun


class RunRequest(TransactionOptions, frozen=True, kw_only=True):
    """Command to run."""

    examples = ("-- black src", "--tx 7k3m -- npm run format")

    ok_status: Annotated[
        tuple[int, ...], describe_field("Exit status that counts as success besides 0; may be repeated.", "N")
    ] = ()
    command: Annotated[
        tuple[str, ...],
        describe_field(
            f"Command to run, after --. If it fails, nothing lands; with {arg('checkout')} its changes are "
            "one operation, whatever its exit status.",
            form="rest",
        ),
    ]


def perform_run(caller: Caller, request: RunRequest) -> Reply:
    """Run a command and land its changes."""
    if not request.command:
        hint = f"put it after --: {call('run', command='black src')}"
        raise BadCall("invalid_args", "no command given", hint)
    if caller.transaction(request) is None and caller.onto(request) == CHECKOUT:
        if request.dry_run:
            words = f"{arg('dry_run')} needs a branch: it runs the command in a worktree, not in the checkout"
            raise BadCall("invalid_args", words, f"name a branch with {arg('onto', 'BRANCH')}")
        return run_in_checkout(caller, request.command, request.message, (0, *request.ok_status))
    try:
        return reply.result_reply(_run_in_worktree(caller, request))
    except DoesNotFit as error:
        if error.code != "no_change":
            raise
        # A formatter without anything to change has succeeded.
        answer = Edited(tx=request.tx, state="unchanged", landed=None, diff="", files=())
        return Reply(answer, plain_text(error.message))


def _run_in_worktree(caller: Caller, request: RunRequest) -> Result:
    tx, ok = caller.transaction(request), (0, *request.ok_status)
    if tx is None:
        return caller.edits.run(
            *request.command,
            ok=ok,
            message=request.message,
            onto=request.onto,
            land=not request.no_land,
            dry_run=request.dry_run,
            wait=request.wait,
        )
    if request.dry_run:
        words = f"{arg('dry_run')} and {arg('tx')} cannot be combined"
        raise BadCall("invalid_args", words, f"run it without {arg('tx')}")
    result = tx.run(*request.command, ok=ok)
    if request.message:
        tx.reword(request.message)
    return result
