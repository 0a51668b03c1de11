"""Worktrees and sandboxes in which gate programs check exactly one tree of a transaction.

Ignored files that a person or command left in a transaction's own worktree do not land, so gate programs
must not see them. They do not see what earlier gate programs left either, except in the named caches.
These worktrees are never given to a caller.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from gitscalpel.changesets import paths
from gitscalpel.changesets.answers import escaped, quoted
from gitscalpel.changesets.file_tree import SUBMODULE, TREE, Entry, Oid
from gitscalpel.changesets.globs import Globs
from gitscalpel.changesets.rules import Gates
from gitscalpel.errors import DoesNotFit, Misconfigured
from gitscalpel.gates.sandbox import sandbox, sandboxed_files
from gitscalpel.gates.sandbox.sandbox import Box, Cell
from gitscalpel.git import user_cache
from gitscalpel.git.pool import leftovers
from gitscalpel.git.pool.lease import lease
from gitscalpel.git.pool.worktree import Worktree
from gitscalpel.git.process import Git
from gitscalpel.git.scratch import Scratch
from gitscalpel.git.snapshots import TreeSnapshot
from gitscalpel.workspace import Workspace


def opened(ws: Workspace, gates: Gates, place: Worktree, notes: Scratch, tree: Oid) -> tuple[Box | None, str]:
    """What makes sandboxes in which the files of ``place`` are found, if anything does; where programs run.

    Raises:
        Misconfigured: ``unavailable``: the rules require what this machine cannot do; ``config_error``: a
            shared folder would show in the sandbox what it keeps from programs.
    """
    checkout, common = ws.repo.work_tree, ws.repo.common_dir
    shared = [checkout / name for name in gates.shared if checkout and (checkout / name).is_dir()]
    hidden = [folder for folder in (checkout, common, user_cache.pools_directory(ws.repo)) if folder]
    found = sandbox.open_sandbox(gates, place, notes, _tracked(ws, tree), hidden=hidden, shared=shared)
    if found[0] is None and gates.sandbox != "off":
        ws.notify(f"gates run with your rights (sandbox: {found[1]})")
    if found[0] is not None and checkout is not None:
        _refuse_links(checkout, gates.shared)
    return found


def _refuse_links(checkout: Path, names: Iterable[str]) -> None:
    """Refuse shared folders that are links: what came along may have made them lead to anybody's keys."""
    for name in names:
        goal = (checkout / name).resolve()
        if goal.is_dir() and goal != checkout.resolve() / name:
            raise Misconfigured(
                "config_error",
                f"the shared folder {name} leads to {goal}, which programs in a sandbox are not to see",
                "move it to where the link is, install in each worktree with gates.setup, or leave it out of "
                'gates.shared; with gates.sandbox = "off" programs run with your rights and find it',
                path=name,
            )


def staged(ws: Workspace, place: Worktree, cell: Cell | None, before: Oid) -> Oid:
    """The tree of what programs have left in the index of a worktree, or in that of their sandbox.

    What comes out of a sandbox is read as it is, and written anew.

    Raises:
        NotAllowed: ``path_denied``: a name in that index cannot be one of the repository's files.
        DoesNotFit: ``conflicted``: a file in it is not merged.
    """
    if cell is None:
        return place.staged()
    git = place.repo.git.with_env(
        GIT_INDEX_FILE=str(cell.seen.git_dir / "index"),
        GIT_ALTERNATE_OBJECT_DIRECTORIES=escaped(str(sandboxed_files.written_objects(cell.git))),
    )
    raw = git("diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", before, "--")
    parts = raw.split(b"\0")
    rows = [(parts[n].split(b" "), os.fsdecode(parts[n + 1])) for n in range(0, len(parts) - 1, 2)]
    return ws.store.write_tree(before, [_staged(ws, git, row, paths.clean(path)) for row, path in rows])


def _staged(ws: Workspace, git: Git, row: list[bytes], path: str) -> tuple[str, Entry | None]:
    mode, oid, what = (row[n].decode("ascii") for n in (1, 3, 4))
    if what == "U":
        raise DoesNotFit("conflicted", f"{quoted(path)} is not merged", "have the hook leave no conflict")
    if what == "D":
        return path, None
    if mode != SUBMODULE:
        oid = ws.store.write_blob(git("cat-file", "blob", oid))
    return path, Entry(mode, Oid(oid))


def _tracked(ws: Workspace, tree: Oid) -> Callable[[str], bool]:
    """Whether a path is one of the tree's files, or belongs to one of its submodules."""
    snapshot = TreeSnapshot(ws.store, ws.repo.git, tree)

    def tracked(path: str) -> bool:
        entry = snapshot.entry(path)
        if entry is not None:
            return entry.mode != TREE
        above = map(snapshot.entry, map(str, PurePosixPath(path).parents))
        return any(found is not None and found.mode == SUBMODULE for found in above)

    return tracked


@contextmanager
def apart(
    ws: Workspace,
    tx: str,
    commit: Oid,
    tree: Oid,
    furnish: Callable[[Worktree], None],
    *,
    caches: Sequence[str],
) -> Iterator[Worktree]:
    """A worktree at ``tree`` on top of ``commit``; what is done to it is undone by whoever comes next.

    Args:
        ws: where.
        tx: the transaction that is judged.
        commit: what its HEAD is.
        tree: what is judged.
        furnish: makes it ready for programs.
        caches: globs of what programs may find there as others have left it.

    Raises:
        ScalpelError: what ``furnish`` raises.
    """
    with lease(ws.repo, ws.store, tx, commit, ws.notify, judges=True) as place:
        spared = Globs(caches).match
        leftovers.remove_new_leftovers(place, spared)
        place.bring(commit, tree)
        leftovers.clear_submodules(place)
        leftovers.remove_leftovers(place, spared)
        before = place.state.setup if place.state else ""
        furnish(place)
        if place.state and place.state.setup != before:
            leftovers.note_setup(place, spared)
        place.hand_over()
        try:
            yield place
        finally:
            place.take_back(commit)
