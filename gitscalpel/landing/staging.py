"""Begin open transactions and stage changes in them: operations, trees, worktrees, adopted disk changes.

Each step is checked against the transaction before it, and the whole against its base. Uncommitted changes
that are adopted from the checkout become a commit of their own below the rest.
"""

from __future__ import annotations

import shlex
from collections.abc import Container, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

import msgspec

from gitscalpel.changesets import answers, paths
from gitscalpel.changesets.file_tree import Change as FileChange
from gitscalpel.changesets.file_tree import Changes, Oid
from gitscalpel.changesets.requests import Changeset, require_text
from gitscalpel.changesets.rules import LEVELS, Rules
from gitscalpel.errors import BadCall, DoesNotFit, GateRefused, ScalpelError, TryAgain
from gitscalpel.errors.messages import MARKED, arg, call
from gitscalpel.git import merges, ref_transaction, uncommitted
from gitscalpel.git.pool.worktree import Worktree
from gitscalpel.git.repository import Repository
from gitscalpel.landing import build
from gitscalpel.system import processes
from gitscalpel.text import patch_series
from gitscalpel.transaction import recovery, static_gates, summary, worktree
from gitscalpel.transaction.change import (
    Change,
    Meta,
    diff_trees,
    new_change,
    new_meta,
    publish,
    removal_updates,
    target_of,
)
from gitscalpel.transaction.check import gate_runner
from gitscalpel.transaction.result import Result, result_of
from gitscalpel.workspace.workspace import Target, TreeTarget, Workspace


def begin(ws: Workspace, target: TreeTarget, message: str | None = None, adopt: Sequence[str] = ()) -> Change:
    """Open a transaction with the changes at ``adopt``, if any; raises as :func:`adopt_changes` does."""
    meta, tree, files = new_meta(ws, target, message, by=(ws.user(),)), target.snapshot.tree, Changes()
    if adopt:
        commit, tree, words = adopt_changes(ws, target, adopt)
        meta = meta.but(adopted=commit, taken=words, structure=target.rules.gates.structure)
        files = diff_trees(ws, target.snapshot.tree, tree)
        static_gates.require_no_new_markers(ws.repo, files)
        meta, _ = gate_runner.judge_statically(ws, meta, files, target.rules)
    return open_transaction(ws, new_change(ws, tree, meta, files), target)


def open_transaction(ws: Workspace, change: Change, target: Target) -> Change:
    """Return a change as an open transaction, with its own worktree if the target's rules require one."""
    staged = publish(ws, change)
    if target.rules.worktree == "always":
        try:
            with worktree.lease_worktree(ws, staged):
                pass
        except ScalpelError as error:  # no caller requested the worktree, so this must not fail an edit
            ws.notify(f"transaction {staged.id} has no worktree: {error.told(MARKED)[0]}")
    return staged


@contextmanager
def hold_refs(ws: Workspace, change: Change) -> Iterator[Change]:
    """Hold a change by refs while programs check it, so that other processes see it and gc keeps it.

    The refs are removed if the block raises, or by the next recovery if this process is killed.
    """
    with recovery.mark_provisional(ws.repo, change.id):
        staged = open_transaction(ws, change, ws.at(change.meta.branch))
        try:
            yield staged
        except BaseException:
            with suppress(ScalpelError, OSError):
                forget(ws, staged.refresh(ws))
            raise


def forget(ws: Workspace, staged: Change) -> None:
    """Remove an open transaction that no caller has requested by name."""
    ref_transaction.update_refs(ws.repo, removal_updates(staged), f"scalpel: give up {staged.id}")


def add(ws: Workspace, changeset: Changeset, staged: Change) -> tuple[Change, Result]:
    """Apply more operations to an open transaction. Return it, and the result of these operations alone.

    Raises as :func:`~gitscalpel.landing.build.apply_operations` does; nothing has changed then.
    """
    target = target_of(ws, staged)
    draft = build.apply_operations(ws, changeset, target, staged)
    tree = build.write_tree(ws, target, draft)
    with update_worktree(ws, staged, tree):
        after = _add_step(ws, staged, tree, draft.meta, target.rules)
    done = result_of(after)
    facts = msgspec.structs.replace(draft.meta.facts, unchecked=done.facts.unchecked)
    return after, msgspec.structs.replace(done, files=draft.files.read_all(), facts=facts)


@contextmanager
def update_worktree(ws: Workspace, staged: Change, tree: Oid) -> Iterator[None]:
    """Update the transaction's worktree, if any, to ``tree``, which the block stages."""
    with ExitStack() as moved:
        if worktree.worktree_of(ws, staged.id) is not None:
            place = moved.enter_context(worktree.lease_worktree(ws, staged))
            moved.enter_context(worktree.follow_tree(ws, staged, place, tree))
        yield


def stage_tree(
    ws: Workspace,
    staged: Change,
    tree: Oid,
    description: str,
    base: Oid | None = None,
    *,
    repo: Repository | None = None,
) -> tuple[Change, Result]:
    """Replace the transaction's tree. Return the transaction, and the result of this step alone.

    A failing gate does not prevent this, but keeps the transaction open. ``description`` describes the step.
    ``base`` is the commit that was merged into it, if any, and ``repo`` the worktree in which the tree was
    made.

    Raises:
        DoesNotFit: ``no_change``, or ``conflicted``: a file has new conflict markers.
    """
    target = target_of(ws, staged)
    files = diff_trees(ws, target.snapshot.tree, tree)
    static_gates.require_no_new_markers(repo or ws.repo, files)
    if base is not None:
        files = _drop_merged(ws, staged, files, base)
        # The adopted commit had the old base; its changes are part of the single commit now.
        staged = msgspec.structs.replace(staged, meta=staged.meta.but(base=base, adopted=None))
    elif not files:
        raise DoesNotFit(
            "no_change", f"{description}: nothing has changed", "nothing is left to do", tx=staged.id
        )
    facts = summary.collect_facts(static_gates.outcome_between(target.snapshot, files), (), ())
    steps = (answers.make_json_safe(description),) if files else ()
    step = Meta(branch="", base=None, steps=steps, facts=facts, carried=staged.meta.carried)
    after = _add_step(ws, staged, tree, step, target.rules)
    done = result_of(after)
    facts = msgspec.structs.replace(facts, gates=after.meta.facts.gates, unchecked=done.facts.unchecked)
    return after, msgspec.structs.replace(done, files=files.read_all(), facts=facts)


def _drop_merged(ws: Workspace, staged: Change, files: Changes, base: Oid) -> Changes:
    """Return the changes made by hand, without those that merely equal the merged branch at ``base``."""
    before, theirs = ws.snapshot(staged.meta.base), ws.snapshot(base)

    def is_merged(file: FileChange) -> bool:
        """Return True if git's own merge of a file gives the same result."""
        base_entry, their_entry = before.entry(file.path), theirs.entry(file.path)
        if base_entry in (file.old, their_entry):
            return file.new == (their_entry if base_entry == file.old else file.old)
        if file.old is None or file.new is None or base_entry is None or their_entry is None:
            return False
        texts = (ws.store.read(each.oid) for each in (file.old, base_entry, their_entry))
        merged = merges.merge_file(ws.repo.git, ws.repo.scalpel_dir, *texts)
        return isinstance(merged, bytes) and merged == ws.store.read(file.new.oid)

    return Changes([each for each in files if not is_merged(each)], ws.store.read)


def _add_step(ws: Workspace, staged: Change, tree: Oid, step: Meta, rules: Rules) -> Change:
    """Return the transaction with one more step, after the static gates have checked all of it."""
    files = diff_trees(ws, ws.store.tree_of(staged.meta.base), tree)
    old_meta = staged.meta
    message, level = step.asked or old_meta.asked, rules.gates.structure
    if (
        old_meta.steps and step.author is not None
    ):  # the author of a step that another one follows is credited
        message = patch_series.add_credit(message or "", step.author)
    meta = old_meta.but(
        asked=message,
        author=old_meta.author if old_meta.steps else step.author,
        steps=(*old_meta.steps, *step.steps),
        facts=summary.add_step_facts(old_meta.facts, step.facts),
        warnings=tuple(dict.fromkeys((*old_meta.warnings, *step.warnings))),
        request_ids=(*old_meta.request_ids, *step.request_ids),
        requests={**old_meta.requests, **step.requests},
        whole=False,
        structure=min(old_meta.structure, level, key=LEVELS.index) if old_meta.steps else level,
        carried=step.carried,
        allow_broken=old_meta.allow_broken or step.allow_broken,
        require_approval=old_meta.require_approval or step.require_approval,
        by=tuple(dict.fromkeys((*old_meta.by, ws.user()))),
    )
    meta, _ = gate_runner.judge_statically(ws, meta, files, rules)
    return staged.revise(ws, tree, meta, files)


def reword(ws: Workspace, staged: Change, message: str) -> Change:
    """Return the transaction with another commit message. Raises :class:`BadCall` (``invalid_args``)."""
    require_valid_message(message)
    return staged.with_meta(ws, staged.meta.but(asked=message))


def require_valid_message(message: str) -> None:
    """Raise :class:`BadCall` (``invalid_args``) if a text is not a valid commit message."""
    if not require_text(message).strip():
        raise BadCall("invalid_args", "the message is blank", "describe what the commit does")


def adopt_changes(
    ws: Workspace, target: TreeTarget, names: Sequence[str], below: Oid | None = None
) -> tuple[Oid, Oid, str]:
    """Write the uncommitted changes of files and directories as a commit on the tip.

    Return the commit, its tree and its message. ``names`` may contain "" for the root. ``below`` is the tree
    of previously adopted changes, if any.

    Raises:
        BadCall: ``invalid_args``: the branch is not checked out here.
        DoesNotFit: ``file_not_found``, or ``no_change``: the paths have no uncommitted changes.
        NotAllowed: ``path_denied``.
    """
    if ws.repo.work_tree is None or ws.repo.head != target.branch:
        raise BadCall(
            "invalid_args",
            f"{target.name} is not checked out here, so it has no changes to adopt",
            "run it in the worktree of that branch, or begin without adopting changes",
        )
    wanted = [paths.normalize_path(name) if name else name for name in names]
    changes = uncommitted.find_uncommitted(ws.repo, target.snapshot.tree, wanted)
    paths.require_no_trailing_slashes(names, (change.path for change in changes))
    if not changes:
        raise DoesNotFit(
            "no_change", "these paths have no uncommitted changes", "check the paths with `git status`"
        )
    tree = ws.store.write_tree(below or target.snapshot.tree, [(each.path, each.new) for each in changes])
    listed = [answers.quote_path(change.path) for change in changes]
    more = f" and {len(listed) - 3} more" if len(listed) > 3 else ""
    words = f"Adopt uncommitted changes of {', '.join(listed[:3])}{more}"
    return ws.store.write_commit(tree, [target.tip] if target.tip else [], words), tree, words


def stage_worktree(ws: Workspace, staged: Change) -> tuple[Change, Result]:
    """Stage the edits and commits made by hand in the worktree. Return the transaction, and their result.

    Raises:
        DoesNotFit: ``no_change``, ``conflicted`` or ``not_a_file``.
    """
    if worktree.worktree_of(ws, staged.id) is None:
        raise DoesNotFit(
            "no_change",
            f"transaction {staged.id} has no worktree, so nothing was edited there",
            f"{call('worktree', tx=staged.id)} makes one; {arg('tx', staged.id)} edits without one",
            tx=staged.id,
        )
    with worktree.lease_worktree(ws, staged) as place:
        tree = place.contents()
        base = _find_merged_base(ws, staged, place)
        if place.state is not None and tree == place.state.tree and base is None and not place.commits():
            raise DoesNotFit(
                "no_change",
                f"nothing has been edited in {place.root}",
                "edit files there and stage again; files that git ignores are not staged",
                tx=staged.id,
            )
        description = "; ".join(place.commits(ws.store.resolve(staged.meta.branch))) or "edit by hand"
        return _take_worktree(ws, staged, place, description, tree=tree, base=base)


def _find_merged_base(ws: Workspace, staged: Change, place: Worktree) -> Oid | None:
    """Return the newest commit of the branch that was merged in the worktree by hand, the new base.

    A resolved merge counts even if it has not been committed, because staging it ends the merge.
    """
    if staged.meta.base is None or ws.store.resolve(staged.meta.branch) is None:
        return None
    newest = staged.meta.base
    for head in ("HEAD", "MERGE_HEAD"):
        out = place.repo.git.run("merge-base", head, staged.meta.branch).out.decode("ascii").strip()
        if out and not place.repo.git.run("merge-base", "--is-ancestor", newest, out).status:
            newest = Oid(out)
    return None if newest == staged.meta.base else newest


def run_command(
    ws: Workspace,
    staged: Change,
    words: Sequence[str],
    ok: Container[int] = (0,),
    *,
    keep: bool = True,
) -> tuple[Change, Result]:
    """Run a command in the transaction's unedited worktree, and stage its changes.

    ``ok`` contains the exit statuses of success. With ``keep``, the changes of a failed command are saved
    under a ref before they are reverted, since other programs may have edited the files meanwhile.

    Raises:
        BadCall: ``invalid_args``: there is no such program.
        GateRefused: ``gate_failed``: the command failed.
        DoesNotFit: ``no_change``, ``conflicted`` or ``not_a_file``.
        After any exception, including an interrupt, the worktree is as it was before.
    """
    if not words:
        raise BadCall("invalid_args", "no command given", "name a program and its arguments")
    command_line = shlex.join(words)
    with worktree.lease_worktree(ws, staged) as place:
        branch = staged.meta.branch
        worktree.furnish(ws, place, branch, ws.at(branch).rules)
        try:
            place.unsettle()
            folder = place.folder(ws.repo.prefix)
            _require_success(
                processes.run(words, folder, ws.repo.git.outer(SCALPEL_TX=staged.id), place.held),
                ok,
                command_line,
            )
            return _take_worktree(ws, staged, place, command_line, tree=place.contents())
        except BaseException:
            before = ws.store.commit(staged.head).tree
            keep_ref = place.keep(before) if keep else None
            if keep_ref is not None:
                ws.notify(f"the contents of {place.root} are kept as {keep_ref}")
            place.bring(worktree.base_commit(ws, staged), before)
            raise


def _require_success(status: int, ok: Container[int], command_line: str) -> None:
    if status not in ok:
        raise GateRefused(
            "gate_failed",
            f"{command_line} {processes.describe_exit(status)}",
            f"fix what it reports; {arg('ok_status')} makes that exit status count as success",
            status=status,
        )


def _take_worktree(
    ws: Workspace, staged: Change, place: Worktree, description: str, *, tree: Oid, base: Oid | None = None
) -> tuple[Change, Result]:
    lock = place.repo.git_dir / "index.lock"
    if lock.exists():
        raise TryAgain(
            "busy",
            f"a git process is running in {place.root} ({lock} exists)",
            "wait for it to finish and try again",
        )
    after, done = stage_tree(ws, staged, tree, description, base, repo=place.repo)
    try:
        place.settle(worktree.base_commit(ws, after), tree)
    except (ScalpelError, OSError) as error:  # the edits are staged; the next lease repairs the worktree
        ws.notify(f"{place.root} was left behind: {error}")
    return after, done
