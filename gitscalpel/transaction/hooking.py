"""Runs the user's commit hooks on a transaction, once for what it is, in a worktree.

They are the user's as long as they lie outside of the work tree; those that came with the
repository must be trusted first. What a hook adds to the index or writes into the message
belongs to the transaction from then on.
"""

from __future__ import annotations

import hashlib
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import msgspec

from gitscalpel import trust
from gitscalpel.gates.verdict import Verdict
from gitscalpel.git import hooks, scratch
from gitscalpel.git.programs import hooking
from gitscalpel.report import Fix, quoted
from gitscalpel.rules import Rules
from gitscalpel.snapshot import Oid
from gitscalpel.transaction import worktree
from gitscalpel.transaction.shadow import Meta, Staged
from gitscalpel.workspace import Workspace


class Hooked(msgspec.Struct, frozen=True):
    """What the hooks said and made.

    Attributes:
        verdict: theirs.
        tree: what the transaction leaves now.
        message: the transaction's now.
        fixed: what they changed.
    """

    verdict: Verdict
    tree: Oid
    message: str
    fixed: tuple[Fix, ...]

    def noted(self, meta: Meta) -> Meta:
        """The same record with their message, and, if they have passed it, with what they have passed."""
        if self.message != meta.message:
            meta = msgspec.structs.replace(meta, asked=self.message)
        return meta if self.verdict.error else msgspec.structs.replace(meta, hooked=_key(meta, self.tree))


def concerns(ws: Workspace, staged: Staged) -> bool:
    """Whether there is a hook that has not judged the transaction as it is."""
    active = hooks.active(ws.repo.hooks, hooks.BY_GIT)
    return bool(active) and staged.meta.hooked != _key(staged.meta, ws.store.commit(staged.head).tree)


def waiting(ws: Workspace, rules: Rules) -> list[str]:
    """What is still to be judged by hooks, in words."""
    active = hooks.active(ws.repo.hooks, hooks.AT_COMMIT) if rules.gates.hooks == "run" else []
    return [f"the {hook.name} hook has not run yet: it does at check or land" for hook in active]


def run(ws: Workspace, staged: Staged, rules: Rules) -> Hooked | None:
    """Run the hooks, if the rules have any run.

    Raises:
        NotAllowed: ``untrusted``.
        ScalpelError: no worktree can be made ready for them.
    """
    names = [name for name in hooks.BY_GIT if rules.gates.hooks == "run" or name not in hooks.AT_COMMIT]
    foreign = hooking(ws.repo.untrusted)
    if foreign and hooks.active(ws.repo.hooks, names):
        raise trust.refusal(foreign)
    active = hooks.active(ws.repo.hooks, [name for name in names if name in hooks.AT_COMMIT])
    if not active:
        return None
    from gitscalpel.gates import hooks as gate
    from gitscalpel.transaction import sandboxes
    from gitscalpel.transaction.furnishing import furnish, refuse_untrusted
    from gitscalpel.transaction.grounds.apart import apart

    before = ws.store.commit(staged.head).tree
    ready = partial(furnish, ws, branch=staged.meta.branch, rules=rules)
    base = worktree.base(ws, staged)
    if rules.gates.loosened:
        refuse_untrusted(ws, staged.meta.branch, rules)
    with (
        apart(ws, staged.id, base, before, ready, caches=rules.gates.caches) as place,
        scratch.made(ws.repo.scalpel_dir) as notes,
        ExitStack() as stack,
    ):
        box, where = sandboxes.opened(ws, rules.gates, place, notes, before)
        env = gate.environment(place.repo)
        cell = stack.enter_context(box.cell("", env, seen=_lying(ws))) if box else None
        verdict, message = gate.judge(place.repo, active, staged.meta.message, place.held, cell, where=where)
        tree = before if verdict.error else sandboxes.staged(ws, place, cell, before)
    if tree != before and tree == ws.store.commit(base).tree:
        verdict = gate.refused(verdict, active[0], "it has left nothing of the change in the index")
        tree = before
    fixes = [
        Fix(quoted(delta.path), active[0].name)
        for delta in (ws.store.difference(before, tree) if tree != before else ())
    ]
    return Hooked(verdict, tree, message, tuple(fixes))


def _lying(ws: Workspace) -> list[Path]:
    """Where hooks lie, with what those call that are made by a tool beside them (``.husky/_``)."""
    folder, checkout = ws.repo.hooks, ws.repo.work_tree
    beside = checkout is not None and folder.parent != checkout and folder.is_relative_to(checkout)
    return [folder.parent if beside and not folder.is_relative_to(ws.repo.common_dir) else folder]


def _key(meta: Meta, tree: Oid) -> str:
    """What the hooks have seen: with another base, tree or message they run again."""
    seen = "\0".join((meta.base or "", tree, meta.message)).encode("utf-8", "surrogateescape")
    return hashlib.blake2b(seen, digest_size=16).hexdigest()
