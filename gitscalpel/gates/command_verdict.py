"""Verdict on a finished command, and the cache of such verdicts.

Two failures are the same if they have the same message for the same file. Line numbers and durations may
differ; other numbers belong to the message, as ``test_v2`` is not ``test_v1``. A cached verdict is named by
tree, command and environment.
"""

from __future__ import annotations

import platform
import posixpath
import re
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from gitscalpel.changesets.answers import Finding, quote_path
from gitscalpel.changesets.file_tree import Oid
from gitscalpel.changesets.rules import Command
from gitscalpel.errors import GateIndeterminate, GateRefused, GateTimeout, ScalpelError
from gitscalpel.errors.messages import call
from gitscalpel.gates.bubblewrap import find_named_files, find_programs, find_site_packages
from gitscalpel.gates.command_run import CommandResult
from gitscalpel.gates.sandbox import BUBBLEWRAP
from gitscalpel.gates.verdict import Verdict
from gitscalpel.git import scratch
from gitscalpel.git.pool.slots import GATE_VARIABLE
from gitscalpel.system import private_files, processes, serialization, trust

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_LOCATION_PATTERNS = (
    re.compile(  # gcc, and go vet with its name first
        r"(?:vet: )?(?P<path>[^\s:()]+):(?P<line>\d+)(?::(?P<column>\d+))?:\s*(?P<message>\S.*)"
    ),
    re.compile(r"(?P<path>[^\s()]+)\((?P<line>\d+),(?P<column>\d+)\):\s*(?P<message>\S.*)"),  # tsc
    re.compile(  # summary of pytest; brackets may contain anything
        r"(?:FAILED|ERROR) (?P<path>[^\s:]+)"
        r"(?:(?P<test>::[^\[\s][^\[]*?(?:\[(?:[^\[\]]|\[[^\]]*\])*\])?)?(?: - (?P<message>.*))?$"
        r"|\s|(?P<rest>::.*))"
    ),
)
_RUSTC_PATTERN = re.compile(
    r"\s*--> (?P<path>\S+?):(?P<line>\d+):(?P<column>\d+)"
)  # rustc, below the message
_ESLINT_PATTERN = re.compile(  # eslint, below the file name
    r"\s+(?P<line>\d+):(?P<column>\d+)\s+(?P<severity>error|warning)\s+(?P<message>\S.*)"
)
_TEST_PATTERNS = (
    re.compile(r"\s*--- FAIL: (?P<test>\S+)"),  # go test
    re.compile(r"\s*not ok \d+ -? ?(?P<test>.*?\S)\s*(?:# time=.*)?$"),  # Test Anything Protocol
    re.compile(r"\s*✖ (?P<test>.*\S) \([0-9.]+ms\)"),  # node --test
)
_FAILURE_WORD = re.compile(r"\b(?:fail(?:ed|ure|s)?|error|panic(?:ked)?|exception)\b", re.IGNORECASE)
_FAILURE_COUNT = re.compile(r"\d+ (?:\w+ )?(?:fail|error)|\b(?:fail|error)\w*[ =:]+\d", re.IGNORECASE)
_MINOR_LEVEL = re.compile(r"(?:warning|note|info|hint)\b", re.IGNORECASE)


class Failure(msgspec.Struct, frozen=True):
    """One failure in the output of a command; ``words`` is the message without the name of the ``test``."""

    finding: Finding
    test: str
    words: str


def find_locations(output: str, exists: Callable[[str], bool]) -> Iterator[Failure]:
    """Yield each location in an output once. A test without a location has the path "".

    ``exists`` returns True if a path is a file; not everything that looks like a location is one.
    """
    seen: set[Failure] = set()
    heading = ""
    for raw in output.splitlines():
        line = _COLOURS.sub("", raw).rstrip()
        failure = _parse_line(line, heading, exists)
        if failure is not None and failure not in seen:
            seen.add(failure)
            yield failure
        heading = line if line and not line[0].isspace() else heading


def find_unlocated(output: str, exists: Callable[[str], bool]) -> Iterator[Failure]:
    """Yield each line that reports a failure in no known format. Lines that count failures are skipped."""
    for raw in output.splitlines():
        line = _COLOURS.sub("", raw).strip()
        if (
            _FAILURE_WORD.search(line)
            and not _FAILURE_COUNT.search(line)
            and _parse_line(line, "", exists) is None
        ):
            yield Failure(Finding("", 1, 1, line, "error"), "", line)


def _parse_line(line: str, heading: str, exists: Callable[[str], bool]) -> Failure | None:
    for pattern in (*_LOCATION_PATTERNS, _RUSTC_PATTERN):
        match = pattern.match(line)
        path = posixpath.normpath(match["path"]) if match else ""
        if match and exists(path):
            groups = match.groupdict()
            test = (groups.get("test") or groups.get("rest") or "").removeprefix("::")
            message = groups.get("message") or ("" if test else heading)
            place = (quote_path(path), int(groups.get("line") or 1), int(groups.get("column") or 1))
            return _make_failure(place, test, message)
    match_below = _ESLINT_PATTERN.match(line)
    if match_below and exists(posixpath.normpath(heading)):
        place = (
            quote_path(posixpath.normpath(heading)),
            int(match_below["line"]),
            int(match_below["column"]),
        )
        return _make_failure(place, "", f"{match_below['severity']}: {match_below['message']}")
    for pattern in _TEST_PATTERNS:
        match = pattern.match(line)
        if match:
            return _make_failure(("", 1, 1), match["test"], "")
    return None


def _make_failure(place: tuple[str, int, int], test: str, text: str) -> Failure:
    message = " - ".join(filter(None, (test, text))).strip()
    severity: Literal["error", "warning"] = "warning" if _MINOR_LEVEL.match(message) else "error"
    return Failure(Finding(*place, message, severity), test, text)


_Item = TypeVar("_Item")
_NUMBER = re.compile(r"\d+")
_DURATION = r"\d+(?:\.\d+)? ?(?:ns|us|µs|ms|s|sec|seconds|min|minutes)\b"
_VARYING = re.compile(
    r"(?<![\w.])0x[0-9A-Fa-f]{4,}\b"  # address in memory
    rf"|\(\s*{_DURATION}\s*\)|\[\s+{_DURATION}\s*\]|\bin {_DURATION}\s*\Z"  # duration
)
_FILE_POSITION = re.compile(
    # in this file or another
    r"(?P<file>[\w/-]\.[A-Za-z]\w{0,5}(?::|\()|\.[A-Za-z]\w{0,5}[\"'], line )\d+(?:[:,] ?\d+)?"
)
_LINE_NUMBERS = re.compile(r"\b(?P<file>lines? |columns? |col )\d+(?:(?:-|, | to | and )\d+)*", re.IGNORECASE)


def new_failures(after: Iterable[Failure], before: Iterable[Failure]) -> list[Failure]:
    return find_additional(after, before, _failure_identity)


def find_additional(
    after: Iterable[_Item], before: Iterable[_Item], identity: Callable[[_Item], Hashable]
) -> list[_Item]:
    """Return the items that exceed those of ``before`` with the same ``identity``."""
    counts = Counter(map(identity, before))
    additional = []
    for each in after:
        counts[identity(each)] -= 1
        if counts[identity(each)] < 0:
            additional.append(each)
    return additional


def comparable_words(words: str, *, placed: bool) -> str:
    """Return a message without the numbers that do not identify the failure.

    Line numbers in words are removed only if the file is known (``placed``).
    """
    words = _FILE_POSITION.sub(r"\g<file>0", _VARYING.sub("0", words))
    # "line 5" is a position if the file is known, and may be part of a name otherwise.
    return _LINE_NUMBERS.sub(r"\g<file>0", words) if placed else words


def _failure_identity(failure: Failure) -> tuple[str, str, str, str]:
    finding = failure.finding
    if failure.test:
        words = _NUMBER.sub("0", failure.words)  # the test's name identifies it
    else:
        words = comparable_words(failure.words, placed=bool(finding.path))
    return finding.path, failure.test, words, finding.severity


SANDBOX_HINT = (
    "; it ran in a sandbox with an empty home and without network: if it needs more, set "
    "network, environment, shared or sandbox in [gates]"
)
"""Part of a hint for a failure that the sandbox may have caused."""
Exists = Callable[[str], bool]
_MAX_RECORDED = 20_000  # Characters at the end of an output that are recorded
_MAX_SHOWN = 4_000  # Characters at the end of an output that an error repeats
_MAX_NAMED = 5  # Number of changed files that an error names


def judge_runs(
    gate: Command, result: CommandResult, old_result: CommandResult | None, exists: Exists, *, cached: bool
) -> Verdict:
    """Return the verdict of a gate on the new tree; ``old_result`` is that of the old tree, if needed."""
    failures = tuple(find_locations(result.output, exists)) if result.how != "passed" else ()
    places = tuple(failure.finding for failure in failures)
    error = _run_error(gate, result, old_result, failures, exists)
    if error is not None and cached:
        note = f"; this verdict is cached: {FRESH_VARIABLE}=1 runs the command again"
        error = error.but(more=note)
    status: Literal["failed", "cached", "passed"] = "failed" if error else "cached" if cached else "passed"
    seconds = 0.0 if cached else result.seconds
    notes = (
        (f"passed at try {result.tries}: it is flaky",) if result.how == "passed" and result.tries > 1 else ()
    )
    if error is None and result.how == "failed":
        count = f"{len(places)} failure{'s' * (len(places) > 1)}"
        notes = (f"{count}, which the old tree has as well",)
    return Verdict(
        gate.name, status, places, error, seconds, notes, result.output[-_MAX_RECORDED:], where=result.where
    )


def _run_error(
    gate: Command,
    result: CommandResult,
    old_result: CommandResult | None,
    places: tuple[Failure, ...],
    exists: Exists,
) -> ScalpelError | None:
    if result.how == "passed":
        return None
    stopped = incomplete_run_error(gate, result)
    if stopped is not None:
        return stopped
    shown, data = format_output(gate, result)
    # A truncated output may have contained a new failure, and a crash is not the old failure.
    if (
        old_result is not None
        and old_result.how == "failed"
        and old_result.status == result.status
        and result.whole
    ):
        # A line without a location may be a failure of another tool, too.
        new = [
            *new_failures(places, find_locations(old_result.output, exists)),
            *new_failures(find_unlocated(result.output, exists), find_unlocated(old_result.output, exists)),
        ]
        if places and not new:
            return None
        if places:
            data["new"] = msgspec.to_builtins([failure.finding for failure in new])
    summary = f"{gate.name} {processes.describe_exit(result.status or 0)}"
    tries = f", {result.tries} times" if result.tries > 1 else ""
    hint = "fix what it reports" + (SANDBOX_HINT if result.where == BUBBLEWRAP else "")
    return GateRefused("gate_failed", f"{summary}{tries}{shown}", hint, **data)


def format_output(gate: Command, result: CommandResult) -> tuple[str, dict[str, Any]]:
    output = result.output.strip()[-_MAX_SHOWN:]
    return f":\n{output}" if output else "", {"gate": gate.name, "status": result.status, "output": output}


def incomplete_run_error(gate: Command, result: CommandResult) -> ScalpelError | None:
    """Return the error for a command that was stopped, changed files or could not decide. None for others."""
    shown, data = format_output(gate, result)
    if result.how == "timed out":
        return GateTimeout(
            "gate_timeout",
            f"{gate.name} took longer than {gate.timeout} and was stopped{shown}",
            f"make it faster, or raise the timeout of gates.command {gate.name}",
            **data,
        )
    if result.how == "out of room":
        return GateRefused(
            "gate_failed",
            f"{gate.name} was stopped: too little disk space is left{shown}",
            "free some space, or write less",
            **data,
        )
    if result.how == "changed files":
        names = [quote_path(path) for path in result.changed]
        others = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
        return GateRefused(
            "gate_failed",
            f"{', '.join(names[:_MAX_NAMED])}{others} changed while commands were running: "
            f"the changes to land have not been checked{shown}",
            "configure the command to check only (`ruff format --check`); to land its changes, run "
            f"{call('run', command='COMMAND')}",
            **data,
            files=names,
        )
    if result.how == "cannot tell":
        return GateIndeterminate(
            "gate_indeterminate",
            f"{gate.name} could not decide (exit status 125){shown}",
            "check that the command can run here, and try again",
            **data,
        )
    return None


_VOLATILE = frozenset(
    {
        *("_", "PWD", "OLDPWD", "SHLVL", "COLUMNS", "LINES", "WINDOWID", "TERM_SESSION_ID", "SCALPEL_TX"),
        *("SSH_CLIENT", "SSH_CONNECTION", "SSH_TTY", "TMUX", "TMUX_PANE", "STY", "INVOCATION_ID"),
        *("DBUS_SESSION_BUS_ADDRESS", "XDG_SESSION_ID", "SSH_AUTH_SOCK", "GPG_TTY"),
        *("SCALPEL_TRUST", "SCALPEL_FRESH", "SCALPEL_AGENT", GATE_VARIABLE),
    }
)
"""Variables that differ between terminals and do not affect a test."""
_STAMPED_FILES = (".", "pyvenv.cfg", "lib", ".package-lock.json", ".yarn-state.yml", ".modules.yaml")
"""Files that an installation writes last, in a directory that worktrees share."""


def verdict_key(
    *, tree: Oid, line: str, settings: Iterable[object], shared: Mapping[str, Path], outer: Mapping[str, str]
) -> str:
    """Return the cache key of a verdict.

    ``shared`` are the directories that the worktree shares, ``outer`` the caller's environment variables.
    """
    system = platform.system(), platform.release(), platform.version(), platform.machine()
    parts = [tree, line, *map(repr, settings), *system]
    parts += [f"{name}={value}" for name, value in sorted(outer.items()) if name not in _VOLATILE]
    # An upgraded program may decide differently.
    programs = [*(program.resolve() for program in find_programs(line)), *find_named_files(line)]
    parts += [f"{file}={_stamp(file)}" for file in (*programs, *find_site_packages(line))]
    for name, folder in sorted(shared.items()):
        stamped = [*(folder / each for each in _STAMPED_FILES)]
        stamped += sorted(folder.glob("lib/python*/site-packages"))
        parts += [name, *map(_stamp, stamped)]
    return blake2b("\0".join(parts).encode("utf-8", "surrogateescape"), digest_size=20).hexdigest()


def _stamp(file: Path) -> str:
    try:
        status = file.stat()
    except OSError:
        return ""
    return f"{status.st_ino}:{status.st_size}:{status.st_mtime_ns}"


VERDICT_FOLDER = "verdicts"
FRESH_VARIABLE = "SCALPEL_FRESH"
"""Environment variable of the caller. If set to 1, cached verdicts are ignored."""


def recall_verdict(scalpel_dir: Path, key: str, longest: float) -> CommandResult | None:
    """Return the cached result for a key. None if there is none, or it is older than ``longest`` seconds."""
    file = scalpel_dir / VERDICT_FOLDER / key
    try:
        if time.time() - file.stat().st_mtime > longest:
            return None
        # A verdict that was copied with a repository is not trusted.
        said = trust.read_sealed(file, scalpel_dir, _seal_label(key))
        return None if said is None else serialization.decode(said, CommandResult)
    except (OSError, msgspec.MsgspecError):
        return None


def remember_verdict(scalpel_dir: Path, key: str, result: CommandResult) -> None:
    """Cache the result of a command if it passed or failed, not if it could not tell."""
    if result.how not in ("passed", "failed"):
        return
    folder = private_files.ensure_folder(scalpel_dir / VERDICT_FOLDER)
    with scratch.make_scratch(scalpel_dir) as notes:  # files of a killed process are removed
        trust.write_sealed(
            folder / key, scalpel_dir, _seal_label(key), msgspec.json.encode(result), notes.path / key
        )


def _seal_label(key: str) -> str:
    return f"verdict {key}"
