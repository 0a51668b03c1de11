"""What a worktree needs before programs run in it: shared folders, and the setup of the team, once."""

from __future__ import annotations

from gitscalpel import command, trust
from gitscalpel.errors import GateRefused
from gitscalpel.git.pool import shared
from gitscalpel.git.pool.worktree import Worktree
from gitscalpel.rules import Rules
from gitscalpel.snapshot import Oid
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
        set_up(place, setup, ws.at(branch).snapshot.tree)
        _share(ws, place, rules)  # bringing it back to its tree has taken away links that git does not ignore


def _share(ws: Workspace, place: Worktree, rules: Rules) -> None:
    if ws.repo.work_tree is not None and rules.gates.shared:
        place.share(shared.link(ws.repo.work_tree, place.root, rules.gates.shared))


def set_up(place: Worktree, setup: str, landed: Oid | None) -> None:
    """Run a setup; what it changes in files that nobody has edited is undone.

    It runs with the user's rights, for what it fetches and compiles is not in the tree. So where programs
    are to judge, it runs on what has ``landed``: nothing of the transaction is called by it.

    Raises:
        GateRefused: ``gate_failed``: it failed.
    """
    before = None if place.is_edited() else place.state
    if before is not None:
        if before.judges and landed and before.base is not None:
            place.bring(before.base, landed)
        place.unsettle()
    status = command.run(["sh", "-c", setup], place.root, {}, place.held)
    if before is not None and before.tree is not None and before.base is not None:
        place.bring(before.base, before.tree)
    if status:
        raise GateRefused(
            "gate_failed",
            f"the setup ({setup}) {command.ended(status)} in {place.root}",
            "mend gates.setup, or what it needs",
            status=status,
        )
    place.set_up(setup)


def refuse_untrusted(ws: Workspace, branch: str, rules: Rules) -> None:
    """Refuse to start what the rules of a branch name, unless all of it is trusted.

    Raises:
        NotAllowed: ``untrusted``.
    """
    untrusted = trust.untrusted(ws.repo.common_dir, rules.programs)
    if untrusted:
        raise trust.refusal(untrusted, None if branch == ws.repo.head else branch.removeprefix("refs/heads/"))
