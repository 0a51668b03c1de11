"""Find corruption and leftovers, and verify the operation log.

Objects are left to ``git fsck``, and so is the log as a chain of commits. Here its content is checked: each
operation starts where the last left the branch, or commits by others are in between, and decisions are signed
by their users.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Literal

import msgspec

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import ScalpelError
from gitscalpel.errors.messages import MARKED, Spelling, call, spell
from gitscalpel.git import journal, oplog, ref_transaction, refs, scratch
from gitscalpel.git.oplog import Entry
from gitscalpel.git.pool import slots
from gitscalpel.system import private_files, repo_lock
from gitscalpel.transaction.change import load_change
from gitscalpel.workspace import pruning
from gitscalpel.workspace.workspace import Workspace


class Finding(msgspec.Struct, frozen=True):
    """A problem.

    Attributes:
        what: ``objects``, ``log``, ``ref``, ``transaction``, ``journal``, ``worktree``, ``quarantine`` or
            ``lock``.
        name: ref, file or object.
        says: description.
        hint: remedy.
        level: ``damage``, or ``left`` for harmless leftovers of a killed process.
    """

    what: str
    name: str
    says: str
    hint: str
    level: Literal["damage", "left"] = "damage"

    def spelt(self, spelling: Spelling) -> Finding:
        """Return a copy with fields and calls as a front end writes them."""
        return msgspec.structs.replace(self, says=spell(self.says, spelling), hint=spell(self.hint, spelling))


def fsck(ws: Workspace, *, full: bool = False) -> list[Finding]:
    """Return all findings. With ``full``, the content of every object is read."""
    checks = (
        _check_log,
        _check_keep_refs,
        _check_transactions,
        _check_journal,
        _check_worktrees,
        _check_quarantine,
        _check_locks,
    )
    return [*_check_objects(ws, full), *(finding for check in checks for finding in check(ws))]


def _check_objects(ws: Workspace, full: bool) -> Iterator[Finding]:
    options = () if full else ("--connectivity-only",)
    result = ws.repo.git.run("fsck", "--strict", "--no-dangling", "--no-progress", *options)
    if result.status:
        output = (result.out.decode("utf-8", "replace") + result.err).strip()
        hint = (
            "fetch it from another clone (`git fetch`), or copy the object from a backup; `git fsck --full`"
        )
        keep_ref_errors = tuple(f"error: {name}: " for name in pruning.find_broken_refs(ws.repo))
        lines = (line for line in output.splitlines() if not line.startswith(keep_ref_errors))
        for line in islice(lines, 50):
            yield Finding("objects", line.rsplit(" ", 1)[-1], line, hint)


def _check_log(ws: Workspace) -> Iterator[Finding]:
    hint = f"`git log {refs.OPS}` shows the intact part; earlier operations can no longer be undone"
    try:
        for _ in oplog.read_log(ws.repo):
            pass
    except (ScalpelError, KeyError) as error:
        yield Finding("log", refs.OPS, str(error), hint)


def _check_keep_refs(ws: Workspace) -> Iterator[Finding]:
    for name, problem in pruning.find_broken_refs(ws.repo).items():
        yield Finding("ref", name, problem, f"{call('gc')} removes it; nothing else depends on it")


def _check_transactions(ws: Workspace) -> Iterator[Finding]:
    tx_refs = refs.read_refs(ws.repo, [refs.TX, refs.META])
    heads = {name.removeprefix(refs.TX) for name in tx_refs if name.startswith(refs.TX)}
    records = {name.removeprefix(refs.META) for name in tx_refs if name.startswith(refs.META)}
    for tx in sorted(heads | records):
        name = f"{refs.TX}{tx}"
        hint = f"look at it with `git show {name}`; {call('drop', ids=tx)} gives it up"
        if tx not in heads:
            yield Finding("transaction", f"{refs.META}{tx}", "a record without its commit", hint)
            continue
        try:
            staged = load_change(ws, tx)
        except (ScalpelError, KeyError) as error:
            yield Finding("transaction", name, str(error), hint)
            continue
        if ws.store.resolve(staged.meta.branch) is None and staged.meta.base is not None:
            says = f"its branch {staged.meta.branch} does not exist"
            yield Finding("transaction", name, says, f"make the branch again; {hint}", "left")


def _check_journal(ws: Workspace) -> Iterator[Finding]:
    name = str(journal.journal_path(ws.repo.scalpel_dir))
    try:
        entry = journal.read_journal(ws.repo.scalpel_dir)
    except ScalpelError as error:
        yield Finding("journal", name, *error.told(MARKED))
        return
    if entry is not None and repo_lock.find_lock_holder(ws.repo.scalpel_dir) is None:
        yield Finding(
            "journal", name, f"{entry.what} was interrupted", f"{call('recover')} finishes it", "left"
        )


def _check_worktrees(ws: Workspace) -> Iterator[Finding]:
    for item in pruning.sweep_orphans(ws.repo, ws.store, dry_run=True):
        if item.removed:
            hint = f"{call('gc')} removes it, and keeps what is in it"
            yield Finding("worktree", item.name, item.why, hint, "left")
        elif item.why == pruning.FOREIGN_RECORD:
            yield Finding("worktree", item.name, item.why, "`git worktree remove` removes it", "left")
    for slot in slots.find_slots(ws.repo):
        if slot.judges:
            continue  # the next gate moves it to its tree anyway
        if slot.state is None or (slot.state.tree is None and not slots.is_slot_held(slot)):
            says = "a command was interrupted in it"
            hint = "the next command that leases it keeps what is in it, and resets it"
            yield Finding("worktree", str(slot.root), says, hint, "left")


def _check_quarantine(ws: Workspace) -> Iterator[Finding]:
    for folder in private_files.list_folder(ws.repo.scalpel_dir / "quarantine"):
        for file in sorted(path for path in folder.rglob("*") if not path.is_dir()):
            name = str(file.relative_to(folder))
            says = f"set aside because {name} changed after a process was killed"
            hint = f"compare it with the file; {call('gc', quarantine=True)} removes it after 30 days"
            if folder.name.startswith(scratch.SAVED_PREFIX):
                says = f"saved in an editor while {name} was edited, and then overwritten"
            if folder.name.startswith(scratch.UNTRUSTED_PREFIX):
                says = "set aside, because you did not write it here"
                hint = f"see where it came from; {call('gc', quarantine=True)} removes it after 30 days"
            yield Finding("quarantine", str(file), says, hint, "left")


def _check_locks(ws: Workspace) -> Iterator[Finding]:
    for file, owner in ref_transaction.find_stray_locks(ws.repo):
        hint = "if no git is running, remove that file"
        if owner is not None:
            hint = f"{call('recover')} removes it; in a worktree of the pool, the next lease removes it"
        says = f"a lock {owner or 'of a git'} that is older than a minute"
        yield Finding("lock", str(file), says, hint, "left")


class AuditFault(msgspec.Struct, frozen=True):
    """A fault of an operation, which its commit and its transaction identify."""

    entry: str
    tx: str
    says: str


class Audit(msgspec.Struct, frozen=True):
    """Result of an audit; ``signed`` counts operations signed by their user with an accepted key."""

    steps: int
    signed: int
    faults: tuple[AuditFault, ...]


def verify_log(ws: Workspace, signers: bytes | None = None) -> Audit:
    """Verify the log from its first operation.

    ``signers`` are the accepted keys in the format of ``ssh-keygen``, or None to skip signatures.

    Raises:
        Damaged: ``corrupt``: an operation cannot be read.
    """
    entries = list(oplog.read_log(ws.repo))[::-1]
    faults = [*_check_objects_audit(ws), *_check_chain(ws, entries)]
    signed = 0
    if signers is not None:
        with scratch.make_scratch(ws.repo.scalpel_dir) as notes:
            for entry in entries:
                says = oplog.signature_fault(ws.repo, ws.store, entry, signers, notes.path)
                signed += not says
                if says and entry.record.kind in ("approve", "reject"):
                    message = f"{entry.record.kind} by {entry.record.user}: {says}"
                    faults.append(AuditFault(entry.oid, entry.record.tx, message))
    return Audit(len(entries), signed, tuple(faults))


def iter_log_rows(ws: Workspace) -> Iterator[dict[str, Any]]:
    """Yield every operation with all its data, the oldest first."""
    for entry in list(oplog.read_log(ws.repo))[::-1]:
        yield {"entry": entry.oid, **msgspec.to_builtins(entry.record)}


def _check_objects_audit(ws: Workspace) -> Iterator[AuditFault]:
    result = ws.repo.git.run("rev-list", "--objects", "--quiet", refs.OPS)
    if result.status and ws.store.resolve(refs.OPS) is not None:
        yield AuditFault("", "", f"objects of the log are missing or damaged: {result.err}")


def _check_chain(ws: Workspace, entries: list[Entry]) -> Iterator[AuditFault]:
    """Yield the operations that do not start where the previous one ended."""
    tips: dict[str, str | None] = {}
    for entry in entries:
        record = entry.record
        if record.kind not in ("land", "undo", "redo") or not record.branch:
            continue
        previous_tip = tips.get(record.branch, record.before)
        if previous_tip != record.before and not _may_have_moved(ws, previous_tip, record.before):
            says = f"{record.branch} was at {previous_tip}, and this operation starts at {record.before}"
            yield AuditFault(entry.oid, record.tx, says)
        tips[record.branch] = record.after


def _may_have_moved(ws: Workspace, old: str | None, new: str | None) -> bool:
    """Return True if others may have moved a branch forward, or one of the commits no longer exists."""
    if old is None:
        return True
    if new is None or not (ws.has_commit(Oid(old)) and ws.has_commit(Oid(new))):
        return False
    return not ws.repo.git.run("merge-base", "--is-ancestor", old, new).status
