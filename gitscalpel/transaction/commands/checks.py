"""The configured commands on a tree that is judged, each run once, or not at all where its word is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from gitscalpel.changesets.file_tree import TREE, Changes, Oid
from gitscalpel.changesets.rules import Command, seconds
from gitscalpel.gates.commands import key, line, memory, order
from gitscalpel.gates.commands.ran import Ran
from gitscalpel.gates.sandbox import machine
from gitscalpel.git.tree_snapshot import TreeSnapshot
from gitscalpel.transaction.candidate import Candidate
from gitscalpel.transaction.commands.grounds import Grounds
from gitscalpel.transaction.commands.grounds.here import Here
from gitscalpel.workspace import Target, Workspace


class Ended(msgspec.Struct, frozen=True):
    """A command has ended: how, and whether that was known before."""

    ran: Ran
    cached: bool = False


class NotRun(msgspec.Struct, frozen=True):
    """A command was not run: why, and whether that is because one before it has not passed."""

    why: str
    behind: bool = False


Known = Ended | NotRun


def files_of(ws: Workspace, tree: Oid) -> Callable[[str], bool]:
    """Whether a tree has a file of a path."""
    snapshot = TreeSnapshot(ws.store, ws.repo.git, tree)

    def exists(path: str) -> bool:
        entry = snapshot.entry(path)
        return entry is not None and entry.mode != TREE

    return exists


class Checks:
    """The commands that judge one transaction."""

    def __init__(
        self, ws: Workspace, change: Candidate, target: Target, changed: Changes, *, fresh: bool
    ) -> None:
        self._ws, self._staged, self._rules, self._fresh = ws, change, target.rules, fresh
        self._changed = changed

    def on(self, tree: Oid, gates: Sequence[Command], passed: set[str]) -> dict[str, Known]:
        """How the commands of gates end on a tree; what they concern is what the transaction changes.

        ``passed`` names gates that need not be waited for.
        """
        exists = files_of(self._ws, tree)
        about = {gate.name: line.concerned(gate, self._changed) for gate in gates}
        there = {name: [*filter(exists, paths)] for name, paths in about.items()}
        lines = {gate.name: line.of(gate, about[gate.name], there[gate.name]) for gate in gates}
        known: dict[str, Known] = {name: NotRun("nothing that it is about changes") for name in lines}
        keys = {gate.name: self._key(tree, gate, words) for gate in gates if (words := lines[gate.name])}
        for name, digest in keys.items():
            ran = None if self._fresh else memory.recall(self._ws.repo.scalpel_dir, digest, self._longest)
            if ran is not None:
                known[name] = Ended(ran, cached=True)
        left = [gate for gate in gates if gate.name in keys and isinstance(known[gate.name], NotRun)]
        for gate, ended in self._run(tree, left, lines, known, passed) if left else ():
            known[gate.name] = ended
            if isinstance(ended, Ended):
                memory.remember(self._ws.repo.scalpel_dir, keys[gate.name], ended.ran)
        return known

    @property
    def _longest(self) -> float:
        return seconds(self._rules.gates.remember)

    def _key(self, tree: Oid, gate: Command, words: str) -> str:
        checkout = self._ws.repo.work_tree
        folders = {name: checkout / name for name in self._rules.gates.shared} if checkout else {}
        gates = self._rules.gates
        base = self._staged.meta.base  # HEAD of the worktree: a command can ask git what has changed
        how: list[object] = [base, gates.setup, gates.executor, gates.cluster]
        how += checked_out(self._ws.repo.config)
        how += [gates.sandbox, gates.network, gate.network, gates.environment, gates.memory, gates.processes]
        how += [machine.bubblewrap_stamp(gates.sandbox)]
        return key.of(tree=tree, line=words, how=how, shared=folders, outer=self._ws.repo.git.outer())

    def _run(
        self,
        tree: Oid,
        gates: Sequence[Command],
        lines: dict[str, str | None],
        known: dict[str, Known],
        excused: set[str],
    ) -> Iterator[tuple[Command, Known]]:
        """Run commands where they are to run; what they say counts once nothing has changed there."""
        passed = {
            name for name, each in known.items() if isinstance(each, NotRun) or each.ran.how == "passed"
        }
        passed = (passed - {gate.name for gate in gates}) | excused
        done: list[tuple[Command, Ran | None]] = []
        with self._grounds().at(tree) as running:
            start = lambda gate: running.start(gate, str(lines[gate.name]))  # noqa: E731
            done.extend(order.run(gates, passed, start, self._waiting, running.look))
            changed = running.changed()
        for gate, ran in done:
            why = f"it comes after {', '.join(gate.after)}, which did not pass"
            yield gate, Ended(ran.unless(changed)) if ran else NotRun(why, behind=True)

    def _grounds(self) -> Grounds:
        if self._rules.gates.executor == "processes":
            return Here(self._ws, self._staged, self._rules)
        from gitscalpel.transaction.commands.grounds.there import There

        return There(self._ws, self._staged, self._rules)

    def _waiting(self, names: list[str]) -> None:
        self._ws.notify(f"running {', '.join(names)}")


def checked_out(config: Mapping[str, str]) -> list[tuple[str, str]]:
    """What of git's configuration makes files out of a tree."""
    names = ("core.autocrlf", "core.eol", "core.symlinks", "core.filemode", "filter.")
    return sorted(item for item in config.items() if item[0].startswith(names))
