"""The hook ``commit-msg``: check and complete the trailers that name a transaction.

A trailer is valid if its id is in the operation log or names an open transaction. A trailer that the
commit being amended, cherry-picked or rebased already had is valid as well, because another clone's log
may contain the id. The trailer is not compared with the content of the commit. A missing trailer of a
transaction's commit is added.
"""

from __future__ import annotations

from pathlib import Path

from gitscalpel.changesets.answers import STAGED, Judged
from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import BadCall, GateRefused, Misconfigured
from gitscalpel.errors.messages import call
from gitscalpel.git import commits, oplog, refs, uncommitted
from gitscalpel.git.oplog import Record
from gitscalpel.transaction.result import REMEMBERED
from gitscalpel.workspace import Workspace

_TRAILER = "Scalpel-Tx"
_MADE_ANEW = ("HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD")


def check(ws: Workspace, words: tuple[str, ...]) -> Judged:
    """Hold the message in a file against what is known, and add to it what is left out.

    Args:
        ws: where.
        words: the file.

    Raises:
        BadCall: ``invalid_args``: no file is named.
        GateRefused: ``gate_failed``: it names a transaction that nobody knows.
    """
    if len(words) != 1:
        raise BadCall("invalid_args", "git names one file to this hook", "give the file with the message")
    file = Path(words[0])
    named = commits.find_trailers(ws.here, commits.read_message_file(file), _TRAILER)
    for tx in named:
        _refuse_unknown(ws, tx)
    if not named:
        record = _recommitted(ws)
        wanted = _wanted_trailers(ws) if record else ()
        if record is not None and _TRAILER in wanted:
            commits.add_trailer(ws.here, file, f"{_TRAILER}: {record.tx}")
            named = [record.tx]
    return Judged(target=STAGED, base=ws.here.resolve("HEAD^{commit}"), named=tuple(named))


def _wanted_trailers(ws: Workspace) -> tuple[str, ...]:
    """Return the trailers that the rules ask for; none where a commit may be about to correct these."""
    try:
        return ws.rules(ws.snapshot(ws.here.resolve("HEAD^{commit}"))).record.trailers
    except Misconfigured:
        return ()


def _refuse_unknown(ws: Workspace, tx: str) -> None:
    if tx in refs.transactions(ws.repo) or any(entry.record.tx == tx for entry in oplog.read(ws.repo)):
        return
    known = (commits.read_commit_message(ws.here, name) for name in _MADE_ANEW)
    if any(
        tx in commits.find_trailers(ws.here, message, _TRAILER) for message in known if message is not None
    ):
        return
    raise GateRefused(
        "gate_failed",
        f"the message says {_TRAILER}: {tx}, and no transaction of that id is known here",
        f"leave that line out; {call('log')} has the ids of those that landed",
        tx=tx,
    )


def _recommitted(ws: Workspace) -> Record | None:
    """The landing whose very content is committed once more, on what it stood on, or in its place."""
    head = ws.here.resolve("HEAD^{commit}")
    for entry in oplog.read(ws.repo, REMEMBERED):
        record = entry.record
        if record.kind != "land" or record.after is None or head not in (record.before, record.after):
            continue
        in_place = record.after == head
        if _holds(ws, Oid(record.after)) and (not in_place or commits.is_amending(ws.here, record.after)):
            return record
    return None


def _holds(ws: Workspace, commit: Oid) -> bool:
    """Whether what is staged is what a commit holds."""
    return ws.holds(commit) and not uncommitted.staged_changes(
        ws.here, commit, as_told=ws.session.folder is None
    )
