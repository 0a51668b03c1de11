"""Commands that say what they find, in a form that is read, tell what is new between two trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from gitscalpel.changesets.rules import Command
from gitscalpel.errors import GateIndeterminate, GateRefused, ScalpelError
from gitscalpel.gates.commands import line, verdict
from gitscalpel.gates.diagnostics import comparing, reading
from gitscalpel.gates.diagnostics.diagnostic import Diagnostic
from gitscalpel.gates.diagnostics.verdict import Heard
from gitscalpel.transaction.commands import commanding
from gitscalpel.transaction.commands.checks import Checks, Ended, Known, files_of
from gitscalpel.transaction.diagnostics.trees import Trees
from gitscalpel.transaction.worktrees.furnishing import refuse_untrusted


class _Read(msgspec.Struct, frozen=True):
    """What is read of what a command has printed; ``error``: why nothing is."""

    found: tuple[Diagnostic, ...] = ()
    error: ScalpelError | None = None


def heard(trees: Trees) -> Iterator[Heard]:
    """What each command says that the change concerns.

    Raises:
        NotAllowed: ``untrusted``.
        ScalpelError: no worktree can be made ready for them, or the cluster does not answer.
    """
    ws, target = trees.ws, trees.target
    gates = target.rules.gates.telling
    if not gates:
        return
    refuse_untrusted(ws, trees.change.meta.branch, target.rules)
    checks = Checks(ws, trees.change, target, trees.files, fresh=trees.fresh)
    seen = commanding.pinned(ws, target, trees.files, trees.after)
    after = checks.on(seen, gates, set())
    known = {
        gate.name: (each, _read(gate, each, files_of(ws, trees.after)))
        for gate in gates
        if isinstance(each := after[gate.name], Ended)
    }
    asked = [gate for gate in gates if gate.name in known and known[gate.name][1].found]
    before = checks.on(trees.before, asked, set()) if asked and trees.before else {}
    for gate in gates:
        if gate.name in known:
            ended, read = known[gate.name]
            one = _heard(trees, gate, read, before.get(gate.name))
            about = frozenset(line.concerned(gate, trees.files))
            yield msgspec.structs.replace(one, about=about, where=ended.ran.where, cached=ended.cached)


def _heard(trees: Trees, gate: Command, read: _Read, before: Known | None) -> Heard:
    if read.error is not None:
        return Heard(by=gate.name, silent=read.error.message, error=read.error)
    if not read.found:
        return Heard(by=gate.name, new=())
    was = _Read()
    if isinstance(before, Ended) and trees.before:
        was = _read(gate, before, files_of(trees.ws, trees.before))
    if was.error is not None:
        error = GateIndeterminate(
            "gate_indeterminate",
            f"{gate.name} finds {len(read.found)}, and nobody can tell which of them are new, since "
            f"it says nothing of the tree before: {was.error.message}",
            "mend what it needs to judge the target branch",
            gate=gate.name,
        )
        return Heard(by=gate.name, silent=error.message, error=error)
    return Heard(by=gate.name, new=tuple(comparing.new(read.found, was.found, trees.texts, trees.origins)))


def _read(gate: Command, ended: Ended, exists: Callable[[str], bool]) -> _Read:
    ran = ended.ran
    stopped = verdict.unfinished(gate, ran)
    if stopped is not None:
        return _Read(error=stopped)
    found = reading.read(ran.output, gate.output or "auto", exists) if ran.whole else None
    if found or (found is not None and ran.how == "passed"):
        return _Read(found)
    shown, said = verdict.printed(gate, ran)
    why = "it printed more than is kept" if not ran.whole else "nothing in what it printed is a diagnostic"
    return _Read(
        error=GateRefused(
            "diagnostics_failed",
            f"{gate.name} ended with exit status {ran.status}, and {why}{shown}",
            f"have it print what it finds as output of gates.command {gate.name} says ({gate.output})",
            **said,
        )
    )
