"""Uses that dangle after a merge: one side removed or renamed a name that the other side has begun to use.

Git merges both without a conflict, since they stand in different lines. What is found here is told by the
landing; it is found by the trees alone, so that a gate can ask for it as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import DoesNotFit
from gitscalpel.git.snapshot import TreeSnapshot
from gitscalpel.snapshot import Change, Changes, Oid
from gitscalpel.syntax.changes import Intent, changes
from gitscalpel.syntax.languages import recognise
from gitscalpel.transaction.check.reading import between
from gitscalpel.transaction.shadow import changed
from gitscalpel.workspace import Workspace

_MOST = 16
"""Names whose uses are looked for at each side; each is a search through the tree."""
_MOST_FILES = 150
"""Files with a word that are looked through for it."""


class DanglingUse(msgspec.Struct, frozen=True):
    """Lines that use a name which the other side removed or renamed.

    Attributes:
        path: the file of the use.
        lines: its lines in the merged file, from 1.
        symbol: the full path of the name before.
        origin: the file that defined it.
        to: its full path now; "" if it is gone.
        is_ours: the landing change removed it; else the branch did.
    """

    path: str
    lines: tuple[int, ...]
    symbol: str
    origin: str
    to: str
    is_ours: bool

    def words(self, branch: str) -> str:
        """Return what a caller is told; ``branch`` is the branch that moved."""
        who = "this change" if self.is_ours else branch
        became = f"has renamed to {self.to}" if self.to else "has removed"
        from gitscalpel.meaning import told

        spots = told.spots(self.path, list(self.lines))
        return f"{spots}: {self.symbol} of {self.origin} is used, which {who} {became}"


def find_dangling_uses(
    ws: Workspace, base: Oid, ours: Oid, theirs: Oid, merged: Oid
) -> tuple[tuple[DanglingUse, ...], tuple[str, ...]]:
    """Return the uses that dangle in a merged tree, and what was not looked for, in words.

    Args:
        ws: the repository.
        base: the tree that both sides began with.
        ours: the tree of the change that lands.
        theirs: the tree of the branch.
        merged: the tree of both.
    """
    found: list[DanglingUse] = []
    left: list[str] = []
    mine, their = changed(ws, base, ours), changed(ws, base, theirs)
    sides = ((mine, theirs, their, True), (their, ours, mine, False))
    for removing, tree, using, is_ours in sides:
        gone = list(_removed(ws, base, removing, _added_words(using)))
        if len(gone) > _MOST:
            left.append(f"who uses {len(gone) - _MOST} further names that are gone was not looked for")
        if gone:
            overlay = between(TreeSnapshot(ws.store, ws.repo.git, tree), changed(ws, tree, merged))
            found += _used(overlay, using, gone[:_MOST], is_ours=is_ours)
    return tuple(found), tuple(left)


def _added_words(files: Changes) -> frozenset[str]:
    """Return the words of the lines that a side has added or changed."""
    words: set[str] = set()
    for file in files:
        if recognise(file.path, b"") is not None:
            words |= _words(_added_lines(files, file))
    return frozenset(words)


def _words(lines: frozenset[bytes]) -> set[str]:
    return {word for line in lines for word in re.findall(r"\w+", line.decode("utf-8", "replace"))}


def _added_lines(files: Changes, file: Change) -> frozenset[bytes]:
    before, after = _lines(files, file)
    return after - before


def _removed_lines(files: Changes, file: Change) -> frozenset[bytes]:
    before, after = _lines(files, file)
    return before - after


def _lines(files: Changes, file: Change) -> tuple[frozenset[bytes], frozenset[bytes]]:
    texts = (files.before(file), None if file.new is None else files.after(file))
    before, after = (frozenset((text or b"").splitlines()) for text in texts)
    return before, after


def _removed(ws: Workspace, base: Oid, files: Changes, words: frozenset[str]) -> Iterator[tuple[str, Intent]]:
    """Yield the definitions that a side removed or renamed and whose names stand in ``words``."""
    from gitscalpel.meaning.dialects import is_followed

    outcome = between(TreeSnapshot(ws.store, ws.repo.git, base), files)
    for file in files:
        language = recognise(file.path, b"")
        if file.old is None or language is None or not is_followed(language.name):
            continue
        if words.isdisjoint(_words(_removed_lines(files, file))):
            continue  # it need not be parsed
        texts = (files.before(file), files.after(file) if file.new is not None else None)
        read = (None if text is None else outcome.read(file.path, text).judged for text in texts)
        for intent in changes(*read):
            name = intent.symbol.rpartition(".")[2]
            if intent.kind in ("delete", "rename") and intent.defines and name in words:
                yield file.path, intent


def _used(
    outcome: Outcome, using: Changes, gone: list[tuple[str, Intent]], *, is_ours: bool
) -> Iterator[DanglingUse]:
    """Yield the uses in lines that a side has added and that mean nothing any more once both are merged."""
    from gitscalpel.meaning import remaining, told
    from gitscalpel.meaning.dialects import dialect
    from gitscalpel.meaning.files import Files
    from gitscalpel.meaning.resolve import Resolver

    below = outcome.overlay.below
    before = Resolver(Files(type(outcome.overlay)(below), outcome.read), dialect)
    after = Resolver(Files(outcome.overlay, outcome.read), dialect)
    added = {file.path: _added_lines(using, file) for file in using}
    for origin, intent in gone:
        word = intent.symbol.rpartition(".")[2]
        if len(list(before.files.holding(word))) > _MOST_FILES:
            continue
        try:
            _, uses = remaining.used(before, origin, intent.symbol)
        except DoesNotFit:
            continue  # it has no name that could be followed
        mine = [each for each in uses if each.path in added]
        for path, lines in told.by_name(remaining.dangling(before, after, mine)):
            text = (outcome.overlay.content(path) or b"").splitlines()
            own = tuple(line for line in lines if line <= len(text) and text[line - 1] in added[path])
            if own:
                yield DanglingUse(path, own, intent.symbol, origin, intent.to or "", is_ours)
