"""Ask the team's commands for changesets that answer a transaction, and stage each on top of it.

A command runs like a gate. A suggestion is a transaction of its own, checked by all gates and landed only by
people, after the one that it answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial

import msgspec

from gitscalpel.changesets.answers import (
    SCHEMA,
    Affected,
    IntentRow,
    make_json_safe,
    quote_path,
    short_branch_name,
)
from gitscalpel.changesets.paths import Globs
from gitscalpel.changesets.requests import Changeset, parse_changeset
from gitscalpel.changesets.rules import Rules, Suggest, parse_duration
from gitscalpel.errors import BadCall, DoesNotFit, GateRefused, GateTimeout, ScalpelError
from gitscalpel.errors.messages import arg
from gitscalpel.gates import command_run
from gitscalpel.gates.command_verdict import SANDBOX_HINT
from gitscalpel.gates.sandbox import Disk
from gitscalpel.git import scratch
from gitscalpel.git.pool.slots import GATE_VARIABLE
from gitscalpel.git.pool.worktree import Worktree
from gitscalpel.landing import build, staging
from gitscalpel.names.files import Files
from gitscalpel.names.resolver import Resolver, dialect
from gitscalpel.refactor import definition_impact
from gitscalpel.system import processes
from gitscalpel.transaction import result, static_gates, worktree
from gitscalpel.transaction.change import Change, Meta, list_open_changes
from gitscalpel.transaction.check import command_gate, executors, gate_runner
from gitscalpel.transaction.check.executors import gate_worktree
from gitscalpel.transaction.result import Result
from gitscalpel.transaction.worktree import furnish, require_trusted
from gitscalpel.workspace.workspace import Workspace

_TOLD = 4_000
"""Characters at the end of a command's error output that an error repeats."""


def run_suggest_command(ws: Workspace, staged: Change, rules: Rules, suggest: Suggest, about: bytes) -> bytes:
    """Return the output of a command that reads ``about`` and sees the target's pinned files.

    Raises:
        GateRefused: ``gate_failed``: the command failed, or printed too much.
        GateTimeout: ``gate_timeout``.
        ScalpelError: a worktree cannot be prepared.
    """
    branch = staged.meta.branch
    tree = command_gate.pin_files(ws, ws.at(branch), staged.files, staged.tree(ws))
    ready = partial(furnish, ws, branch=branch, rules=rules)
    with (
        gate_worktree(
            ws, staged.id, worktree.base_commit(ws, staged), tree, ready, caches=rules.gates.caches
        ) as place,
        scratch.make_scratch(ws.repo.scalpel_dir) as notes,
        ExitStack() as stack,
    ):
        box, _ = executors.open_sandbox(ws, rules.gates, place, notes, tree)
        env = _make_environment(ws, staged, suggest, place)
        cell = stack.enter_context(box.cell(suggest.run, env, network=suggest.network)) if box else None
        outer = {**place.repo.git.outer(), **env}
        options = {
            "timeout": parse_duration(suggest.timeout),
            "stop": Disk(notes.path, None),
            "enclosure": cell,
        }
        words = ["sh", "-c", suggest.run]
        try:
            ended = processes.run_with_input(words, place.root, outer, place.held, about, **options)
        except TimeoutError:
            raise _timeout_error(suggest) from None
        except InterruptedError:
            raise _failure_error(suggest, "was stopped: too little disk space is left", "") from None
    return _check_output(suggest, *ended, contained=cell is not None)


def _make_environment(ws: Workspace, staged: Change, suggest: Suggest, place: Worktree) -> dict[str, str]:
    checkout, outer = ws.repo.work_tree, place.repo.git.outer()
    own_variables = (
        command_run.command_environment(suggest.run, checkout, place.root, outer) if checkout else {}
    )
    return {
        "SCALPEL_TX": staged.id,
        GATE_VARIABLE: str(place.repo.common_dir),
        "PYTHONDONTWRITEBYTECODE": "1",
        **own_variables,
    }


def _check_output(
    suggest: Suggest, status: int, printed: bytes, complaints: bytes, *, contained: bool
) -> bytes:
    if status:
        error_output = complaints.decode("utf-8", "replace").strip()[-_TOLD:]
        raise _failure_error(
            suggest, processes.describe_exit(status), error_output, SANDBOX_HINT if contained else ""
        )
    if len(printed) > processes.MAX_OUTPUT_BYTES:
        raise _failure_error(suggest, f"printed more than {processes.MAX_OUTPUT_BYTES >> 20} MiB", "")
    return printed


def _timeout_error(suggest: Suggest) -> ScalpelError:
    return GateTimeout(
        "gate_timeout",
        f"suggest {suggest.name} took longer than {suggest.timeout} and was stopped",
        f"make it faster, or raise the timeout of suggest {suggest.name}",
        suggest=suggest.name,
    )


def _failure_error(suggest: Suggest, outcome: str, error_output: str, more: str = "") -> GateRefused:
    return GateRefused(
        "gate_failed",
        f"suggest {suggest.name} {outcome}" + (f":\n{error_output}" if error_output else ""),
        "fix what it reports; a command without suggestions prints nothing and exits with 0" + more,
        suggest=suggest.name,
        output=error_output,
    )


_MOST, _MOST_FILES = 8, 150
"""Maximum number of definitions whose callers are searched, and of files to search for each."""


class Caller(msgspec.Struct, frozen=True):
    """Use of a changed definition; ``line`` counts from 1 in the file of the transaction."""

    symbol: str
    path: str
    line: int


class TransactionDescription(msgspec.Struct, frozen=True, kw_only=True):
    """Description of a transaction for a command."""

    schema: str = SCHEMA
    # tx and target and message and base and head: the fields of the same names in the answer of an edit
    tx: str
    target: str
    message: str
    base: str | None
    head: str
    diff: str  # unified diff
    paths: tuple[str, ...]  # changed files
    intents: tuple[IntentRow, ...]  # changes of symbols
    affected: tuple[Affected, ...]  # places that were updated with a renamed symbol
    callers: tuple[Caller, ...]  # uses of changed definitions
    findings: tuple[dict[str, object], ...]  # findings of gates, each with its gate
    unchecked: tuple[str, ...]  # notes on what was not checked


def describe_transaction(ws: Workspace, staged: Change) -> bytes:
    current = result.result_of(staged)
    facts = current.facts
    rows = TransactionDescription(
        tx=staged.id,
        target=short_branch_name(staged.meta.branch),
        message=staged.meta.message,
        base=staged.meta.base,
        head=staged.head,
        diff=current.patch.diff,
        paths=tuple(row.path for row in current.patch.rows),
        intents=facts.intents,
        affected=facts.affected or (),
        callers=tuple(_iter_callers(ws, staged, facts.intents)),
        findings=tuple(
            {"gate": gate.name, **msgspec.structs.asdict(found)}
            for gate in facts.gates
            for found in gate.findings
        ),
        unchecked=facts.unchecked,
    )
    return msgspec.json.encode(make_json_safe(msgspec.to_builtins(rows)))


def _iter_callers(ws: Workspace, staged: Change, intents: tuple[IntentRow, ...]) -> Iterator[Caller]:
    """Yield the uses of changed definitions that still exist, in languages with name resolution."""
    outcome = static_gates.outcome_between(ws.snapshot(staged.meta.base), staged.files)
    resolver = Resolver(Files(outcome.overlay, outcome.read), dialect)
    changed = [row for row in intents if row.kind not in ("add", "delete")]
    for row in changed[:_MOST]:
        symbol = row.to or row.symbol
        if len(list(resolver.files.holding(symbol.rpartition(".")[2]))) > _MOST_FILES:
            continue
        try:
            _, uses = definition_impact.find_uses(resolver, row.path, symbol)
        except (ScalpelError, RecursionError):
            continue
        for each in uses:
            yield Caller(symbol, quote_path(each.path), resolver.line(each.path, each.mention.start))


_HOW = "add [[suggest]] with name and run to .gitscalpel.toml"


class Suggestion(msgspec.Struct, frozen=True):
    """Suggestion of one command."""

    name: str
    result: Result | None = None  # the new transaction, or None
    # reason why there is no transaction, or a failed gate of it; None otherwise
    error: ScalpelError | None = None


def suggest(ws: Workspace, staged: Change, only: str | None = None) -> list[Suggestion]:
    """Run every command that a transaction concerns, or the named one, and stage the suggestions.

    Raises:
        DoesNotFit: ``no_change``: the transaction is empty.
        BadCall: ``invalid_args``: the rules name no such command.
        NotAllowed: ``untrusted``.
    """
    if not staged.files:
        raise DoesNotFit("no_change", f"transaction {staged.id} changes nothing", "edit in it first")
    rules = ws.at(staged.meta.branch).rules
    chosen = _select_commands(rules, only)
    require_trusted(ws, staged.meta.branch, rules)
    concerned = [each for each in chosen if only or _concerns(each, staged)]
    about = describe_transaction(ws, staged) if concerned else b""
    return [_run_and_stage(ws, staged, rules, each, about) for each in concerned]


def _select_commands(rules: Rules, only: str | None) -> list[Suggest]:
    found = [each for each in rules.suggest if only in (None, each.name)]
    if found:
        return found
    names = ", ".join(each.name for each in rules.suggest)
    raise BadCall(
        "invalid_args",
        f"no such suggest command: {only}" if names else "the rules name no suggest command",
        f"choose one of {names}, or leave {arg('only')} out" if names else _HOW,
    )


def _concerns(suggest: Suggest, staged: Change) -> bool:
    if not suggest.paths:
        return True
    globs = Globs(suggest.paths)
    return any(globs.concern(each, anywhere=True) for each in staged.files)


def _run_and_stage(ws: Workspace, staged: Change, rules: Rules, suggest: Suggest, about: bytes) -> Suggestion:
    ws.progress(f"asking {suggest.name}")
    try:
        printed = run_suggest_command(ws, staged, rules, suggest, about)
        if not printed.strip():
            return Suggestion(suggest.name)
        suggested = _stage(ws, staged, suggest, _parse_output(suggest, staged, printed))
    except ScalpelError as error:
        return Suggestion(suggest.name, error=error)
    try:
        return Suggestion(suggest.name, result.result_of(gate_runner.check(ws, suggested)))
    except ScalpelError as error:  # it stays, with the gate's verdict recorded
        return Suggestion(suggest.name, result.result_of(suggested.refresh(ws)), error)


def _parse_output(suggest: Suggest, staged: Change, printed: bytes) -> Changeset:
    """Return the changeset that a command printed, without author and target, which are not its choice."""
    try:
        changeset = parse_changeset(printed)
    except BadCall as error:
        raise _output_error(suggest, f"its output is not a changeset: {error.message}", error.hint) from error
    if changeset.onto is not None or changeset.request_id is not None or changeset.allow_broken:
        keys = "onto, request_id and allow_broken"
        raise _output_error(suggest, f"a suggestion cannot set {keys}", "leave them out of its output")
    text = changeset.message or f"Suggestion of {suggest.name}"
    message = f"{text.rstrip()}\n\nSuggested by {suggest.name} for transaction {staged.id}."
    return msgspec.structs.replace(changeset, message=message, author=None, mails=())


def _stage(ws: Workspace, staged: Change, suggest: Suggest, changeset: Changeset) -> Change:
    """Return the changeset as a transaction on the one that it answers, under the rules of the branch."""
    branch = staged.meta.branch
    above = msgspec.structs.replace(ws.target_at(branch, staged.head), read_rules=lambda: ws.at(branch).rules)
    try:
        change = build.build(ws, changeset, above)
    except ScalpelError as error:
        problem = f"its suggestion is rejected: {error.code}: {error.message}"
        raise _output_error(suggest, problem, error.hint) from error
    meta = change.meta.but(answers=staged.id, agent=f"suggest {suggest.name}")
    return _find_earlier(ws, change, meta) or staging.open_transaction(ws, change.with_meta(ws, meta), above)


def _find_earlier(ws: Workspace, change: Change, meta: Meta) -> Change | None:
    """Return the same suggestion if it is open already, since a command may run again."""
    tree = change.tree(ws)
    return next(
        (
            each
            for each in list_open_changes(ws)
            if (each.meta.answers, each.meta.agent) == (meta.answers, meta.agent)
            and (each.meta.base, each.tree(ws)) == (meta.base, tree)
        ),
        None,
    )


def _output_error(suggest: Suggest, problem: str, hint: str) -> GateRefused:
    return GateRefused("gate_failed", f"suggest {suggest.name}: {problem}", hint, suggest=suggest.name)
