"""Finishes what a killed landing left: forward if its refs have moved, back if they have not.

A landing that fails is healed by the same steps as one that was killed, so
there is one way back and it is walked every day.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import msgspec

from gitscalpel.errors import InputOutput
from gitscalpel.failpoint import step
from gitscalpel.git import checkout, index, journal, reflocks, refs
from gitscalpel.git.journal import Journal
from gitscalpel.git.refs import OPS
from gitscalpel.git.repository import Repository, read_head
from gitscalpel.git.store import Store
from gitscalpel.lock import Lock
from gitscalpel.snapshot import Oid


def pending(repo: Repository) -> bool:
    """Whether a landing was killed (or is under way); for verbs that only look."""
    return journal.path_of(repo.scalpel_dir).exists()


def recover(repo: Repository, store: Store, lock: Lock) -> list[str]:
    """Heal a killed landing, in whichever worktree it was.

    Returns:
        what was done, in words; nothing if nothing was pending.
    """
    found = journal.read(repo.scalpel_dir)
    if found is None:
        return []
    there = _standing_in(repo, found)
    moved, said = heal(there, store, lock, found)
    return [f"{found.what} had been killed; it was {'finished' if moved else 'taken back'}", *said]


def heal(repo: Repository, store: Store, lock: Lock, found: Journal) -> tuple[bool, list[str]]:
    """Bring what ``found`` describes to its end or its beginning.

    Returns:
        whether the refs have moved, and what else there is to say.
    """
    step()
    reflocks.release(repo, found.refs)
    index.unlock(repo.git_dir, found.token)
    now = refs.values(repo, [update.ref for update in found.refs])
    moved = _has_moved(repo, found, now)
    said: list[str] = []
    if moved:
        # Files and index were complete and on the disk before the first ref moved.
        left = [u for u in found.refs if now.get(u.ref) == u.old and u.old != u.new]
        if left:
            step()
            refs.update(repo, left, f"scalpel: recover {found.what}")
    elif found.work_tree is not None and repo.git_dir.is_dir():
        if read_head(repo.git, repo.git_dir) == found.refs[0].ref:
            said = _take_back(repo, store, lock, found)
        else:
            # Git has brought the files to another branch since; they are no longer ours to judge.
            said = [f"{found.refs[0].ref} is no longer checked out: files were left as they are"]
    (repo.scalpel_dir / "index.new").unlink(missing_ok=True)
    journal.clear(repo.scalpel_dir)
    return moved, said


def _has_moved(repo: Repository, found: Journal, now: dict[str, Oid]) -> bool:
    """Git moves several refs one after the other; the first that moved decides."""
    if any(now.get(u.ref) == u.new and u.old != u.new for u in found.refs if u.ref != OPS):
        return True
    entry = next((u.new for u in found.refs if u.ref == OPS), None)
    # Nobody else can have made this entry, so the log holding it is proof, however far it has gone on.
    return entry is not None and OPS in now and _is_in(repo, entry, now[OPS])


def _is_in(repo: Repository, entry: Oid, tip: Oid) -> bool:
    return entry == tip or not repo.git.run("merge-base", "--is-ancestor", entry, tip).status


def _take_back(repo: Repository, store: Store, lock: Lock, found: Journal) -> list[str]:
    git_dir, rows, token = repo.git_dir, found.rows, found.token
    git = repo.git.inheriting(lock)
    work = checkout.files_of(repo, store)
    staged = index.entries(git, [row.path for row in rows]) if rows else {}
    undone = [
        (row.path, row.index, row.flags)
        for row in rows
        if row.new != row.index and (staged[row.path].entry if row.path in staged else None) == row.new
    ]
    if checkout.is_as_before(work, rows, token) and not undone:
        return []  # nor is the index's lock needed, which may be what stood in the way
    with index.locked(git_dir, repo.scalpel_dir, token):
        quarantine = repo.scalpel_dir / "quarantine" / token
        said = checkout.put_back(work, rows, store.read, token, quarantine)
        if undone:
            copy = repo.scalpel_dir / "index.new"
            index.rewritten(git, git_dir / "index", copy, undone)
            index.install(git_dir / "index", copy, {})
    return said


def _standing_in(repo: Repository, found: Journal) -> Repository:
    """The repository, seen from the worktree in which the landing was."""
    git_dir = Path(os.path.normpath(repo.common_dir / found.git_dir))
    if git_dir == repo.git_dir or not git_dir.is_dir():
        return msgspec.structs.replace(repo, git_dir=git_dir)
    work_tree = None
    env = {"GIT_DIR": str(git_dir)}
    if found.work_tree is not None:
        work_tree = Path(os.path.normpath(repo.common_dir / found.work_tree))
        with suppress(FileNotFoundError):
            # A linked worktree may have been moved; git keeps its place up to date there.
            linked = (git_dir / "gitdir").read_text("utf-8", "surrogateescape")
            work_tree = Path(linked.rstrip("\n")).parent
        if not work_tree.is_dir():
            raise InputOutput(
                "io_error",
                f"{found.what} had been killed in the worktree {work_tree}, which is not there",
                "bring it back, or run `git worktree prune`",
            )
        env["GIT_WORK_TREE"] = str(work_tree)
    git = msgspec.structs.replace(repo.git, directory=work_tree or git_dir, env=env)
    return msgspec.structs.replace(repo, git=git, git_dir=git_dir, work_tree=work_tree, prefix="")
