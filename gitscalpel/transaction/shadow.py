"""An open transaction: its shadow branch, and what its commit does not say.

The change is one commit on ``refs/scalpel/tx/<id>`` (and one before it for what
was adopted from the user's disk); while there is no change, the branch stands on
its base. The rest (the branch it is for, the operations, the verdicts) lies in a
blob held by a ref of the same id; both live and go together.
"""

from __future__ import annotations

import msgspec

from gitscalpel import report, seal
from gitscalpel.edit.carried import Carried
from gitscalpel.errors import Damaged, DoesNotFit, WorldMoved
from gitscalpel.git import oplog, refs
from gitscalpel.git.refs import META, RefUpdate
from gitscalpel.git.trees import Delta
from gitscalpel.report import Facts
from gitscalpel.rules import Structure, Trailer
from gitscalpel.snapshot import TREE, Change, Entry, Oid
from gitscalpel.transaction import summary
from gitscalpel.transaction.trailers import with_trailers
from gitscalpel.unified import FileChange
from gitscalpel.workspace import Target, Workspace

_NOTHING_YET = "scalpel: nothing yet\n"


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
        waiting: what is still to be judged, in words; see ``waiting.py``.
        warnings: what looked odd so far.
        request_ids: of the changesets that were added.
        structure: the strictest level at which all of its steps were judged.
        carried: files that its steps have moved or copied; see ``carrying.py``.
        allow_broken: somebody accepted that a file no longer parses.
        checked: every gate has judged exactly this change, and passed it.
        hooked: what the user's hooks have passed; see ``hooking.py``.
        tested: the tree that the commands have passed; "": none yet.
        decided: somebody has approved or rejected it; see ``decisions.py``.
        since: the newest step of the operation log when its change last became another one.
        merged: the digests of its change before it was merged with that of others since then.
        approved: who has agreed to it as it is, each with the log's entry that says so.
        trailers: what its commit says at the end of how it came about.
        by: everybody who has put something into it, ``Name <mail>``.
        agent: the program that began it for the user.
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
    waiting: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    request_ids: tuple[str, ...] = ()
    structure: Structure = "off"
    carried: dict[str, Carried] = {}
    allow_broken: bool = False
    checked: bool = False
    hooked: str = ""
    tested: str = ""
    decided: bool = False
    since: Oid | None = None
    merged: tuple[str, ...] = ()
    approved: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    trailers: tuple[Trailer, ...] = ()
    agent: str = ""
    begun: float = 0
    log: Oid | None = None
    seal: str = ""

    @property
    def message(self) -> str:
        """The message of its commit."""
        return self.asked or summary.message(self.steps) or self.taken


class Staged(msgspec.Struct, frozen=True):
    """An open transaction.

    Attributes:
        id: its name.
        head: the commit of its shadow branch.
        meta, meta_oid: what it knows beside that, and the blob that holds it.
        files: what it changes.
    """

    id: str
    head: Oid
    meta: Meta
    meta_oid: Oid
    files: tuple[FileChange, ...]

    @property
    def state(self) -> str:
        """Where it is in its life."""
        return "checked" if self.meta.checked else "open"


def publish(
    ws: Workspace,
    tree: Oid,
    meta: Meta,
    files: tuple[FileChange, ...],
    previous: Staged | None = None,
    *,
    tx: str | None = None,
) -> Staged:
    """Put a change on a shadow branch: a new one, or that of ``previous``, whose place it takes.

    Args:
        ws: where.
        tree: what the change leaves.
        meta: what else is to be known.
        files: what changes from the base to ``tree``.
        previous: the transaction as it was.
        tx: the id of a new one; None: any.
    """
    tx = previous.id if previous else tx or refs.new_id()
    message = with_trailers(meta.message, meta.trailers, tx, meta.agent) if meta.message else ""
    head, meta = _commits(ws, tree, meta, message, previous)
    meta = msgspec.structs.replace(meta, seal=seal.mark(_about(tx, head), _encoded(meta)))
    oid = ws.store.write_blob(msgspec.json.encode(report.clean(msgspec.to_builtins(meta))))
    ws.store.sync()
    old_head, old_meta = (previous.head, previous.meta_oid) if previous else (None, None)
    updates = (RefUpdate(refs.TX + tx, old_head, head), RefUpdate(META + tx, old_meta, oid))
    changed = [update for update in updates if update.old != update.new]
    if changed:
        try:
            refs.update(ws.repo, changed, f"scalpel: stage {tx}")
        except WorldMoved:
            if previous is not None:
                refreshed(ws, previous)  # which says so if it has landed or was dropped
            raise
    return Staged(tx, head, meta, oid, files)


def _commits(ws: Workspace, tree: Oid, meta: Meta, message: str, previous: Staged | None) -> tuple[Oid, Meta]:
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


def changing(ws: Workspace, staged: Staged, meta: Meta, files: tuple[FileChange, ...]) -> Meta:
    """What a transaction knows once it changes ``files``: who agreed to another change did not agree to this.

    Nor do they where it becomes the same again: it may have been changed for what they have said since.
    """
    if files == staged.files:
        return meta
    return msgspec.structs.replace(meta, since=ws.store.resolve(refs.OPS), merged=())


def load(ws: Workspace, prefix: str) -> Staged:
    """An open transaction.

    Raises:
        DoesNotFit: ``tx_not_found``, or ``tx_closed`` where it has landed or was dropped.
        Damaged: ``corrupt``, if its record cannot be read.
    """
    tx, head = _find(ws, prefix)
    oid = refs.values(ws.repo, [META + tx]).get(META + tx)
    if oid is None:
        raise DoesNotFit(
            "tx_not_found",
            f"transaction {tx} has no record beside its commit",
            f"look at it with `git show {refs.TX}{tx}`, take it with git cherry-pick; git scalpel drop {tx}",
        )
    return _loaded(ws, tx, head, oid)


def _loaded(ws: Workspace, tx: str, head: Oid, oid: Oid) -> Staged:
    try:
        meta = msgspec.json.decode(ws.store.read(oid), type=Meta)
        if not meta.branch.startswith("refs/heads/"):
            raise msgspec.ValidationError(f"{meta.branch!r} is no branch")
    except msgspec.MsgspecError as error:
        raise Damaged(
            "corrupt",
            f"the record of transaction {tx} cannot be read: {error}",
            f"look at it with `git show {refs.TX}{tx}`, take it with git cherry-pick; git scalpel drop {tx}",
        ) from None
    if not seal.is_marked(_about(tx, head), _encoded(meta), meta.seal):
        # What another user's gates have said, or nobody's, is asked again.
        meta = msgspec.structs.replace(
            meta,
            checked=False,
            hooked="",
            tested="",
            structure="off",
            allow_broken=False,
            carried={},
            merged=(),
        )
    return Staged(tx, head, meta, oid, between(ws, meta.base, head))


def _encoded(meta: Meta) -> bytes:
    plain = msgspec.structs.replace(meta, seal="")
    return msgspec.json.encode(report.clean(msgspec.to_builtins(plain)))


def _about(tx: str, head: Oid) -> str:
    return f"transaction {tx} {head}"


def refreshed(ws: Workspace, staged: Staged) -> Staged:
    """The transaction as it is now; the same if nobody has changed it.

    Raises:
        DoesNotFit: ``tx_closed``: it has landed or was dropped.
    """
    now = [ws.store.resolve(ref + staged.id) for ref in (refs.TX, META)]
    return staged if now == [staged.head, staged.meta_oid] else load(ws, staged.id)


def every(ws: Workspace) -> list[Staged]:
    """The open transactions, the oldest first."""
    found = refs.values(ws.repo, [refs.TX, META])
    heads = {ref.removeprefix(refs.TX): oid for ref, oid in found.items() if ref.startswith(refs.TX)}
    every = []
    for tx, head in heads.items():
        try:
            every += [_loaded(ws, tx, head, found[META + tx])] if META + tx in found else []
        except Damaged as error:
            ws.notify(error.message)
    return sorted(every, key=lambda staged: (staged.meta.begun, staged.id))


def seen_in(ws: Workspace, staged: Staged) -> Target:
    """The transaction as a place to look at and to edit in, under the rules of its branch as it is now."""
    commit = ws.store.commit(staged.head)
    return Target(refs.TX + staged.id, commit, ws.snapshot(commit), lambda: ws.at(staged.meta.branch).rules)


def between(ws: Workspace, base: Oid | None, head: Oid | None) -> tuple[FileChange, ...]:
    """What changed between two commits."""
    old, new = (ws.store.commit(c).tree if c else None for c in (base, head))
    return changed(ws, old, new)


def changed(ws: Workspace, old: Oid | None, new: Oid | None) -> tuple[FileChange, ...]:
    """What changed between two trees."""
    return tuple(_delta_change(ws, delta) for delta in ws.store.difference(old, new))


def from_disk(ws: Workspace, base: Oid | None, adopted: str | None) -> dict[str, Entry | None]:
    """What the commit ``adopted`` holds of the user's disk, by path; None where a file was taken away."""
    if adopted is None:
        return {}
    old, new = (ws.store.commit(c).tree if c else None for c in (base, adopted))
    return {delta.path: delta.new for delta in ws.store.difference(old, new)}


def gone(staged: Staged) -> tuple[RefUpdate, ...]:
    """The ref updates that take a transaction's refs away."""
    return (
        RefUpdate(refs.TX + staged.id, staged.head, None),
        RefUpdate(META + staged.id, staged.meta_oid, None),
    )


def _find(ws: Workspace, prefix: str) -> tuple[str, Oid]:
    try:
        return refs.find(ws.repo, prefix)
    except DoesNotFit as error:
        wanted = refs.bare_id(prefix)
        closed = (e.record for e in oplog.read(ws.repo) if e.record.tx.startswith(wanted))
        record = next(closed, None)
        if record is None or len(wanted) < refs.SHORTEST or error.data.get("candidates"):
            raise
        what = {"land": "has landed", "undo": "has landed and was undone", "drop": "was dropped"}
        raise DoesNotFit(
            "tx_closed",
            f"transaction {record.tx} {what.get(record.kind, 'is closed')}",
            "git scalpel log shows what became of it; git scalpel undo takes a landing back",
            tx=record.tx,
        ) from None


def file_change(ws: Workspace, target: Target, change: Change) -> FileChange:
    """One change of the target's files, with its content before and after."""
    old = target.snapshot.entry(change.path)
    old = None if old is not None and old.mode == TREE else old
    content = change.content
    after = content if isinstance(content, bytes) else ws.store.read(content) if content else b""
    oid = ws.store.blob_id(after) if isinstance(content, bytes) else content
    new = None if oid is None else Entry(change.mode, oid)
    return FileChange(change.path, old, new, ws.store.read(old.oid) if old else b"", after)


def _delta_change(ws: Workspace, delta: Delta) -> FileChange:
    before, after = (_content(ws, entry) for entry in (delta.old, delta.new))
    return FileChange(delta.path, delta.old, delta.new, before, after)


def _content(ws: Workspace, entry: Entry | None) -> bytes:
    try:
        return ws.store.read(entry.oid) if entry else b""
    except KeyError:
        return b""  # a submodule: its commit is in another repository
