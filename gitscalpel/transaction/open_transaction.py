"""An open transaction: its shadow branch and its metadata.

The change is one commit on ``refs/scalpel/tx/<id>``, preceded by one for content adopted from the user's
disk, if any. Without a change, the ref points at the base. The rest (target branch, operations,
verdicts) is a blob under a second ref with the same id. Both refs are created and deleted together.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from gitscalpel.changesets import answers, paths
from gitscalpel.changesets.file_tree import Changes, Entry, Oid
from gitscalpel.errors import Damaged, DoesNotFit, ScalpelError, WorldMoved
from gitscalpel.errors.messages import MARKED, call
from gitscalpel.git import oplog, ref_transaction, refs
from gitscalpel.git.refs import META, RefUpdate
from gitscalpel.system import seal, serialization
from gitscalpel.transaction.candidate import Candidate, Meta
from gitscalpel.workspace import TreeTarget, Workspace


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
        return refreshed(ws, self)


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
                refreshed(ws, previous)  # which says so if it has landed or was dropped
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


def load(ws: Workspace, prefix: str) -> OpenTransaction:
    """An open transaction.

    Raises:
        DoesNotFit: ``tx_not_found``, or ``tx_closed`` where it has landed or was dropped.
        Damaged: ``corrupt``, if its record cannot be read.
    """
    found = find(ws, prefix)
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


def find(ws: Workspace, prefix: str) -> OpenTransaction | oplog.Record:
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


def refreshed(ws: Workspace, staged: OpenTransaction) -> OpenTransaction:
    """The transaction as it is now; the same if nobody has changed it.

    Raises:
        DoesNotFit: ``tx_closed``: it has landed or was dropped.
    """
    now = [ws.store.resolve(ref + staged.id) for ref in (refs.TX, META)]
    return staged if now == [staged.head, staged.meta_oid] else load(ws, staged.id)


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


def every(ws: Workspace) -> list[OpenTransaction]:
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


def seen_in(ws: Workspace, staged: OpenTransaction) -> TreeTarget:
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
