"""Three-way merge of trees: git's merge, then a merge by definition for files with conflicts.

Files that git merges by lines are checked as well, because lines do not show that both sides added the
same name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from gitscalpel.changesets import answers
from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, Entry, Oid
from gitscalpel.edit.merge import file_merge
from gitscalpel.edit.merge.part_merge import MergeRegion
from gitscalpel.git.merges import Stages, merge_trees
from gitscalpel.git.snapshots import TreeSnapshot
from gitscalpel.workspace import Workspace

Settled = tuple[str, Entry]
"""A path, and what both sides have led to there."""


class Conflict(msgspec.Struct, frozen=True):
    """A file in which two changes contradict each other, and the places if they are known."""

    path: str
    places: tuple[MergeRegion, ...] = ()

    @property
    def words(self) -> str:
        """The file with the definitions in question."""
        names = list(dict.fromkeys(place.symbol for place in self.places if place.symbol))
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        return answers.quoted(self.path) + (f" ({', '.join(names[:3])}{more})" if names else "")

    def rows(self) -> Iterator[dict[str, Any]]:
        """Its places as an answer lists them."""
        path = answers.quoted(self.path)
        for place in self.places or (MergeRegion(None, None, "git cannot merge it"),):
            where = {"lines": list(place.lines)} if place.lines else {}
            named = {"symbol": place.symbol} if place.symbol else {}
            yield {"path": path, **where, **named, "why": place.why}


class Merged(msgspec.Struct, frozen=True):
    """What came of two trees.

    Attributes:
        tree: the merged one; None with conflicts.
        notes: the files that were merged by symbol, in words.
        conflicts: what contradicts each other.
    """

    tree: Oid | None
    notes: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()

    @property
    def words(self) -> str:
        """What contradicts each other."""
        more = f" and {len(self.conflicts) - 5} more files" if len(self.conflicts) > 5 else ""
        return ", ".join(conflict.words for conflict in self.conflicts[:5]) + more

    @property
    def data(self) -> dict[str, Any]:
        """The same for programs."""
        paths = [answers.quoted(conflict.path) for conflict in self.conflicts]
        return {"paths": paths, "conflicts": [row for conflict in self.conflicts for row in conflict.rows()]}


def merge(ws: Workspace, base: Oid, ours: Oid, theirs: Oid) -> Merged:
    """Merge two trees that both began as ``base``; of what both added, ours comes first."""
    merged = merge_trees(ws.repo, ws.store, base, ours, theirs)
    done = [_settled(ws, one.path, one.stages, known=one.content) for one in merged.conflicts]
    if not any(isinstance(one, Conflict) for one in done):
        known = {one.path for one in merged.conflicts}
        done += _contradicting(ws, (base, ours, theirs), merged.tree, known)
    conflicts = tuple(one for one in done if isinstance(one, Conflict))
    if conflicts:
        return Merged(None, conflicts=conflicts)
    settled = [one for one in done if not isinstance(one, Conflict)]
    notes = tuple(f"{answers.quoted(path)}: both sides changed it; merged by symbol" for path, _ in settled)
    return Merged(ws.store.write_tree(merged.tree, settled), notes)


def _settled(ws: Workspace, path: str, stages: Stages, *, known: bool) -> Settled | Conflict:
    """The merged file, if its definitions can be told apart; ``known``: its text alone is in conflict."""
    held = [entry for entry in stages if entry is not None]
    if not known or len(held) < len(stages):
        return Conflict(path)
    base, ours, theirs = (ws.store.read(entry.oid) for entry in held)
    merged = file_merge.merge_by_symbols(path, base, ours, theirs)
    if isinstance(merged, file_merge.Conflict):
        return Conflict(path, merged.places)
    return path, Entry(_mode(held), ws.store.write_blob(merged))


def _mode(held: list[Entry]) -> str:
    base, ours, theirs = (entry.mode for entry in held)
    return theirs if ours == base else ours


def _contradicting(
    ws: Workspace, three: tuple[Oid, Oid, Oid], merged: Oid, known: set[str]
) -> Iterator[Settled | Conflict]:
    """Files that were merged by lines, and in which both now say something else of one thing."""
    base, ours, theirs = three
    mine = {delta.path: delta.old for delta in ws.store.difference(ours, merged)}
    for path, old, new in ws.store.difference(theirs, merged):
        if path not in mine or path in known or new is None or new.mode not in (REGULAR, EXECUTABLE):
            continue
        one, two = (ws.store.read(entry.oid) if entry else b"" for entry in (mine[path], old))
        places = file_merge.find_contradictions(path, one, two, ws.store.read(new.oid))
        if places:
            was = TreeSnapshot(ws.store, ws.repo.git, base).entry(path)
            told = _settled(ws, path, (was, mine[path], old), known=True)
            yield Conflict(path, places) if isinstance(told, Conflict) else told
