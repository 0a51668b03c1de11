"""Prune what expired, and repack objects and refs, on demand or after a landing.

Manual changes in a worktree of the pool are kept as a commit under a ref before it is removed. Packing is
quick (``git repack --geometric``) or thorough (``git gc``, https://git-scm.com/docs/cruft-packs). After a
landing it runs in the foreground, once the lock is released: one call in a few dozen has to wait for it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Literal

import msgspec

from gitscalpel.changesets.answers import quote_path
from gitscalpel.errors import Misconfigured, ScalpelError, TryAgain
from gitscalpel.errors.messages import call
from gitscalpel.git import (
    blob_cache,
    object_writer,
    oplog,
    ref_transaction,
    refs,
    scratch,
    uncommitted,
    user_cache,
)
from gitscalpel.git.git_config import is_true
from gitscalpel.git.object_store import Store
from gitscalpel.git.pool import lease, slots
from gitscalpel.git.pool.slots import Slot
from gitscalpel.git.pool.worktree import Worktree, keep_contents
from gitscalpel.git.process import Git, Result, git_error
from gitscalpel.git.refs import DISK, KEEP, KEPT, SNAPSHOT, RefUpdate
from gitscalpel.git.repository import Repository
from gitscalpel.system import private_files, repo_lock
from gitscalpel.system.failpoint import step
from gitscalpel.workspace.workspace import Workspace

DAY = 86_400
"""Seconds of a day."""


class Item(msgspec.Struct, frozen=True):
    """An item that was removed, or that stays although it could have been."""

    kind: Literal["ref", "worktree", "file", "quarantine", "objects"]
    name: str  # ref or path
    why: str
    removed: bool = True  # True if it was removed (in a dry run: would be)
    bytes: int = 0  # freed bytes on the disk, as far as known
    kept: str | None = None  # ref that keeps its contents. None if there were none.


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
    value = repo.config.get(f"scalpel.{key.lower()}", str(default))
    if not (value.isascii() and value.isdecimal()):
        raise Misconfigured(
            "config_error", f"git config scalpel.{key} is {value!r}", "set it to a number of 0 or more"
        )
    return int(value)


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
    for path in private_files.list_folder(scalpel_dir, f"{private_files.PROBE_PREFIX}*"):
        if _file_age(path, now) > DAY:
            yield _remove_file(
                Item("file", str(path), "left by an interrupted command", bytes=disk_usage(path)), dry_run
            )
    for folder, days, why in _EXPIRING_FOLDERS:
        for path in private_files.list_folder(scalpel_dir / folder):
            if path.is_file() and _file_age(path, now) > days * DAY:
                yield _remove_file(Item("file", str(path), why, bytes=disk_usage(path)), dry_run)
    for path in private_files.list_folder(scalpel_dir / "quarantine"):
        if _file_age(path, now) < QUARANTINE_DAYS * DAY:
            continue
        why = f"set aside {int(_file_age(path, now) / DAY)} days ago"
        item = Item("quarantine", str(path), why, quarantine, disk_usage(path))
        yield _remove_file(item, dry_run) if quarantine else item


def _remove_file(item: Item, dry_run: bool) -> Item:
    if not dry_run:
        step()
        private_files.remove_path(Path(item.name))
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
    for path in private_files.list_folder(own):
        with suppress(OSError):  # it was just removed
            if path in surplus or now - path.lstat().st_mtime > _RESULT_DAYS * DAY:
                yield _remove_file(Item("file", str(path), "an old answer", bytes=disk_usage(path)), dry_run)
    files = [*blob_cache.cache_files(repo)]
    if files and min(_file_age(path, now) for path in files) > _RESULT_DAYS * DAY:
        for path in files:
            yield _remove_file(Item("file", str(path), "old answers", bytes=disk_usage(path)), dry_run)


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
            refs.discard_ref(repo, name)
        yield Item("ref", name, why)
    values = refs.read_refs(repo, [KEEP, DISK, SNAPSHOT])
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
        ref_transaction.update_refs(repo, updates, "scalpel: expire what was kept")
    for name in old:
        yield Item("ref", name, f"kept for {int((now - since[name]) / DAY)} days")
    for name in found.keys() - since.keys():
        yield Item("ref", name, "its age is not in the operation log", removed=False)


def _log_dates(repo: Repository, wanted: set[str]) -> dict[str, float]:
    """Return the time of the newest operation of each kept transaction."""
    since: dict[str, float] = {}
    if not wanted:
        return since
    for entry in oplog.read_log(repo):
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
    warnings = (line.removeprefix(_UNREADABLE) for line in listed.err.splitlines())
    found = {name: "it cannot be read" for name in warnings if name.startswith(KEPT)}
    request = "".join(f"{oid}^{{tree}}\n" for oid, _ in rows).encode()
    answers = repo.git("cat-file", "--batch-check", stdin=request).splitlines() if rows else []
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
                    found[name] = f"it stands for {quote_path(os.fsdecode(content[4:].strip()))}"
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
    open_now = refs.find_open_transactions(repo) if every else {}
    found = [slot for slot in every if slots.is_slot_free(slot, open_now)]
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
            if now.leased_by in refs.find_open_transactions(repo):
                return Item("worktree", name, "it was just leased", removed=False)
            kept = lease.keep_slot_contents(worktree, lambda _: None)
            lease.remove_worktree(repo, slot)
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
    open_now = refs.find_open_transactions(repo)
    pool = _pool_roots(repo)
    recorded = [*slots.find_worktrees(repo)]
    for found in recorded:
        copied = slots.is_copied_slot(found)
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
    return item if dry_run else _remove_keeping(item, lambda: lease.discard_incomplete(repo, store, found))


def _sweep_unknown(repo: Repository, store: Store, root: Path, dry_run: bool) -> Item:
    """Remove a directory of the pool that has no record of git."""
    why, takes = "no repository knows it", disk_usage(root)
    if _has_owner(root):
        return Item("worktree", str(root), "another repository's", removed=False)

    def remove() -> str | None:
        here, kept = repo.with_git_dir(repo.common_dir, root), None
        if slots.has_files(root):
            kept = keep_contents(here, store, root, uncommitted.write_contents(here))
        step()
        private_files.remove_path(root)
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


MAX_LOOSE_OBJECTS = 4_000
"""Number of loose objects from which we pack, below git's 6,700 even if the estimate is a third too low."""
MAX_PACKS = 32
"""Number of packs from which we pack them into one.

A landing leaves one, and git packs from 50 on. Packing takes as long as one and a half landings. Reading from
so many packs takes no longer than from half as many.
"""
_SAMPLE = ("11", "55", "99", "dd")
_MIN_AGE_S = 14 * DAY
"""Age in seconds below which nothing is deleted: it alone protects a transaction in progress."""
_GEOMETRIC = "--geometric=2"
_STALE_PID_S = 12 * 3600
"""Age in seconds from which git ignores a ``gc.pid``."""

_RECENT_HOOK = "gc.recentobjectshook"
"""Setting of which git runs all values, so that it cannot be overridden by a harmless one."""


class Count(msgspec.Struct, frozen=True):
    """Size of the object directory."""

    loose: int
    packs: int
    bytes: int


def count_objects(repo: Repository) -> Count:
    rows = (row.split(": ") for row in repo.git("count-objects", "-v").decode("ascii").splitlines() if row)
    counts = {row[0]: row[1] for row in rows if len(row) == 2}
    return Count(int(counts["count"]), int(counts["packs"]), disk_usage(repo.common_dir / "objects"))


def _is_pack_due(repo: Repository) -> bool:
    """Return True if objects should be packed now. This usually takes five directory listings."""
    return (
        _is_pack_needed(repo)
        and time.time() - private_files.modification_time(_failure_marker(repo)) > DAY
        and is_auto_gc_allowed(repo)
    )


def is_auto_gc_allowed(repo: Repository) -> bool:
    off = (
        _user_setting(repo, "gc.auto", "6700").strip() == "0",
        not is_true(_user_setting(repo, "maintenance.auto", "true")),
        not repo.flag("scalpel.autoGc", default=True),
    )
    return not any(off)


def pack_objects(repo: Repository) -> bool:
    """Pack loose objects in seconds. Return False if another process does so already.

    Raises:
        ScalpelError: git failed; the repository is intact.
    """
    with repo_lock.try_hold_lock(repo.scalpel_dir / "gc.lock") as held:
        if (
            held is None
            or time.time() - private_files.modification_time(repo.common_dir / "gc.pid") < _STALE_PID_S
        ):
            return False
        private_files.write(_failure_marker(repo), b"")
        object_writer.release_packs(repo.common_dir / "objects")
        git = repo.git.inheriting(held)
        if private_files.count_names(repo.common_dir / "objects/pack", ".promisor"):
            # Geometric repacking mixes promisor packs with others:
            # https://git-scm.com/docs/partial-clone
            git("maintenance", "run", "--task=loose-objects", "--quiet")
            git("prune-packed", "-q")
        else:
            with _keep_packed(repo, git, _GEOMETRIC):
                git("repack", "-d", "-l", "-q", _GEOMETRIC)
        if not _is_pack_needed(repo):
            _failure_marker(repo).unlink(missing_ok=True)
        return True


def collect_garbage(repo: Repository) -> Iterator[Item]:
    """Run ``git gc`` as the user has configured it, and yield what prevented it.

    Nothing younger than two weeks is deleted.
    """
    with repo_lock.try_hold_lock(repo.scalpel_dir / "gc.lock") as held:
        if held is None:
            yield _kept_item(repo, "another git scalpel is packing them")
            return
        if any(program.where == _RECENT_HOOK for program in repo.untrusted):
            yield _kept_item(
                repo, f"git gc would start what {_RECENT_HOOK} names, which you have not trusted"
            )
            return
        object_writer.release_packs(repo.common_dir / "objects")
        cruft = repo.git.run("config", "--type=bool", "gc.cruftPacks").out.strip() != b"false"
        # Refs are packed separately, under our own lock, where no landing needs them.
        words = [
            "-c",
            "gc.packRefs=false",
            "gc",
            "--quiet",
            _prune_option(repo),
            *(["--cruft"] if cruft else []),
        ]
        git = repo.git.inheriting(held)
        with _keep_packed(repo, git, *_gc_options(repo, cruft=cruft)):
            result = _run_locking_refs(repo, git, *words)
        if result.status and "already running" in result.err:
            yield _kept_item(repo, "a git gc is running")
        elif result.status:
            yield _kept_item(repo, git_error("gc", result.status, result.err).message)


@contextmanager
def _keep_packed(repo: Repository, git: Git, *how: str) -> Iterator[None]:
    """Copy the objects that git is about to repack to additional packs, which git keeps during the block.

    Git does not sync the names of its new packs before it removes the old ones. After a power cut both may be
    missing, if the file system reorders changes of names.
    """
    folder = repo.common_dir / "objects/pack"
    before = {*folder.glob("pack-*.pack")}
    packed = git.run("repack", "-l", "-q", *how)
    private_files.sync_path(folder)
    with ExitStack() as held:
        for each in () if packed.status else sorted({*folder.glob("pack-*.pack")} - before):
            # git repacks promisor packs anyway; their objects can be fetched again
            if not each.with_suffix(".promisor").exists():
                held.enter_context(object_writer.keep_pack(each))
        yield


def pack_refs(repo: Repository) -> None:
    """Pack the refs if the user's configuration allows it. The caller holds the lock.

    This takes two steps, since git does not sync the name of the packed file before it removes loose refs.
    """
    setting = repo.config.get("gc.packrefs", "true").lower()
    if is_true(setting) or (setting == "notbare" and repo.work_tree is not None):
        for option in ("--no-prune", "--prune"):
            result = _run_locking_refs(repo, repo.git, "pack-refs", "--all", option)
            if result.status:
                raise git_error("pack-refs", result.status, result.err)
            private_files.sync_path(repo.common_dir)


def _run_locking_refs(repo: Repository, git: Git, *words: str) -> Result:
    """Run a git that locks one ref after the other, with a note of the locks for recovery after a kill."""
    with scratch.make_scratch(repo.scalpel_dir) as notes:
        ref_transaction.note_maintenance_locks(notes, repo, refs.read_refs(repo, []))
        step()
        result = git.inheriting(notes.lock).run(*words)
        ref_transaction.remove_noted_locks(notes, killed=True)  # git may fail to remove one without an error
        return result


def _gc_options(repo: Repository, *, cruft: bool) -> Iterator[str]:
    yield "--cruft" if cruft else "-a"
    expiry = _prune_option(repo)
    if cruft and "=" in expiry:
        yield expiry.replace("--prune", "--cruft-expiration")


def _prune_option(repo: Repository) -> str:
    """Return the option for the user's ``gc.pruneExpire``, at least two weeks. For git, 0 is "never"."""
    latest = int(time.time()) - _MIN_AGE_S
    result = repo.git.run("config", "--type=expiry-date", "gc.pruneExpire")
    expiry = latest if result.status else int(result.out)
    return "--no-prune" if expiry == 0 else f"--prune=@{min(expiry, latest)}"


def _is_pack_needed(repo: Repository) -> bool:
    objects = repo.common_dir / "objects"
    return (
        private_files.count_names(objects / "pack", ".pack") >= MAX_PACKS
        or 64 * sum(private_files.count_names(objects / folder) for folder in _SAMPLE) >= MAX_LOOSE_OBJECTS
    )


def _failure_marker(repo: Repository) -> Path:
    """Return the file that postpones packing while it is young: packing has failed."""
    return repo.scalpel_dir / "gc.failed"


def _user_setting(repo: Repository, key: str, default: str) -> str:
    """Return the user's value of a setting, which precedes our own on the command line of git."""
    values = repo.git.run("config", "--get-all", key).out.decode("utf-8", "replace").splitlines()
    return values[-2] if len(values) > 1 else default


def _kept_item(repo: Repository, why: str) -> Item:
    return Item("objects", str(repo.common_dir / "objects"), why, removed=False)


_EXPIRED = "expired"
_SECONDS = 3600
"""Interval of expiry; data that is kept for days need not be searched at every pack."""


def run_auto_gc(ws: Workspace) -> None:
    """Pack objects and expire old data if much has accumulated. Report errors instead of raising them."""
    try:
        if _is_pack_due(ws.repo):
            if _is_long_ago(ws.repo.scalpel_dir / _EXPIRED):
                _expire(ws)
            pack_objects(ws.repo)
        if len(slots.find_slots(ws.repo)) > pool_size(ws.repo):
            _remove_worktree(ws)
    except (ScalpelError, OSError, KeyboardInterrupt) as error:  # what the caller asked for has been done
        words = str(error) or "interrupted"
        ws.notify(f"automatic cleanup failed: {words}; {call('gc')} cleans up thoroughly")


def _is_long_ago(stamp: Path) -> bool:
    try:
        return time.time() - stamp.stat().st_mtime > _SECONDS
    except FileNotFoundError:
        return True


def _expire(ws: Workspace) -> None:
    try:
        with repo_lock.hold_lock(ws.repo.scalpel_dir, timeout=0):
            list(expire_refs(ws.repo, keep_days(ws.repo)))
            list(sweep_scalpel_dir(ws.repo.scalpel_dir))
            pack_refs(ws.repo)
            private_files.write(ws.repo.scalpel_dir / _EXPIRED, b"")
    except TryAgain:
        pass  # another process is landing; the next landing tries again


def _remove_worktree(ws: Workspace) -> None:
    """Remove one surplus worktree. A landing should not wait for more; the next landing removes another."""
    for item in trim_pool(ws.repo, ws.store, pool_size(ws.repo)):
        if item.kept:
            ws.notify(f"what was left in {item.name} is kept as {item.kept}")
        if item.removed:
            return
