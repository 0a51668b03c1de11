"""In which order commands run: at once, but for those that come after others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait

from gitscalpel.changesets.rules import Command
from gitscalpel.gates.commands.ran import Ran

_QUIET = 0.3
"""Seconds after which it is said what is being waited for."""


def run(
    gates: Sequence[Command],
    passed: set[str],
    start: Callable[[Command], Future[Ran]],
    waiting: Callable[[list[str]], None],
    look: Callable[[], None],
) -> Iterator[tuple[Command, Ran | None]]:
    """Start each gate once those before it have passed.

    Args:
        gates: in an order in which each stands behind those that it comes after.
        passed: the names of those that have passed already.
        start: runs one.
        waiting: told the names of those that are running, if that takes a while.
        look: called now and then while they are.

    Yields:
        each gate when it has ended, and how; None: one that it comes after has not passed.
    """
    left, running = list(gates), dict[Future[Ran], Command]()
    passed, told = set(passed), False
    while left or running:
        for gate in [gate for gate in left if passed.issuperset(gate.after)]:
            running[start(gate)] = gate
            left.remove(gate)
        if not running:
            break
        done, _ = wait(running, _QUIET, FIRST_COMPLETED)
        look()
        if not done and not told:
            told = True
            waiting([gate.name for gate in running.values()])
        for future in done:
            gate, ran = running.pop(future), future.result()
            passed |= {gate.name} if ran.how == "passed" else set()
            yield gate, ran
    yield from ((gate, None) for gate in left)
