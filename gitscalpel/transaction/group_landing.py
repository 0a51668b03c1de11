"""Group landing: callers that wait for one branch land together, in one landing with a commit for each.

Callers take turns to land on a branch: its lock is held while a change is checked and landed. The tool's
own lock is taken only for the landing itself.

A waiting caller writes its request to its ticket: the changeset as it was sent if building it is quick,
else the change it has built. The caller that holds the branch lock applies each request to its own tip,
lands all of them at once, and writes the result to each ticket. A request that fails or conflicts is
left alone: its caller gets the lock later and sees the error itself. A caller that reads no result,
because the other process was killed, looks into the operation log.

Building in the lock is cheaper for quick changesets: a change that is built before must be built again
after each landing that was faster. Requests are served only if place, rights, environment and program
are the same. Changes that programs judge, and changes of the rules, land alone.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

import msgspec

from gitscalpel.changesets import paths, requests
from gitscalpel.changesets.answers import clean
from gitscalpel.changesets.file_tree import SUBMODULE, Changes, Oid, Overlay
from gitscalpel.changesets.operations import Insert, Operation, Replace, Text, Write
from gitscalpel.changesets.requests import Changeset
from gitscalpel.errors import ScalpelError, WorldMoved
from gitscalpel.errors.messages import call
from gitscalpel.git import oplog
from gitscalpel.git.journal import FileFate
from gitscalpel.system import repo_lock, seal, serialization
from gitscalpel.system.repo_lock import Heard, Lock, Waiting
from gitscalpel.transaction import build, gate_result, recovery
from gitscalpel.transaction.branch_update import FileOutcome
from gitscalpel.transaction.change import (
    C,
    Candidate,
    Meta,
    TakesLong,
    between,
    candidate,
    initial_meta,
    refuse_nothing,
)
from gitscalpel.transaction.check import gate_runner
from gitscalpel.transaction.gate_result import change_rules
from gitscalpel.transaction.rebase import onto
from gitscalpel.transaction.result import REMEMBERED, Result, closed
from gitscalpel.workspace import TreeTarget, Workspace


@contextmanager
def turn(
    ws: Workspace, branch: str, timeout: float = repo_lock.PATIENCE, wish: Callable[[], bytes] = bytes
) -> Iterator[Lock | Heard]:
    """Have it, or hear what somebody who had it has done for this one.

    What is judged in it may take as long as its gates do.

    Args:
        ws: where.
        branch: which.
        timeout: for how long nothing may move in the line.
        wish: see :func:`gitscalpel.system.repo_lock.hold_unless_served`.
    """
    with (
        repo_lock.hold_unless_served(*turns(ws, branch), timeout, wish) as got,
        repo_lock.moving(got) if isinstance(got, Lock) else nullcontext(),
    ):
        yield got


def turns(ws: Workspace, branch: str) -> tuple[Path, str]:
    """The folder and the name of the lock that is a branch's turn."""
    name = blake2b(branch.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    return ws.repo.scalpel_dir / "turns", name


_SHARED = ("GIT_", "LC_", "XDG_", "SCALPEL_")
_SHARED_TOO = ("EMAIL", "HOME", "LANG", "LOGNAME", "PATH", "TZ", "USER")
_OWN = ("SCALPEL_AGENT", "SCALPEL_SERVER")
"""Variables that may differ: what is recorded of the agent is his own."""


def surroundings(ws: Workspace) -> str:
    """All of that, as a digest."""
    shared = {
        name: value
        for name, value in ws.session.environment.items()
        if (name.startswith(_SHARED) or name in _SHARED_TOO) and name not in _OWN
    }
    said = [
        repr((ws.session.within, ws.session.confirmed)),
        *(str(each) for each in (ws.here.work_tree, ws.repo.work_tree, ws.repo.git_dir)),
        *(f"{name}={value}" for name, value in sorted(shared.items())),
        *(str(os.geteuid()), _mask(), __file__, str(Path(__file__).stat().st_mtime_ns)),
    ]
    return blake2b("\0".join(said).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def _mask() -> str:
    """Which rights new files lack. To ask is to set it, so the kernel is asked where it says so."""
    with suppress(OSError):
        lines = Path("/proc/self/status").read_text("utf-8").splitlines()
        return next((line for line in lines if line.startswith("Umask:")), "")
    if threading.active_count() > 1:  # another thread could make a file in that moment
        return str(os.getpid())
    mask = os.umask(0o077)
    os.umask(mask)
    return f"{mask:o}"


_WISH, _ANSWER = "wish", "answer"


class Sent(msgspec.Struct, frozen=True):
    """What somebody has sent.

    Attributes:
        changeset: it.
        log: the newest step of the operation log when it came.
    """

    changeset: Changeset
    log: Oid | None


class Wish(msgspec.Struct, frozen=True):
    """What somebody who waits wants landed: where he stands, what he has sent and what he has made of it."""

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
    def sent(self) -> Sent:
        """What was sent."""
        said = requests.changeset(
            *self.operations,
            message=self.message,
            request_id=self.request_id,
            allow_broken=self.allow_broken,
            structure=self.structure,
        )
        return Sent(msgspec.structs.replace(said, author=self.author), self.log)


class Told(msgspec.Struct, frozen=True):
    """What who waits is told: his entry in the log, and what that does not say."""

    entry: Oid
    files: tuple[tuple[str, FileFate], ...]
    warnings: tuple[str, ...]


def may_go_along(ws: Workspace, change: Candidate) -> bool:
    """Whether a change may land with others."""
    return (
        not change.is_open
        and not gate_result.have_still_to_judge(change)
        and change.meta.base is not None
        and not change_rules(ws.at(change.meta.branch).rules, change.files)
    )


def wish(ws: Workspace, sent: Sent, change: Candidate) -> bytes:
    """What to write down while one waits; nothing where it has to land alone."""
    if ws.inside is not None or not may_go_along(ws, change):
        return b""
    changeset = sent.changeset
    content = Wish(
        surroundings(ws),
        tuple(msgspec.to_builtins(op) for op in changeset.operations),
        changeset.message,
        changeset.request_id,
        changeset.allow_broken,
        changeset.structure,
        changeset.author,
        sent.log,
        change.id,
        change.head,
        change.meta,
    )
    ws.store.show()
    with suppress(UnicodeEncodeError):  # JSON has no words for bytes that are no text
        return seal.sealed(_place(ws, change.meta.branch), _WISH, msgspec.json.encode(content))
    return b""


def read_wish(ws: Workspace, branch: str, written: bytes) -> Wish | None:
    """What somebody wishes; None: this user has not written it."""
    content = seal.opened(_place(ws, branch), _WISH, written)
    with suppress(msgspec.MsgspecError):  # of another version of ours
        return None if content is None else serialization.decode(content, Wish)
    return None


def answer(ws: Workspace, branch: str, result: Result) -> bytes:
    """What whoever has landed it tells who waits."""
    assert result.landed is not None  # noqa: S101 - nothing else is told of
    files = tuple((row.path, row.what) for row in result.landed.files)
    told = Told(result.landed.entry, files, result.said)
    return seal.sealed(_place(ws, branch), _ANSWER, msgspec.json.encode(clean(msgspec.to_builtins(told))))


def heard(ws: Workspace, change: Candidate, turn: Lock | Heard) -> Result | None:
    """What somebody else has made of the change; None: it is still to be landed."""
    if isinstance(turn, Lock):
        return _found(ws, change) if turn.was_taken else None
    said = seal.opened(_place(ws, change.meta.branch), _ANSWER, turn.answer)
    if said is None:
        return _found(ws, change)
    told = serialization.decode(said, Told)
    result = closed(ws, oplog.entry(ws.store, told.entry))
    assert result.landed is not None  # noqa: S101 - nothing else is told of
    landed = msgspec.structs.replace(result.landed, files=tuple(FileOutcome(*row) for row in told.files))
    return msgspec.structs.replace(result, landed=landed, said=told.warnings)


def _found(ws: Workspace, change: Candidate) -> Result | None:
    """What the log says of the change, for who has not been told: whoever landed it was killed then."""
    steps = oplog.since(ws.store, change.meta.log, REMEMBERED)
    entry = next((step for step in steps if (step.record.kind, step.record.tx) == ("land", change.id)), None)
    if entry is None:
        return None
    recovery.heal_pending(ws)
    return closed(ws, entry)


def _place(ws: Workspace, branch: str) -> Path:
    return turns(ws, branch)[0]


_MOST = 16
"""Operations."""
_LARGEST = 1 << 18
"""Bytes of a file, and of what is to be put into it."""


def is_quick(ws: Workspace, changeset: Changeset, target: TreeTarget) -> bool:
    """Whether a changeset is built in a moment, from the files that it names, and no program judges it."""
    seen = Overlay(target.snapshot)
    return (
        target.tip is not None
        and not changeset.require_approval
        and len(changeset.operations) <= _MOST
        and all(map(_is_plain, changeset.operations))
        and not gate_result.may_judge(ws, target.rules)
        and all(_is_small(op, seen) for op in changeset.operations)
    )


def nothing_yet(ws: Workspace, changeset: Changeset, target: TreeTarget) -> Candidate:
    """The change before it is built: it has its name, and starts from what its caller has seen."""
    return candidate(ws, target.snapshot.tree, initial_meta(ws, target, changeset.message), Changes())


def is_unbuilt(change: Candidate) -> bool:
    """Whether it is such a change still."""
    return not change.is_open and not change.meta.whole


def _is_plain(op: Operation) -> bool:
    """Whether it concerns one file, and counts no lines, which may be those of the file on the screen."""
    match op:
        case Replace() | Insert():
            return op.start is None and not (isinstance(op, Replace) and op.rename)
        case Text():
            return not op.regex
        case _:
            return isinstance(op, Write)


def _is_small(op: Operation, seen: Overlay) -> bool:
    with suppress(ScalpelError):  # whoever builds it says what is wrong
        content = seen.content(paths.resolve(op.path, seen))
        return max(len(content or b""), len(repr(op))) <= _LARGEST
    return False


def anew(ws: Workspace, sent: Sent, change: C, target: TreeTarget) -> C:
    """The change on a target, passed by every gate but people.

    Where others have changed its files, the operations are done again: what they address is found there,
    unless it is itself no longer what it was.

    Args:
        ws: where.
        sent: what the change is made of.
        change: as it was built before.
        target: the branch as it is, or is about to be.

    Raises:
        WorldMoved: ``stale``.
        ScalpelError: what an operation or a gate says.
        TakesLong: it was to be built in a moment.
    """
    refuse_repeated(ws, sent)
    if is_unbuilt(change):
        change = _built(ws, sent, change, target, briefly=True)
    elif change.meta.base != target.tip:
        try:
            change = onto(ws, change, target, merging=False).of(ws, change)
        except WorldMoved as moved:
            if moved.code != "target_moved":
                raise
            change = _built(ws, sent, change, target)
    refuse_nothing(change)
    return gate_runner.ready(ws, change)


def _built(ws: Workspace, sent: Sent, change: C, target: TreeTarget, *, briefly: bool = False) -> C:
    """All operations done to the target, as far as what they address is what was seen."""
    changeset = sent.changeset
    if change.meta.base != target.tip:
        changeset = build.as_seen(ws.snapshot(change.meta.base), changeset)
    return build.rebuild(ws, changeset, target, change, briefly=briefly)


def refuse_repeated(ws: Workspace, sent: Sent) -> None:
    """Refuse what has landed since it was sent, for somebody who asked for the same.

    Raises:
        WorldMoved: ``stale``.
    """
    request = sent.changeset.request_id
    for entry in oplog.since(ws.store, sent.log, REMEMBERED) if request else ():
        if entry.record.kind == "land" and request in entry.record.request_ids:
            words = f"{call('log')} shows it"
            raise WorldMoved("stale", "the same request has just landed", words, tx=entry.record.tx)


_MAX_CALLERS = 64
_LONGEST = 1.0
"""Seconds in which others are taken along: who has the turn waits for them."""


class _Fellow(msgspec.Struct, frozen=True):
    """Somebody who waits, and his change on top of those before it."""

    waiting: Waiting
    change: Candidate


class Company:
    """Whoever lands on one branch at the same time.

    Args:
        ws: where.
        branch: ``refs/heads/…``.
    """

    def __init__(self, ws: Workspace, branch: str) -> None:
        self._ws, self._branch = ws, branch
        self._fellows: list[_Fellow] = []

    def join(self, first: Candidate) -> list[Candidate]:
        """The changes of those who wait, each on top of the one before, the first of them on ``first``."""
        self._fellows = []
        if not may_go_along(self._ws, first):
            return []
        line = turns(self._ws, self._branch)
        here, end, known = "", time.monotonic() + _LONGEST, set[str]()
        while new := [each for each in repo_lock.in_line(*line) if each.ticket.name not in known]:
            here = here or surroundings(self._ws)
            known |= {each.ticket.name for each in new}
            for each in new:
                if len(self._fellows) == _MAX_CALLERS or time.monotonic() > end:
                    return self._changes
                wish = read_wish(self._ws, self._branch, each.wish)
                taken = each.take() if wish is not None and wish.surroundings == here else None
                if wish is not None and taken is not None:
                    known |= {taken.ticket.name}
                    self._fellows += self._on([first, *self._changes], taken, wish)
        return self._changes

    def tell(self, results: Sequence[Result]) -> None:
        """Tell those who have joined what became of theirs; nothing where these were not landed."""
        for fellow, result in zip(self._fellows, results, strict=False):
            fellow.waiting.answer(answer(self._ws, self._branch, result))

    @property
    def _changes(self) -> list[Candidate]:
        return [fellow.change for fellow in self._fellows]

    def _on(self, stack: Sequence[Candidate], waiting: Waiting, wish: Wish) -> Iterator[_Fellow]:
        ws, below = self._ws, stack[-1]
        request = wish.request_id
        with suppress(ScalpelError, TakesLong):  # its own turn comes, and it hears why
            if request and any(request in each.meta.request_ids for each in stack):
                return
            change = Candidate(wish.tx, wish.head, wish.meta, between(ws, wish.meta.base, wish.head))
            change = anew(ws, wish.sent, change, ws.seen(below.meta.branch, below.head))
            change = gate_runner.agreed(ws, change)
            if may_go_along(ws, change):
                self._own(change)
                yield _Fellow(waiting, change)

    def _own(self, change: Candidate) -> None:
        """Write what is in its files once more: what somebody else has written need not last."""
        for file in change.files:
            if file.new is not None and file.new.mode != SUBMODULE:
                self._ws.store.write_blob(self._ws.store.read(file.new.oid))
