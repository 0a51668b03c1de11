"""Run the user's commit hooks on a transaction in a worktree, once for each version of the change.

Hooks outside the working tree belong to the user. Hooks that came with the repository must be trusted
first. Whatever a hook adds to the index or writes into the message becomes part of the transaction.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from pathlib import Path

import msgspec

from gitscalpel.changesets.answers import Fix, quoted
from gitscalpel.changesets.file_tree import Oid
from gitscalpel.changesets.rules import Rules
from gitscalpel.edit.outcome import Outcome
from gitscalpel.git import hooks, scratch
from gitscalpel.git.hooks import select_hooks
from gitscalpel.system import trust
from gitscalpel.transaction import gate_result, worktree
from gitscalpel.transaction.candidate import Candidate, Meta
from gitscalpel.transaction.gate_result import Asked, Said
from gitscalpel.workspace import Workspace


def pending(ws: Workspace, rules: Rules, _: Outcome) -> list[str]:
    """What hooks have still to judge of a change, in words."""
    found = gate_result.at_commit(ws, rules)
    return [f"the {hook.name} hook has not run yet; it runs on check or land" for hook in found]


def by(ws: Workspace) -> str:
    """Which hooks there are, by what they hold: others judge anew."""
    return hooks.digest(hooks.active(ws.repo.hooks, hooks.AT_COMMIT))


def judge(ws: Workspace, change: Candidate, _: Asked) -> Said | None:
    """What the hooks say of a change, if the rules have any run.

    Raises:
        NotAllowed: ``untrusted``.
        ScalpelError: no worktree can be made ready for them.
    """
    if not hooks.active(ws.repo.hooks, hooks.BY_GIT):
        return None
    rules = ws.at(change.meta.branch).rules
    names = [name for name in hooks.BY_GIT if rules.gates.hooks == "run" or name not in hooks.AT_COMMIT]
    foreign = select_hooks(ws.repo.untrusted)
    if foreign and hooks.active(ws.repo.hooks, names):
        raise trust.refusal(foreign)
    found = hooks.active(ws.repo.hooks, [name for name in names if name in hooks.AT_COMMIT])
    return _run(ws, change, rules, found, change.tree(ws)) if found else None


def _run(ws: Workspace, change: Candidate, rules: Rules, found: list[Path], before: Oid) -> Said:
    from gitscalpel.gates.commands import commit_hooks
    from gitscalpel.transaction.check import sandboxed_worktree
    from gitscalpel.transaction.check.sandboxed_worktree import apart
    from gitscalpel.transaction.worktree import furnish, refuse_untrusted

    ready = partial(furnish, ws, branch=change.meta.branch, rules=rules)
    base = worktree.base(ws, change)
    if rules.gates.loosened:
        refuse_untrusted(ws, change.meta.branch, rules)
    with (
        apart(ws, change.id, base, before, ready, caches=rules.gates.caches) as place,
        scratch.made(ws.repo.scalpel_dir) as notes,
        ExitStack() as stack,
    ):
        box, where = sandboxed_worktree.opened(ws, rules.gates, place, notes, before)
        env = commit_hooks.environment(place.repo)
        cell = stack.enter_context(box.cell("", env, seen=_lying(ws))) if box else None
        try:
            verdict, message = commit_hooks.judge(
                place.repo, found, change.meta.message, place.held, cell, where=where, stop=ws.session.stop
            )
        except InterruptedError:
            ws.session.refuse_if_stopped()
            raise
        tree = before if verdict.error else sandboxed_worktree.staged(ws, place, cell, before)
    if tree != before and tree == ws.store.commit(base).tree:
        verdict = commit_hooks.refused(verdict, found[0], "it has left nothing of the change in the index")
        tree = before
    fixed = (
        Fix(quoted(delta.path), found[0].name)
        for delta in (ws.store.difference(before, tree) if tree != before else ())
    )
    return Said((verdict,), partial(_saying, message), tree, tuple(fixed))


def _saying(message: str, meta: Meta) -> Meta:
    """The record with the message as the hooks leave it."""
    return meta if message == meta.message else msgspec.structs.replace(meta, asked=message)


def _lying(ws: Workspace) -> list[Path]:
    """Where hooks lie, with what those call that are made by a tool beside them (``.husky/_``)."""
    folder, checkout = ws.repo.hooks, ws.repo.work_tree
    beside = checkout is not None and folder.parent != checkout and folder.is_relative_to(checkout)
    return [folder.parent if beside and not folder.is_relative_to(ws.repo.common_dir) else folder]
