"""A change of a branch and its metadata, in memory or as an open transaction.

A change that has to wait, or that gates check for minutes, is a commit on ``refs/scalpel/tx/<id>``, preceded
by one for adopted content, if any. A second ref names a blob with its metadata. Both refs are created and
deleted together. An edit that can land at once stays in memory: no ref names its objects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

from gitscalpel.changesets import answers, paths
from gitscalpel.changesets.answers import Facts, short_branch_name
from gitscalpel.changesets.file_tree import Changes, Entry, FileOrigin, Oid
from gitscalpel.changesets.requests import require_text
from gitscalpel.changesets.rules import Structure, Trailer
from gitscalpel.errors import Damaged, DoesNotFit, ScalpelError, WorldMoved
from gitscalpel.errors.messages import MARKED, arg, call, spell_all
from gitscalpel.git import oplog, ref_transaction, refs
from gitscalpel.git.oplog import mail_address
from gitscalpel.git.refs import META, RefUpdate
from gitscalpel.system import serialization, trust
from gitscalpel.workspace.workspace import Target, TreeTarget, Workspace

_TRAILER = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*: \S.*")
_NO_MESSAGE = "scalpel: nothing yet\n"


class Pushing(msgspec.Struct, frozen=True):
    """A push of a transaction that has begun."""

    # remote and ref: the remote and its branch
    remote: str
    ref: str
    commit: Oid  # new commit of the branch
    change: Oid  # commit of the transaction in it; equal to ``commit`` unless others had added to the branch


class Meta(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Metadata of a change, as stored in its blob. The order of the fields is that of the JSON."""

    # branch and base: target branch, ``refs/heads/…``, and the commit of it that the change starts from.
    # None if the branch is unborn.
    branch: str
    base: Oid | None
    # adopted and taken: commit with uncommitted changes adopted from the user's disk, and its message
    adopted: Oid | None = None
    taken: str = ""
    asked: str | None = None  # commit message from the caller
    # author of the change, ``Name <mail>`` and perhaps a time, if a patch names one. None for the user who
    # began it.
    author: str | None = None
    # steps and facts: descriptions of the steps so far; their operations, intents and verdicts
    steps: tuple[str, ...] = ()
    facts: Facts = Facts()
    # notes on open judgements, by gate; see ``transaction/check/gate_runner.py``
    pending: dict[str, tuple[str, ...]] = {}
    warnings: tuple[str, ...] = ()  # warnings about what was let through
    # request_ids and requests: ids of the changesets that were added, and a digest of each by id
    request_ids: tuple[str, ...] = ()
    whole: bool = False  # True if the change is one changeset, and nothing has been added to it
    requests: dict[str, str] = {}
    structure: Structure = "off"  # strictest level at which all of its steps were judged
    # files that its steps have moved or copied; paths as in :func:`spell_origins`
    carried: dict[str, FileOrigin] = {}
    allow_broken: bool = False  # True if a caller accepted that a file no longer parses
    require_approval: bool = False  # True if a caller wants the change approved before it lands
    # True if every gate that ran has passed exactly this change; ``pending`` has the others
    checked: bool = False
    # digest of the input that each gate has passed; see ``transaction/check/gate_runner.py``
    passed: dict[str, str] = {}
    # True if a person has approved or rejected it; see ``transaction/check/approval_gate.py``
    decided: bool = False
    since: Oid | None = None  # newest entry of the operation log when its files last changed
    merged: tuple[str, ...] = ()  # digests of its files before each merge with the branch since then
    approved: tuple[str, ...] = ()  # people who approved it as it is, each with the entry of the log
    by: tuple[str, ...] = ()  # all contributors, ``Name <mail>``
    trailers: tuple[Trailer, ...] = ()  # trailers for its commit message
    agent: str = ""  # program that began it for the user
    answers: str = ""  # transaction that it is a suggestion for; "" if it is none
    # last push, noted before it began, since a killed push may have reached the remote
    pushing: Pushing | None = None
    # begun and log: time in seconds since the epoch, and newest entry of the operation log, when it began
    begun: float = 0
    log: Oid | None = None
    seal: str = ""  # this user's message authentication code for the metadata and the commit

    def but(self, **fields: Any) -> Meta:
        return msgspec.structs.replace(self, **fields)

    @property
    def message(self) -> str:
        asked = self.asked or ""
        if asked.startswith("\n"):  # trailers alone, of those who are credited
            return describe_steps(self.steps) + asked
        return asked or describe_steps(self.steps) or self.taken


class Change(msgspec.Struct, frozen=True):
    """A change of a branch, in memory or held by the refs of an open transaction."""

    id: str  # id of the transaction that it is, or will be if it has to wait
    head: Oid
    meta: Meta
    files: Changes
    record: Oid | None = None  # blob with the metadata of an open transaction. None in memory.

    @property
    def is_open(self) -> bool:
        """Return True if refs hold the change, so that others see it and it survives this process."""
        return self.record is not None

    def knows(self, gate: str) -> bool:
        return any(row.name == gate for row in self.meta.facts.gates)

    def tree(self, ws: Workspace) -> Oid:
        return ws.store.commit(self.head).tree

    def revise(
        self, ws: Workspace, tree: Oid, meta: Meta, files: Changes, *, is_rebased: bool = False
    ) -> Change:
        """Return the change with another tree, metadata and files. The refs of an open transaction follow.

        Approvals of other files do not count for these, even if the files become the same again: the change
        may answer what a reviewer said. A rebase keeps the approvals.

        Raises:
            WorldMoved: ``target_moved``: another process has changed the transaction.
            DoesNotFit: ``tx_closed``: the transaction has landed or was dropped.
        """
        if files != self.files and not is_rebased:
            meta = meta.but(since=ws.store.resolve(refs.OPS), merged=())
        head, meta = _commit(ws, self.id, tree, meta, self)
        now = msgspec.structs.replace(self, head=head, meta=meta, files=files)
        return publish(ws, now, self) if self.is_open else now

    def with_meta(self, ws: Workspace, meta: Meta) -> Change:
        return self.revise(ws, self.tree(ws), meta, self.files)

    def refresh(self, ws: Workspace) -> Change:
        """Return the current state of the change. In memory, no other process can have changed it.

        Raises:
            DoesNotFit: ``tx_closed``: the transaction has landed or was dropped.
        """
        if not self.is_open:
            return self
        now = [ws.store.resolve(ref + self.id) for ref in (refs.TX, META)]
        return self if now == [self.head, self.record] else load_change(ws, self.id)


def new_change(ws: Workspace, tree: Oid, meta: Meta, files: Changes) -> Change:
    tx = refs.new_id()
    head, meta = _commit(ws, tx, tree, meta, None)
    return Change(tx, head, meta, files)


def new_meta(ws: Workspace, target: Target, message: str | None = None, by: Sequence[str] = ()) -> Meta:
    """Return the metadata of a new change. Raises :class:`BadCall` if the message is not text."""
    return Meta(
        branch=target.branch,
        base=target.tip,
        asked=require_text(message) if message and message.strip() else None,
        by=tuple(by),
        agent=ws.session.agent,
        begun=ws.session.clock(),
        log=ws.store.resolve(refs.OPS),
        trailers=target.rules.record.trailers,
    )


def describe_steps(steps: Sequence[str]) -> str:
    more = len(steps) - 1
    return steps[0] + (f" and {more} more edit{'s' * (more > 1)}" if more else "") if steps else ""


def _add_trailers(message: str, wanted: Iterable[Trailer], tx: str, agent: str) -> str:
    """Return the message with each wanted trailer that has a value, once."""
    values: dict[Trailer, str] = {"Scalpel-Tx": tx, "Assisted-by": " ".join(agent.split())}
    new = [f"{name}: {values[name]}" for name in wanted if values[name]]
    body = message.rstrip("\n")
    last = body.rpartition("\n\n")[2].splitlines() if "\n\n" in body else []
    new = [line for line in new if line not in last]
    if not new:
        return message
    is_trailers = bool(last) and all(_TRAILER.fullmatch(line) for line in last)
    return "\n".join([body, *([] if is_trailers else [""]), *new])


def _commit(ws: Workspace, tx: str, tree: Oid, meta: Meta, previous: Change | None) -> tuple[Oid, Meta]:
    """Write the commit for ``tree``, or return the base commit if nothing has changed.

    The author stays the same when others add to the change, approve it or land it.
    """
    # Records, commits and pull requests contain the metadata, and no front end spells calls in these later.
    meta = spell_all(meta, ws.session.spelling)
    below = meta.base
    if meta.adopted is not None:
        below = _commit_adopted(ws, tree, meta.adopted, meta)
        meta = meta.but(adopted=below)
    if below is not None and ws.store.commit(below).tree == tree:
        return below, meta
    before = ws.store.commit(previous.head) if previous and previous.head != previous.meta.base else None
    parents = [] if below is None else [below]
    message = _add_trailers(meta.message, meta.trailers, tx, meta.agent) if meta.message else ""
    message = message or (_NO_MESSAGE if below is None else "")
    if before and (before.tree, [*before.parents], before.message.strip()) == (
        tree,
        parents,
        message.strip(),
    ):
        return before.oid, meta
    return ws.store.write_commit(
        tree, parents, message, author=before.author if before else meta.author
    ), meta


def _commit_adopted(ws: Workspace, tree: Oid, adopted: Oid, meta: Meta) -> Oid:
    """Return the commit of the adopted changes, with the caller's message if there is nothing else."""
    commit = ws.store.commit(adopted)
    message = meta.asked if meta.asked and commit.tree == tree else meta.taken
    if commit.message.rstrip("\n") == message.rstrip("\n"):
        return commit.oid
    return ws.store.write_commit(commit.tree, commit.parents, message, author=commit.author)


def publish(ws: Workspace, change: Change, previous: Change | None = None) -> Change:
    """Make a change an open transaction held by refs, in place of ``previous``."""
    tx, head = change.id, change.head
    meta = change.meta.but(seal="")
    meta = meta.but(seal=trust.make_mark(_seal_context(tx, head), _encode(meta)))
    record = ws.store.write_blob(_encode(meta))
    old_head, old_record = (previous.head, previous.record) if previous else (None, None)
    updates = (RefUpdate(refs.TX + tx, old_head, head), RefUpdate(META + tx, old_record, record))
    moving = [update for update in updates if update.old != update.new]
    if moving:
        try:
            with ws.store.lasting():
                ref_transaction.update_refs(ws.repo, moving, f"scalpel: stage {tx}")
        except WorldMoved:
            if previous is not None:
                previous.refresh(ws)  # raises tx_closed if it has landed or was dropped
            raise
    return msgspec.structs.replace(change, meta=meta, record=record)


def removal_updates(change: Change) -> tuple[RefUpdate, ...]:
    """Return the ref updates that remove an open transaction; none for a change in memory."""
    if not change.is_open:
        return ()
    return (
        RefUpdate(refs.TX + change.id, change.head, None),
        RefUpdate(META + change.id, change.record, None),
    )


@contextmanager
def name_in_errors(change: Change, *, waits: bool = True) -> Iterator[None]:
    """Name an open transaction in errors of the block; ``waits`` if it can still land or be dropped."""
    try:
        yield
    except ScalpelError as error:
        named = error.data.get("tx", change.id)
        raise error.but(stays=change.id if waits else "", tx=named) from error


def load_change(ws: Workspace, prefix: str) -> Change:
    """Return an open transaction by its id or a prefix of it.

    Raises:
        DoesNotFit: ``tx_not_found``, or ``tx_closed`` if it has landed or was dropped.
        Damaged: ``corrupt``: its record cannot be read.
    """
    found = find_change(ws, prefix)
    if isinstance(found, Change):
        return found
    closed = {
        "land": "has landed",
        "edit": "is an edit of the checkout",
        "undo": "has landed and was undone"
        if found.branch
        else "was an edit of the checkout, and was undone",
        "drop": "was dropped",
    }
    hint = f"{call('show-tx', tx=found.tx)} shows its contents; to make it again, send the edit again"
    if found.kind in ("land", "edit"):
        is_elsewhere = found.branch and found.branch != ws.repo.head
        undo_call = call(
            "undo", tx=found.tx, onto=short_branch_name(str(found.branch)) if is_elsewhere else None
        )
        hint = f"{undo_call} undoes it; for more changes, begin another transaction: {call('begin')}"
    words = f"transaction {found.tx} {closed.get(found.kind, 'is closed')}"
    raise DoesNotFit("tx_closed", words, hint, tx=found.tx)


def find_change(ws: Workspace, prefix: str) -> Change | oplog.Record:
    """Return an open transaction, or the last record of the operation log for one that is closed.

    Raises:
        DoesNotFit: ``tx_not_found``.
        Damaged: ``corrupt``: its record cannot be read.
    """
    try:
        tx, head = refs.find_transaction(ws.repo, prefix)
    except DoesNotFit as error:
        wanted = refs.bare_id(prefix)
        closed = (e.record for e in oplog.read_log(ws.repo) if e.record.tx.startswith(wanted))
        record = next(closed, None)
        if record is None or len(wanted) < refs.MIN_ID_LENGTH or error.data.get("candidates"):
            raise
        return record
    oid = refs.read_refs(ws.repo, [META + tx]).get(META + tx)
    if oid is None:
        raise DoesNotFit("tx_not_found", f"transaction {tx} has a commit but no record", _rescue_hint(tx))
    return _load(ws, tx, head, oid)


def _rescue_hint(tx: str) -> str:
    remove = call("drop", ids=tx)
    return f"look at it with `git show {refs.TX}{tx}`, take it with `git cherry-pick`, or remove it: {remove}"


def _load(ws: Workspace, tx: str, head: Oid, oid: Oid) -> Change:
    try:
        meta = _with_refs(serialization.decode(ws.store.read(oid), Meta), paths.unquote_path)
        if not meta.branch.startswith("refs/heads/"):
            raise msgspec.ValidationError(f"{meta.branch!r} is not a branch")
    except msgspec.MsgspecError as error:
        words = f"the record of transaction {tx} cannot be read: {error}"
        raise Damaged("corrupt", words, _rescue_hint(tx)) from None
    if not trust.is_marked(_seal_context(tx, head), _encode(meta.but(seal="")), meta.seal):
        # Gates check again what this user's gates may not have passed.
        meta = meta.but(
            checked=False,
            passed={},
            structure="off",
            allow_broken=False,
            carried={},
            merged=(),
            pushing=None,
            facts=msgspec.structs.replace(meta.facts, risk=msgspec.UNSET),
        )
    return Change(tx, head, meta, diff_commits(ws, meta.base, head), oid)


def _encode(meta: Meta) -> bytes:
    """Return metadata as JSON: branches are quoted as git does, bytes in other texts become U+FFFD."""
    return msgspec.json.encode(
        answers.make_json_safe(msgspec.to_builtins(_with_refs(meta, answers.quote_path)))
    )


def _with_refs(meta: Meta, spell: Callable[[str], str]) -> Meta:
    """Return metadata with its branches spelled another way."""
    pushing = meta.pushing and msgspec.structs.replace(meta.pushing, ref=spell(meta.pushing.ref))
    return meta.but(branch=spell(meta.branch), pushing=pushing)


def _seal_context(tx: str, head: Oid) -> str:
    return f"transaction {tx} {head}"


def list_open_changes(ws: Workspace) -> list[Change]:
    """Return the open transactions, oldest first. Damaged ones are reported to the caller."""
    oids = refs.read_refs(ws.repo, [refs.TX, META])
    heads = {ref.removeprefix(refs.TX): oid for ref, oid in oids.items() if ref.startswith(refs.TX)}
    changes = []
    for tx, head in heads.items():
        try:
            changes += [_load(ws, tx, head, oids[META + tx])] if META + tx in oids else []
        except Damaged as error:
            ws.notify(error.told(MARKED)[0])
    return sorted(changes, key=lambda change: (change.meta.begun, change.id))


def target_of(ws: Workspace, change: Change) -> TreeTarget:
    """Return an open transaction as a target of edits, under the current rules of its branch."""
    return TreeTarget(
        branch=refs.TX + change.id,
        tip=change.head,
        snapshot=ws.snapshot(change.head),
        read_rules=lambda: ws.at(change.meta.branch).rules,
    )


def require_answered_landed(ws: Workspace, change: Change) -> None:
    """Raise if a suggestion is to land while the transaction that it answers is open.

    Raises:
        WorldMoved: ``operation_in_progress``.
    """
    below = change.meta.answers
    if below and ws.store.resolve(refs.TX + below) is not None:
        raise WorldMoved(
            "operation_in_progress",
            f"{change.id} is a suggestion for {below}, which is still open",
            f"first run {call('land', tx=below)} or {call('drop', ids=below)}",
            tx=change.id,
            answers=below,
        )


def require_files(change: Change) -> None:
    """Raise :class:`DoesNotFit` (``no_change``) if a change to land contains no files."""
    if change.files:
        return
    if not change.is_open:
        name = short_branch_name(change.meta.branch)
        raise DoesNotFit("no_change", f"{name} already contains all of this", "nothing is left to do")
    raise DoesNotFit(
        "no_change",
        f"transaction {change.id} changes nothing",
        f"edit in it ({arg('tx', change.id)}), or drop it: {call('drop', ids=change.id)}",
    )


def diff_commits(ws: Workspace, base: Oid | None, head: Oid | None) -> Changes:
    """Return the changes between two commits; None stands for no files."""
    return diff_trees(ws, ws.store.tree_of(base), ws.store.tree_of(head))


def diff_trees(ws: Workspace, old: Oid | None, new: Oid | None) -> Changes:
    return Changes(ws.store.difference(old, new), ws.store.read)


def adopted_files(ws: Workspace, base: Oid | None, adopted: Oid | None) -> dict[str, Entry | None]:
    """Return the entries that an adopted commit took from the user's disk; None for a removed file."""
    return {} if adopted is None else {each.path: each.new for each in diff_commits(ws, base, adopted)}


def contributor_addresses(ws: Workspace, change: Change) -> set[str]:
    """Return the mail addresses of all contributors and of the authors of commits that land with it."""
    authors = [ws.store.commit(oid).author for oid in (change.head, change.meta.adopted) if oid is not None]
    return set(map(mail_address, (*change.meta.by, *authors)))


def spell_origins(origins: Mapping[str, FileOrigin], spell: Callable[[str], str]) -> dict[str, FileOrigin]:
    """Return file origins with their paths spelled another way, such as that of a record."""
    return {spell(path): FileOrigin(spell(origin.origin), origin.by) for path, origin in origins.items()}
