"""The gate of the user's own hooks: pre-commit and commit-msg, run as ``git commit`` runs them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from gitscalpel import command
from gitscalpel.errors import BadCall, GateRefused
from gitscalpel.gates.verdict import Verdict
from gitscalpel.git import as_commit
from gitscalpel.git.pool.slot import JUDGES
from gitscalpel.git.repository import Repository
from gitscalpel.lock import Lock

NAME = "hooks"
_TOLD = 4_000
"""Characters of a hook's output, from its end, that a refusal repeats."""


def judge(repo: Repository, hooks: Sequence[Path], message: str, lock: Lock) -> tuple[Verdict, str]:
    """Run the hooks in a worktree whose index holds the change, on top of the commit at its HEAD.

    Args:
        repo: the repository, seen from that worktree.
        hooks: those that are active, in the order in which they run.
        message: of the commit.
        lock: what holds the worktree; the hooks inherit it.

    Returns:
        the verdict, and the message as the hooks leave it.
    """
    began = time.monotonic()
    env = {**as_commit.environment(repo), JUDGES: str(repo.common_dir)}
    error = None
    for hook in hooks:
        # Written now, as git does: what ran before may have made a commit of its own there.
        arguments = (str(as_commit.write_message(repo, message)),) if hook.name == "commit-msg" else ()
        error = _run(repo, hook, arguments, env, lock)
        if error is not None:
            break
    spoken = error is None and any(hook.name == "commit-msg" for hook in hooks)
    after = as_commit.read_message(repo, message) if spoken else message
    if not after.strip():
        error = _refused("commit-msg", 1, "it left no message")
    seconds = round(time.monotonic() - began, 4)
    return Verdict(NAME, "failed" if error else "passed", error=error, seconds=seconds), after


def refused(verdict: Verdict, hook: Path, why: str) -> Verdict:
    """What hooks said, where what they have done is no good."""
    return msgspec.structs.replace(verdict, status="failed", error=_refused(hook.name, 0, why))


def _run(
    repo: Repository, hook: Path, arguments: Sequence[str], env: Mapping[str, str], lock: Lock
) -> GateRefused | None:
    assert repo.work_tree is not None  # noqa: S101 - it is a worktree of the pool
    try:
        status, said = command.captured([str(hook), *arguments], repo.work_tree, env, lock)
    except BadCall as error:  # its interpreter is not there, say
        return _refused(hook.name, 126, error.message)
    if not status and not (repo.work_tree.is_dir() and repo.git_dir.is_dir()):
        said = "it has removed the folder in which it ran"
        return _refused(hook.name, status, said)
    return _refused(hook.name, status, said) if status else None


def _refused(name: str, status: int, said: str) -> GateRefused:
    told = said.strip()[-_TOLD:]
    return GateRefused(
        "hook_failed",
        f"the {name} hook {command.ended(status)}" + (f":\n{told}" if told else ""),
        "mend what it complains about and try again; what it changed on the way was not taken over",
        hook=name,
        status=status,
        output=told,
    )
