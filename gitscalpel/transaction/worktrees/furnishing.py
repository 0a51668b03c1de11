"""What a worktree needs before programs run in it: shared folders, and the setup of the team, once."""

from __future__ import annotations

from gitscalpel.changesets.answers import short
from gitscalpel.changesets.file_tree import SUBMODULE, Oid
from gitscalpel.changesets.rules import Rules
from gitscalpel.errors import GateRefused
from gitscalpel.git.object_store import Store
from gitscalpel.git.pool import ignored_files
from gitscalpel.git.pool.slots import SlotState
from gitscalpel.git.pool.worktree import Worktree
from gitscalpel.system import processes, trust
from gitscalpel.workspace import Workspace


def furnish(ws: Workspace, place: Worktree, branch: str, rules: Rules) -> None:
    """Link what is shared, and run the setup if it has not run there, as the rules of a branch say.

    Raises:
        NotAllowed: ``untrusted``.
        GateRefused: ``gate_failed``: the setup failed.
        Misconfigured: ``config_error``: a shared folder leads back into the checkout.
    """
    _share(ws, place, rules)
    setup = rules.gates.setup
    if setup and not place.is_set_up(setup):
        refuse_untrusted(ws, branch, rules)
        ws.notify(f"running the setup in {place.root}: {setup}")
        set_up(place, setup, trusted(ws.store, ws.at(branch).snapshot.tree, place.state))
        _share(ws, place, rules)  # bringing it back to its tree has taken away links that git does not ignore


def _share(ws: Workspace, place: Worktree, rules: Rules) -> None:
    if ws.repo.work_tree is not None and rules.gates.shared:
        place.share(ignored_files.link_directories(ws.repo.work_tree, place.root, rules.gates.shared))


def trusted(store: Store, landed: Oid, state: SlotState | None) -> Oid:
    """What has landed, with the submodules of the tree that a worktree is at: these are only checked out."""
    links = [
        (delta.path, delta.new)
        for delta in store.difference(landed or None, state.tree if state else None)
        if delta.path == ".gitmodules" or (delta.new and delta.new.mode == SUBMODULE)
    ]
    return store.write_tree(landed or None, links)


def set_up(place: Worktree, setup: str, tree: Oid) -> None:
    """Run a setup; what it changes in files that nobody has edited is undone.

    It runs with the user's rights: it needs the network, caches, and perhaps passwords. So where programs
    are to judge, it runs on ``tree``, which is to be trusted: no script of the transaction is called by it.

    Raises:
        GateRefused: ``gate_failed``: it failed.
    """
    before = None if place.is_edited() else place.state
    if before is not None:
        if before.judges and before.base is not None:
            place.bring(before.base, tree)
        place.unsettle()
    status = processes.run(["sh", "-c", setup], place.root, place.repo.git.outer(), place.held)
    if before is not None and before.tree is not None and before.base is not None:
        place.bring(before.base, before.tree)
    if status:
        raise GateRefused(
            "gate_failed",
            f"the setup ({setup}) {processes.ended(status)} in {place.root}",
            "fix gates.setup, or what it depends on",
            status=status,
        )
    place.set_up(setup)


def refuse_untrusted(ws: Workspace, branch: str, rules: Rules) -> None:
    """Refuse to start what the rules of a branch name, unless all of it is trusted.

    Raises:
        NotAllowed: ``untrusted``.
    """
    untrusted = trust.untrusted(ws.repo.common_dir, rules.programs, ws.repo.environment)
    if untrusted:
        raise trust.refusal(untrusted, None if branch == ws.repo.head else short(branch))
