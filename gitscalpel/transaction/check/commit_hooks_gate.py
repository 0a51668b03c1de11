"""Run the user's commit hooks on a transaction in a worktree, once for each version of the change.

Hooks outside the working tree belong to the user. Hooks that came with the repository must be trusted first.
All changes that a hook makes to the index or to the message become part of the transaction.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Literal

import msgspec

from gitscalpel.changesets.answers import Fix, quote_path
from gitscalpel.changesets.file_tree import Oid
from gitscalpel.changesets.rules import Rules
from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import BadCall, GateRefused
from gitscalpel.gates.command_verdict import SANDBOX_HINT
from gitscalpel.gates.sandbox import ProgramSandbox
from gitscalpel.gates.verdict import Verdict
from gitscalpel.git import commits, hooks, scratch
from gitscalpel.git.hooks import select_hooks
from gitscalpel.git.pool.slots import GATE_VARIABLE
from gitscalpel.git.repository import Repository
from gitscalpel.system import processes, trust
from gitscalpel.system.repo_lock import Lock
from gitscalpel.transaction import gate_result, worktree
from gitscalpel.transaction.change import Change, Meta
from gitscalpel.transaction.check import executors
from gitscalpel.transaction.check.executors import gate_worktree
from gitscalpel.transaction.gate_result import GateRequest, GateResult
from gitscalpel.transaction.worktree import furnish, require_trusted
from gitscalpel.workspace.workspace import Workspace


def pending(ws: Workspace, rules: Rules, _: Outcome) -> list[str]:
    active = gate_result.commit_hooks(ws, rules)
    return [f"the {hook.name} hook has not run yet; it runs on check or land" for hook in active]


def judge_digest(ws: Workspace) -> str:
    return hooks.digest_hooks(hooks.find_active_hooks(ws.repo.hooks, hooks.AT_COMMIT))


def judge(ws: Workspace, change: Change, _: GateRequest) -> GateResult | None:
    """Return the result of the hooks on a change. None if the rules run no hooks.

    Raises:
        NotAllowed: ``untrusted``.
        ScalpelError: a worktree cannot be prepared.
    """
    rules = ws.at(change.meta.branch).rules
    names = [name for name in hooks.BY_GIT if rules.gates.hooks == "run" or name not in hooks.AT_COMMIT]
    foreign = select_hooks(ws.repo.untrusted)
    if foreign and hooks.find_active_hooks(ws.repo.hooks, names):
        raise trust.untrusted_error(foreign)
    active = hooks.find_active_hooks(ws.repo.hooks, [name for name in names if name in hooks.AT_COMMIT])
    return _judge_in_worktree(ws, change, rules, active, change.tree(ws)) if active else None


def _judge_in_worktree(
    ws: Workspace, change: Change, rules: Rules, active: list[Path], before: Oid
) -> GateResult:
    ready = partial(furnish, ws, branch=change.meta.branch, rules=rules)
    base = worktree.base_commit(ws, change)
    if rules.gates.disabled_protection:
        require_trusted(ws, change.meta.branch, rules)
    with (
        gate_worktree(ws, change.id, base, before, ready, caches=rules.gates.caches) as place,
        scratch.make_scratch(ws.repo.scalpel_dir) as notes,
        ExitStack() as stack,
    ):
        box, where = executors.open_sandbox(ws, rules.gates, place, notes, before)
        env = hook_environment(place.repo)
        cell = stack.enter_context(box.cell("", env, seen=_hook_folders(ws))) if box else None
        try:
            verdict, message = run_hooks(
                place.repo, active, change.meta.message, place.held, cell, where=where, stop=ws.session.stop
            )
        except InterruptedError:
            ws.session.refuse_if_stopped()
            raise
        tree = before if verdict.error else executors.read_staged_tree(ws, place, cell, before)
    if tree != before and tree == ws.store.commit(base).tree:
        verdict = refused_verdict(verdict, active[0], "it has left nothing of the change in the index")
        tree = before
    fixed = (
        Fix(quote_path(delta.path), active[0].name)
        for delta in (ws.store.difference(before, tree) if tree != before else ())
    )
    return GateResult((verdict,), partial(_with_message, message), tree, tuple(fixed))


def _with_message(message: str, meta: Meta) -> Meta:
    return meta if message == meta.message else meta.but(asked=message)


def _hook_folders(ws: Workspace) -> list[Path]:
    """Return the hooks directory, or its parent if the hooks use files of a tool there (``.husky/_``)."""
    folder, checkout = ws.repo.hooks, ws.repo.work_tree
    is_shared = checkout is not None and folder.parent != checkout and folder.is_relative_to(checkout)
    return [folder.parent if is_shared and not folder.is_relative_to(ws.repo.common_dir) else folder]


NAME = "hooks"
_MAX_OUTPUT = 4_000
"""Characters at the end of a hook's output that an error repeats."""


def hook_environment(repo: Repository) -> dict[str, str]:
    return {**commits.hook_environment(repo), GATE_VARIABLE: str(repo.common_dir)}


def run_hooks(
    repo: Repository,
    hooks: Sequence[Path],
    message: str,
    lock: Lock,
    cell: ProgramSandbox | None = None,
    *,
    where: str,
    stop: processes.StopCondition | None = None,
) -> tuple[Verdict, str]:
    """Run the hooks in a worktree with the change in its index. Return the verdict and the final message.

    The hooks inherit ``lock``, which holds the worktree. ``stop`` stops them and raises ``InterruptedError``.
    """
    began = time.monotonic()
    seen_repo = repo if cell is None else cell.seen
    env, error = hook_environment(repo), None
    for hook in hooks:
        # Written now, as git does: an earlier hook may have made a commit there.
        written = commits.write_message(seen_repo, message) if hook.name == "commit-msg" else None
        arguments = (str(repo.git_dir / written.name),) if written else ()
        error = _run_hook(repo, hook, arguments, env, lock=lock, cell=cell, stop=stop)
        if error is not None:
            break
    spoken = error is None and any(hook.name == "commit-msg" for hook in hooks)
    after = commits.read_message(seen_repo, message) if spoken else message
    if not after.strip():
        error = _hook_error("commit-msg", 1, "it left no message")
    seconds = round(time.monotonic() - began, 4)
    status: Literal["failed", "passed"] = "failed" if error else "passed"
    return Verdict(NAME, status, error=error, seconds=seconds, where=where), after


def refused_verdict(verdict: Verdict, hook: Path, why: str) -> Verdict:
    """Return a failed verdict because the result of the hooks cannot be used."""
    return msgspec.structs.replace(verdict, status="failed", error=_hook_error(hook.name, 0, why))


def _run_hook(
    repo: Repository,
    hook: Path,
    arguments: Sequence[str],
    env: Mapping[str, str],
    *,
    lock: Lock,
    cell: ProgramSandbox | None,
    stop: processes.StopCondition | None = None,
) -> GateRefused | None:
    assert repo.work_tree is not None  # noqa: S101 - a worktree of the pool
    words = [str(hook), *arguments]
    try:
        status, output = processes.run_captured(
            words, repo.work_tree, repo.git.outer(**env), lock, cell, stop=stop
        )
    except BadCall as error:  # its interpreter is missing, for example
        return _hook_error(hook.name, 126, error.message)
    if not status and not (repo.work_tree.is_dir() and repo.git_dir.is_dir()):
        output = "it has removed the folder in which it ran"
        return _hook_error(hook.name, status, output)
    if not status and cell is not None and not cell.is_sound():
        return _hook_error(hook.name, status, "it has removed what git needs there")
    return _hook_error(hook.name, status, output, SANDBOX_HINT if cell else "") if status else None


def _hook_error(name: str, status: int, said: str, more: str = "") -> GateRefused:
    shown_output = said.strip()[-_MAX_OUTPUT:]
    return GateRefused(
        "hook_failed",
        f"the {name} hook {processes.describe_exit(status)}" + (f":\n{shown_output}" if shown_output else ""),
        "fix what it reports and try again; its changes were discarded" + more,
        hook=name,
        status=status,
        output=shown_output,
    )
