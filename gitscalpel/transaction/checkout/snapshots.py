"""What the checkout holds now, as a commit of its own, and the way back to it.

Its tree is what git would commit if everything were added. Where filters lie between that and the disk, a
second parent holds the bytes as they are. Snapshots expire as undone commits do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

import msgspec

from gitscalpel import paths, report, rewriting
from gitscalpel.errors import DoesNotFit
from gitscalpel.failpoint import step
from gitscalpel.git import captured, checkout, commits, oplog, refs
from gitscalpel.git.filters import Filters
from gitscalpel.git.oplog import Record
from gitscalpel.git.refs import RefUpdate
from gitscalpel.phrases import call
from gitscalpel.rewriting import Rewrite
from gitscalpel.snapshot import EXECUTABLE, REGULAR, SUBMODULE, SYMLINK, TREE, Change, Changes, Entry, Oid
from gitscalpel.transaction import result
from gitscalpel.transaction.candidate import Meta
from gitscalpel.transaction.checkout.editing import refuse_worktree
from gitscalpel.transaction.land import healing
from gitscalpel.transaction.result import Result
from gitscalpel.workspace import Workspace

_RAW = "scalpel: the bytes of the disk"
"""The message of the second parent."""
_SUBJECT = "scalpel: the checkout"
_AT = "at: "
"""Before the moment, since many are made in one second."""
_LATEST = 32
"""More than are made in a second."""


class Snapshot(msgspec.Struct, frozen=True):
    """A state of the checkout.

    Attributes:
        id: its name.
        commit: that holds it.
        message: why it was made.
        time: when, in seconds since the epoch.
        left_out: what could not be read, in words.
    """

    id: str
    commit: Oid
    message: str
    time: float
    left_out: tuple[str, ...] = ()


def take(ws: Workspace, message: str = "") -> Snapshot:
    """Record what the checkout holds, tracked or not, but for what git ignores.

    Where nothing has changed since the last one, and nothing is said, it is the last one.

    Raises:
        TryAgain: ``busy``: another process takes one.
    """
    healing.heal(ws)
    refuse_worktree(ws)
    with captured.capturing(ws.repo) as held:
        tree, left_out = captured.tree(ws.repo, held)
        head = ws.repo.resolve("HEAD^{commit}")
        raw = _raw(ws, head, tree)
        last = next(iter(every(ws, _LATEST)), None)
        if last is not None and not message and _holds(ws, last, head, tree, raw):
            return msgspec.structs.replace(last, left_out=tuple(left_out))
        who = oplog.signature(Record(kind="edit", tx="", user=ws.user(), time=ws.session.now()))
        below = [head] if head else []
        if raw is not None:
            below.append(ws.store.write_raw_commit(commits.raw(raw, (), _RAW, who)))
        time = ws.session.clock()
        words = f"{report.clean(message.strip()) or _SUBJECT}\n\n{_AT}{time:.6f}"
        commit = ws.store.write_raw_commit(commits.raw(tree, below, words, who))
        ws.store.sync()
        taken = Snapshot(refs.new_id(), commit, message.strip(), time, tuple(left_out))
        step()
        refs.update(ws.repo, [RefUpdate(refs.SNAPSHOT + taken.id, None, commit)], "scalpel: snapshot")
    return taken


def every(ws: Workspace, most: int = 0) -> list[Snapshot]:
    """All that are kept, or those of the latest seconds, at least ``most`` of them; the newest first."""
    found = []
    options = ("--sort=-committerdate", f"--count={most}") if most else ()
    for name, oid in refs.values(ws.repo, [*options, refs.SNAPSHOT]).items():
        words, _, time = ws.store.commit(oid).message.rpartition(_AT)
        message = "" if words.strip() == _SUBJECT else words.strip()
        with suppress(ValueError):  # else it is none of ours
            found.append(Snapshot(name.removeprefix(refs.SNAPSHOT), oid, message, float(time)))
    return sorted(found, key=lambda each: each.time, reverse=True)


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
    before = take(ws, f"before restoring {goal.id}")
    changes = list(_way_back(ws, before, goal, [paths.clean(name) for name in names]))
    if not changes:
        return before, None
    files = Changes(changes, ws.store.read)
    words = f"Restore snapshot {goal.id}" + (f": {goal.message}" if goal.message else "")
    meta = Meta(branch=report.CHECKOUT, base=None, asked=words)
    with healing.locked(ws) as held:
        record = step_of(ws, refs.new_id(), words, changes)
        rewriting.rewrite(ws.repo, ws.store, held, Rewrite(tuple(changes), record))
    return before, msgspec.structs.replace(result.draft(meta, files), tx=record.tx, state="edited")


def find(ws: Workspace, wanted: str) -> Snapshot:
    """A snapshot by its id or the first characters of it.

    Raises:
        DoesNotFit: ``tx_not_found``.
    """
    found = [each for each in every(ws) if len(wanted) >= refs.SHORTEST and each.id.startswith(wanted)]
    if len(found) != 1:
        raise DoesNotFit(
            "tx_not_found",
            f"{'several snapshots begin' if found else 'there is no snapshot that begins'} with {wanted!r}",
            f"{call('snapshot', list=True)} lists them",
            candidates=[each.id for each in found],
        )
    return found[0]


def step_of(ws: Workspace, tx: str, message: str, changes: Iterable[Change]) -> Record:
    """The record of a step that writes these files."""
    return Record(
        kind="edit",
        tx=tx,
        user=ws.user(),
        time=ws.session.now(),
        message=message,
        agent=ws.session.agent,
        paths=tuple(change.path for change in changes),
    )


def between(ws: Workspace, before: Snapshot, after: Snapshot) -> list[Change]:
    """What differs on the disk between two snapshots, with the bytes as they lie there."""
    was, became = _Files(ws, before), _Files(ws, after)
    names = _differing(was, became)
    filters = Filters(ws.repo, ws.store.read, names)
    found = [Change(path, was.on_disk(path, filters), became.on_disk(path, filters)) for path in names]
    return [change for change in found if change.old != change.new]


def _way_back(ws: Workspace, now: Snapshot, goal: Snapshot, wanted: Sequence[str]) -> Iterator[Change]:
    """What brings the disk, or the files and folders ``wanted``, to where a snapshot has them."""
    here, there = _Files(ws, now), _Files(ws, goal)
    for name in wanted:
        if here.stored(name) is None and there.stored(name) is None:
            words = f"neither the snapshot nor the checkout holds {report.quoted(name)}"
            raise DoesNotFit("file_not_found", words, "check the path", path=report.quoted(name))
    differing = _differing(here, there)
    names = [path for path in differing if not wanted or any(_is_in(path, name) for name in wanted)]
    filters = Filters(ws.repo, ws.store.read, names)
    work = checkout.files_of(ws.repo, ws.store)
    forms = {path: there.on_disk(path, filters) for path in names}
    leaving = {path for path, form in forms.items() if form is None}
    for path, form in forms.items():
        disk = checkout.unless_emptied(work, path, leaving)
        if not work.same(disk, form):
            yield Change(path, disk, form)


def _is_in(path: str, name: str) -> bool:
    return path == name or path.startswith(f"{name}/")


def _differing(one: _Files, other: _Files) -> list[str]:
    """The files, links included, that are not the same in two snapshots."""
    store = one.ws.store
    pairs = ((one.commit.tree, other.commit.tree), (one.raw, other.raw))
    changes = (change for pair in pairs for change in store.difference(*pair))
    return sorted({change.path for change in changes if SUBMODULE not in _modes(change)})


def _modes(change: Change) -> list[str]:
    return [entry.mode for entry in (change.old, change.new) if entry is not None]


class _Files:
    """The files of a snapshot, as git stores them and as they lie on the disk."""

    def __init__(self, ws: Workspace, snapshot: Snapshot) -> None:
        self.ws = ws
        self.commit = ws.store.commit(snapshot.commit)
        last = ws.store.commit(self.commit.parents[-1]) if self.commit.parents else None
        raw = last if last is not None and last.message.strip() == _RAW else None
        self.raw = raw.tree if raw else None
        self._stored = ws.snapshot(snapshot.commit)
        self._raw = ws.snapshot(raw.oid) if raw else None

    def stored(self, path: str) -> Entry | None:
        """What git would store there."""
        return self._stored.entry(path)

    def on_disk(self, path: str, filters: Filters) -> Entry | None:
        """What lies on the disk; its bytes are in the store from now on."""
        entry = self._stored.entry(path)
        if entry is None or entry.mode in (TREE, SUBMODULE):
            return None
        raw = self._raw.entry(path) if self._raw else None
        if raw is not None or not filters.applies(path) or entry.mode == SYMLINK:
            return raw or entry
        return Entry(entry.mode, self.ws.store.write_blob(filters.smudge(path, entry)))


def _raw(ws: Workspace, head: Oid | None, tree: Oid) -> Oid | None:
    """The tree of the bytes of files that git has not checked out so, where filters lie between."""
    was = ws.store.tree_of(head)
    changed = [change for change in ws.store.difference(was, tree) if change.new and _is_text(change.new)]
    filters = Filters(ws.repo, ws.store.read, [change.path for change in changed])
    work = checkout.files_of(ws.repo, ws.store)
    edits: list[tuple[str, Entry | None]] = []
    for path, _, _ in changed:
        entry = work.state(path) if filters.applies(path) else None
        if entry is not None and _is_text(entry):
            edits.append((path, Entry(entry.mode, ws.store.write_blob(work.read(path)))))
    return ws.store.write_tree(None, edits) if edits else None


def _is_text(entry: Entry) -> bool:
    return entry.mode in (REGULAR, EXECUTABLE)


def _holds(ws: Workspace, last: Snapshot, head: Oid | None, tree: Oid, raw: Oid | None) -> bool:
    """Whether the last snapshot is of just this."""
    known = _Files(ws, last)
    below = [parent for parent in known.commit.parents if parent == head]
    return (known.commit.tree, known.raw) == (tree, raw) and bool(below) == (head is not None)
