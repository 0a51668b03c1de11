"""Run the configured commands on the tree that is to land, and cache their verdicts.

Pinned files have the target branch's content while commands run. If a command changes a file, the tree does
not count as checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from gitscalpel.changesets.file_tree import TREE, Changes, Oid
from gitscalpel.changesets.paths import Globs
from gitscalpel.changesets.rules import Command, Rules, parse_duration
from gitscalpel.edit.outcome import Outcome
from gitscalpel.gates import command_run, command_verdict, sandbox
from gitscalpel.gates.command_run import CommandResult
from gitscalpel.gates.verdict import Verdict
from gitscalpel.git.snapshots import TreeSnapshot
from gitscalpel.transaction.change import Change
from gitscalpel.transaction.check.executors import DaskExecutor, LocalExecutor
from gitscalpel.transaction.gate_result import GateRequest, GateResult
from gitscalpel.transaction.worktree import require_trusted
from gitscalpel.workspace.workspace import Target, Workspace


class EndedCommand(msgspec.Struct, frozen=True):
    """A command that has ended, now or in a cached run."""

    ran: CommandResult
    cached: bool = False


class SkippedCommand(msgspec.Struct, frozen=True):
    """A command that was not run, with the reason; ``behind`` if an earlier one has not passed."""

    why: str
    behind: bool = False


Known = EndedCommand | SkippedCommand


def make_file_test(ws: Workspace, tree: Oid) -> Callable[[str], bool]:
    snapshot = TreeSnapshot(ws.store, ws.repo.git, tree)

    def exists(path: str) -> bool:
        entry = snapshot.entry(path)
        return entry is not None and entry.mode != TREE

    return exists


class CommandChecks:
    """The commands that judge one transaction."""

    def __init__(
        self, ws: Workspace, change: Change, target: Target, changed: Changes, *, fresh: bool
    ) -> None:
        self._ws, self._staged, self._rules, self._fresh = ws, change, target.rules, fresh
        self._changed = changed

    def on(self, tree: Oid, gates: Sequence[Command], passed: set[str]) -> dict[str, Known]:
        """Return the results of commands on a tree, by gate. Gates in ``passed`` need not run first."""
        exists = make_file_test(self._ws, tree)
        about = {gate.name: command_run.concerned_paths(gate, self._changed) for gate in gates}
        existing = {name: [*filter(exists, paths)] for name, paths in about.items()}
        lines = {
            gate.name: command_run.fill_command_line(gate, about[gate.name], existing[gate.name])
            for gate in gates
        }
        results: dict[str, Known] = {
            name: SkippedCommand("nothing that it is about changes") for name in lines
        }
        keys = {
            gate.name: self._verdict_key(tree, gate, words) for gate in gates if (words := lines[gate.name])
        }
        scalpel_dir, max_age = self._ws.repo.scalpel_dir, parse_duration(self._rules.gates.remember)
        for name, digest in keys.items():
            ran = None if self._fresh else command_verdict.recall_verdict(scalpel_dir, digest, max_age)
            if ran is not None:
                results[name] = EndedCommand(ran, cached=True)
        remaining = [
            gate for gate in gates if gate.name in keys and isinstance(results[gate.name], SkippedCommand)
        ]
        for gate, ended in self._run_commands(tree, remaining, lines, results, passed) if remaining else ():
            results[gate.name] = ended
            if isinstance(ended, EndedCommand):
                command_verdict.remember_verdict(scalpel_dir, keys[gate.name], ended.ran)
        return results

    def _verdict_key(self, tree: Oid, gate: Command, words: str) -> str:
        checkout = self._ws.repo.work_tree
        folders = {name: checkout / name for name in self._rules.gates.shared} if checkout else {}
        gates = self._rules.gates
        base = self._staged.meta.base  # HEAD of the worktree: a command can ask git what has changed
        settings: list[object] = [base, gates.setup, gates.executor, gates.cluster]
        settings += checkout_settings(self._ws.repo.config)
        settings += [
            gates.sandbox,
            gates.network,
            gate.network,
            gates.environment,
            gates.memory,
            gates.processes,
        ]
        settings += [sandbox.bubblewrap_stamp(gates.sandbox)]
        return command_verdict.verdict_key(
            tree=tree, line=words, settings=settings, shared=folders, outer=self._ws.repo.git.outer()
        )

    def _run_commands(
        self,
        tree: Oid,
        gates: Sequence[Command],
        lines: dict[str, str | None],
        results: dict[str, Known],
        excused: set[str],
    ) -> Iterator[tuple[Command, Known]]:
        """Run commands, and yield the results. They count only if no command changed a file."""
        passed = {
            name
            for name, each in results.items()
            if isinstance(each, SkippedCommand) or each.ran.how == "passed"
        }
        passed = (passed - {gate.name for gate in gates}) | excused
        done: list[tuple[Command, CommandResult | None]] = []
        is_local = self._rules.gates.executor == "processes"
        executor = (LocalExecutor if is_local else DaskExecutor)(self._ws, self._staged, self._rules)
        with executor.at(tree) as running:
            start = lambda gate: running.start(gate, str(lines[gate.name]))  # noqa: E731
            notify = lambda names: self._ws.progress(f"running {', '.join(names)}")  # noqa: E731
            done.extend(command_run.run_in_order(gates, passed, start, notify, running.look))
            changed = running.changed_files()
        for gate, ran in done:
            why = f"it comes after {', '.join(gate.after)}, which did not pass"
            yield gate, EndedCommand(ran.unless(changed)) if ran else SkippedCommand(why, behind=True)


def checkout_settings(config: Mapping[str, str]) -> list[tuple[str, str]]:
    names = ("core.autocrlf", "core.eol", "core.symlinks", "core.filemode", "filter.")
    return sorted(item for item in config.items() if item[0].startswith(names))


def pending(_: Workspace, rules: Rules, outcome: Outcome) -> Iterator[str]:
    for gate in rules.gates.judging:
        if not gate.paths or command_run.concerned_paths(gate, outcome.changes):
            yield f"gates.command {gate.name} has not run yet; it runs on check or land"


def judge(ws: Workspace, change: Change, request: GateRequest) -> GateResult | None:
    """Return the verdict of every configured command on a change on top of its branch.

    Raises:
        NotAllowed: ``untrusted``.
        ScalpelError: a worktree cannot be prepared, or the cluster does not answer.
    """
    files = change.files if request.files is None else request.files
    fresh = request.fresh or ws.session.environment.get(command_verdict.FRESH_VARIABLE) == "1"
    verdicts = _judge_commands(ws, change, files, fresh=fresh)
    is_known = all(each.status in ("cached", "skipped") and change.knows(each.name) for each in verdicts)
    return None if is_known and not request.again else GateResult(verdicts)


def _judge_commands(ws: Workspace, change: Change, files: Changes, *, fresh: bool) -> tuple[Verdict, ...]:
    target = ws.at(change.meta.branch)
    gates = target.rules.gates
    require_trusted(ws, change.meta.branch, target.rules)
    tree, base = ws.store.commit(change.head).tree, target.snapshot.tree
    checks = CommandChecks(ws, change, target, files, fresh=fresh)
    seen_tree, exists = pin_files(ws, target, files, tree), make_file_test(ws, tree)
    verdicts: dict[str, Verdict] = {}
    waiting = gates.judging
    while waiting:
        after = checks.on(
            seen_tree, waiting, {name for name, verdict in verdicts.items() if not verdict.error}
        )
        doubtful = [gate for gate in waiting if gate.baseline and _has_failed(after[gate.name])]
        before = checks.on(base, doubtful, {gate.name for gate in gates.judging}) if doubtful and base else {}
        for gate in waiting:
            verdicts[gate.name] = _make_verdict(gate, after[gate.name], before.get(gate.name), exists)
        # Commands after one with only old failures have not run yet.
        excused = {gate.name for gate in doubtful if not verdicts[gate.name].error}
        waiting = tuple(gate for gate in waiting if _is_blocked(after[gate.name])) if excused else ()
    return tuple(verdicts[gate.name] for gate in gates.judging)


def pin_files(ws: Workspace, target: Target, files: Changes, tree: Oid) -> Oid:
    """Return the tree that commands see: the new tree with the pinned files of the target."""
    if not target.rules.gates.pinned:
        return tree
    globs = Globs(target.rules.gates.pinned)
    pinned = [(file.path, file.old) for file in files if globs.concern(file)]
    return ws.store.write_tree(tree, pinned) if pinned else tree


def _has_failed(result: Known) -> bool:
    return isinstance(result, EndedCommand) and result.ran.how == "failed"


def _is_blocked(result: Known) -> bool:
    return isinstance(result, SkippedCommand) and result.behind


def _make_verdict(
    gate: Command, after: Known, before: Known | None, exists: Callable[[str], bool]
) -> Verdict:
    if isinstance(after, SkippedCommand):
        return Verdict(gate.name, "skipped", notes=(after.why,))
    ran = before.ran if isinstance(before, EndedCommand) else None
    return command_verdict.judge_runs(gate, after.ran, ran, exists, cached=after.cached)
