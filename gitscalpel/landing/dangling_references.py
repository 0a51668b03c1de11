"""Find uses that dangle after a merge: one side removed or renamed a name that the other side uses.

git merges both sides without a conflict, since they change different lines. The search needs only trees.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from gitscalpel.changesets.answers import format_lines, quote_path
from gitscalpel.changesets.file_tree import Change, Changes, Oid
from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import DoesNotFit
from gitscalpel.git import oplog
from gitscalpel.git.oplog import Record
from gitscalpel.git.snapshots import TreeSnapshot
from gitscalpel.names import unresolved_notes
from gitscalpel.names.entities import Module
from gitscalpel.names.files import Files
from gitscalpel.names.resolver import Resolver, dialect
from gitscalpel.names.scope_rules import is_followed
from gitscalpel.refactor import definition_impact
from gitscalpel.syntax.languages import recognise
from gitscalpel.syntax.symbol_changes import Intent, find_changes
from gitscalpel.transaction.change import diff_trees
from gitscalpel.transaction.static_gates import outcome_between
from gitscalpel.transaction.undo_target import author_of
from gitscalpel.workspace.workspace import Workspace

if TYPE_CHECKING:
    from gitscalpel.names.resolver import Resolver


_MOST = 16
"""Maximum number of names to search for each side; each needs a search of the tree."""
_STEPS = 500
"""Maximum number of log entries to search for the one that removed a name."""
_MOST_FILES = 150
"""Maximum number of files with a word to search for its uses."""


class DanglingUse(msgspec.Struct, frozen=True):
    """Lines that use a name which the other side removed or renamed."""

    path: str
    lines: tuple[int, ...]  # line numbers in the merged file, from 1
    symbol: str  # full path of the old name; "" for a module
    origin: str  # file that defined the name
    to: str  # new full path of the name, or new path of the module's file; "" if it is gone
    is_ours: bool  # True if the landing change removed the name, False if the branch did

    def words(self, branch: str, step: str = "") -> str:
        """Return the warning; ``step`` is the transaction that removed the name, and its author."""
        remover = "this change" if self.is_ours else branch
        fate = f"has renamed to {self.to}" if self.to else "has removed"
        use = f"{self.symbol} of {self.origin} is used" if self.symbol else f"{self.origin} is imported"
        spots = format_lines(quote_path(self.path), list(self.lines))
        return f"{spots}: {use}, which {remover} {fate}" + (f" ({step})" if step else "")


def find_removing_steps(
    ws: Workspace, since: Oid | None, branch: str, uses: Sequence[DanglingUse]
) -> dict[DanglingUse, str]:
    """Return the transaction and author that removed each name from a branch, by the log after ``since``."""
    open_uses = [each for each in uses if not each.is_ours]
    found: dict[DanglingUse, str] = {}
    for entry in oplog.read_log_since(ws.store, since, limit=_STEPS) if open_uses else ():
        record = entry.record
        if record.branch != branch:
            continue
        for each in open_uses:
            if each not in found and _is_removed_by(record, each):
                found[each] = f"{record.tx} by {author_of(record)}"
    return found


def _is_removed_by(record: Record, use: DanglingUse) -> bool:
    if not use.symbol:
        return use.origin in record.paths
    wanted = {"symbol": use.symbol, "path": use.origin}
    intents = record.note.get("intents", ())
    return any(
        each.get("kind") in ("rename", "delete") and wanted.items() <= each.items() for each in intents
    )


def find_dangling_uses(
    ws: Workspace, base: Oid, ours: Oid, theirs: Oid, merged: Oid
) -> tuple[tuple[DanglingUse, ...], tuple[str, ...]]:
    """Return the uses that dangle in a merged tree, and notes on names that were not searched.

    The arguments are trees; ``ours`` is that of the change that lands.
    """
    found: list[DanglingUse] = []
    notes: list[str] = []
    our_files, their_files = diff_trees(ws, base, ours), diff_trees(ws, base, theirs)
    sides = ((our_files, theirs, their_files, True), (their_files, ours, our_files, False))
    for removing, tree, using, is_ours in sides:
        removed = list(_iter_removed_symbols(ws, base, removing, _added_words(using)))
        if len(removed) > _MOST:
            notes.append(f"skipped: uses of {len(removed) - _MOST} further names that are gone")
        if removed:
            overlay = outcome_between(TreeSnapshot(ws.store, ws.repo.git, tree), diff_trees(ws, tree, merged))
            found += _iter_dangling_symbols(overlay, using, removed[:_MOST], notes, is_ours=is_ours)
        modules = list(_removed_modules(removing, _added_words(using)))
        if modules:
            overlay = outcome_between(TreeSnapshot(ws.store, ws.repo.git, tree), diff_trees(ws, tree, merged))
            found += _iter_dangling_imports(overlay, using, modules, is_ours=is_ours)
    return tuple(found), tuple(notes)


def _added_words(files: Changes) -> frozenset[str]:
    """Return the words of the lines that a side has added or changed."""
    words: set[str] = set()
    for file in files:
        if recognise(file.path, b"") is not None:
            words |= _split_words(_added_lines(files, file))
    return frozenset(words)


def _split_words(lines: frozenset[bytes]) -> set[str]:
    return {word for line in lines for word in re.findall(r"\w+", line.decode("utf-8", "replace"))}


def _added_lines(files: Changes, file: Change) -> frozenset[bytes]:
    before, after = _diff_lines(files, file)
    return after - before


def _diff_lines(files: Changes, file: Change) -> tuple[frozenset[bytes], frozenset[bytes]]:
    texts = (files.before(file), None if file.new is None else files.after(file))
    before, after = (frozenset((text or b"").splitlines()) for text in texts)
    return before, after


def _iter_removed_symbols(
    ws: Workspace, base: Oid, files: Changes, words: frozenset[str]
) -> Iterator[tuple[str, Intent]]:
    """Yield the definitions that a side removed or renamed and whose names are in ``words``."""
    outcome = outcome_between(TreeSnapshot(ws.store, ws.repo.git, base), files)
    for file in files:
        language = recognise(file.path, b"")
        if file.old is None or language is None or not is_followed(language.name):
            continue
        before, after = _diff_lines(files, file)
        if words.isdisjoint(_split_words(before - after)):
            continue  # it need not be parsed
        texts = (files.before(file), files.after(file) if file.new is not None else None)
        was, now = (None if text is None else outcome.read(file.path, text).judged for text in texts)
        for intent in find_changes(was, now):
            name = intent.symbol.rpartition(".")[2]
            if intent.kind in ("delete", "rename") and intent.defines and name in words:
                yield file.path, intent


def _iter_dangling_symbols(
    outcome: Outcome, using: Changes, removed: list[tuple[str, Intent]], notes: list[str], *, is_ours: bool
) -> Iterator[DanglingUse]:
    """Yield the uses in lines that a side has added and whose names no longer exist in the merged tree.

    Names that occur in too many files are not searched; notes on them are added to ``notes``.
    """
    before, after = _make_resolvers(outcome)
    added = {file.path: _added_lines(using, file) for file in using}
    for origin, intent in removed:
        word = intent.symbol.rpartition(".")[2]
        count = len(list(before.files.holding(word)))
        if count > _MOST_FILES:
            fate = f"is {intent.to} now" if intent.to else "is gone"
            notes.append(
                f"{intent.symbol} of {origin} {fate}; who still uses it was not looked for: "
                f"{count} files have a name like it"
            )
            continue
        try:
            _, uses = definition_impact.find_uses(before, origin, intent.symbol)
        except DoesNotFit:
            continue  # it has no name that could be followed
        added_uses = [each for each in uses if each.path in added]
        for path, lines in unresolved_notes.lines_by_name(
            definition_impact.find_dangling(before, after, added_uses)
        ):
            added_lines = _select_added_lines(outcome, added[path], path, lines)
            if added_lines:
                yield DanglingUse(path, added_lines, intent.symbol, origin, intent.to or "", is_ours)


def _select_added_lines(
    outcome: Outcome, added: frozenset[bytes], path: str, lines: Iterable[int]
) -> tuple[int, ...]:
    """Return those lines of a merged file that a side has added."""
    text = (outcome.overlay.content(path) or b"").splitlines()
    return tuple(line for line in lines if line <= len(text) and text[line - 1] in added)


def _make_resolvers(outcome: Outcome) -> tuple[Resolver, Resolver]:
    """Return resolvers for the files below an overlay, and for those with it."""
    below = type(outcome.overlay)(outcome.overlay.below)
    return (
        Resolver(Files(below, outcome.read), dialect),
        Resolver(Files(outcome.overlay, outcome.read), dialect),
    )


def _removed_modules(files: Changes, words: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield the Python files that a side removed and whose names are in ``words``: path, new path or ""."""
    for file in files:
        language = recognise(file.path, b"")
        if file.old is None or file.new is not None or language is None or language.name != "python":
            continue
        if _module_name(file.path) in words:
            moved = [each.path for each in files if each.old is None and each.new == file.old]
            yield file.path, moved[0] if len(moved) == 1 else ""


def _module_name(path: str) -> str:
    """Return the last part of a module's dotted name."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder.rpartition("/")[2] if stem == "__init__" else stem


def _iter_dangling_imports(
    outcome: Outcome, using: Changes, modules: list[tuple[str, str]], *, is_ours: bool
) -> Iterator[DanglingUse]:
    """Yield the lines in which a side has added an import of a module that the merged tree no longer has."""
    before, after = _make_resolvers(outcome)
    for origin, to in modules[:_MOST]:
        name = _module_name(origin)
        for file in using:
            if file.new is None or origin not in _imported_files(before, file.path, name):
                continue
            lines = _imported_files(after, file.path, name).get("", ())
            added_lines = _select_added_lines(
                outcome, _added_lines(using, file), file.path, dict.fromkeys(lines)
            )
            if added_lines:
                yield DanglingUse(file.path, added_lines, "", origin, to, is_ours)


def _imported_files(resolver: Resolver, path: str, name: str) -> dict[str, list[int]]:
    """Return the lines of imports that name a module, by the imported file; "" if there is none."""
    found: dict[str, list[int]] = {}
    lexical = resolver.lexical(path) if resolver.files.lexical(path) is not None else None
    for mention in lexical.occurrences_of(name) if lexical is not None else ():
        if mention.role == "module" or mention.kind == "import":
            values = [each for one in resolver.meanings(path, mention) for each in resolver.values_of(one)]
            target = next((each.path for each in values if isinstance(each, Module)), "")
            found.setdefault(target, []).append(resolver.line(path, mention.start))
    return found
