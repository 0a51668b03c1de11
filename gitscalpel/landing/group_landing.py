"""Group landing: callers that wait for one branch land together, in one landing with a commit for each.

A waiting caller writes its request to a ticket. The caller that holds the branch lock applies each request
to its own tip, lands all at once, and writes the results to the tickets. A request that fails is left
alone: its caller gets the lock later and sees the error itself. A changeset that can be built quickly is
built under the lock, since a change built before must be built again after each landing that was faster.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from gitscalpel.changesets import paths, requests
from gitscalpel.changesets.answers import make_json_safe
from gitscalpel.changesets.file_tree import SUBMODULE, Changes, Oid, Overlay
from gitscalpel.changesets.operations import Insert, Operation, Replace, Text, Write
from gitscalpel.changesets.requests import Changeset
from gitscalpel.errors import ScalpelError, WorldMoved
from gitscalpel.errors.messages import call
from gitscalpel.git import oplog
from gitscalpel.git.journal import FileFate
from gitscalpel.landing import build
from gitscalpel.landing.build import TooSlow
from gitscalpel.landing.rebase import rebase_onto
from gitscalpel.system import repo_lock, serialization, trust
from gitscalpel.system.repo_lock import Lock, ServedAnswer, WaitingProcess
from gitscalpel.transaction import gate_result, recovery
from gitscalpel.transaction.branch_update import FileOutcome
from gitscalpel.transaction.change import Change, Meta, diff_commits, new_change, new_meta, require_files
from gitscalpel.transaction.check import gate_runner
from gitscalpel.transaction.result import REMEMBERED, Result, closed_result
from gitscalpel.workspace.workspace import TreeTarget, Workspace

_SHARED_VARIABLES = ("GIT_", "LC_", "XDG_", "SCALPEL_")
"""Prefixes of variables that have to be equal, except those in :data:`_OWN_VARIABLES`."""
_SHARED_TOO = ("EMAIL", "HOME", "LANG", "LOGNAME", "PATH", "TZ", "USER")
_OWN_VARIABLES = ("SCALPEL_AGENT", "SCALPEL_SERVER")
_MAX_OPERATIONS = 16
_MAX_BYTES = 1 << 18
"""Maximum size in bytes of a file, and of its new text, in a changeset that can be built quickly."""
_MAX_CALLERS = 64
_JOINING_S = 1.0
"""Seconds to spend on changes of other callers, for which the caller that holds the lock waits."""
_TICKET, _ANSWER = "wish", "answer"


class Request(NamedTuple):
    """Changeset as a caller sent it, with the newest log entry at that time."""

    changeset: Changeset
    log: Oid | None


class Ticket(msgspec.Struct, frozen=True):
    """Request of a waiting caller: its surroundings, its changeset, and the change that it built from it."""

    surroundings: str
    operations: tuple[dict[str, Any], ...]
    message: str | None
    request_id: str | None
    allow_broken: bool
    structure: Literal["headers", "strict"] | None
    author: str | None
    log: Oid | None
    tx: str
    head: Oid
    meta: Meta

    @property
    def request(self) -> Request:
        sent = requests.changeset(
            *self.operations,
            message=self.message,
            request_id=self.request_id,
            allow_broken=self.allow_broken,
            structure=self.structure,
        )
        return Request(msgspec.structs.replace(sent, author=self.author), self.log)


class Answer(msgspec.Struct, frozen=True):
    """Answer to a waiting caller: its entry in the log, and details that the log does not have."""

    entry: Oid
    files: tuple[tuple[str, FileFate], ...]
    warnings: tuple[str, ...]


class Companion(NamedTuple):
    """A waiting caller, and its change on top of the changes before it."""

    waiting: WaitingProcess
    change: Change


def lock_location(ws: Workspace, branch: str) -> tuple[Path, str]:
    name = blake2b(branch.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    return ws.repo.scalpel_dir / "turns", name


@contextmanager
def hold_branch_lock(
    ws: Workspace,
    branch: str,
    timeout: float = repo_lock.PATIENCE_S,
    request: Request | None = None,
    change: Change | None = None,
) -> Iterator[Lock | ServedAnswer]:
    """Hold the lock of a branch, or return the answer of its holder, which may serve the request.

    ``timeout`` is in seconds without progress in the queue. ``change`` was made from the request.
    """
    write = partial(write_ticket, ws, request, change) if request and change else bytes
    with (
        repo_lock.hold_unless_served(*lock_location(ws, branch), timeout, write) as turn,
        repo_lock.signal_progress(turn) if isinstance(turn, Lock) else nullcontext(),
    ):
        yield turn


def write_ticket(ws: Workspace, request: Request, change: Change) -> bytes:
    """Return the ticket of a waiting caller; empty if the change has to land alone."""
    if ws.inside is not None or not _may_join(ws, change):
        return b""
    sent = request.changeset
    ticket = Ticket(
        surroundings=_surroundings_digest(ws),
        operations=tuple(msgspec.to_builtins(op) for op in sent.operations),
        message=sent.message,
        request_id=sent.request_id,
        allow_broken=sent.allow_broken,
        structure=sent.structure,
        author=sent.author,
        log=request.log,
        tx=change.id,
        head=change.head,
        meta=change.meta,
    )
    ws.store.show()
    with suppress(UnicodeEncodeError):  # JSON cannot represent bytes that are not text
        return trust.seal_content(
            lock_location(ws, change.meta.branch)[0], _TICKET, msgspec.json.encode(ticket)
        )
    return b""


def _may_join(ws: Workspace, change: Change) -> bool:
    return (
        not change.is_open
        and not gate_result.has_pending_programs(change)
        and change.meta.base is not None
        and not gate_result.changes_rules(ws.at(change.meta.branch).rules, change.files)
    )


def _surroundings_digest(ws: Workspace) -> str:
    """Return a digest of location, permissions, environment and program."""
    shared = {
        name: value
        for name, value in ws.session.environment.items()
        if (name.startswith(_SHARED_VARIABLES) or name in _SHARED_TOO) and name not in _OWN_VARIABLES
    }
    words = [
        repr((ws.session.within, ws.session.confirmed)),
        *(str(each) for each in (ws.here.work_tree, ws.repo.work_tree, ws.repo.git_dir)),
        *(f"{name}={value}" for name, value in sorted(shared.items())),
        *(str(os.geteuid()), _read_umask(), __file__, str(Path(__file__).stat().st_mtime_ns)),
    ]
    return blake2b("\0".join(words).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def _read_umask() -> str:
    """Return the umask, from the kernel if possible, since otherwise reading it means setting it."""
    with suppress(OSError):
        lines = Path("/proc/self/status").read_text("utf-8").splitlines()
        return next((line for line in lines if line.startswith("Umask:")), "")
    if threading.active_count() > 1:  # another thread could make a file in that moment
        return str(os.getpid())
    mask = os.umask(0o077)
    os.umask(mask)
    return f"{mask:o}"


def read_ticket(ws: Workspace, branch: str, written: bytes) -> Ticket | None:
    """Return the request on a ticket, or None if another user wrote it."""
    content = trust.open_sealed(lock_location(ws, branch)[0], _TICKET, written)
    with suppress(msgspec.MsgspecError):  # written by another version of gitscalpel
        return None if content is None else serialization.decode(content, Ticket)
    return None


def find_answer(ws: Workspace, change: Change, turn: Lock | ServedAnswer) -> Result | None:
    """Return the result if another process has landed the change, or None if it has still to land."""
    if isinstance(turn, Lock):
        landed_before = _find_landed(ws, change) if turn.was_taken else None
        if landed_before is None and turn.was_interrupted:
            raise KeyboardInterrupt
        return landed_before
    content = trust.open_sealed(lock_location(ws, change.meta.branch)[0], _ANSWER, turn.answer)
    if content is None:
        return _find_landed(ws, change)
    answer = serialization.decode(content, Answer)
    result = closed_result(ws, oplog.read_log_entry(ws.store, answer.entry))
    assert result.landed is not None  # noqa: S101 - nothing else is told of
    landed = msgspec.structs.replace(result.landed, files=tuple(FileOutcome(*row) for row in answer.files))
    return msgspec.structs.replace(result, landed=landed, said=answer.warnings)


def _find_landed(ws: Workspace, change: Change) -> Result | None:
    """Return the landing of the change from the log; its process may have been killed before it answered."""
    steps = oplog.read_log_since(ws.store, change.meta.log, REMEMBERED)
    entry = next((step for step in steps if (step.record.kind, step.record.tx) == ("land", change.id)), None)
    if entry is None:
        return None
    recovery.recover_pending(ws)
    return closed_result(ws, entry)


def is_quick(ws: Workspace, changeset: Changeset, target: TreeTarget) -> bool:
    """Return True if a changeset can be built quickly, from the files it names, and no program judges it."""
    overlay = Overlay(target.snapshot)
    return (
        target.tip is not None
        and not changeset.require_approval
        and len(changeset.operations) <= _MAX_OPERATIONS
        and not gate_result.may_judge(ws, target.rules)
        and all(_is_small_edit(op, overlay) for op in changeset.operations)
    )


def _is_small_edit(op: Operation, overlay: Overlay) -> bool:
    """Return True if an operation edits one small file, without line numbers that the caller counted."""
    match op:
        case Replace(start=None, rename=False) | Insert(start=None) | Text(regex=False) | Write():
            pass
        case _:
            return False
    with suppress(ScalpelError):  # building it reports the error
        content = overlay.content(paths.resolve_path(op.path, overlay))
        return max(len(content or b""), len(repr(op))) <= _MAX_BYTES
    return False


def make_unbuilt(ws: Workspace, changeset: Changeset, target: TreeTarget) -> Change:
    """Return the change before it is built, with its id and based on the files that its caller saw."""
    meta = new_meta(ws, target, changeset.message, by=(ws.user(),))
    return new_change(ws, target.snapshot.tree, meta, Changes())


def build_on_tip(ws: Workspace, request: Request, change: Change, target: TreeTarget | None = None) -> Change:
    """Return the change on the current tip of its branch, after all gates except approvals have passed.

    If other callers have changed its files, the operations are applied again. They find their targets unless
    the targets themselves have changed. ``target`` is the future state of the branch, or None for the
    current.

    Raises:
        WorldMoved: ``stale``.
        ScalpelError: an error of an operation or gate.
        TooSlow: the change cannot be built quickly.
    """
    if request.changeset.request_id:
        _require_not_landed(ws, request)
    target = target or ws.at(change.meta.branch)
    is_unbuilt, has_moved = not change.is_open and not change.meta.whole, change.meta.base != target.tip
    if has_moved and not is_unbuilt:
        try:
            change, has_moved = rebase_onto(ws, change, target, merging=False), False
        except WorldMoved as moved:
            if moved.code != "target_moved":
                raise
    if is_unbuilt or has_moved:
        changeset = request.changeset
        if has_moved:
            changeset = build.pin_seen_blobs(ws.snapshot(change.meta.base), changeset)
        change = build.rebuild(ws, changeset, target, change, briefly=is_unbuilt)
    require_files(change)
    return gate_runner.run_all(ws, change)


def _require_not_landed(ws: Workspace, request: Request) -> None:
    """Raise ``stale`` if another process has landed the request since it was sent."""
    id_ = request.changeset.request_id
    for entry in oplog.read_log_since(ws.store, request.log, REMEMBERED):
        if entry.record.kind == "land" and id_ in entry.record.request_ids:
            words = f"{call('log')} shows it"
            raise WorldMoved("stale", "the same request has just landed", words, tx=entry.record.tx)


def collect_companions(ws: Workspace, first: Change) -> list[Companion]:
    """Return the changes of waiting callers, each on top of the one before, the first on ``first``."""
    companions: list[Companion] = []
    branch = first.meta.branch
    surroundings, end, seen_tickets = "", time.monotonic() + _JOINING_S, set[str]()
    while new := [
        each
        for each in repo_lock.iter_queue(*lock_location(ws, branch))
        if each.ticket.name not in seen_tickets
    ]:
        if not surroundings:
            if not _may_join(ws, first):
                return companions
            surroundings = _surroundings_digest(ws)
        seen_tickets |= {each.ticket.name for each in new}
        for each in new:
            if len(companions) == _MAX_CALLERS or time.monotonic() > end:
                return companions
            ticket = read_ticket(ws, branch, each.request)
            waiting = each.take() if ticket is not None and ticket.surroundings == surroundings else None
            if ticket is not None and waiting is not None:
                seen_tickets |= {waiting.ticket.name}
                companions += _stack_request(
                    ws, [first, *(one.change for one in companions)], waiting, ticket
                )
    return companions


def _stack_request(
    ws: Workspace, stack: Sequence[Change], waiting: WaitingProcess, ticket: Ticket
) -> Iterator[Companion]:
    below, id_ = stack[-1], ticket.request_id
    with suppress(ScalpelError, TooSlow):  # its caller gets the lock later, and sees the error
        if id_ and any(id_ in each.meta.request_ids for each in stack):
            return
        change = Change(ticket.tx, ticket.head, ticket.meta, diff_commits(ws, ticket.meta.base, ticket.head))
        change = build_on_tip(ws, ticket.request, change, ws.target_at(below.meta.branch, below.head))
        change = gate_runner.require_approvals(ws, change)
        if _may_join(ws, change):
            # Blobs are written again, since those of another process may not last.
            for file in change.files:
                if file.new is not None and file.new.mode != SUBMODULE:
                    ws.store.write_blob(ws.store.read(file.new.oid))
            yield Companion(waiting, change)


def write_answers(ws: Workspace, companions: Sequence[Companion], results: Sequence[Result]) -> None:
    for companion, result in zip(companions, results, strict=True):
        assert result.landed is not None  # noqa: S101 - nothing else is told of
        files = tuple((row.path, row.what) for row in result.landed.files)
        answer = msgspec.to_builtins(Answer(result.landed.entry, files, result.said))
        folder = lock_location(ws, result.branch)[0]
        companion.waiting.answer(
            trust.seal_content(folder, _ANSWER, msgspec.json.encode(make_json_safe(answer)))
        )
