"""Commands init, deinit, doctor, fsck, gc, recover, trust and serve.

``deinit`` undoes ``init``, except for files that have changed since. ``gc`` limits disk usage: it expires
old content, removes surplus worktrees and packs objects and refs. ``serve`` runs the server behind the
command line in the foreground. Otherwise the first call that finds no server starts one.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from gitscalpel.agents import install
from gitscalpel.api import (
    Check,
    Count,
    Damaged,
    Finding,
    Item,
    Misconfigured,
    Swept,
    TryAgain,
    changeset,
    doctor,
)
from gitscalpel.changesets.answers import CHECKOUT
from gitscalpel.commands.reply import (
    Caller,
    CommandRequest,
    Reply,
    ReplyText,
    ShellServices,
    describe_field,
    plain_text,
)
from gitscalpel.errors.messages import Spelling, action
from gitscalpel.server import client, start_stop
from gitscalpel.server.fork_server import Server


class InitRequest(CommandRequest, frozen=True, kw_only=True):
    """Optional parts to install."""

    examples = ("", "--hooks")

    hooks: Annotated[
        bool, describe_field("Also install the git hooks; existing hooks still run, and run first.")
    ] = False
    agents: Annotated[bool, describe_field("Also install hooks and a skill for Claude Code and Codex.")] = (
        False
    )


class InitAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """State of the configuration, hooks and agent settings."""

    configuration: str
    languages: dict[str, int]
    found: dict[str, str]
    framework: bool
    hooks: dict[str, str]
    agents: tuple[str, ...] | UnsetType = UNSET


def perform_init(caller: Caller, request: InitRequest) -> Reply:
    """Set up the repository."""
    wanted = list(install.install_operations(caller.views.view(CHECKOUT))) if request.agents else []
    _check_operations(caller, wanted)
    done = caller.hooks.init(hooks=request.hooks)
    return init_reply(
        done, apply_to_checkout(caller, wanted, "Agents send their events") if request.agents else UNSET
    )


def _check_operations(caller: Caller, wanted: Sequence[dict[str, Any]]) -> None:
    """Raise the errors of :func:`apply_to_checkout` before anything is written."""
    if wanted:
        caller.edits.apply(changeset(*wanted), onto=CHECKOUT, dry_run=True)


def apply_to_checkout(caller: Caller, wanted: Sequence[dict[str, Any]], message: str) -> tuple[str, ...]:
    """Apply operations to the checkout as one step, and return the changed files."""
    if not wanted:
        return ()
    done = caller.edits.apply(changeset(*wanted, message=message), onto=CHECKOUT)
    return tuple(row.path for row in done.patch.rows)


def init_reply(done: Any, agents: tuple[str, ...] | UnsetType) -> Reply:
    """Return the reply for ``init`` and ``deinit``."""
    answer = InitAnswer(**msgspec.structs.asdict(done), agents=agents)
    languages = ", ".join(f"{name} ({count})" for name, count in answer.languages.items())
    lines = [
        f".gitscalpel.toml: {answer.configuration}",
        f"languages that can be judged: {languages or 'none'}",
        *(f"hook found: {name} ({whose})" for name, whose in answer.found.items()),
        *(f"hook {name}: {words}" for name, words in answer.hooks.items()),
    ]
    if agents is not UNSET:
        lines += [f"agents: {path} changed" for path in agents or ()]
        lines += [] if agents else ["agents: nothing to change"]
    if answer.framework:
        lines += [
            ".pre-commit-config.yaml is there: scalpel-check and the like can go into it (topic: hooks)"
        ]
    following = (action("undo"),) if agents else ()
    return Reply(answer, plain_text("\n".join(lines)), next=following)


DeinitAnswer = InitAnswer


class DeinitRequest(CommandRequest, frozen=True, kw_only=True):
    """Optional parts to remove."""

    examples = ("", "--hooks")

    hooks: Annotated[bool, describe_field("Also uninstall the git hooks and restore the previous ones.")] = (
        False
    )
    agents: Annotated[bool, describe_field("Also uninstall the hooks and the skill for agents.")] = False


def perform_deinit(caller: Caller, request: DeinitRequest) -> Reply:
    """Undo ``init``."""
    wanted = list(install.remove_operations(caller.views.view(CHECKOUT))) if request.agents else []
    done = caller.hooks.deinit(hooks=request.hooks)
    return init_reply(
        done, apply_to_checkout(caller, wanted, "Agents send no events") if request.agents else UNSET
    )


class DoctorRequest(CommandRequest, frozen=True, kw_only=True):
    """No arguments."""

    examples = ("", "--json")


class CheckRow(msgspec.Struct, frozen=True, kw_only=True):
    """Result of one check."""

    name: str
    ok: bool
    says: str
    hint: str


class DoctorAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Results of all checks."""

    checks: tuple[CheckRow, ...]


def perform_doctor(caller: Caller, request: DoctorRequest) -> Reply:
    """Check the environment."""
    del request
    checks = doctor(spelling=caller.spelling)
    rows = tuple(CheckRow(name=c.name, ok=c.code is None, says=c.says, hint=c.hint) for c in checks)
    answer = DoctorAnswer(checks=rows)
    bad = next((check for check in checks if check.code is not None), None)
    wrong = None
    if bad is not None:
        said = f"{bad.name}: {bad.says}"
        wrong = Misconfigured(str(bad.code), said, bad.hint, **msgspec.to_builtins(answer))

    def words(_: Spelling) -> ReplyText:
        return ReplyText("\n".join(map(_check_line, checks)))

    return Reply(answer, words, wrong=wrong)


def _check_line(check: Check) -> str:
    hint = f" ({check.hint})" if check.hint else ""
    return f"{'ok ' if check.code is None else 'BAD'}  {check.name}: {check.says}{hint}"


class FsckRequest(CommandRequest, frozen=True, kw_only=True):
    """Thoroughness of the search."""

    examples = ("", "--full")

    full: Annotated[
        bool, describe_field("Read the content of every object, not only the links between objects.")
    ] = False


class FsckAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Damage and leftovers that were found."""

    findings: tuple[Finding, ...]


def perform_fsck(caller: Caller, request: FsckRequest) -> Reply:
    """Search for damage."""
    findings = caller.maintenance.fsck(full=request.full)
    answer = FsckAnswer(findings=tuple(findings))
    damage = [finding for finding in findings if finding.level == "damage"]
    wrong = None
    if damage:
        first = damage[0]
        says = f"{len(damage)} damaged: {first.what} {first.name}: {first.says}"
        wrong = Damaged("corrupt", says, first.hint, **msgspec.to_builtins(answer))

    def words(_: Spelling) -> ReplyText:
        lines = [f"{f.level}: {f.what} {f.name}: {f.says}\n  {f.hint}" for f in findings]
        return ReplyText("\n".join(lines) or "nothing is damaged")

    return Reply(answer, words, wrong=wrong)


class GcRequest(CommandRequest, frozen=True, kw_only=True):
    """Extent of the cleanup."""

    examples = ("", "--dry-run")

    dry_run: Annotated[bool, describe_field("Print what would be removed and change nothing.")] = False
    quarantine: Annotated[
        bool, describe_field("Also remove files that were quarantined more than 30 days ago.")
    ] = False


class SweptRow(msgspec.Struct, frozen=True, kw_only=True):
    """Something removed or left, with the reason; ``kept`` is where its content is kept."""

    kind: str
    name: str
    why: str
    bytes: int
    kept: str | UnsetType = UNSET


class ObjectCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Number of objects before and after."""

    before: Count
    after: Count


class GcAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Result of the cleanup, or its plan; ``freed`` is in bytes."""

    dry_run: bool
    removed: tuple[SweptRow, ...]
    left: tuple[SweptRow, ...]
    objects: ObjectCounts
    freed: int


def perform_gc(caller: Caller, request: GcRequest) -> Reply:
    """Clean up."""
    swept = caller.maintenance.gc(dry_run=request.dry_run, quarantine=request.quarantine)
    answer = GcAnswer(
        dry_run=swept.dry_run,
        removed=tuple(_swept_row(item) for item in swept.items if item.removed),
        left=tuple(_swept_row(item) for item in swept.items if not item.removed),
        objects=ObjectCounts(before=swept.before, after=swept.after),
        freed=swept.freed,
    )
    return Reply(answer, plain_text("\n".join(_gc_lines(swept))))


def _swept_row(item: Item) -> SweptRow:
    return SweptRow(kind=item.kind, name=item.name, why=item.why, bytes=item.bytes, kept=item.kept or UNSET)


def _gc_lines(swept: Swept) -> list[str]:
    would = "would be " if swept.dry_run else ""
    lines = []
    for item in swept.items:
        what = f"{would}removed" if item.removed else "stays"
        kept = f"; what was left in it is kept as {item.kept}" if item.kept else ""
        lines.append(f"{what}: {item.kind} {item.name}: {item.why}{kept}")
    loose = f"{swept.before.loose} loose objects before, {swept.after.loose} now"
    return [*lines, f"{swept.before.loose} loose objects" if swept.dry_run else loose, _freed_text(swept)]


def _freed_text(swept: Swept) -> str:
    if swept.dry_run:
        return f"would free {swept.freed} bytes, and what packing saves"
    return f"freed {swept.freed} bytes" if swept.freed >= 0 else f"took {-swept.freed} bytes"


class RecoverRequest(CommandRequest, frozen=True, kw_only=True):
    """Journal to follow, if not the repository's own."""

    examples = ("", "--json")

    take_over: Annotated[
        str | None,
        describe_field(
            "Journal file to follow although another user, or you under another secret, wrote it.",
            "FILE",
        ),
    ] = None


class RecoverAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Actions taken; ``recovery`` is the state before them, as ``status`` reports it."""

    done: tuple[str, ...]
    message: str
    recovery: str


def perform_recover(caller: Caller, request: RecoverRequest) -> Reply:
    """Recover from interrupted commands."""
    found = caller.history.status().recovery
    done = caller.maintenance.recover(None if request.take_over is None else Path(request.take_over))
    words = done or ["nothing to recover"]
    answer = RecoverAnswer(done=tuple(done), message="; ".join(words), recovery=found)
    return Reply(answer, plain_text("\n".join(words)))


class TrustRequest(CommandRequest, frozen=True, kw_only=True):
    """Change to the trust in the repository's programs."""

    examples = ("--list", "--revoke")

    list: Annotated[bool, describe_field("List the programs and trust none.")] = False
    revoke: Annotated[bool, describe_field("Withdraw the trust in all programs.")] = False
    onto: Annotated[
        str | None,
        describe_field("Branch whose programs are trusted besides those of the current branch.", "BRANCH"),
    ] = None


class ProgramRow(msgspec.Struct, frozen=True, kw_only=True):
    """A program, and the file or setting that names it."""

    where: str
    what: str
    trusted: bool


class TrustAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The programs that the repository names."""

    programs: tuple[ProgramRow, ...]


def perform_trust(caller: Caller, request: TrustRequest) -> Reply:
    """Trust the repository's programs, revoke the trust, or list them."""
    repo = caller.maintenance
    if request.revoke:
        repo.distrust()
    elif not request.list:
        repo.trust(request.onto)
    programs = repo.programs(request.onto)
    rows = tuple(ProgramRow(where=p.where, what=p.what, trusted=trusted) for p, trusted in programs)
    lines = [f"{'trusted' if row.trusted else 'NOT trusted'}  {row.where}: {row.what}" for row in rows]
    return Reply(
        TrustAnswer(programs=rows), plain_text("\n".join(lines) or "this repository names no programs")
    )


class ServeRequest(CommandRequest, frozen=True, kw_only=True):
    """Options of the server."""

    examples = ("", "--stop")

    idle: Annotated[
        float,
        describe_field(
            "Seconds without a call after which the server stops (default: 600).", metavar="SECONDS"
        ),
    ] = 600.0
    stop: Annotated[
        bool, describe_field("Stop the running server after it has finished its current calls.")
    ] = False


class ServeAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """State of the server.

    ``ended`` after ``calls`` calls, ``there`` if process ``pid`` already serves, ``stopped``, or ``none``
    if there was none to stop.
    """

    state: str
    pid: int | None = None
    calls: int = 0


def perform_serve(caller: Caller, request: ServeRequest) -> Reply:
    """Run the server, or stop the running one."""
    shell = caller.shell
    environment = shell.environment
    if not client.may_use_server(environment):
        raise Misconfigured(
            "unavailable",
            "the server is not used in this environment",
            f"run it on Linux, outside CI, and unset {client.VARIABLE} and variables "
            "that change what is loaded",
        )
    if request.stop:
        return _stop(environment)
    there = client.find_server_pid(environment)
    return _serve(shell, request.idle) if there is None else _already_running(there)


def _serve(typed: ShellServices, idle: float) -> Reply:
    server = Server(typed.environment, typed.main, typed.prepare, idle)
    end = time.monotonic() + start_stop.PATIENCE_S
    while not server.run():  # another server starts, runs or ends
        if (pid := client.find_server_pid(typed.environment)) is not None:
            return _already_running(pid)
        if time.monotonic() > end:
            raise TryAgain("busy", "another server is starting or stopping", "try again in a moment")
        time.sleep(_PAUSE_S)
    answer = ServeAnswer(state="ended", pid=os.getpid(), calls=server.calls)
    return Reply(answer, plain_text(f"{server.calls} calls served"))


_PAUSE_S = 0.05
"""Seconds between two checks of a server that starts or ends."""


def _already_running(pid: int) -> Reply:
    return Reply(ServeAnswer(state="there", pid=pid), plain_text(f"process {pid} is already the server"))


def _stop(environment: Mapping[str, str]) -> Reply:
    told = start_stop.stop_all(environment)
    if not told:
        return Reply(ServeAnswer(state="none"), plain_text("there is none"))
    pid = client.find_server_pid(environment)
    if pid is not None:
        words = f"process {pid} is still accepting calls"
        raise TryAgain("busy", words, f"try again, or end it with `kill {pid}`")
    lines = (
        f"process {each} takes no more calls"
        + (", and finishes those that it has" * start_stop.is_running(each))
        for each in told
    )
    return Reply(ServeAnswer(state="stopped", pid=told[-1]), plain_text("\n".join(lines)))
