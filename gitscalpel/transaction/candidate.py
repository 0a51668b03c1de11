"""Changes before publication: the candidate, its metadata, its commit message and its authors.

A candidate exists in memory and in objects that no ref names. An edit that can land at once stays a
candidate. Only a change that has to wait, or that gates check for minutes, becomes an open transaction
(``open_transaction.py``).

The metadata also records which files the steps moved or copied, so that the next step can follow them.
The authors of a change cannot approve it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import msgspec

from gitscalpel.changesets.answers import Facts, short
from gitscalpel.changesets.file_tree import Changes, FileOrigin, Oid
from gitscalpel.changesets.rules import Structure, Trailer
from gitscalpel.changesets.validation import worded
from gitscalpel.errors import DoesNotFit
from gitscalpel.errors.messages import arg, call, spell_all
from gitscalpel.git import refs
from gitscalpel.git.oplog import mail_address
from gitscalpel.system import serialization
from gitscalpel.workspace import Target, Workspace

if TYPE_CHECKING:
    from gitscalpel.edit.outcome import Outcome

_TRAILER = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*: \S.*")


def message(steps: Sequence[str]) -> str:
    """A commit message for a transaction that came without one, from its steps."""
    more = len(steps) - 1
    return steps[0] + (f" and {more} more edit{'s' * (more > 1)}" if more else "") if steps else ""


def with_trailers(message: str, wanted: Iterable[Trailer], tx: str, agent: str) -> str:
    """The message with those of the trailers that there is something to say for, each once."""
    said: dict[Trailer, str] = {"Scalpel-Tx": tx, "Assisted-by": " ".join(agent.split())}
    new = [f"{name}: {said[name]}" for name in wanted if said[name]]
    body = message.rstrip("\n")
    last = body.rpartition("\n\n")[2].splitlines() if "\n\n" in body else []
    new = [line for line in new if line not in last]
    if not new:
        return message
    is_trailers = bool(last) and all(_TRAILER.fullmatch(line) for line in last)
    return "\n".join([body, *([] if is_trailers else [""]), *new])


_NOTHING_YET = "scalpel: nothing yet\n"
C = TypeVar("C", bound="Candidate")


class Pushing(msgspec.Struct, frozen=True):
    """A branch of another repository that a push has set out to move.

    Attributes:
        remote, ref: which.
        commit: where to.
        change: the commit of the transaction in that; the same, unless others had added to the branch.
    """

    remote: str
    ref: str
    commit: Oid
    change: Oid


class Meta(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a transaction knows beside its commit.

    Attributes:
        branch: what it is for, ``refs/heads/…``.
        base: the commit of the branch that it starts from; None: unborn.
        adopted: the commit that holds the uncommitted changes taken from the user's disk.
        taken: that commit's message.
        asked: the commit message that somebody gave.
        author: who made the change, ``Name <mail>`` and perhaps when, where a patch says so; None: the
            user who began it.
        steps: what was done so far, in words.
        facts: operations, intents and verdicts so far.
        pending: what is still to be judged, in words, by gate; see ``transaction/check/gate_runner.py``.
        warnings: what looked odd so far.
        request_ids: of the changesets that were added.
        whole: it is one changeset, and nothing has been added to it.
        requests: what was asked under each of them, as a digest.
        structure: the strictest level at which all of its steps were judged.
        carried: files that its steps have moved or copied; see :func:`read_carried`.
        allow_broken: somebody accepted that a file no longer parses.
        require_approval: somebody who sent a part of it wants it approved before it lands.
        checked: what has judged exactly this change has passed it; ``pending`` says who has still to.
        passed: the digest of what each gate has passed; see ``transaction/check/gate_runner.py``.
        decided: somebody has approved or rejected it; see ``transaction/check/approval_gate.py``.
        since: the newest step of the operation log when its change last became another one.
        merged: the digests of its change before it was merged with that of others since then.
        approved: who has agreed to it as it is, each with the log's entry that says so.
        trailers: what its commit says at the end of how it came about.
        by: everybody who has put something into it, ``Name <mail>``.
        agent: the program that began it for the user.
        answers: the transaction that it is a suggestion for; "": none.
        pushing: the last push, noted before it began: one that was killed may have arrived.
        begun: when, in seconds since the epoch.
        log: the newest step of the operation log when it began.
        seal: that this user has written all of this, about this very commit.
    """

    branch: str
    base: Oid | None
    adopted: Oid | None = None
    taken: str = ""
    asked: str | None = None
    author: str | None = None
    steps: tuple[str, ...] = ()
    facts: Facts = Facts()
    pending: dict[str, tuple[str, ...]] = {}
    warnings: tuple[str, ...] = ()
    request_ids: tuple[str, ...] = ()
    whole: bool = False
    requests: dict[str, str] = {}
    structure: Structure = "off"
    carried: dict[str, FileOrigin] = {}
    allow_broken: bool = False
    require_approval: bool = False
    checked: bool = False
    passed: dict[str, str] = {}
    decided: bool = False
    since: Oid | None = None
    merged: tuple[str, ...] = ()
    approved: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    trailers: tuple[Trailer, ...] = ()
    agent: str = ""
    answers: str = ""
    pushing: Pushing | None = None
    begun: float = 0
    log: Oid | None = None
    seal: str = ""

    @property
    def message(self) -> str:
        """The message of its commit."""
        asked = self.asked or ""
        if asked.startswith("\n"):  # trailers alone, of those who are credited
            return message(self.steps) + asked
        return asked or message(self.steps) or self.taken


class Candidate(msgspec.Struct, frozen=True):
    """A change of a branch.

    Attributes:
        id: the name of the transaction that it is, or will be where it has to wait.
        head: its commit.
        meta: what it knows beside that.
        files: what it changes.
    """

    id: str
    head: Oid
    meta: Meta
    files: Changes

    @property
    def state(self) -> str:
        """Where it is in its life."""
        return "checked" if self.meta.checked else "open"

    @property
    def is_open(self) -> bool:
        """Whether others can see it."""
        return False

    def knows(self, gate: str) -> bool:
        """Whether a gate's verdict on it is noted."""
        return any(row.name == gate for row in self.meta.facts.gates)

    def tree(self, ws: Workspace) -> Oid:
        """What it leaves."""
        return ws.store.commit(self.head).tree

    def revised(self: C, ws: Workspace, tree: Oid, meta: Meta, files: Changes) -> C:
        """The same with another change, or record, in its place; arguments as for :func:`candidate`."""
        meta = in_words(ws, meta)
        head, meta = _commits(ws, tree, meta, _message(self.id, meta), self)
        return msgspec.structs.replace(self, head=head, meta=meta, files=files)

    def noted(self: C, ws: Workspace, meta: Meta) -> C:
        """The same change with another record."""
        return self.revised(ws, self.tree(ws), meta, self.files)

    def refreshed(self: C, ws: Workspace) -> C:  # noqa: ARG002 - what is published asks its refs
        """The same as it is now: nobody else can have changed it."""
        return self


def candidate(ws: Workspace, tree: Oid, meta: Meta, files: Changes) -> Candidate:
    """A change that nobody knows of yet.

    Args:
        ws: where.
        tree: what the change leaves.
        meta: what else is to be known.
        files: what changes from the base to ``tree``.
    """
    tx, meta = refs.new_id(), in_words(ws, meta)
    head, meta = _commits(ws, tree, meta, _message(tx, meta), None)
    return Candidate(tx, head, meta, files)


def in_words(ws: Workspace, meta: Meta) -> Meta:
    """Return what is known of a change with all that is said in it as its caller writes calls and fields.

    It goes into records, commits and pull requests, which no face spells any more.
    """
    said: Meta = spell_all(meta, ws.session.spelling)
    return said


def refuse_nothing(change: Candidate) -> None:
    """Refuse to land a change of nothing.

    Raises:
        DoesNotFit: ``no_change``.
    """
    if change.files:
        return
    if not change.is_open:
        name = short(change.meta.branch)
        raise DoesNotFit("no_change", f"{name} already contains all of this", "nothing is left to do")
    raise DoesNotFit(
        "no_change",
        f"transaction {change.id} changes nothing",
        f"edit in it ({arg('tx', change.id)}), or give it up: {call('drop', ids=change.id)}",
    )


def _message(tx: str, meta: Meta) -> str:
    return with_trailers(meta.message, meta.trailers, tx, meta.agent) if meta.message else ""


def _commits(
    ws: Workspace, tree: Oid, meta: Meta, message: str, previous: Candidate | None
) -> tuple[Oid, Meta]:
    """The commit for ``tree``; where nothing has changed, the one that it starts from.

    It stays its author's, whoever adds to it, approves it or lands it.
    """
    below = meta.base
    if meta.adopted is not None:
        below = _adopted(ws, tree, meta)
        meta = msgspec.structs.replace(meta, adopted=below)
    if below is not None and ws.store.commit(below).tree == tree:
        return below, meta
    before = ws.store.commit(previous.head) if previous and previous.head != previous.meta.base else None
    parents = [] if below is None else [below]
    message = message or (_NOTHING_YET if below is None else "")
    if before is None:
        return ws.store.write_commit(tree, parents, message, author=meta.author), meta
    if (before.tree, [*before.parents], before.message.strip()) == (tree, parents, message.strip()):
        return before.oid, meta
    return ws.store.write_commit(tree, parents, message, author=before.author), meta


def _adopted(ws: Workspace, tree: Oid, meta: Meta) -> Oid:
    """The commit of what was adopted; as long as there is nothing else, it has the given message."""
    commit = ws.store.commit(str(meta.adopted))
    message = meta.asked if meta.asked and commit.tree == tree else meta.taken
    if commit.message.rstrip("\n") == message.rstrip("\n"):
        return commit.oid
    return ws.store.write_commit(commit.tree, commit.parents, message, author=commit.author)


class TakesLong(Exception):
    """What was to be built in a moment is not: whoever builds it shall keep nobody waiting."""


def blank_meta(ws: Workspace, target: Target, message: str | None = None) -> Meta:
    """What one for a branch knows before anybody has put something into it.

    Raises:
        BadCall: ``invalid_args``: the message is not text.
    """
    asked = worded(message) if message and message.strip() else None
    return Meta(
        branch=target.branch,
        base=target.tip,
        asked=asked,
        agent=ws.session.agent,
        begun=ws.session.clock(),
        log=ws.store.resolve(refs.OPS),
        trailers=target.rules.record.trailers,
    )


def initial_meta(ws: Workspace, target: Target, message: str | None = None) -> Meta:
    """What one knows that this user begins."""
    return msgspec.structs.replace(blank_meta(ws, target, message), by=(ws.user(),))


def authors(ws: Workspace, change: Candidate) -> set[str]:
    """The addresses of all who have put something into it, and whose commits it is going to land."""
    own = [ws.store.commit(oid).author for oid in (change.head, change.meta.adopted) if oid is not None]
    return set(map(mail_address, (*change.meta.by, *own)))


def carried_record(outcome: Outcome) -> dict[str, FileOrigin]:
    """What is to be remembered, as a record holds it."""
    known = outcome.carried.items()
    return {
        serialization.spelt(path): FileOrigin(serialization.spelt(was.origin), was.by) for path, was in known
    }


def read_carried(record: Mapping[str, FileOrigin]) -> dict[str, FileOrigin]:
    """Return the file origins that :func:`carried_record` put into a record."""
    return {
        serialization.read(path): FileOrigin(serialization.read(was.origin), was.by)
        for path, was in record.items()
    }
