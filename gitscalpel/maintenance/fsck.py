"""Find damage and inconsistencies, and suggest a remedy for each, without changing anything.

Objects are left to ``git fsck``: connectivity always, contents only on request, since that reads all of them.
All other checks concern data that git does not know.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Literal

import msgspec

from gitscalpel.errors import ScalpelError
from gitscalpel.errors.messages import MARKED, Spelling, call, spelt
from gitscalpel.git import journal, oplog, ref_transaction, refs, scratch
from gitscalpel.git.gc import sweep
from gitscalpel.git.pool import slots
from gitscalpel.system import private_files, repo_lock
from gitscalpel.transaction.change import load_change
from gitscalpel.workspace import Workspace


class Finding(msgspec.Struct, frozen=True):
    """A problem.

    Attributes:
        what: subject: ``objects``, ``log``, ``ref``, ``transaction``, ``journal``, ``worktree``,
            ``quarantine`` or ``lock``.
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
        return msgspec.structs.replace(self, says=spelt(self.says, spelling), hint=spelt(self.hint, spelling))


def fsck(ws: Workspace, *, full: bool = False) -> list[Finding]:
    """Return all findings. With ``full`` the content of every object is read."""
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
    how = () if full else ("--connectivity-only",)
    result = ws.repo.git.run("fsck", "--strict", "--no-dangling", "--no-progress", *how)
    if result.status:
        words = (result.out.decode("utf-8", "replace") + result.err).strip()
        hint = (
            "fetch it from another clone (`git fetch`), or copy the object from a backup; `git fsck --full`"
        )
        ours = tuple(f"error: {name}: " for name in sweep.find_broken_refs(ws.repo))
        lines = (line for line in words.splitlines() if not line.startswith(ours))
        for line in islice(lines, 50):
            yield Finding("objects", line.rsplit(" ", 1)[-1], line, hint)


def _check_log(ws: Workspace) -> Iterator[Finding]:
    hint = f"`git log {refs.OPS}` shows how far it goes; what is before that can no longer be undone"
    try:
        for _ in oplog.read(ws.repo):
            pass
    except (ScalpelError, KeyError) as error:
        yield Finding("log", refs.OPS, str(error), hint)


def _check_keep_refs(ws: Workspace) -> Iterator[Finding]:
    for name, why in sweep.find_broken_refs(ws.repo).items():
        yield Finding("ref", name, why, f"{call('gc')} removes it; nothing else depends on it")


def _check_transactions(ws: Workspace) -> Iterator[Finding]:
    found = refs.values(ws.repo, [refs.TX, refs.META])
    heads = {name.removeprefix(refs.TX) for name in found if name.startswith(refs.TX)}
    records = {name.removeprefix(refs.META) for name in found if name.startswith(refs.META)}
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
            says = f"its branch {staged.meta.branch} is gone"
            yield Finding("transaction", name, says, f"make the branch again; {hint}", "left")


def _check_journal(ws: Workspace) -> Iterator[Finding]:
    name = str(journal.path_of(ws.repo.scalpel_dir))
    try:
        found = journal.read(ws.repo.scalpel_dir)
    except ScalpelError as error:
        yield Finding("journal", name, *error.told(MARKED))
        return
    if found is not None and repo_lock.holder(ws.repo.scalpel_dir) is None:
        yield Finding(
            "journal", name, f"{found.what} was interrupted", f"{call('recover')} finishes it", "left"
        )


def _check_worktrees(ws: Workspace) -> Iterator[Finding]:
    for item in sweep.sweep_orphans(ws.repo, ws.store, dry_run=True):
        if item.removed:
            hint = f"{call('gc')} removes it, and keeps what is in it"
            yield Finding("worktree", item.name, item.why, hint, "left")
        elif item.why == sweep.FOREIGN_RECORD:
            yield Finding("worktree", item.name, item.why, "`git worktree remove` removes it", "left")
    for slot in slots.find_slots(ws.repo):
        if slot.judges:
            continue  # the next gate moves it to its tree anyway
        if slot.state is None or (slot.state.tree is None and not slots.is_held(slot)):
            says = "a command was interrupted in it"
            hint = "the next command that leases it keeps what is in it, and resets it"
            yield Finding("worktree", str(slot.root), says, hint, "left")


def _check_quarantine(ws: Workspace) -> Iterator[Finding]:
    for folder in private_files.entries(ws.repo.scalpel_dir / "quarantine"):
        for file in sorted(path for path in folder.rglob("*") if not path.is_dir()):
            name = str(file.relative_to(folder))
            says = f"set aside when {name} had been changed after a kill"
            hint = f"compare it with the file; {call('gc', quarantine=True)} removes it after 30 days"
            if folder.name.startswith(scratch.SAVED_PREFIX):
                says = f"saved in {name} while that was edited, and saved over then"
            if folder.name.startswith(scratch.UNTRUSTED_PREFIX):
                says = "set aside, since you have not written it here"
                hint = f"see where it came from; {call('gc', quarantine=True)} removes it after 30 days"
            yield Finding("quarantine", str(file), says, hint, "left")


def _check_locks(ws: Workspace) -> Iterator[Finding]:
    for file, owner in ref_transaction.find_stray(ws.repo):
        hint = "if no git is running, remove that file"
        if owner is not None:
            hint = f"{call('recover')} removes it; in a worktree of the pool, so does who leases it next"
        says = f"a lock {owner or 'of a git'} that is older than a minute"
        yield Finding("lock", str(file), says, hint, "left")
