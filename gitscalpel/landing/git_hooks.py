"""Answer the hooks of git that gitscalpel installs.

``commit-msg`` checks trailers, ``pre-push`` lets only landed commits through, ``pre-receive`` checks pushed
commits, and ``reference-transaction`` detects branches that move without an entry in the operation log.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from gitscalpel.changesets import config
from gitscalpel.changesets.answers import STAGED, Finding, Judged, message_subject, short_branch_name
from gitscalpel.changesets.file_tree import Change as FileChange
from gitscalpel.changesets.file_tree import Changes, Oid
from gitscalpel.changesets.rules import Rules
from gitscalpel.errors import BadCall, GateRefused, Misconfigured
from gitscalpel.errors.messages import arg, call
from gitscalpel.gates.verdict import Verdict
from gitscalpel.git import commits, oplog, refs, remotes, uncommitted
from gitscalpel.git.oplog import Record
from gitscalpel.transaction.change import Change, Meta, diff_trees
from gitscalpel.transaction.check import approval_gate, staged_changes
from gitscalpel.transaction.result import REMEMBERED
from gitscalpel.workspace import refusals
from gitscalpel.workspace.workspace import Workspace

_TRAILER = "Scalpel-Tx"
_MADE_ANEW = ("HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD")


def check_commit_msg(ws: Workspace, words: tuple[str, ...]) -> Judged:
    """Check the trailers of a commit message in a file, and add the missing one of a transaction's commit.

    A trailer that the commit being amended, cherry-picked or rebased already had is valid, because another
    clone's log may contain the id.

    Raises:
        BadCall: ``invalid_args``: no file is given.
        GateRefused: ``gate_failed``: the message names an unknown transaction.
    """
    if len(words) != 1:
        raise BadCall("invalid_args", "this hook needs one argument", "give the path of the message file")
    file = Path(words[0])
    named = commits.find_trailers(ws.here, commits.read_message_file(file), _TRAILER)
    for tx in named:
        _require_known_tx(ws, tx)
    if not named:
        record = _find_recommitted(ws)
        wanted = _wanted_trailers(ws) if record else ()
        if record is not None and _TRAILER in wanted:
            commits.add_trailer(ws.here, file, f"{_TRAILER}: {record.tx}")
            named = [record.tx]
    return Judged(target=STAGED, base=ws.here.resolve("HEAD^{commit}"), named=tuple(named))


def _wanted_trailers(ws: Workspace) -> tuple[str, ...]:
    """Return the required trailers; none if the rules cannot be read, since the commit may correct them."""
    try:
        return ws.rules(ws.snapshot(ws.here.resolve("HEAD^{commit}"))).record.trailers
    except Misconfigured:
        return ()


def _require_known_tx(ws: Workspace, tx: str) -> None:
    if tx in refs.find_open_transactions(ws.repo) or any(
        entry.record.tx == tx for entry in oplog.read_log(ws.repo)
    ):
        return
    messages = (commits.read_commit_message(ws.here, name) for name in _MADE_ANEW)
    if any(
        tx in commits.find_trailers(ws.here, message, _TRAILER) for message in messages if message is not None
    ):
        return
    raise GateRefused(
        "gate_failed",
        f"the message says {_TRAILER}: {tx}, but no such transaction exists here",
        f"remove that line; {call('log')} lists the ids of landed transactions",
        tx=tx,
    )


def _find_recommitted(ws: Workspace) -> Record | None:
    """Return the landing whose content is committed again, on the same parent or as an amended commit."""
    head = ws.here.resolve("HEAD^{commit}")
    for entry in oplog.read_log(ws.repo, REMEMBERED):
        record = entry.record
        if record.kind != "land" or record.after is None or head not in (record.before, record.after):
            continue
        in_place = record.after == head
        if _is_staged(ws, Oid(record.after)) and (not in_place or commits.is_amending(ws.here, record.after)):
            return record
    return None


def _is_staged(ws: Workspace, commit: Oid) -> bool:
    return ws.has_commit(commit) and not uncommitted.find_staged(
        ws.here, commit, as_told=ws.session.folder is None
    )


_MOVES = ("land", "undo", "redo")
_SHOWN = 5


def check_pre_push(ws: Workspace, lines: str) -> Judged:
    """Check that every pushed commit is in the operation log, or has the same files as one that is.

    ``lines`` is the standard input of the hook. If empty, the variables of the pre-commit framework are read.

    Raises:
        GateRefused: ``gate_failed``: some commits have not landed.
    """
    pushed = [
        oid
        for new, remote_oids in _iter_pushed_commits(ws, lines)
        for oid in commits.find_new_commits(ws.here, new, remote_oids)
    ]
    oids = tuple(dict.fromkeys(pushed))
    unknown = _find_unknown(ws, oids)
    if unknown:
        raise _push_error(ws, oids, unknown, lines)
    return Judged(target="@pushed", commits=oids)


def _iter_pushed_commits(ws: Workspace, lines: str) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the commits to be pushed, each with the commits that the remote has in their place.

    Commits that :func:`gitscalpel.landing.push.push` publishes are left out, since gates have checked them.
    """
    read_variable = ws.session.environment.get
    judged = read_variable(remotes.PUSHED)
    for line in lines.splitlines():
        _, new, ref, old = line.rsplit(" ", 3)
        if new.strip("0") and new != judged and not ref.startswith(refs.SCALPEL_REFS):
            yield new, (old,) if old.strip("0") and ws.has_commit(Oid(old)) else ()
    if lines.strip():
        return
    tip = read_variable("PRE_COMMIT_TO_REF") or read_variable("PRE_COMMIT_LOCAL_BRANCH")
    old_tip = read_variable("PRE_COMMIT_FROM_REF")
    if tip and tip != judged:
        yield tip, (old_tip,) if old_tip else ()


def _find_unknown(ws: Workspace, oids: Sequence[Oid]) -> list[Oid]:
    """Return the commits that are not in the log and whose files equal those of no logged commit."""
    remaining = dict.fromkeys(oids)
    landed: list[Oid] = []
    for entry in oplog.read_log(ws.repo) if remaining else ():
        record = entry.record
        if record.kind not in _MOVES:
            continue
        landed_oids = [Oid(oid) for oid in (record.after, record.adopted) if oid is not None]
        for oid in landed_oids:
            remaining.pop(oid, None)
        landed += landed_oids
        if not remaining:
            return []
    trees = {ws.store.commit(oid).tree for oid in landed if ws.has_commit(oid)} if remaining else set()
    return [
        oid for oid in remaining if ws.store.commit(oid).tree not in trees and not _is_correction(ws, oid)
    ]


def _is_correction(ws: Workspace, oid: Oid) -> bool:
    """Return True if a commit only corrects rules that could not be read.

    No transaction can land under unreadable rules. Each landing then asks for such a commit, made with git.
    """
    commit = ws.store.commit(oid)
    if len(commit.parents) != 1:
        return False
    files = ws.store.difference(ws.store.tree_of(commit.parents[0]), commit.tree)
    if [change.path for change in files] != [config.PATH]:
        return False
    try:
        ws.rules(ws.snapshot(oid))
    except Misconfigured:
        return False
    try:
        ws.rules(ws.snapshot(commit.parents[0]))
    except Misconfigured as error:
        return bool(error.data.get("path"))
    return False


def _push_error(ws: Workspace, oids: Sequence[Oid], unknown: list[Oid], lines: str) -> GateRefused:
    oldest = unknown[-1]
    named = [f"{oid[:10]} {message_subject(ws.store.commit(oid).message)}" for oid in unknown[:_SHOWN]]
    more = f"; and {len(unknown) - _SHOWN} more" if len(unknown) > _SHOWN else ""
    below = next(iter(ws.store.commit(oldest).parents), None)
    return GateRefused(
        "gate_failed",
        f"{len(unknown)} of {len(oids)} commits have not landed through a transaction, so not every gate "
        f"has passed them: {'; '.join(named)}{more}",
        _landing_hint(below, _branch_elsewhere(ws, lines)),
        commits=unknown,
    )


def _landing_hint(below: Oid | None, branch: str) -> str:
    """Return the hint for commits: land them as one transaction on the commit ``below`` them, if any."""
    unchecked_push = "`git push --no-verify`, which skips this check"
    if below is None:
        return (
            "a transaction cannot make the first commit of a repository: "
            f"review the commits, then {unchecked_push}"
        )
    switch = f"`git switch {shlex.quote(branch)}`, " if branch else ""
    return (
        f"make one transaction of them: {switch}`git reset --soft {below[:10]}`, then "
        f"{call('begin', adopt='.')} and {call('land', tx='ID')} "
        f"({arg('message')} takes their messages: `git log --format=%B {below[:10]}..ORIG_HEAD`); "
        f"or {unchecked_push}"
    )


def _branch_elsewhere(ws: Workspace, lines: str) -> str:
    """Return the pushed branch if another branch is checked out, or ""."""
    pushed = [line.rsplit(" ", 3)[0] for line in lines.splitlines()]
    heads = [ref for ref in pushed if ref.startswith("refs/heads/")]
    return short_branch_name(heads[0]) if heads and ws.here.head not in heads else ""


_HEADS = "refs/heads/"
_STEPS = 20
"""Maximum number of changes of the rules to search for readable ones."""


def check_pre_receive(ws: Workspace, lines: str) -> Judged:
    """Check each pushed commit against its first parent, by the rules of its branch.

    git keeps the pushed objects in quarantine until the hook passes, so the hook writes neither refs nor
    objects.

    Raises:
        GateRefused: ``gate_failed``, with every finding. The whole push is rejected.
    """
    oids: list[Oid] = []
    findings: list[dict[str, Any]] = []
    unchecked: list[str] = []
    for line in lines.splitlines():
        old, new, ref = line.split(" ", 2)
        if not ref.startswith(_HEADS) or not new.strip("0"):
            continue
        branch = ref if old.strip("0") else ws.repo.head
        tip = ws.tip(branch) if branch else None
        if branch is None or tip is None:
            unchecked.append(f"{ref}: there is no branch yet whose rules would count")
            continue
        rules = _rules_for(ws, tip, Oid(new))
        for commit in reversed(commits.find_new_commits(ws.repo, new, excluding="--branches")):
            verdicts = tuple(_iter_verdicts(ws, commit, branch, rules))
            oids.append(commit)
            findings += [row for verdict in verdicts for row in _finding_rows(ws, commit, verdict)]
            unchecked += [f"{commit[:10]}: {words}" for verdict in verdicts for words in verdict.unchecked]
    done = Judged(target="@received", commits=tuple(oids), unchecked=tuple(unchecked))
    if findings:
        raise _receive_error(findings, done)
    return done


def _rules_for(ws: Workspace, tip: Oid, new: Oid) -> Rules:
    """Return the rules at the tip of a branch, or the last readable ones.

    A push onto unreadable rules has to correct them, or no push could.
    """
    try:
        return ws.rules(ws.snapshot(tip))
    except Misconfigured as error:
        if not error.data.get("path"):
            raise
        try:
            corrected = ws.rules(ws.snapshot(new))
        except Misconfigured as still:
            hint = f"push a commit that corrects {config.PATH}; a push that leaves it so is not taken"
            raise still.but(hint=hint) from None
        return _last_readable(ws, tip) or corrected


def _last_readable(ws: Workspace, tip: Oid) -> Rules | None:
    for commit in commits.find_changing(ws.repo, tip, config.PATH, limit=_STEPS):
        parent = next(iter(ws.store.commit(commit).parents), None)
        with suppress(Misconfigured):
            return ws.rules(ws.snapshot(parent)) if parent else None
    return None


def _iter_verdicts(ws: Workspace, commit: Oid, branch: str, rules: Rules) -> Iterator[Verdict]:
    parents = ws.store.commit(commit).parents
    base = next(iter(parents), None)
    files = _own_changes(ws, commit, parents)
    if not files:
        return
    yield from staged_changes.judge_changes(ws.snapshot(base), files, rules)
    if rules.requires_approvals and len(parents) < 2:
        yield from _judge_approvals(
            ws, Change(_find_transaction(ws, commit), commit, Meta(branch=branch, base=base), files)
        )


def _own_changes(ws: Workspace, commit: Oid, parents: tuple[Oid, ...]) -> Changes:
    """Return the changes of a commit. For a merge, only files that differ from all parents count."""
    tree = ws.store.commit(commit).tree
    sides = [diff_trees(ws, ws.store.tree_of(parent), tree) for parent in parents or (None,)]
    shared = set[str].intersection(*({change.path for change in side} for side in sides))
    rows: list[FileChange] = [change for change in sides[0] if change.path in shared]
    return Changes(rows, ws.store.read)


def _judge_approvals(ws: Workspace, change: Change) -> Iterator[Verdict]:
    """Yield verdicts on missing approvals in stages that require signatures.

    Other stages do not count here, since any user could forge an unsigned approval.
    """
    standing = approval_gate.approval_status(ws, change)
    for stage in standing.stages:
        if stage.missing and stage.rule.signers:
            many = f"{stage.missing} more approval{'s' * (stage.missing > 1)}"
            words = f"needs {many} ({stage.rule.key}): {'; '.join(stage.needed.why)}"
            path = min(stage.needed.paths or (each.path for each in change.files))
            hint = "push the operation log that contains the approvals"
            error = GateRefused("gate_failed", "approvals are missing", hint)
            yield Verdict("approval", "failed", (Finding(path, 1, 1, words),), error)


def _find_transaction(ws: Workspace, commit: Oid) -> str:
    """Return the transaction that landed as a commit, according to this repository's log."""
    landings = (entry.record for entry in oplog.read_log(ws.repo) if entry.record.kind == "land")
    return next((record.tx for record in landings if record.after == commit), "")


def _finding_rows(ws: Workspace, commit: Oid, verdict: Verdict) -> Iterator[dict[str, Any]]:
    if verdict.error is None:
        return
    subject = f"{commit[:10]} {message_subject(ws.store.commit(commit).message)}"
    findings = verdict.findings or (Finding(".gitscalpel.toml", 1, 1, verdict.error.message),)
    for each in findings:
        if each.severity == "error":
            yield {**msgspec.structs.asdict(each), "gate": verdict.name, "commit": subject}


def _receive_error(findings: list[dict[str, Any]], done: Judged) -> GateRefused:
    first = findings[0]
    more = f"; and {len(findings) - 1} more" if len(findings) > 1 else ""
    return GateRefused(
        "gate_failed",
        f"{first['commit']}: {first['path']}:{first['line']}: {first['message']}{more}",
        "amend or recreate these commits and push again; approvals count once you push the operation log "
        "(`git push REMOTE refs/scalpel/ops`)",
        **{**msgspec.to_builtins(done), "findings": findings},
    )


KEY = "scalpel.moves"


def check_reference_transaction(ws: Workspace, words: tuple[str, ...], lines: str) -> Judged:
    """Reject or record branch moves that bypass the operation log, as ``scalpel.moves`` says.

    gitscalpel moves a branch and its log in one ref transaction. ``words`` is ``prepared``, ``committed`` or
    ``aborted``.

    Raises:
        GateRefused: ``gate_failed``, before the branches move, if ``scalpel.moves`` is ``refuse``.
    """
    rows = [line.split(" ", 2) for line in lines.splitlines()]
    branches = [row for row in rows if row[2].startswith(_HEADS)]
    # Both ids are null if a ref is deleted regardless of its old value.
    moves = [(old, new, ref) for old, new, ref in branches if old != new or not new.strip("0")]
    state = words[0] if words else ""
    if any(ref == refs.OPS for _, _, ref in rows):
        return Judged(target="@moved")
    if state == "prepared":
        moves = [(old, new, ref) for old, new, ref in moves if not _is_new_name(ws, new, ref)]
    if not moves:
        return Judged(target="@moved")
    moved_branches = ", ".join(f"{short_branch_name(ref)} {old[:10]}..{new[:10]}" for old, new, ref in moves)
    error = GateRefused(
        "gate_failed",
        f"{moved_branches} would move without a transaction",
        f"land it as a transaction, or run `git config {KEY} record` to allow and record such moves",
    )
    setting = ws.repo.config.get(KEY)
    if setting == "refuse" and state == "prepared":
        raise error
    if setting == "record" and state == "committed":
        committer = ws.session.environment.get("GIT_COMMITTER_NAME", "")
        attempt = refusals.Attempt("moved around", (), committer, ws.session.agent, ws.session.now())
        moved = GateRefused(
            "gate_failed",
            f"{moved_branches} moved without a transaction",
            "no action is needed: the move is complete",
        )
        refusals.record_refusal(ws.repo.scalpel_dir, attempt, moved)
    return Judged(target="@moved")


def _is_new_name(ws: Workspace, new: str, ref: str) -> bool:
    """Return True if the branch is new and another branch already contains the commit.

    The old commit from git does not tell: it is also null if a branch moves regardless of its old value.
    """
    git = ws.repo.git
    if not git.run("show-ref", "--verify", "--quiet", ref).status:
        return False
    found = git.run("rev-list", "--max-count=1", new, "--not", "--branches")
    return not found.status and not found.out


class HookInput(NamedTuple):
    """Input of a hook from git: arguments and lines of standard input."""

    words: tuple[str, ...] = ()
    lines: str = ""


HOOKS: dict[str, Callable[[Workspace, HookInput], Judged]] = {
    "pre-commit": lambda ws, _: staged_changes.check_staged(ws),
    "commit-msg": lambda ws, hook_input: check_commit_msg(ws, hook_input.words),
    "pre-push": lambda ws, hook_input: check_pre_push(ws, hook_input.lines),
    "pre-receive": lambda ws, hook_input: check_pre_receive(ws, hook_input.lines),
    "reference-transaction": lambda ws, hook_input: check_reference_transaction(
        ws, hook_input.words, hook_input.lines
    ),
}
OF_LANDINGS = ("pre-commit", "commit-msg")
"""Hooks that a landing has already run as a gate."""


def run_hook(ws: Workspace, name: str, hook_input: HookInput) -> Judged:
    """Return the answer to a hook. An error means that git has to stop."""
    if ws.judges and name in OF_LANDINGS:
        return Judged(target=name)
    return HOOKS[name](ws, hook_input)
