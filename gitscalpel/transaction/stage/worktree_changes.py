"""Stage the changes in a transaction's worktree: edits and commits by hand, or a command's work."""

from __future__ import annotations

import shlex
from collections.abc import Container, Sequence

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import BadCall, DoesNotFit, GateRefused, ScalpelError, TryAgain
from gitscalpel.errors.messages import arg, call
from gitscalpel.git.pool.worktree import Worktree
from gitscalpel.system import processes
from gitscalpel.transaction import worktree
from gitscalpel.transaction.open_transaction import OpenTransaction
from gitscalpel.transaction.result import Result
from gitscalpel.transaction.stage.stage import take
from gitscalpel.transaction.worktree import furnish
from gitscalpel.workspace import Workspace


def stage(ws: Workspace, staged: OpenTransaction) -> tuple[OpenTransaction, Result]:
    """Take what was edited and committed by hand.

    Returns:
        the transaction with it; what that alone did.

    Raises:
        DoesNotFit: ``no_change``, ``conflicted`` or ``not_a_file``.
    """
    if worktree.folder(ws, staged.id) is None:
        raise DoesNotFit(
            "no_change",
            f"transaction {staged.id} has no worktree, so nothing was edited there",
            f"{call('worktree', tx=staged.id)} makes one; {arg('tx', staged.id)} edits without one",
            tx=staged.id,
        )
    with worktree.leased(ws, staged) as place:
        tree = place.contents()
        base = _merged_base(ws, staged, place)
        if place.state is not None and tree == place.state.tree and base is None and not place.commits():
            raise DoesNotFit(
                "no_change",
                f"nothing has been edited in {place.root}",
                "edit there and stage again; ignored files are not taken",
                tx=staged.id,
            )
        what = "; ".join(place.commits(ws.store.resolve(staged.meta.branch))) or "edit by hand"
        return _taken(ws, staged, place, what, tree=tree, base=base)


def _merged_base(ws: Workspace, staged: OpenTransaction, place: Worktree) -> Oid | None:
    """The newest commit of the branch that was merged there by hand: the transaction's base from now on.

    A merge that was resolved counts, whether it has been committed or not: taking it in ends it.
    """
    if staged.meta.base is None or ws.store.resolve(staged.meta.branch) is None:
        return None
    newest = staged.meta.base
    for head in ("HEAD", "MERGE_HEAD"):
        out = place.repo.git.run("merge-base", head, staged.meta.branch).out.decode("ascii").strip()
        if out and not place.repo.git.run("merge-base", "--is-ancestor", newest, out).status:
            newest = Oid(out)
    return None if newest == staged.meta.base else newest


def run(
    ws: Workspace,
    staged: OpenTransaction,
    words: Sequence[str],
    ok: Container[int] = (0,),
    *,
    keep: bool = True,
) -> tuple[OpenTransaction, Result]:
    """Run a command in the transaction's worktree, in which nothing is edited, and take what it did.

    Args:
        ws: where.
        staged: the transaction.
        words: the program and its arguments.
        ok: the exit statuses that are a success.
        keep: whether others may have edited there meanwhile, so that what a failure leaves is kept.

    Returns:
        the transaction with it; what the command alone did.

    Raises:
        BadCall: ``invalid_args``: there is no such program.
        GateRefused: ``gate_failed``: the command failed.
        DoesNotFit: ``no_change``, ``conflicted`` or ``not_a_file``.
        Whatever is raised, an interrupt as well, leaves the worktree as it was before.
    """
    if not words:
        raise BadCall("invalid_args", "there is no command", "name a program and its arguments")
    what = shlex.join(words)
    with worktree.leased(ws, staged) as place:
        branch = staged.meta.branch
        furnish(ws, place, branch, ws.at(branch).rules)
        try:
            place.unsettle()
            folder = place.folder(ws.repo.prefix)
            _refuse_failure(
                processes.run(words, folder, ws.repo.git.outer(SCALPEL_TX=staged.id), place.held), ok, what
            )
            return _taken(ws, staged, place, what, tree=place.contents())
        except BaseException:
            before = ws.store.commit(staged.head).tree
            kept = place.keep(before) if keep else None
            if kept is not None:
                ws.notify(f"what was in {place.root} then is kept as {kept}")
            place.bring(worktree.base(ws, staged), before)
            raise


def _refuse_failure(status: int, ok: Container[int], what: str) -> None:
    if status not in ok:
        raise GateRefused(
            "gate_failed",
            f"{what} {processes.ended(status)}",
            f"fix what it reports; {arg('ok_status')} accepts a status as success",
            status=status,
        )


def _taken(
    ws: Workspace, staged: OpenTransaction, place: Worktree, what: str, *, tree: Oid, base: Oid | None = None
) -> tuple[OpenTransaction, Result]:
    lock = place.repo.git_dir / "index.lock"
    if lock.exists():
        raise TryAgain(
            "busy", f"a git process is running in {place.root} ({lock} exists)", "wait for it and try again"
        )
    after, done = take(ws, staged, tree, what, base, repo=place.repo)
    try:
        place.settle(worktree.base(ws, after), tree)
    except (ScalpelError, OSError) as error:  # it has been taken; who next needs the worktree mends this
        ws.notify(f"{place.root} was left behind: {error}")
    return after, done
