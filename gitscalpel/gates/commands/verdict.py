"""What a gate says, from how its command ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import msgspec

from gitscalpel.changesets.answers import quoted
from gitscalpel.changesets.rules import Command
from gitscalpel.errors import GateIndeterminate, GateRefused, GateTimeout, ScalpelError
from gitscalpel.errors.messages import call
from gitscalpel.gates.commands import baseline, findings, memory
from gitscalpel.gates.commands.findings import Failure
from gitscalpel.gates.commands.ran import Ran
from gitscalpel.gates.sandbox.machine import BUBBLEWRAP
from gitscalpel.gates.verdict import Verdict
from gitscalpel.system import processes

CONTAINED = (
    "; it ran in a sandbox, with an empty home and without network: what it needs of these is said by "
    "network, environment, shared or sandbox in [gates]"
)
"""What a hint says where a refusal may come from that."""
Exists = Callable[[str], bool]
_TOLD = 20_000
"""Characters of the output, from its end, that go on record."""
_SHOWN = 4_000
"""Characters of the output, from its end, that a refusal repeats."""
_NAMED = 5
"""Changed files that a refusal names."""


def of(gate: Command, ran: Ran, before: Ran | None, exists: Exists, *, cached: bool) -> Verdict:
    """The verdict of a gate.

    Args:
        gate: the gate.
        ran: how its command ended on the tree.
        before: how it ended on the tree before the change, where that matters.
        exists: whether the tree has such a file.
        cached: that was known.
    """
    failures = tuple(findings.of(ran.output, exists)) if ran.how != "passed" else ()
    places = tuple(failure.finding for failure in failures)
    error = _error(gate, ran, before, failures, exists)
    if error is not None and cached:
        note = f"; that is what it said of these files before: {memory.VARIABLE}=1 asks it again"
        error = error.but(more=note)
    status: Literal["failed", "cached", "passed"] = "failed" if error else "cached" if cached else "passed"
    seconds = 0.0 if cached else ran.seconds
    notes = (f"passed at try {ran.tries}: it is flaky",) if ran.how == "passed" and ran.tries > 1 else ()
    if error is None and ran.how == "failed":
        count = f"{len(places)} failure{'s' * (len(places) > 1)}"
        notes = (f"{count}, which the tree before has as well",)
    return Verdict(gate.name, status, places, error, seconds, notes, ran.output[-_TOLD:], where=ran.where)


def _error(
    gate: Command, ran: Ran, before: Ran | None, places: tuple[Failure, ...], exists: Exists
) -> ScalpelError | None:
    if ran.how == "passed":
        return None
    stopped = unfinished(gate, ran)
    if stopped is not None:
        return stopped
    shown, said = printed(gate, ran)
    # What was cut off may have held a failure that is new, and a crash is not the failure of before.
    if before is not None and before.how == "failed" and before.status == ran.status and ran.whole:
        # What names no place may be a failure as well: of another tool, or in another form.
        new = [
            *baseline.new(places, findings.of(before.output, exists)),
            *baseline.new(findings.unplaced(ran.output, exists), findings.unplaced(before.output, exists)),
        ]
        if places and not new:
            return None
        if places:
            said["new"] = msgspec.to_builtins([failure.finding for failure in new])
    what = f"{gate.name} {processes.ended(ran.status or 0)}"
    again = f", {ran.tries} times" if ran.tries > 1 else ""
    hint = "fix what it reports" + (CONTAINED if ran.where == BUBBLEWRAP else "")
    return GateRefused("gate_failed", f"{what}{again}{shown}", hint, **said)


def printed(gate: Command, ran: Ran) -> tuple[str, dict[str, Any]]:
    """What a command has printed, as a refusal ends with it, and what its data says of it."""
    told = ran.output.strip()[-_SHOWN:]
    return f":\n{told}" if told else "", {"gate": gate.name, "status": ran.status, "output": told}


def unfinished(gate: Command, ran: Ran) -> ScalpelError | None:
    """The refusal of a command that has not come to an end of its own, or judged something else."""
    shown, said = printed(gate, ran)
    if ran.how == "timed out":
        return GateTimeout(
            "gate_timeout",
            f"{gate.name} took longer than {gate.timeout} and was stopped{shown}",
            f"make it faster, or give it more time: timeout of gates.command {gate.name}",
            **said,
        )
    if ran.how == "out of room":
        return GateRefused(
            "gate_failed",
            f"{gate.name} was stopped: it has left too little room on the disk{shown}",
            "have it write less, or free some space",
            **said,
        )
    if ran.how == "changed files":
        names = [quoted(path) for path in ran.changed]
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        return GateRefused(
            "gate_failed",
            f"{', '.join(names[:_NAMED])}{more} changed while commands ran: "
            f"what is to land has not been checked{shown}",
            "have the command check only (`ruff format --check`); to land what it changes, "
            f"{call('run', command='COMMAND')}",
            **said,
            files=names,
        )
    if ran.how == "cannot tell":
        return GateIndeterminate(
            "gate_indeterminate",
            f"{gate.name} could not tell (exit status 125){shown}",
            "fix what it needs in order to judge, and try again",
            **said,
        )
    return None
