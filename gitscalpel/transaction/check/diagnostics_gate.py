"""The gate ``diagnostics``: new problems that language servers and linters report, and fixes for them.

Only servers that the user has installed are asked. Linters are the team's commands with an ``output`` format.
Problems of the old and the new tree are compared, in the files that change and in those that use them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, cached_property, partial
from pathlib import Path, PurePosixPath

import msgspec

from gitscalpel.changesets.answers import DiagnosticRow, Fix, Fixes, OfferedFix, quote_path
from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, Changes, Entry, Oid, Overlay, read_content
from gitscalpel.changesets.operations import Patch
from gitscalpel.changesets.rules import Command, Rules, parse_duration
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.edit.outcome import Outcome
from gitscalpel.edit.unified_diff import Renames, describe_changes
from gitscalpel.errors import DoesNotFit, GateIndeterminate, GateRefused, ScalpelError
from gitscalpel.gates import command_run, command_verdict, diagnostics
from gitscalpel.gates.command_run import CommandResult
from gitscalpel.gates.diagnostics import NAME, Diagnostic, ReadText, Remedy, ToolReport, new_diagnostics
from gitscalpel.gates.verdict import Verdict
from gitscalpel.git.snapshots import TreeSnapshot
from gitscalpel.language_servers.client import SERVERS, Server, choose_trusted_server
from gitscalpel.language_servers.diagnostics import ServerAnswer, ask_for_diagnostics
from gitscalpel.syntax.languages import Language, recognise
from gitscalpel.system import serialization
from gitscalpel.transaction import static_gates, worktree
from gitscalpel.transaction.change import Change, diff_trees
from gitscalpel.transaction.check import command_gate
from gitscalpel.transaction.check.command_gate import (
    CommandChecks,
    EndedCommand,
    Known,
    checkout_settings,
    make_file_test,
)
from gitscalpel.transaction.check.executors import gate_worktree
from gitscalpel.transaction.gate_result import GateRequest, GateResult
from gitscalpel.transaction.worktree import furnish, require_trusted
from gitscalpel.workspace.workspace import Target, Workspace


class TreeChange(msgspec.Struct, frozen=True, dict=True):
    """A change of one tree into another."""

    ws: Workspace
    change: Change
    target: Target
    after: Oid  # the new tree: that of ``change``, or one with fixes applied
    fresh: bool = False  # True to ignore cached answers

    @cached_property
    def before(self) -> Oid | None:
        return self.ws.store.tree_of(self.change.meta.base)

    @cached_property
    def files(self) -> Changes:
        return diff_trees(self.ws, self.before, self.after)

    @cached_property
    def outcome(self) -> Outcome:
        return static_gates.outcome_between(self.ws.snapshot(self.change.meta.base), self.files)

    @cached_property
    def origins(self) -> dict[str, str]:
        """Old paths of renamed files, by new path."""
        return Renames(self.outcome).origins

    @property
    def texts(self) -> tuple[ReadText, ReadText]:
        after = TreeSnapshot(self.ws.store, self.ws.repo.git, self.after)
        before = self.outcome.overlay.below
        return lambda path: read_content(before, path), lambda path: read_content(after, path)


_MAX_FILES = 150
"""Maximum number of files to search for users of a name."""
_MAX_NAMES = 40
"""Maximum number of names whose users are searched."""


class AffectedFiles(msgspec.Struct, frozen=True):
    """Files that a change affects."""

    changed: dict[str, Language | None]  # changed paths that are files after the change, with their languages
    users: dict[str, Language]  # other files that use a changed name, with their languages
    origins: dict[str, str]  # old paths of renamed files, by new path
    notes: tuple[str, ...]  # notes on names whose users were not searched


FindServer = Callable[[Language], "str | None"]
"""Returns the name of the server for a language. None if there is none."""


def find_affected_files(outcome: Outcome, by: FindServer) -> AffectedFiles:
    """Return the files that a change affects. Users of a name are files that the same server reads."""
    origins = Renames(outcome).origins
    overlay = outcome.overlay
    remaining = [each.path for each in outcome.changes if _is_file(each.new)]
    changed = {path: recognise(path, overlay.content(path) or b"") for path in remaining}
    words = list(dict.fromkeys(_iter_changed_names(outcome, origins, by)))
    users: dict[str, Language] = {}
    notes = [f"skipped: uses of {word}: too much has changed" for _, word in words[_MAX_NAMES:]]
    for server, word in words[:_MAX_NAMES]:
        found = [path for path in overlay.mentions(word) if path not in changed and path not in users]
        if len(found) > _MAX_FILES:
            notes.append(f"skipped: uses of {word}: {len(found)} files contain it")
            continue
        whole = re.compile(rb"(?<!\w)%s(?!\w)" % re.escape(word.encode("utf-8", "surrogateescape")))
        for path in found:
            content = overlay.content(path) if _is_file(overlay.entry(path)) else None
            language = recognise(path, content) if content is not None else None
            if language is not None and by(language) == server and whole.search(content or b""):
                users[path] = language
    return AffectedFiles(changed, users, origins, tuple(notes))


def _iter_changed_names(
    outcome: Outcome, origins: dict[str, str], by: FindServer
) -> Iterator[tuple[str, str]]:
    """Yield the names of changed definitions and moved modules, each with its server.

    A changed body counts as well, because a server may infer the type of the result from it.
    """
    overlay = outcome.overlay
    for change in outcome.changes:
        old = origins.get(change.path, change.path)
        texts = overlay.before(old), overlay.content(change.path)
        language = recognise(change.path, texts[1] or texts[0] or b"")
        server = by(language) if language is not None else None
        if server is None:
            continue
        if change.new is None:
            yield server, _module_name(change.path)
        for intent in outcome.intents(change.path, *texts):
            if intent.kind != "add":
                yield server, re.sub(r"\[\d+\]$", "", intent.symbol).rpartition(".")[2]


def _module_name(path: str) -> str:
    """Return the name by which other files import a file."""
    name = PurePosixPath(path)
    return name.parent.name if name.stem in ("__init__", "index", "mod") and name.parent.name else name.stem


def _is_file(entry: Entry | None) -> bool:
    return entry is not None and entry.mode in (REGULAR, EXECUTABLE)


class _ParsedOutput(msgspec.Struct, frozen=True):
    """Diagnostics parsed from the output of a command, or the reason why it cannot be used."""

    diagnostics: tuple[Diagnostic, ...] = ()
    error: ScalpelError | None = None


def command_diagnostics(trees: TreeChange) -> Iterator[ToolReport]:
    """Yield the result of each command that the change concerns.

    Raises:
        NotAllowed: ``untrusted``.
        ScalpelError: a worktree cannot be prepared, or the cluster does not answer.
    """
    ws, target = trees.ws, trees.target
    gates = target.rules.gates.diagnostic_commands
    if not gates:
        return
    require_trusted(ws, trees.change.meta.branch, target.rules)
    checks = CommandChecks(ws, trees.change, target, trees.files, fresh=trees.fresh)
    seen_tree = command_gate.pin_files(ws, target, trees.files, trees.after)
    after = checks.on(seen_tree, gates, set())
    results = {
        gate.name: (each, _parse_output(gate, each, make_file_test(ws, trees.after)))
        for gate in gates
        if isinstance(each := after[gate.name], EndedCommand)
    }
    rechecked = [gate for gate in gates if gate.name in results and results[gate.name][1].diagnostics]
    before = checks.on(trees.before, rechecked, set()) if rechecked and trees.before else {}
    for gate in gates:
        if gate.name in results:
            ended, read = results[gate.name]
            report = _make_report(trees, gate, read, before.get(gate.name))
            about = frozenset(command_run.concerned_paths(gate, trees.files))
            yield msgspec.structs.replace(report, about=about, where=ended.ran.where, cached=ended.cached)


def _make_report(trees: TreeChange, gate: Command, read: _ParsedOutput, before: Known | None) -> ToolReport:
    if read.error is not None:
        return ToolReport(by=gate.name, silent=read.error.message, error=read.error)
    if not read.diagnostics:
        return ToolReport(by=gate.name, new=())
    old_output = _ParsedOutput()
    if isinstance(before, EndedCommand) and trees.before:
        old_output = _parse_output(gate, before, make_file_test(trees.ws, trees.before))
    if old_output.error is not None:
        error = GateIndeterminate(
            "gate_indeterminate",
            f"{gate.name} reports {len(read.diagnostics)}, but cannot tell which of them are new, since "
            f"it failed on the old tree: {old_output.error.message}",
            "fix the command for the target branch",
            gate=gate.name,
        )
        return ToolReport(by=gate.name, silent=error.message, error=error)
    return ToolReport(
        by=gate.name,
        new=tuple(diagnostics.find_new(read.diagnostics, old_output.diagnostics, trees.texts, trees.origins)),
    )


def _parse_output(gate: Command, ended: EndedCommand, exists: Callable[[str], bool]) -> _ParsedOutput:
    ran = ended.ran
    stopped = command_verdict.incomplete_run_error(gate, ran)
    if stopped is not None:
        return _ParsedOutput(error=stopped)
    found = diagnostics.read_output(ran.output, gate.output or "auto", exists) if ran.whole else None
    if found or (found is not None and ran.how == "passed"):
        return _ParsedOutput(found)
    shown, details = command_verdict.format_output(gate, ran)
    why = "it printed more than is kept" if not ran.whole else "nothing in what it printed is a diagnostic"
    return _ParsedOutput(
        error=GateRefused(
            "diagnostics_failed",
            f"{gate.name} ended with exit status {ran.status}, and {why}{shown}",
            f"print diagnostics in the format that gates.command names as its output ({gate.output})",
            **details,
        )
    )


PATIENCE = 60.0
"""Timeout in seconds of a server for one tree."""
_CACHE_FORMAT = 1
"""Version of the format of cached answers."""
_VENV = ".venv"


class _CachedAnswer(msgspec.Struct, frozen=True):
    found: tuple[Diagnostic, ...]


def server_diagnostics(trees: TreeChange, server: Server, paths: Mapping[str, str]) -> ToolReport:
    """Return the result of a server for files, which are given as languages by path.

    Raises:
        ScalpelError: a worktree cannot be prepared.
    """
    about = frozenset(paths)
    after, cached = _ask_server(trees, server, trees.after, paths)
    if after.found is None:
        return ToolReport(by=server.name, silent=after.silent, about=about)
    if not after.found or trees.before is None:
        return ToolReport(by=server.name, new=after.found, about=about, cached=cached)
    olds = {trees.origins.get(path, path): language for path, language in paths.items()}
    before, _ = _ask_server(trees, server, trees.before, olds)
    if before.found is None:
        return ToolReport(by=server.name, silent=f"of the tree before: {before.silent}", about=about)
    new = diagnostics.find_new(after.found, before.found, trees.texts, trees.origins)
    return ToolReport(by=server.name, new=tuple(new), about=about, cached=cached)


def _ask_server(
    trees: TreeChange, server: Server, tree: Oid, paths: Mapping[str, str]
) -> tuple[ServerAnswer, bool]:
    """Return the answer of a server for files of a tree, and whether it was cached."""
    texts = dict(_iter_texts(trees, tree, paths))
    if not texts:
        return ServerAnswer(()), True
    ws = trees.ws
    digest = _cache_key(trees, server, tree, texts)
    longest = parse_duration(trees.target.rules.gates.remember)
    cached_verdict = (
        None if trees.fresh else command_verdict.recall_verdict(ws.repo.scalpel_dir, digest, longest)
    )
    if cached_verdict is not None:
        return ServerAnswer(serialization.decode(cached_verdict.output.encode(), _CachedAnswer).found), True
    ws.progress(f"asking {server.name}")
    change, rules = trees.change, trees.target.rules
    ready = partial(furnish, ws, branch=change.meta.branch, rules=rules)
    base = worktree.base_commit(ws, change)
    with gate_worktree(ws, change.id, base, tree, ready, caches=rules.gates.caches) as place:
        environment = {**place.repo.git.outer(), **_python_environment(trees)}
        answer = ask_for_diagnostics(server, place.root, environment, texts, PATIENCE)
    if answer.found is not None:
        output = msgspec.json.encode(_CachedAnswer(answer.found)).decode()
        command_verdict.remember_verdict(
            ws.repo.scalpel_dir, digest, CommandResult(how="passed", status=0, output=output, seconds=0.0)
        )
    return answer, False


def _iter_texts(
    trees: TreeChange, tree: Oid, paths: Mapping[str, str]
) -> Iterator[tuple[str, tuple[str, bytes]]]:
    text = trees.texts[tree == trees.after]
    for path, language in paths.items():
        content = text(path)
        if content is not None:
            yield path, (language, trees.outcome.read(path, content).document.text)


def _cache_key(trees: TreeChange, server: Server, tree: Oid, paths: Iterable[str]) -> str:
    ws, gates = trees.ws, trees.target.rules.gates
    checkout = ws.repo.work_tree
    names = {*gates.shared, *([_VENV] if _python_environment(trees) else [])}
    shared = {name: checkout / name for name in names} if checkout else {}
    settings = [
        "diagnostics",
        _CACHE_FORMAT,
        server.settings,
        sorted(paths),
        gates.setup,
        _python_environment(trees),
    ]
    settings += checkout_settings(ws.repo.config)
    return command_verdict.verdict_key(
        tree=tree, line=" ".join(server.words), settings=settings, shared=shared, outer=ws.repo.git.outer()
    )


def _python_environment(trees: TreeChange) -> dict[str, str]:
    """Return the variable that selects the checkout's virtual environment, as worktrees have none."""
    checkout = trees.ws.repo.work_tree
    named = trees.ws.repo.git.outer().get("VIRTUAL_ENV")
    if named or checkout is None or not Path(checkout / _VENV / "pyvenv.cfg").is_file():
        return {}
    return {"VIRTUAL_ENV": str(checkout / _VENV)}


_MAX_ROUNDS = 5
"""Maximum number of rounds of fixing and checking again."""
_MAX_NAMED = 5


class _Judgement(msgspec.Struct, frozen=True):
    reports: tuple[ToolReport, ...]
    verdict: Verdict


def pending(_ws: Workspace, _rules: Rules, outcome: Outcome) -> Iterator[str]:
    if outcome.changes:
        yield f"gates.{NAME} has not run yet; it runs on check or land"


def judge(ws: Workspace, change: Change, request: GateRequest) -> GateResult | None:
    """Return the verdict on a change, after applying the fixes that are safe and unambiguous.

    Raises:
        NotAllowed: ``untrusted``: a command is not trusted.
        ScalpelError: a worktree cannot be prepared.
    """
    target = ws.at(change.meta.branch)
    level = target.rules.gates.diagnostics
    began = time.monotonic()
    fresh = request.fresh or ws.session.environment.get(command_verdict.FRESH_VARIABLE) == "1"
    trees = TreeChange(ws, change, target, change.tree(ws), fresh)
    judged = _judge_trees(trees)
    fixed: tuple[Fix, ...] = ()
    if judged.verdict.error is not None and level == "new-errors" and request.fix:
        mended, after, fixed = _apply_fixes(trees, judged)
        if after.verdict.error is None:
            trees, judged = mended, after
        else:
            fixed = ()  # the author has to look at the change anyway, so leave it unmodified
    is_cached = all(each.cached for each in judged.reports) and judged.verdict.error is None
    if is_cached and change.knows(NAME) and not request.again:
        return None
    remaining = diagnostics.remaining_rows(diagnostics.new_diagnostics(judged.reports))
    verdict = msgspec.structs.replace(judged.verdict, seconds=round(time.monotonic() - began, 4))
    return GateResult((verdict,), tree=trees.after, fixed=fixed or None, remaining=remaining)


def collect_reports(trees: TreeChange) -> tuple[ToolReport, ...]:
    """Return the results of all tools on a change, at any level of the gate; raises as :func:`judge` does."""
    return _judge_trees(trees).reports


def _judge_trees(trees: TreeChange) -> _Judgement:
    servers: dict[str, Server] = {}

    @cache
    def by(language: Language) -> str | None:
        server = choose_trusted_server(language.name, trees.ws.repo, trees.ws.session.environment)
        return servers.setdefault(server.name, server).name if server else None

    about = find_affected_files(trees.outcome, by)
    paths_by_server: dict[str, dict[str, str]] = {}
    for path, language in {**about.changed, **about.users}.items():
        name = by(language) if language is not None else None
        if name is not None and language is not None:
            paths_by_server.setdefault(name, {})[path] = language.name
    reports = [server_diagnostics(trees, servers[name], paths) for name, paths in paths_by_server.items()]
    reports += command_diagnostics(trees)
    unchecked = (*_iter_unchecked(about, reports), *about.notes)
    return _Judgement(
        tuple(reports), diagnostics.judge_reports(trees.target.rules.gates.diagnostics, reports, unchecked)
    )


def _iter_unchecked(about: AffectedFiles, reports: list[ToolReport]) -> Iterator[str]:
    seen = {path for each in reports for path in each.about}
    by_reason: dict[str, list[str]] = {}
    for path, language in about.changed.items():
        if path not in seen:
            name = language.name if language is not None else ""
            known = any(name in each.languages for each in SERVERS)
            why = f"no language server for {name} is installed" if known else "no language server is known"
            by_reason.setdefault(why, []).append(quote_path(path))
    for why, paths in by_reason.items():
        more = f" and {len(paths) - _MAX_NAMED} more" if len(paths) > _MAX_NAMED else ""
        yield f"{why}, and no command with an output checks {', '.join(paths[:_MAX_NAMED])}{more}"
    if not about.changed and not reports:
        yield "no changed file is left, and no file is known to use it"


def _apply_fixes(trees: TreeChange, judged: _Judgement) -> tuple[TreeChange, _Judgement, tuple[Fix, ...]]:
    """Return the tree with safe fixes applied, its judgement, and the fixes."""
    done: list[Fix] = []
    for _ in range(_MAX_ROUNDS):
        new = [each for each in diagnostics.new_diagnostics(judged.reports) if each.severity == "error"]
        within = {each.path for each in trees.files}
        files = TreeSnapshot(trees.ws.store, trees.ws.repo.git, trees.after)
        overlay, fixes = diagnostics.apply_safe_fixes(new, files, within)
        if not fixes:
            break
        for content in overlay.fresh:
            trees.ws.store.write_blob(content)
        rows = [(each.path, each.new) for each in overlay.changes]
        tree: Oid = trees.ws.store.write_tree(trees.after, rows)
        done += fixes
        trees = TreeChange(trees.ws, trees.change, trees.target, tree, trees.fresh)
        judged = _judge_trees(trees)
        if judged.verdict.error is None:
            break
    return trees, judged, tuple(done)


class _NumberedFixes:
    """Fixes of one tree, numbered from 1 in the order of files and lines."""

    def __init__(self, trees: TreeChange) -> None:
        self._files = TreeSnapshot(trees.ws.store, trees.ws.repo.git, trees.after)
        self._make_report = collect_reports(trees)
        self.patches: dict[int, Patch] = {}

    def rows(self) -> Fixes:
        rows = []
        for each in sorted(
            new_diagnostics(self._make_report), key=lambda each: (each.path, each.line, each.column)
        ):
            fixes = tuple(fix for remedy in each.remedies if (fix := self._offer_fix(each, remedy)))
            by = next((report.by for report in self._make_report if each in (report.new or ())), "")
            rows.append(
                DiagnosticRow(
                    path=quote_path(each.path),
                    line=each.line,
                    column=each.column,
                    message=each.told,
                    severity=each.severity,
                    by=by,
                    fixes=fixes,
                )
            )
        silent = tuple(f"{report.by}: {report.silent}" for report in self._make_report if report.new is None)
        return Fixes(diagnostics=tuple(rows), unchecked=silent)

    def _offer_fix(self, each: Diagnostic, remedy: Remedy) -> OfferedFix | None:
        """Return a fix with its number. None if it does not apply, or changes other files."""
        operation = Patch(path=each.path, diff=remedy.patch)
        try:
            outcome = apply((operation,), Overlay(self._files))
        except ScalpelError:
            return None
        changes = Changes(outcome.changes, outcome.overlay.read)
        number = len(self.patches) + 1
        self.patches[number] = operation
        return OfferedFix(
            n=number, title=remedy.title, is_safe=remedy.is_safe, diff=describe_changes(changes).diff
        )


def list_fixes(ws: Workspace, change: Change, *, fresh: bool = False) -> Fixes:
    """Return the new problems of a change, with the fixes that are offered for them.

    Raises:
        NotAllowed: ``untrusted``: a command is not trusted.
        ScalpelError: a worktree cannot be prepared.
    """
    return _find_fixes(ws, change, fresh).rows()


def choose_fix(ws: Workspace, change: Change, number: int, *, fresh: bool = False) -> Patch:
    """Return the edit of the fix with a number.

    Raises:
        DoesNotFit: ``index_out_of_range``: no fix has the number.
        NotAllowed, ScalpelError: as for :func:`list_fixes`.
    """
    offers = _find_fixes(ws, change, fresh)
    offers.rows()
    if number not in offers.patches:
        count = len(offers.patches)
        raise DoesNotFit(
            "index_out_of_range",
            f"fix {number} does not exist: {count or 'none'} {'is' if count == 1 else 'are'} offered",
            "list the fixes again; the numbers may have changed",
        )
    return offers.patches[number]


def _find_fixes(ws: Workspace, change: Change, fresh: bool) -> _NumberedFixes:
    return _NumberedFixes(TreeChange(ws, change, ws.at(change.meta.branch), change.tree(ws), fresh))
