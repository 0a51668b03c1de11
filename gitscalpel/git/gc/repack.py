"""Pack loose objects and small packs: quickly after landings, thoroughly on request.

An open change leaves some loose objects, and a landing leaves a pack. Without packing, every git command of
the user would start a collection that cannot remove them. The quick way is ``git repack --geometric``: its
cost grows with the new objects, and it deletes only copies. The thorough way is ``git gc``, which puts
unreachable objects into a cruft pack (https://git-scm.com/docs/cruft-packs).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from gitscalpel.git import object_writer, ref_transaction, refs, scratch
from gitscalpel.git.gc.sweep import DAY, Item, disk_usage
from gitscalpel.git.git_config import is_true
from gitscalpel.git.process import Git, Result, failure
from gitscalpel.git.repository import Repository
from gitscalpel.system import private_files, repo_lock
from gitscalpel.system.failpoint import step

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
    """Size of the object directory.

    Attributes:
        loose: number of loose objects.
        packs: number of packs.
        bytes: disk usage.
    """

    loose: int
    packs: int
    bytes: int


def count(repo: Repository) -> Count:
    """Count the repository's own objects, without alternates."""
    rows = (row.split(": ") for row in repo.git("count-objects", "-v").decode("ascii").splitlines() if row)
    said = {row[0]: row[1] for row in rows if len(row) == 2}
    return Count(int(said["count"]), int(said["packs"]), disk_usage(_object_directory(repo)))


def is_due(repo: Repository) -> bool:
    """Return True if objects should be packed now. This usually takes five directory listings."""
    return (
        _is_pack_needed(repo)
        and time.time() - private_files.modification_time(_failure_marker(repo)) > DAY
        and wanted(repo)
    )


def wanted(repo: Repository) -> bool:
    """Return True if the user's configuration allows automatic collection."""
    off = (
        _user_setting(repo, "gc.auto", "6700").strip() == "0",
        not is_true(_user_setting(repo, "maintenance.auto", "true")),
        not repo.flag("scalpel.autoGc", default=True),
    )
    return not any(off)


def pack(repo: Repository) -> bool:
    """Pack loose objects in seconds. Return False if another process does so already.

    Raises:
        ScalpelError: git failed; the repository is intact.
    """
    with repo_lock.attempt(repo.scalpel_dir / "gc.lock") as held:
        if (
            held is None
            or time.time() - private_files.modification_time(repo.common_dir / "gc.pid") < _STALE_PID_S
        ):
            return False
        private_files.write(_failure_marker(repo), b"")
        object_writer.release_packs(_object_directory(repo))
        git = repo.git.inheriting(held)
        if private_files.count(_object_directory(repo) / "pack", ".promisor"):
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


def collect(repo: Repository) -> Iterator[Item]:
    """Run ``git gc`` as the user has configured it, but delete nothing younger than two weeks.

    Returns:
        what prevented it, if anything.
    """
    with repo_lock.attempt(repo.scalpel_dir / "gc.lock") as held:
        if held is None:
            yield _kept_item(repo, "another git scalpel is packing them")
            return
        if any(program.where == _RECENT_HOOK for program in repo.untrusted):
            yield _kept_item(
                repo, f"git gc would start what {_RECENT_HOOK} names, which you have not trusted"
            )
            return
        object_writer.release_packs(_object_directory(repo))
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
            yield _kept_item(repo, failure("gc", result.status, result.err).message)


@contextmanager
def _keep_packed(repo: Repository, git: Git, *how: str) -> Iterator[None]:
    """Before the block, pack into additional packs what git is going to pack, and keep these.

    Git does not sync the names of its new packs before it removes the old ones. After a power cut both may be
    missing, if the file system reorders changes of names.
    """
    folder = _object_directory(repo) / "pack"
    before = {*folder.glob("pack-*.pack")}
    packed = git.run("repack", "-l", "-q", *how)
    private_files.sync(folder)
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
    said = repo.config.get("gc.packrefs", "true").lower()
    if is_true(said) or (said == "notbare" and repo.work_tree is not None):
        for how in ("--no-prune", "--prune"):
            result = _run_locking_refs(repo, repo.git, "pack-refs", "--all", how)
            if result.status:
                raise failure("pack-refs", result.status, result.err)
            private_files.sync(repo.common_dir)


def _run_locking_refs(repo: Repository, git: Git, *words: str) -> Result:
    """Run a git that locks one ref after the other, with a note of the locks for recovery after a kill."""
    with scratch.made(repo.scalpel_dir) as notes:
        ref_transaction.note_maintenance_locks(notes, repo, refs.values(repo, []))
        step()
        result = git.inheriting(notes.lock).run(*words)
        ref_transaction.remove_noted(notes, killed=True)  # git may fail to remove one without an error
        return result


def _gc_options(repo: Repository, *, cruft: bool) -> Iterator[str]:
    yield "--cruft" if cruft else "-a"
    expiry = _prune_option(repo)
    if cruft and "=" in expiry:
        yield expiry.replace("--prune", "--cruft-expiration")


def _prune_option(repo: Repository) -> str:
    """Return the option for the user's ``gc.pruneExpire``, at least two weeks.

    Git represents "never" as 0.
    """
    latest = int(time.time()) - _MIN_AGE_S
    result = repo.git.run("config", "--type=expiry-date", "gc.pruneExpire")
    asked = latest if result.status else int(result.out)
    return "--no-prune" if asked == 0 else f"--prune=@{min(asked, latest)}"


def _is_pack_needed(repo: Repository) -> bool:
    objects = _object_directory(repo)
    return (
        private_files.count(objects / "pack", ".pack") >= MAX_PACKS
        or 64 * sum(private_files.count(objects / folder) for folder in _SAMPLE) >= MAX_LOOSE_OBJECTS
    )


def _failure_marker(repo: Repository) -> Path:
    """Return the file that postpones packing while it is young: packing has failed."""
    return repo.scalpel_dir / "gc.failed"


def _user_setting(repo: Repository, key: str, default: str) -> str:
    """Return the user's value of a setting, which precedes our own on the command line of git."""
    said = repo.git.run("config", "--get-all", key).out.decode("utf-8", "replace").splitlines()
    return said[-2] if len(said) > 1 else default


def _kept_item(repo: Repository, why: str) -> Item:
    return Item("objects", str(_object_directory(repo)), why, removed=False)


def _object_directory(repo: Repository) -> Path:
    return repo.common_dir / "objects"
