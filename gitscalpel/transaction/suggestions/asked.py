"""Runs a command that is asked for a suggestion, as a gate's: in a worktree of its own, in a sandbox."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial

from gitscalpel.changesets.rules import Rules, Suggest, seconds
from gitscalpel.errors import GateRefused, GateTimeout, ScalpelError
from gitscalpel.gates.commands import isolation
from gitscalpel.gates.commands.verdict import CONTAINED
from gitscalpel.gates.sandbox.disk import Disk
from gitscalpel.git import scratch
from gitscalpel.git.pool.slots import GATE_VARIABLE
from gitscalpel.git.pool.worktree import Worktree
from gitscalpel.system import processes
from gitscalpel.transaction.commands import commanding, sandboxes
from gitscalpel.transaction.commands.grounds.apart import apart
from gitscalpel.transaction.shadow import OpenTransaction
from gitscalpel.transaction.worktrees import worktree
from gitscalpel.transaction.worktrees.furnishing import furnish
from gitscalpel.workspace import Workspace

_TOLD = 4_000
"""Characters of what it complained of, from the end, that a refusal repeats."""


def ask(ws: Workspace, staged: OpenTransaction, rules: Rules, suggest: Suggest, about: bytes) -> bytes:
    """What a command prints in answer to a transaction; it sees the pinned files as the target has them.

    Args:
        ws: where.
        staged: the transaction.
        rules: of its target.
        suggest: the command.
        about: what it reads.

    Raises:
        GateRefused: ``gate_failed``: it failed, or printed too much.
        GateTimeout: ``gate_timeout``.
        ScalpelError: no worktree can be made ready for it.
    """
    branch = staged.meta.branch
    tree = commanding.pinned(ws, ws.at(branch), staged.files, staged.tree(ws))
    ready = partial(furnish, ws, branch=branch, rules=rules)
    with (
        apart(ws, staged.id, worktree.base(ws, staged), tree, ready, caches=rules.gates.caches) as place,
        scratch.made(ws.repo.scalpel_dir) as notes,
        ExitStack() as stack,
    ):
        box, _ = sandboxes.opened(ws, rules.gates, place, notes, tree)
        env = _environment(ws, staged, suggest, place)
        cell = stack.enter_context(box.cell(suggest.run, env, network=suggest.network)) if box else None
        outer = {**place.repo.git.outer(), **env}
        how = {"timeout": seconds(suggest.timeout), "stop": Disk(notes.path, None), "enclosure": cell}
        words = ["sh", "-c", suggest.run]
        try:
            ended = processes.answering(words, place.root, outer, place.held, about, **how)
        except TimeoutError:
            raise _late(suggest) from None
        except InterruptedError:
            raise _failed(suggest, "was stopped: it has left too little room on the disk", "") from None
    return _answer(suggest, *ended, contained=cell is not None)


def _environment(ws: Workspace, staged: OpenTransaction, suggest: Suggest, place: Worktree) -> dict[str, str]:
    checkout, outer = ws.repo.work_tree, place.repo.git.outer()
    own = isolation.environment(suggest.run, checkout, place.root, outer) if checkout else {}
    return {
        "SCALPEL_TX": staged.id,
        GATE_VARIABLE: str(place.repo.common_dir),
        "PYTHONDONTWRITEBYTECODE": "1",
        **own,
    }


def _answer(suggest: Suggest, status: int, printed: bytes, complaints: bytes, *, contained: bool) -> bytes:
    if status:
        said = complaints.decode("utf-8", "replace").strip()[-_TOLD:]
        raise _failed(suggest, processes.ended(status), said, CONTAINED if contained else "")
    if len(printed) > processes.LONGEST:
        raise _failed(suggest, f"printed more than {processes.LONGEST >> 20} MiB", "")
    return printed


def _late(suggest: Suggest) -> ScalpelError:
    return GateTimeout(
        "gate_timeout",
        f"suggest {suggest.name} took longer than {suggest.timeout} and was stopped",
        f"make it faster, or give it more time: timeout of suggest {suggest.name}",
        suggest=suggest.name,
    )


def _failed(suggest: Suggest, how: str, said: str, more: str = "") -> GateRefused:
    return GateRefused(
        "gate_failed",
        f"suggest {suggest.name} {how}" + (f":\n{said}" if said else ""),
        "fix what it reports; a command that has nothing to suggest prints nothing and succeeds" + more,
        suggest=suggest.name,
        output=said,
    )
