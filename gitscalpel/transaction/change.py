"""A change of a branch and its metadata, in memory or as an open transaction.

A change in memory consists of objects that no ref names. An edit that can land at once stays there. A
change that has to wait, or that gates check for minutes, becomes an open transaction: one commit on
``refs/scalpel/tx/<id>``, preceded by one for content adopted from the user's disk, if any. Without a
change, the ref points at the base. The metadata (target branch, operations, verdicts) is a blob under a
second ref with the same id. Both refs are created and deleted together.

The metadata also records which files the steps moved or copied, so that the next step can follow them.
The authors of a change cannot approve it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import msgspec

from gitscalpel.changesets import answers, paths
from gitscalpel.changesets.answers import Facts, short
from gitscalpel.changesets.file_tree import Changes, Entry, FileOrigin, Oid
from gitscalpel.changesets.rules import Structure, Trailer
from gitscalpel.changesets.validation import worded
from gitscalpel.errors import Damaged, DoesNotFit, ScalpelError, WorldMoved
from gitscalpel.errors.messages import MARKED, arg, call, spell_all
from gitscalpel.git import oplog, ref_transaction, refs
from gitscalpel.git.oplog import mail_address
from gitscalpel.git.refs import META, RefUpdate
from gitscalpel.system import seal, serialization
from gitscalpel.workspace import Target, TreeTarget, Workspace

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


class OpenTransaction(Candidate, frozen=True):
    """A change that refs hold, so that others see it and it survives whoever made it.

    Attributes:
        meta_oid: the blob that holds what it knows beside its commit.
    """

    meta_oid: Oid

    @property
    def is_open(self) -> bool:
        """Whether others can see it."""
        return True

    def revised(self, ws: Workspace, tree: Oid, meta: Meta, files: Changes) -> OpenTransaction:
        """The same with another change, or another record, in its place; its refs say so.

        Raises:
            WorldMoved: ``target_moved``: somebody else has changed it meanwhile.
            DoesNotFit: ``tx_closed``: it has landed or was dropped.
        """
        return _published(ws, super().revised(ws, tree, meta, files), self)

    def refreshed(self, ws: Workspace) -> OpenTransaction:
        """The same as it is now.

        Raises:
            DoesNotFit: ``tx_closed``: it has landed or was dropped.
        """
        return refresh_change(ws, self)


def publish(ws: Workspace, change: Candidate) -> OpenTransaction:
    """Let refs hold a change: from now on it is an open transaction."""
    return _published(ws, change, None)


def _published(ws: Workspace, change: Candidate, previous: OpenTransaction | None) -> OpenTransaction:
    tx, head = change.id, change.head
    meta = msgspec.structs.replace(change.meta, seal="")
    meta = msgspec.structs.replace(meta, seal=seal.mark(_about(tx, head), _encoded(meta)))
    oid = ws.store.write_blob(_plain(meta))
    old_head, old_meta = (previous.head, previous.meta_oid) if previous else (None, None)
    updates = (RefUpdate(refs.TX + tx, old_head, head), RefUpdate(META + tx, old_meta, oid))
    changed = [update for update in updates if update.old != update.new]
    if changed:
        try:
            with ws.store.lasting():
                ref_transaction.update(ws.repo, changed, f"scalpel: stage {tx}")
        except WorldMoved:
            if previous is not None:
                refresh_change(ws, previous)  # which says so if it has landed or was dropped
            raise
    return OpenTransaction(tx, head, meta, change.files, oid)


@contextmanager
def naming(staged: OpenTransaction, *, waits: bool = True) -> Iterator[None]:
    """Let what is raised in the block name an open transaction, which ``waits`` to be landed or dropped."""
    try:
        yield
    except ScalpelError as error:
        named = error.data.get("tx", staged.id)
        raise error.but(stays=staged.id if waits else "", tx=named) from error


def changing(ws: Workspace, change: Candidate, meta: Meta, files: Changes) -> Meta:
    """What a transaction knows once it changes ``files``: who agreed to another change did not agree to this.

    Nor do they where it becomes the same again: it may have been changed for what they have said since.
    """
    if files == change.files:
        return meta
    return msgspec.structs.replace(meta, since=ws.store.resolve(refs.OPS), merged=())


def load_change(ws: Workspace, prefix: str) -> OpenTransaction:
    """An open transaction.

    Raises:
        DoesNotFit: ``tx_not_found``, or ``tx_closed`` where it has landed or was dropped.
        Damaged: ``corrupt``, if its record cannot be read.
    """
    found = find_change(ws, prefix)
    if isinstance(found, OpenTransaction):
        return found
    what = {
        "land": "has landed",
        "edit": "is an edit of the checkout",
        "undo": "has landed and was undone"
        if found.branch
        else "was an edit of the checkout, and was undone",
        "drop": "was dropped",
    }
    raise DoesNotFit(
        "tx_closed",
        f"transaction {found.tx} {what.get(found.kind, 'is closed')}",
        _after_closing(ws, found),
        tx=found.tx,
    )


def _after_closing(ws: Workspace, record: oplog.Record) -> str:
    """Return the hint for a caller of a closed transaction, by what the log says of it last."""
    if record.kind in ("land", "edit"):
        is_elsewhere = record.branch and record.branch != ws.repo.head
        back = call("undo", tx=record.tx, onto=answers.short(str(record.branch)) if is_elsewhere else None)
        return f"{back} takes it back; for more changes, begin another transaction: {call('begin')}"
    return f"{call('show-tx', tx=record.tx)} shows what it held; to make it again, send the edit again"


def find_change(ws: Workspace, prefix: str) -> OpenTransaction | oplog.Record:
    """A transaction; of one that has landed or was dropped, what the operation log says of it last.

    Raises:
        DoesNotFit: ``tx_not_found``.
        Damaged: ``corrupt``, if its record cannot be read.
    """
    try:
        tx, head = refs.find(ws.repo, prefix)
    except DoesNotFit as error:
        wanted = refs.bare_id(prefix)
        closed = (e.record for e in oplog.read(ws.repo) if e.record.tx.startswith(wanted))
        record = next(closed, None)
        if record is None or len(wanted) < refs.SHORTEST or error.data.get("candidates"):
            raise
        return record
    oid = refs.values(ws.repo, [META + tx]).get(META + tx)
    if oid is None:
        raise DoesNotFit(
            "tx_not_found",
            f"transaction {tx} has a commit but no record",
            f"look at it with `git show {refs.TX}{tx}`, take it with git cherry-pick; {call('drop', ids=tx)}",
        )
    return _loaded(ws, tx, head, oid)


def _loaded(ws: Workspace, tx: str, head: Oid, oid: Oid) -> OpenTransaction:
    try:
        meta = _unquoted(serialization.decode(ws.store.read(oid), Meta))
        if not meta.branch.startswith("refs/heads/"):
            raise msgspec.ValidationError(f"{meta.branch!r} is not a branch")
    except msgspec.MsgspecError as error:
        raise Damaged(
            "corrupt",
            f"the record of transaction {tx} cannot be read: {error}",
            f"look at it with `git show {refs.TX}{tx}`, take it with git cherry-pick; {call('drop', ids=tx)}",
        ) from None
    if not seal.is_marked(_about(tx, head), _encoded(meta), meta.seal):
        # What another user's gates have said, or nobody's, is asked again.
        meta = msgspec.structs.replace(
            meta,
            checked=False,
            passed={},
            structure="off",
            allow_broken=False,
            carried={},
            merged=(),
            pushing=None,
            facts=msgspec.structs.replace(meta.facts, risk=msgspec.UNSET),
        )
    return OpenTransaction(tx, head, meta, between(ws, meta.base, head), oid)


def _encoded(meta: Meta) -> bytes:
    return _plain(msgspec.structs.replace(meta, seal=""))


def _plain(meta: Meta) -> bytes:
    """Return a record as JSON: branches are quoted as git does, bytes in other texts become U+FFFD."""
    pushing = meta.pushing
    if pushing is not None:
        pushing = msgspec.structs.replace(pushing, ref=answers.quoted(pushing.ref))
    quoted = msgspec.structs.replace(meta, branch=answers.quoted(meta.branch), pushing=pushing)
    return msgspec.json.encode(answers.clean(msgspec.to_builtins(quoted)))


def _unquoted(meta: Meta) -> Meta:
    """Return a record with branches as git has them."""
    pushing = meta.pushing
    if pushing is not None:
        pushing = msgspec.structs.replace(pushing, ref=paths.unquoted(pushing.ref))
    return msgspec.structs.replace(meta, branch=paths.unquoted(meta.branch), pushing=pushing)


def _about(tx: str, head: Oid) -> str:
    return f"transaction {tx} {head}"


def refresh_change(ws: Workspace, staged: OpenTransaction) -> OpenTransaction:
    """The transaction as it is now; the same if nobody has changed it.

    Raises:
        DoesNotFit: ``tx_closed``: it has landed or was dropped.
    """
    now = [ws.store.resolve(ref + staged.id) for ref in (refs.TX, META)]
    return staged if now == [staged.head, staged.meta_oid] else load_change(ws, staged.id)


def refuse_before(ws: Workspace, change: Candidate) -> None:
    """Refuse to land a suggestion while the transaction that it stands on is open.

    Raises:
        WorldMoved: ``operation_in_progress``.
    """
    below = change.meta.answers
    if below and ws.store.resolve(refs.TX + below) is not None:
        raise WorldMoved(
            "operation_in_progress",
            f"{change.id} is a suggestion for {below}, which is still open",
            f"first {call('land', tx=below)}, or {call('drop', ids=below)}",
            tx=change.id,
            answers=below,
        )


def open_changes(ws: Workspace) -> list[OpenTransaction]:
    """The open transactions, the oldest first."""
    found = refs.values(ws.repo, [refs.TX, META])
    heads = {ref.removeprefix(refs.TX): oid for ref, oid in found.items() if ref.startswith(refs.TX)}
    every = []
    for tx, head in heads.items():
        try:
            every += [_loaded(ws, tx, head, found[META + tx])] if META + tx in found else []
        except Damaged as error:
            ws.notify(error.told(MARKED)[0])
    return sorted(every, key=lambda staged: (staged.meta.begun, staged.id))


def target_of(ws: Workspace, staged: OpenTransaction) -> TreeTarget:
    """The transaction as a place to look at and to edit in, under the rules of its branch as it is now."""
    files = ws.snapshot(staged.head)
    return TreeTarget(
        branch=refs.TX + staged.id,
        tip=staged.head,
        snapshot=files,
        read_rules=lambda: ws.at(staged.meta.branch).rules,
    )


def between(ws: Workspace, base: Oid | None, head: Oid | None) -> Changes:
    """What changed between two commits."""
    old, new = (ws.store.tree_of(each) for each in (base, head))
    return changed(ws, old, new)


def changed(ws: Workspace, old: Oid | None, new: Oid | None) -> Changes:
    """What changed between two trees."""
    return Changes(ws.store.difference(old, new), ws.store.read)


def from_disk(ws: Workspace, base: Oid | None, adopted: Oid | None) -> dict[str, Entry | None]:
    """What the commit ``adopted`` holds of the user's disk, by path; None where a file was taken away."""
    if adopted is None:
        return {}
    old, new = (ws.store.tree_of(each) for each in (base, adopted))
    return {delta.path: delta.new for delta in ws.store.difference(old, new)}


def gone(staged: OpenTransaction) -> tuple[RefUpdate, ...]:
    """The ref updates that take a transaction's refs away."""
    return (
        RefUpdate(refs.TX + staged.id, staged.head, None),
        RefUpdate(META + staged.id, staged.meta_oid, None),
    )
