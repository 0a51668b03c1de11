"""The user's files: planned from one commit to another, brought there, and put back.

Untouched paths are never looked at. The order is removals first, so that a
file can take a folder's place and the other way round.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, TREE, Change, Entry, Oid
from gitscalpel.errors import WorldMoved
from gitscalpel.git import index, raw, sparse
from gitscalpel.git.disk import WorkTree, files_of
from gitscalpel.git.filters import Filters, coming_attributes
from gitscalpel.git.journal import Row
from gitscalpel.git.plan import Blocked, Planned, Planner
from gitscalpel.git.raw import Back, Raw
from gitscalpel.git.replacing import Changed
from gitscalpel.git.repository import Repository
from gitscalpel.git.run import Git
from gitscalpel.git.standing import refusal
from gitscalpel.git.store import Store
from gitscalpel.system import private_files, shared_repository
from gitscalpel.system.failpoint import step

Statuses = dict[str, tuple[Entry, os.stat_result]]
Uncommitted = Mapping[str, Entry | None]
"""Path → what the disk holds of the user's; None: nothing."""
_NOTHING: Uncommitted = MappingProxyType({})
_NOWHERE: Mapping[str, Back] = MappingProxyType({})


def planned(
    repo: Repository,
    store: Store,
    deltas: Sequence[Change],
    new_tree: Oid | None,
    *,
    adopted: Uncommitted = _NOTHING,
    restored: Uncommitted = _NOTHING,
    back: Mapping[str, Back] = _NOWHERE,
) -> tuple[list[Planned], list[Raw]]:
    """What becomes of every path of ``deltas``; see :class:`gitscalpel.git.plan.Planner`.

    Returns:
        also what the commits will not tell of it.

    Raises:
        WorldMoved: ``dirty_overlap``, naming every path that stands against it, and why.
    """
    names = [delta.path for delta in deltas]
    work = files_of(repo, store)
    filters = Filters(repo, store.read, names)
    regular = [name for name in names if filters.applies(name) and _is_regular(work, name)]
    staged = index.entries_of(repo, names) if names else {}
    gone = frozenset(delta.path for delta in deltas if delta.new is None)
    appearing = [delta.path for delta in deltas if delta.new and delta.path not in staged]
    left_out = sparse.outside(repo, store, appearing)
    done: list[Planned] = []
    untold: list[Raw] = []
    blocked: list[Blocked] = []
    with coming_attributes(repo, store, names, new_tree) as coming:
        planner = Planner(
            repo=repo,
            store=store,
            work=work,
            filters=filters,
            index=staged,
            cleaned=filters.clean(regular),
            adopted=adopted,
            restored=restored,
            back=back,
            removed=gone,
            sparse=left_out,
            attributes=coming,
        )
        for delta in deltas:
            try:
                done.append(planner.plan(delta))
                if planner.untold(done[-1], delta):
                    untold.append(raw.told(delta.path, done[-1].row.before, done[-1].row.after))
            except Blocked as verdict:
                blocked.append(verdict)
    if blocked:
        raise refusal(repo, blocked)
    return done, untold


def bring(work: WorkTree, plan: Iterable[Planned], read: Callable[[Oid], bytes], token: str) -> Statuses:
    """Change the files on the disk as planned.

    Returns:
        for the files that now hold exactly what the index will say: entry and status.

    Raises:
        WorldMoved: ``dirty_overlap``, if a file is not as it was planned.
    """
    known: Statuses = {}
    for planned in sorted(plan, key=lambda each: each.row.after is not None):
        row = planned.row
        if not work.same(solid(work, row.path), row.before):
            raise refusal(None, [Blocked("moved", row.path)])
        if not row.moves:
            continue
        step()
        try:
            status = _becomes(work, Change(row.path, row.before, row.after), read, token)
        except Changed as changed:
            raise refusal(None, [Blocked("moved", row.path, kept=changed.left)]) from None
        # As git checkout does it: what was converted for the disk counts as unchanged as well.
        if status is not None and row.new is not None and planned.what == "written":
            known[row.path] = (row.new, status)
    step()
    work.sync()
    return known


def follow(git: Git, repo: Repository, store: Store, plan: Sequence[Planned], token: str) -> None:
    """Bring a worktree of the pool along as planned; what was edited in it by hand stays on top.

    There is no journal: after a kill in between, planning and following again ends what was begun.

    Args:
        git: writes the index.
        repo: the repository, seen from there.
        store: where the contents are.
        plan: what becomes of each file.
        token: of the worktree, so that what a killed one left half-written is found.

    Raises:
        WorldMoved: ``dirty_overlap``: a file is not as it was planned.
        TryAgain: ``busy``: somebody else holds the index.
    """
    here, copy = repo.git_dir / "index", repo.git_dir / "index.new"
    work = files_of(repo, store)
    rows = [each.row for each in plan]
    for row in rows:
        work.sweep(row.path, token, row.before, row.after)
    with index.locked(repo.git_dir, repo.git_dir, token):
        time = index.rewritten(repo, git, copy, [(row.path, row.new, row.flags) for row in rows])
        index.install(here, copy, bring(work, plan, store.read, token), time)


def spared(error: BaseException) -> list[str]:
    """The file at which :func:`bring` ended with ``error``, if it is as somebody has just written it."""
    if not isinstance(error, WorldMoved):
        return []
    files = error.data.get("files", ())
    return [file["path"] for file in files if file["why"] == "moved" and "kept" not in file]


def put_back(
    work: WorkTree, rows: Iterable[Row], read: Callable[[Oid], bytes], token: str, quarantine: Path
) -> list[str]:
    """Change the files on the disk back to what they were.

    A file that is neither as it was nor as it was going to be has been changed
    by somebody since: it stays, a copy goes to ``quarantine``, and it is reported.
    """
    said: list[str] = []
    for row in sorted(rows, key=lambda row: row.before is not None):
        here = solid(work, row.path)
        if not row.moves or work.same(here, row.before):
            continue
        if here is not None and not work.same(here, row.after):
            said.append(_quarantined(work, row.path, here, quarantine))
            continue
        if row.before is not None and work.obstacle(row.path) is not None:
            said.append(f"{work.obstacle(row.path)} is no folder any more; {row.path} was not brought back")
            continue
        step()
        try:
            _becomes(work, Change(row.path, here, row.before), read, _on_the_way_back(token))
        except Changed as changed:
            kept = f"; what was saved before lies in {changed.left}" if changed.left else ""
            said.append(f"{row.path} has been changed just now; it was left as it is{kept}")
    work.sync()
    return said


def _becomes(
    work: WorkTree, change: Change, read: Callable[[Oid], bytes], token: str
) -> os.stat_result | None:
    """Bring one file from a state to another; see :meth:`gitscalpel.git.disk.WorkTree.write`."""
    path, old, new = change
    if new is not None:
        return work.write(path, new.mode, read(new.oid), token, old)
    if old is not None:
        work.remove(path, token, old)
    return None


def is_as_before(work: WorkTree, rows: Iterable[Row], token: str) -> bool:
    """Whether none of the files has been changed yet; half-written ones are swept away."""
    for row in rows:
        work.sweep(row.path, token, row.before, row.after)
        work.sweep(row.path, _on_the_way_back(token), row.after, row.before)
    return all(not row.moves or work.same(solid(work, row.path), row.before) for row in rows)


def _on_the_way_back(token: str) -> str:
    """The mark of what is written to put files back: a half-written one is not taken for what came away."""
    return f"{token}-back"


def unless_emptied(work: WorkTree, path: str, leaving: set[str]) -> Entry | None:
    """What is at ``path``; nothing, if it is a folder and all of its files are ``leaving``."""
    here = work.state(path)
    is_emptied = here is not None and here.mode == TREE and leaving.issuperset(work.files(path))
    return None if is_emptied else here


def solid(work: WorkTree, path: str) -> Entry | None:
    """What is at ``path``; folders without a file in them are nothing."""
    here = work.state(path)
    return None if here is not None and here.mode == TREE and not any(work.files(path)) else here


def _quarantined(work: WorkTree, path: str, here: Entry, quarantine: Path) -> str:
    if here.mode not in (REGULAR, EXECUTABLE):
        return f"{path} has been replaced since by something else; it was left as it is"
    copy = quarantine / path
    private_files.folder(quarantine.parent)
    shared_repository.make_folder(copy.parent)
    step()
    private_files.write(copy, work.read(path))
    return f"{path} has been changed since; it was left as it is, with a copy in {copy}"


def _is_regular(work: WorkTree, path: str) -> bool:
    full = work.root / path
    return work.obstacle(path) is None and full.is_file() and not full.is_symlink()
