"""Remove what has expired: our files, refs that keep objects, and unneeded worktrees of the pool.

Only files that no recovery needs or removes itself are swept from the git directory. The cache is bounded by
age and size. Refs of undone and dropped commits, snapshots and disk bytes go after their retention period.

Worktrees are removed that are surplus or unused, and those of killed processes. Manual changes in a slot are
first kept as a commit under a ref. A slot for which that fails is left and reported. Killed processes, copies
and moves leave half a worktree: git's record without the directory, the directory without git's record, or
both without our record. A directory that another repository names is left alone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Literal

import msgspec

from gitscalpel.changesets.answers import quoted
from gitscalpel.errors import Misconfigured, ScalpelError
from gitscalpel.git import oplog, ref_transaction, refs, uncommitted, user_cache
from gitscalpel.git.object_store import Store
from gitscalpel.git.pool import lease, slots
from gitscalpel.git.pool.slots import Slot
from gitscalpel.git.pool.worktree import Worktree, keep
from gitscalpel.git.refs import DISK, KEEP, KEPT, SNAPSHOT, RefUpdate
from gitscalpel.git.repository import Repository
from gitscalpel.system import private_files
from gitscalpel.system.failpoint import step

DAY = 86_400
"""Seconds of a day."""


class Item(msgspec.Struct, frozen=True):
    """An item that was removed, or that stays although it could have been.

    Attributes:
        kind: kind of the item.
        name: ref or path.
        why: reason.
        removed: True if it was removed (in a dry run: would be).
        bytes: freed bytes on the disk, as far as known.
        kept: ref that keeps its contents. None if there were none.
    """

    kind: Literal["ref", "worktree", "file", "quarantine", "objects"]
    name: str
    why: str
    removed: bool = True
    bytes: int = 0
    kept: str | None = None


def disk_usage(path: Path) -> int:
    """Return the disk usage in bytes of a file or directory, without following links."""
    total = _block_bytes(path)
    for here, folders, names in os.walk(path):
        total += sum(_block_bytes(Path(here) / name) for name in (*folders, *names))
    return total


def _block_bytes(path: Path) -> int:
    try:
        return path.lstat().st_blocks * 512
    except OSError:
        return 0  # it was just removed


def keep_days(repo: Repository) -> int:
    """Return the number of days that undone and dropped commits are kept. Raises ``Misconfigured``."""
    return _read_number(repo, "keepDays", 14)


def pool_size(repo: Repository) -> int:
    """Return the number of free worktrees that stay ready. Raises ``Misconfigured``."""
    return _read_number(repo, "poolSize", 4)


def _read_number(repo: Repository, key: str, default: int) -> int:
    said = repo.config.get(f"scalpel.{key.lower()}", str(default))
    if not (said.isascii() and said.isdecimal()):
        raise Misconfigured("config_error", f"git config scalpel.{key} is {said!r}", "set it to a number")
    return int(said)


QUARANTINE_DAYS = 30
_EXPIRING_FOLDERS = (
    # For branches without landings. A process that has the file open can still land.
    ("turns", 1, "no landings on that branch"),
    ("verdicts", 30, "an old verdict of a command"),
    ("refused", 90, "an old refusal"),
)
"""Directories whose files expire: name, age in days, reason."""


def sweep_scalpel_dir(
    scalpel_dir: Path, *, quarantine: bool = False, dry_run: bool = False
) -> Iterator[Item]:
    """Remove expired files. The caller holds the lock.

    Files quarantined for 30 days are only reported, unless ``quarantine`` is set.
    """
    now = time.time()
    for path in private_files.entries(scalpel_dir, f"{private_files.PROBE_PREFIX}*"):
        if _file_age(path, now) > DAY:
            yield _remove_file(
                Item("file", str(path), "left by an interrupted command", bytes=disk_usage(path)), dry_run
            )
    for folder, days, why in _EXPIRING_FOLDERS:
        for path in private_files.entries(scalpel_dir / folder):
            if path.is_file() and _file_age(path, now) > days * DAY:
                yield _remove_file(Item("file", str(path), why, bytes=disk_usage(path)), dry_run)
    for path in private_files.entries(scalpel_dir / "quarantine"):
        if _file_age(path, now) < QUARANTINE_DAYS * DAY:
            continue
        why = f"set aside {int(_file_age(path, now) / DAY)} days ago"
        item = Item("quarantine", str(path), why, quarantine, disk_usage(path))
        yield _remove_file(item, dry_run) if quarantine else item


def _remove_file(item: Item, dry_run: bool) -> Item:
    if not dry_run:
        step()
        private_files.remove(Path(item.name))
    return item


def _file_age(path: Path, now: float) -> float:
    try:
        return now - path.lstat().st_mtime
    except OSError:
        return 0  # it was just removed


_RESULT_DAYS = 30


def sweep_result_cache(repo: Repository, *, dry_run: bool = False) -> Iterator[Item]:
    """Remove old and surplus query results. No lock is needed, since each may be lost."""
    own, now = user_cache.cache_folder(repo), time.time()
    surplus = {*user_cache.find_surplus(own)}
    for path in private_files.entries(own):
        with suppress(OSError):  # it was just removed
            if path in surplus or now - path.lstat().st_mtime > _RESULT_DAYS * DAY:
                yield _remove_file(Item("file", str(path), "an old answer", bytes=disk_usage(path)), dry_run)


_COMMIT_DATED = (f"{KEEP}worktree-", SNAPSHOT)
"""Prefixes of refs whose age is that of their commit: worktree leftovers and snapshots."""
_UNREADABLE = "warning: ignoring broken ref "
_BATCH_SIZE = 500


def expire_refs(repo: Repository, days: int, *, dry_run: bool = False) -> Iterator[Item]:
    """Delete the refs of :data:`KEEP`, :data:`DISK` and :data:`SNAPSHOT` after ``days``.

    The caller holds the lock.

    The age is that of the operation (the commit may be much older). A ref without a known age stays.
    """
    broken = find_broken_refs(repo)
    for name, why in broken.items():
        if not dry_run:
            refs.discard(repo, name)
        yield Item("ref", name, why)
    values = refs.values(repo, [KEEP, DISK, SNAPSHOT])
    found = {name: oid for name, oid in values.items() if name not in broken}
    since = {
        **_log_dates(repo, {name for name in found if not name.startswith(_COMMIT_DATED)}),
        **_commit_dates(repo, found),
    }
    now = time.time()
    old = {name: oid for name, oid in found.items() if name in since and since[name] < now - days * DAY}
    if old and not dry_run:
        updates = [RefUpdate(name, oid, None) for name, oid in old.items()]
        step()
        ref_transaction.update(repo, updates, "scalpel: expire what was kept")
    for name in old:
        yield Item("ref", name, f"kept for {int((now - since[name]) / DAY)} days")
    for name in found.keys() - since.keys():
        yield Item("ref", name, "its age is not in the operation log", removed=False)


def _log_dates(repo: Repository, wanted: set[str]) -> dict[str, float]:
    """Return the time of the newest operation of each kept transaction."""
    since: dict[str, float] = {}
    if not wanted:
        return since
    for entry in oplog.read(repo):
        for name in wanted.intersection({KEEP + entry.record.tx, DISK + entry.record.tx}):
            since.setdefault(name, entry.record.time)
        if len(since) == len(wanted):
            break
    return since


def _commit_dates(repo: Repository, wanted: Iterable[str]) -> dict[str, float]:
    names = [name for name in wanted if name.startswith(_COMMIT_DATED)]
    found: dict[str, float] = {}
    for at in range(0, len(names), _BATCH_SIZE):  # git stops at a ref whose commit is missing
        some = names[at : at + _BATCH_SIZE]
        rows = repo.git("for-each-ref", "--format=%(refname) %(committerdate:unix)", *some).decode()
        pairs = (row.split(" ") for row in rows.splitlines())
        found.update((name, float(date)) for name, date in pairs if date)
    return found


def find_broken_refs(repo: Repository) -> dict[str, str]:
    """Return the refs that only keep objects and are unreadable or name a missing object, with the reason."""
    listed = repo.git.run("for-each-ref", "--format=%(objectname) %(refname)", *KEPT)
    rows = [row.split(" ", 1) for row in os.fsdecode(listed.out).splitlines()]
    said = (line.removeprefix(_UNREADABLE) for line in listed.err.splitlines())
    found = {name: "it cannot be read" for name in said if name.startswith(KEPT)}
    asked = "".join(f"{oid}^{{tree}}\n" for oid, _ in rows).encode()
    answers = repo.git("cat-file", "--batch-check", stdin=asked).splitlines() if rows else []
    for (oid, name), answer in zip(rows, answers, strict=True):
        if answer.endswith(b" missing"):
            found[name] = f"it names {oid}, which is missing, damaged or no commit"
    return {**found, **_find_symbolic(repo)}


def _find_symbolic(repo: Repository) -> dict[str, str]:
    """Return the symbolic refs among ours. ``for-each-ref`` omits those without a target."""
    found: dict[str, str] = {}
    for prefix in KEPT:
        places = [repo.common_dir / prefix]
        places += [Path(here) / name for here, _, names in os.walk(places[0]) for name in names]
        for file in places:
            with suppress(OSError):
                content = file.read_bytes()
                if content.startswith(b"ref:"):
                    name = file.relative_to(repo.common_dir).as_posix()
                    found[name] = f"it stands for {quoted(os.fsdecode(content[4:].strip()))}"
    return found


UNUSED_DAYS = 14


def trim_pool(
    repo: Repository, store: Store, free: int, *, days: int = UNUSED_DAYS, dry_run: bool = False
) -> Iterator[Item]:
    """Remove all free slots except the ``free`` most recently used, and those unused for ``days``.

    Each slot's own lock is enough: a slot stays free once its transaction has ended.
    """
    now = time.time()
    for rank, (used, slot) in enumerate(reversed(_free_slots(repo))):
        if rank >= free:
            yield _remove_slot(repo, store, slot, f"more than {free} are free", dry_run)
        elif now - used > days * DAY:
            yield _remove_slot(repo, store, slot, f"unused for {int((now - used) / DAY)} days", dry_run)


def _free_slots(repo: Repository) -> list[tuple[float, Slot]]:
    """Return the slots whose transactions have ended, with the time of last use, the oldest first."""
    every = slots.find_slots(repo)
    open_now = refs.transactions(repo) if every else {}
    found = [slot for slot in every if slots.is_free(slot, open_now)]
    dated = ((private_files.modification_time(slot.state_file), slot) for slot in found)
    return sorted(dated, key=lambda pair: (pair[0], pair[1].root))


def _remove_slot(repo: Repository, store: Store, slot: Slot, why: str, dry_run: bool) -> Item:
    name, takes = str(slot.root), disk_usage(slot.root) + disk_usage(slot.git_dir)
    if (slot.git_dir / "locked").exists():
        return Item("worktree", name, "locked with git worktree lock", removed=False)
    if dry_run:
        return Item("worktree", name, why, bytes=takes)
    try:
        with ExitStack() as held:
            worktree = Worktree(repo, slot, store, slots.lock_slot(slot, held))
            now = msgspec.structs.replace(slot, state=worktree.state)
            if now.leased_by in refs.transactions(repo):
                return Item("worktree", name, "it was just leased", removed=False)
            kept = lease.keep_left(worktree, lambda _: None)
            lease.retire(repo, slot)
    except (ScalpelError, OSError) as error:
        return Item("worktree", name, f"its contents cannot be kept: {error}", removed=False)
    if slot.root.parent.name.isdigit():
        with suppress(OSError):  # it may contain another slot
            slot.root.parent.rmdir()
    return Item("worktree", name, why, bytes=takes, kept=kept)


FOREIGN_RECORD = "its record was not written by you here; it is left alone"
"""Reason to leave a worktree that the user can remove with ``git worktree remove``."""


def sweep_orphans(repo: Repository, store: Store, *, dry_run: bool = False) -> Iterator[Item]:
    """Remove incomplete worktrees of the pool. The caller holds the pool's lock."""
    whole = {found.git_dir for found in slots.find_slots(repo)}
    open_now = refs.transactions(repo)
    pool = _pool_roots(repo)
    recorded = [*slots.find_worktrees(repo)]
    for found in recorded:
        copied = slots.is_copied(found)
        if found.state is None and found.state_file.exists() and not copied:
            yield Item("worktree", str(found.root), FOREIGN_RECORD, removed=False)
            continue
        ours = found.state is not None or copied or _is_in_pool(repo, found.root)
        leased = found.leased_by in open_now
        # The next lease handles those of open transactions: their disk may come back.
        if ours and not leased and found.git_dir not in whole:
            yield _sweep_recorded(repo, store, found, dry_run)
    known = {found.root for found in recorded}
    for root in pool:
        if root not in known:
            yield _sweep_unknown(repo, store, root, dry_run)


def _pool_roots(repo: Repository) -> list[Path]:
    every = user_cache.pools_directory(repo).glob(f"*-{user_cache.repository_digest(repo)}/*/*")
    return sorted(root for root in every if root.parent.name.isdigit() and not root.is_symlink())


def _is_in_pool(repo: Repository, root: Path) -> bool:
    """Return True if a path, which may not exist, is a worktree directory of the pool."""
    folder = root.parent.parent
    mine = folder.parent == user_cache.pools_directory(repo) and folder.name.endswith(
        user_cache.repository_digest(repo)
    )
    return mine and root.parent.name.isdigit()


def _sweep_recorded(repo: Repository, store: Store, found: Slot, dry_run: bool) -> Item:
    """Remove an incomplete worktree that has a record of git."""
    linked = slots.is_linked(found)
    why = "made, but never used" if linked else "its folder is gone, or another repository's"
    takes = disk_usage(found.git_dir) + (disk_usage(found.root) if linked else 0)
    item = Item("worktree", str(found.root), why, bytes=takes)
    return item if dry_run else _remove_keeping(item, lambda: lease.discard(repo, store, found))


def _sweep_unknown(repo: Repository, store: Store, root: Path, dry_run: bool) -> Item:
    """Remove a directory of the pool that has no record of git."""
    why, takes = "no repository knows it", disk_usage(root)
    if _has_owner(root):
        return Item("worktree", str(root), "another repository's", removed=False)

    def remove() -> str | None:
        here, kept = repo.standing_in(repo.common_dir, root), None
        if slots.has_files(root):
            kept = keep(here, store, root, uncommitted.contents(here))
        step()
        private_files.remove(root)
        return kept

    item = Item("worktree", str(root), why, bytes=takes)
    return item if dry_run else _remove_keeping(item, remove)


def _remove_keeping(item: Item, remove: Callable[[], str | None]) -> Item:
    try:
        return msgspec.structs.replace(item, kept=remove())
    except (ScalpelError, OSError) as error:
        return Item("worktree", item.name, f"its contents cannot be kept: {error}", removed=False)


def _has_owner(root: Path) -> bool:
    try:
        return (root / ".git").is_dir() or slots.linked_git_dir(root).exists()
    except OSError:
        return False
