"""Run the user's pre-commit and commit-msg hooks as a gate, as ``git commit`` runs them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from gitscalpel.errors import BadCall, GateRefused
from gitscalpel.gates.command_verdict import CONTAINED
from gitscalpel.gates.sandbox.sandbox import Cell
from gitscalpel.gates.verdict import Verdict
from gitscalpel.git import commits
from gitscalpel.git.pool.slots import GATE_VARIABLE
from gitscalpel.git.repository import Repository
from gitscalpel.system import processes
from gitscalpel.system.repo_lock import Lock

NAME = "hooks"
_TOLD = 4_000
"""Characters of a hook's output, from its end, that a refusal repeats."""


def environment(repo: Repository) -> dict[str, str]:
    """The variables that hooks find, beside those of the caller."""
    return {**commits.hook_environment(repo), GATE_VARIABLE: str(repo.common_dir)}


def judge(
    repo: Repository,
    hooks: Sequence[Path],
    message: str,
    lock: Lock,
    cell: Cell | None = None,
    *,
    where: str,
    stop: processes.Stop | None = None,
) -> tuple[Verdict, str]:
    """Run the hooks in a worktree whose index holds the change, on top of the commit at its HEAD.

    Args:
        repo: the repository, seen from that worktree.
        hooks: those that are active, in the order in which they run.
        message: of the commit.
        lock: what holds the worktree; the hooks inherit it.
        cell: the sandbox in which they run.
        where: where they run, for the record.
        stop: ends them, and raises ``InterruptedError``.

    Returns:
        the verdict, and the message as the hooks leave it.
    """
    began = time.monotonic()
    own = repo if cell is None else cell.seen
    env, error = environment(repo), None
    for hook in hooks:
        # Written now, as git does: what ran before may have made a commit of its own there.
        written = commits.write_message(own, message) if hook.name == "commit-msg" else None
        arguments = (str(repo.git_dir / written.name),) if written else ()
        error = _run(repo, hook, arguments, env, lock=lock, cell=cell, stop=stop)
        if error is not None:
            break
    spoken = error is None and any(hook.name == "commit-msg" for hook in hooks)
    after = commits.read_message(own, message) if spoken else message
    if not after.strip():
        error = _refused("commit-msg", 1, "it left no message")
    seconds = round(time.monotonic() - began, 4)
    status: Literal["failed", "passed"] = "failed" if error else "passed"
    return Verdict(NAME, status, error=error, seconds=seconds, where=where), after


def refused(verdict: Verdict, hook: Path, why: str) -> Verdict:
    """What hooks said, where what they have done is no good."""
    return msgspec.structs.replace(verdict, status="failed", error=_refused(hook.name, 0, why))


def _run(
    repo: Repository,
    hook: Path,
    arguments: Sequence[str],
    env: Mapping[str, str],
    *,
    lock: Lock,
    cell: Cell | None,
    stop: processes.Stop | None = None,
) -> GateRefused | None:
    assert repo.work_tree is not None  # noqa: S101 - it is a worktree of the pool
    words = [str(hook), *arguments]
    try:
        status, said = processes.captured(words, repo.work_tree, repo.git.outer(**env), lock, cell, stop=stop)
    except BadCall as error:  # its interpreter is not there, say
        return _refused(hook.name, 126, error.message)
    if not status and not (repo.work_tree.is_dir() and repo.git_dir.is_dir()):
        said = "it has removed the folder in which it ran"
        return _refused(hook.name, status, said)
    if not status and cell is not None and not cell.is_sound():
        return _refused(hook.name, status, "it has removed what git needs there")
    return _refused(hook.name, status, said, CONTAINED if cell else "") if status else None


def _refused(name: str, status: int, said: str, more: str = "") -> GateRefused:
    told = said.strip()[-_TOLD:]
    return GateRefused(
        "hook_failed",
        f"the {name} hook {processes.ended(status)}" + (f":\n{told}" if told else ""),
        "fix what it reports and try again; what it changed on the way was not taken over" + more,
        hook=name,
        status=status,
        output=told,
    )
