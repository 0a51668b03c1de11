"""What the checkout holds now, as a commit of its own; or a command between two of these."""

from __future__ import annotations

import time
from collections.abc import Container
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from gitscalpel.api import BadCall, Snapshot, Watched
from gitscalpel.changesets.answers import FileRow
from gitscalpel.errors.messages import Spelling, action, arg, call
from gitscalpel.verbs import editing
from gitscalpel.verbs.asked import Asked, said
from gitscalpel.verbs.reply import Caller, Reply, Words, plain


class Request(Asked, frozen=True, kw_only=True):
    """What to record."""

    message: Annotated[str, said("Why it is made.", "WHY", short="-m")] = ""
    list: Annotated[bool, said("List the snapshots, newest first.")] = False
    watch_command: Annotated[
        bool, said("Run what follows -- here; what it does to the files is one step that undo takes back.")
    ] = False
    command: Annotated[
        tuple[str, ...], said(f"With {arg('watch_command')}, what follows -- is the command.", form="rest")
    ] = ()


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A snapshot.

    Attributes:
        id, commit, message: its name, the commit that holds it, why it was made.
        time: seconds since 1970.
        left_out: what could not be read, in words.
    """

    id: str
    commit: str
    message: str
    time: int
    left_out: tuple[str, ...] = ()


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """A command that has run in the checkout.

    Attributes:
        status: its exit status, which is this command's as well.
        before: the snapshot of what was there.
        tx: the step that undo takes back; null: it changed nothing that git would see.
        diff, files: what it changed.
    """

    status: int
    before: Row
    tx: str | None
    diff: str | UnsetType = UNSET
    files: tuple[FileRow, ...] | UnsetType = UNSET


Answer = Row | list[Row] | Ran


def perform(caller: Caller, asked: Request) -> Reply:
    """Record it."""
    if asked.watch_command != bool(asked.command):
        watch = arg("watch_command")
        hint = f"such as: {call('snapshot', watch_command=True)} -- make"
        raise BadCall("invalid_args", f"{watch} and a command after -- go together", hint)
    if asked.watch_command:
        return ran(caller, asked.command, asked.message)
    if asked.list:
        found = caller.repo.snapshots()
        text = "\n".join(map(_line, found)) or "no snapshots"
        return Reply([row(each) for each in found], plain(text, page=True))
    taken = caller.repo.snapshot(asked.message)
    warnings = tuple(f"not in the snapshot: {each}" for each in taken.left_out)
    back = action("restore", id=taken.id)

    def words(spelling: Spelling) -> Words:
        return Words(f"snapshot {taken.id}  {taken.commit[:12]}\nrestore with: {spelling.call(back)}")

    return Reply(row(taken), words, warnings, (back,))


def row(snapshot: Snapshot) -> Row:
    """A snapshot for programs."""
    return Row(
        id=snapshot.id,
        commit=snapshot.commit,
        message=snapshot.message,
        time=int(snapshot.time),
        left_out=snapshot.left_out,
    )


def _line(snapshot: Snapshot) -> str:
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(snapshot.time))
    return f"{when}  {snapshot.id}  {snapshot.commit[:10]}  {snapshot.message}".rstrip()


def ran(caller: Caller, command: tuple[str, ...], message: str | None, ok: Container[int] = (0,)) -> Reply:
    """Run a command in the checkout; the reply ends with its exit status, unless that is ``ok``."""
    told = _told(caller.repo.watch(*command, message=message, aloud=caller.say is not None))
    return msgspec.structs.replace(told, status=0) if told.status in ok else told


def _told(watched: Watched) -> Reply:
    did = watched.did
    answer = Ran(
        status=watched.status,
        before=row(watched.before),
        tx=did.tx if did else None,
        diff=did.patch.diff if did else UNSET,
        files=tuple(did.patch.rows) if did else UNSET,
    )
    back = action("undo")

    def words(spelling: Spelling) -> Words:
        if did is None:
            why = "" if watched.warnings else "no file has changed that git would see: "
            return Words(f"{why}there is no step to undo", aside=True)
        lines = [f"changed  [{did.tx}]", *editing.files(did), f"undo with: {spelling.call(back)}"]
        return Words("\n".join(lines), aside=True)

    return Reply(answer, words, watched.warnings, (back,) if did else (), status=watched.status)
