"""What the checkout holds now, as a commit of its own, and the way back to it.

Its tree has the bytes as they lie on the disk. Snapshots expire as undone commits do.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import msgspec

from gitscalpel import rewriting
from gitscalpel.changesets import answers, paths
from gitscalpel.changesets.file_tree import Change, Changes, Oid
from gitscalpel.changesets.validation import worded
from gitscalpel.errors import Damaged, DoesNotFit, InputOutput, NotAllowed
from gitscalpel.errors.messages import call
from gitscalpel.git import checkout, commits, oplog, ref_transaction, refs, working_tree, working_tree_capture
from gitscalpel.git.gc import kept_refs
from gitscalpel.git.refs import RefUpdate
from gitscalpel.git.tree_snapshot import TreeSnapshot
from gitscalpel.git.working_tree import WorkTree
from gitscalpel.git.working_tree_capture import ExcludedFiles
from gitscalpel.rewriting import Rewrite
from gitscalpel.system.failpoint import step
from gitscalpel.transaction.check import reading
from gitscalpel.transaction.checkout import comparison
from gitscalpel.transaction.checkout.comparison import Differences
from gitscalpel.transaction.checkout.steps import edited, plain, record_of, refuse_elsewhere, until_still
from gitscalpel.transaction.land import healing
from gitscalpel.transaction.result import Result
from gitscalpel.workspace import Workspace

_SUBJECT = "scalpel: the checkout"
_AT = "at: "
"""Before the moment, since many are made in one second."""
_LATEST = 32
"""More than are made in a second."""
_NOTHING = ExcludedFiles()


class Snapshot(msgspec.Struct, frozen=True):
    """A state of the checkout.

    Attributes:
        id: its name.
        commit: that holds it.
        message: why it was made.
        time: when, in seconds since the epoch.
        left_out: what could not be read, in words.
        warnings: files that restoring an earlier snapshot has left as they are, in words.
    """

    id: str
    commit: Oid
    message: str
    time: float
    left_out: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def take(ws: Workspace, message: str = "", *, apart: ExcludedFiles = _NOTHING) -> Snapshot:
    """Record what the checkout holds, tracked or not, but for what git ignores.

    Where nothing has changed since the last one, and nothing is said, it is the last one.

    Args:
        ws: where.
        message: why it is made.
        apart: files that were ignored before, which stay out although git no longer ignores them.

    Raises:
        TryAgain: ``busy``: another process takes one.
    """
    refuse_elsewhere(ws)
    message = worded(message).strip()
    with healing.locked(ws) as held:
        tree, left_out, files = msgspec.structs.astuple(working_tree_capture.capture(ws.repo, held, apart))
        head = ws.repo.resolve("HEAD^{commit}")
        last = next(iter(every(ws, _LATEST)), None)
        below = [*([head] if head else []), working_tree_capture.write_excluded(ws.store, files)]
        known = ws.store.commit(last.commit) if last is not None and not message else None
        if last is not None and known and (known.tree, [*known.parents]) == (tree, below):
            return msgspec.structs.replace(last, left_out=left_out)
        who = oplog.signature(record_of(ws, "edit", "", "", ()))
        time = ws.session.clock()
        words = f"{message or _SUBJECT}\n\n{_AT}{time:.6f}"
        commit = ws.store.write_raw_commit(commits.serialize(tree, below, words, who))
        taken = Snapshot(refs.new_id(), commit, message, time, left_out)
        with ws.store.lasting():
            step()
            ref_transaction.update(
                ws.repo, [RefUpdate(refs.SNAPSHOT + taken.id, None, commit)], "scalpel: snapshot"
            )
    return taken


def every(ws: Workspace, most: int = 0) -> list[Snapshot]:
    """All that are kept, or those of the latest seconds, at least ``most`` of them; the newest first."""
    found = []
    for name, oid in _refs(ws, most).items():
        with suppress(ValueError, KeyError):  # else it is none of ours
            words, _, time = ws.store.commit(oid).message.rpartition(_AT)
            message = "" if words.strip() == _SUBJECT else words.strip()
            found.append(Snapshot(name.removeprefix(refs.SNAPSHOT), oid, message, float(time)))
    return sorted(found, key=lambda each: each.time, reverse=True)


def _refs(ws: Workspace, most: int) -> dict[str, Oid]:
    """Return the refs of all snapshots, or of the latest ones; git sorts none if one names no commit."""
    if most:
        with suppress(InputOutput):
            options = ("--sort=-committerdate", f"--count={most}")
            return refs.values(ws.repo, [*options, refs.SNAPSHOT])
    return refs.values(ws.repo, [refs.SNAPSHOT])


def restore(ws: Workspace, wanted: str, names: Sequence[str] = ()) -> tuple[Snapshot, Result | None]:
    """Bring the checkout, or the files and folders named, to where a snapshot has them.

    What is there is saved in a snapshot before; the restoring is a step that undo takes back.

    Returns:
        the snapshot of what was there; what has changed, or None: it was so already.

    Raises:
        DoesNotFit: ``tx_not_found``: there is no such snapshot; ``file_not_found``: it and the checkout
            hold nothing of that name.
        WorldMoved: ``stale``: somebody keeps changing the files.
    """
    goal = find(ws, wanted)
    apart = working_tree_capture.read_excluded(ws.store, goal.commit)
    before = take(ws, apart=apart)
    left: tuple[str, ...] = ()
    chosen = [paths.clean(name) for name in names if name]
    words = f"Restore snapshot {goal.id}" + (f": {goal.message}" if goal.message else "")
    with healing.locked(ws) as held:

        def attempt() -> Result | None:
            nonlocal left
            now = working_tree_capture.capture(ws.repo, held, apart).tree
            changes, left = _way_back(ws, goal, chosen if len(chosen) == len(names) else [], now)
            if not changes:
                return None
            paths.refuse_files(names, (change.path for change in changes))
            reading.refuse_outside(ws, changes)
            record = record_of(ws, "edit", refs.new_id(), words, changes)
            rewriting.rewrite(ws.repo, ws.store, held, Rewrite(tuple(changes), record))
            return edited(record.tx, plain(words), Changes(changes, ws.store.read))

        done = until_still(attempt)
        return msgspec.structs.replace(before, warnings=left), done


def find(ws: Workspace, wanted: str) -> Snapshot:
    """A snapshot by its id or the first characters of it.

    Raises:
        DoesNotFit: ``tx_not_found``.
    """
    found = [each for each in every(ws) if len(wanted) >= refs.SHORTEST and each.id.startswith(wanted)]
    if len(found) != 1:
        _require_readable(ws, wanted)
        raise DoesNotFit(
            "tx_not_found",
            f"{'several snapshots begin' if found else 'there is no snapshot that begins'} with {wanted!r}",
            f"{call('snapshot', list=True)} lists them",
            candidates=[each.id for each in found],
        )
    return found[0]


def _require_readable(ws: Workspace, wanted: str) -> None:
    """Refuse a snapshot whose ref is there and whose commit is not."""
    broken = kept_refs.find_broken(ws.repo) if len(wanted) >= refs.SHORTEST else {}
    for name, why in broken.items():
        if name.startswith(refs.SNAPSHOT + wanted):
            hint = f"{call('gc')} removes it; {call('snapshot', list=True)} lists the others"
            raise Damaged("corrupt", f"{name} cannot be restored: {why}", hint, ref=name)


def between(ws: Workspace, before: Snapshot, after: Snapshot) -> Differences:
    """Compare two snapshots, of which the second has just been taken."""
    then, now = (ws.store.tree_of(each.commit) for each in (before, after))
    return comparison.compare(
        ws, then, working_tree_capture.read_excluded(ws.store, before.commit), Oid(str(now))
    )


def _way_back(ws: Workspace, goal: Snapshot, wanted: Sequence[str], now: Oid) -> Differences:
    """Find what brings the disk, or the files and folders ``wanted``, to where a snapshot has them."""
    here, there = (TreeSnapshot(ws.store, ws.repo.git, tree) for tree in (now, ws.snapshot(goal.commit).tree))
    known = working_tree_capture.read_excluded(ws.store, goal.commit)
    for name in wanted:
        if here.entry(name) is None and there.entry(name) is None:
            raise _not_held(name, known)
    found = [
        change
        for change in ws.store.difference(here.tree, there.tree)
        if not wanted or any(_is_in(change.path, name) for name in wanted)
    ]
    changes, left = comparison.split_restore(ws, found, known, is_named=bool(wanted))
    leaving = {change.path for change in changes if change.new is None}
    work = working_tree.files_of(ws.repo, ws.store)
    states = (Change(path, checkout.unless_emptied(work, path, leaving), new) for path, _, new in changes)
    changes = [change for change in states if not work.same(change.old, change.new)]
    for change in changes:
        _refuse_inside(work, change.path)
    return Differences(changes, left)


def _not_held(name: str, known: ExcludedFiles) -> DoesNotFit:
    words = f"neither the snapshot nor the checkout holds {answers.quoted(name)}"
    if known.covers(name) or f"{name}/" in known.files:
        words = f"the snapshot does not hold {answers.quoted(name)}, which git ignored or could not read then"
    return DoesNotFit("file_not_found", words, "check the path", path=answers.quoted(name))


def _refuse_inside(work: WorkTree, path: str) -> None:
    """Refuse a file that lies in another repository by now."""
    folders = [path[:at] for at, character in enumerate(path) if character == "/"]
    inner = next((folder for folder in folders if (work.root / folder / ".git").exists()), None)
    if inner is not None:
        raise NotAllowed(
            "path_denied",
            f"{answers.quoted(inner)} is a repository of its own by now",
            "name the files and folders to restore, without it",
            path=answers.quoted(path),
        )


def _is_in(path: str, name: str) -> bool:
    return path == name or path.startswith(f"{name}/")
