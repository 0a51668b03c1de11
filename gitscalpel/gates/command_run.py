"""Command lines of gates, and how they run: in order, with retries, and with live output.

A project that is installed in editable mode is imported from where it was installed, so tests would run the
wrong code. So paths of the environment or of the active Python that lead into the user's checkout are
preceded by the same directory of the gate's worktree.
"""

from __future__ import annotations

import os
import re
import shlex
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import msgspec

from gitscalpel.changesets.file_tree import Change
from gitscalpel.changesets.paths import Globs
from gitscalpel.changesets.rules import Command
from gitscalpel.errors import Misconfigured
from gitscalpel.gates.bubblewrap import find_site_packages
from gitscalpel.gates.sandbox import Disk, SandboxFactory
from gitscalpel.system import processes
from gitscalpel.system.repo_lock import Lock

PLACEHOLDER = "{changed}"
_MAX_LINE = 100_000  # Maximum bytes of a command line; a shell takes 128 KiB in one argument


def concerned_paths(gate: Command, changes: Iterable[Change]) -> list[str]:
    """Return the changed paths that a gate is about. Doubtful ones are included, as links and submodules."""
    globs = Globs(gate.paths) if gate.paths else None
    return [each.path for each in changes if globs is None or globs.concern(each, anywhere=True)]


def fill_command_line(gate: Command, changed: Sequence[str], existing: Sequence[str]) -> str | None:
    """Return the command line with the files ``existing`` in place of ``{changed}``.

    None if the gate has ``paths`` and nothing of them has changed, or no file is left.

    Raises:
        Misconfigured: ``unavailable``: the names are too long for a command line; ``config_error``: the
            placeholder is within quotes.
    """
    if not changed and gate.paths:
        return None
    if PLACEHOLDER not in gate.run:
        return gate.run
    if _is_placeholder_quoted(gate.run):
        raise Misconfigured(
            "config_error",
            f"gates.command {gate.name}: {PLACEHOLDER} is within quotes, but each name is already quoted",
            f"write {PLACEHOLDER} without quotes around it",
        )
    if not existing:
        return None
    # Such a name would be taken for an option, or for a file of arguments.
    names = " ".join(shlex.quote(f"./{path}" if path.startswith(("-", "@")) else path) for path in existing)
    line = gate.run.replace(PLACEHOLDER, names)
    if len(line.encode("utf-8", "surrogateescape")) > _MAX_LINE:
        raise Misconfigured(
            "unavailable",
            f"{gate.name}: the names of {len(existing)} changed files do not fit into a command line",
            f"leave {PLACEHOLDER} out of gates.command {gate.name}, or land in smaller steps",
        )
    return line


def _is_placeholder_quoted(line: str) -> bool:
    """Return True if a shell would read a placeholder within quotes, or behind a backslash."""
    open_: list[str] = [""]
    offset = 0
    while offset < len(line):
        if line.startswith(PLACEHOLDER, offset) and open_[-1] in ("'", '"', "\\"):
            return True
        offset += _scan_quote(line, offset, open_)
    return False


def _scan_quote(line: str, offset: int, open_: list[str]) -> int:
    """Update the open quotes for the character at a position, and return the number of characters read."""
    letter, inner = line[offset], open_[-1]
    if inner == "\\" or (letter == inner != "(") or (letter, inner) == (")", "("):
        open_.pop()
    elif inner == "'":
        pass
    elif line.startswith("$(", offset):
        open_.append("(")
        return 2
    elif letter in '\\"`' or (letter == "'" and inner != '"') or (letter == "(" and inner == "("):
        open_.append(letter)
    return 1


_PATH_VARIABLES = ("PYTHONPATH", "NODE_PATH", "CLASSPATH", "RUBYLIB", "PERL5LIB")
_QUOTED_PATH = re.compile(r"""['"]((?:/|[A-Za-z]:)[^'"\n]+)['"]""")


def command_environment(line: str, checkout: Path, root: Path, outer: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that differ for a command in the worktree ``root`` of a checkout."""
    changed = {}
    for name in _PATH_VARIABLES:
        value = outer.get(name)
        mapped = os.pathsep.join(
            _map_into_worktree(part, checkout, root) for part in (value or "").split(os.pathsep)
        )
        if value and mapped != value:
            changed[name] = mapped
    installed = [
        str(root / folder.relative_to(checkout)) for folder in _iter_editable_folders(line, checkout)
    ]
    if installed:
        inherited = changed.get("PYTHONPATH", outer.get("PYTHONPATH"))
        changed["PYTHONPATH"] = os.pathsep.join(
            [*dict.fromkeys(installed), *([inherited] if inherited else [])]
        )
    return changed


def _map_into_worktree(name: str, checkout: Path, root: Path) -> str:
    path = Path(name)
    return str(root / path.relative_to(checkout)) if path.is_relative_to(checkout) else name


def _iter_editable_folders(line: str, checkout: Path) -> Iterator[Path]:
    """Yield the directories of the checkout from which the Python of a command imports."""
    for packages in find_site_packages(line):
        for file in sorted(packages.glob("*.pth")):
            for row in _read_text(file).splitlines():
                yield from _iter_checkout_folder(row.strip(), checkout)
        for finder in sorted(packages.glob("__editable__*_finder.py")):
            for name in _QUOTED_PATH.findall(
                _read_text(finder)
            ):  # paths of packages, whose parents are searched
                yield from (folder.parent for folder in _iter_checkout_folder(name, checkout))


def _iter_checkout_folder(name: str, checkout: Path) -> Iterator[Path]:
    with suppress(OSError, ValueError):
        path = Path(name)
        if path.is_absolute() and path.resolve().is_relative_to(checkout.resolve()):
            yield checkout / path.resolve().relative_to(checkout.resolve())


def _read_text(file: Path) -> str:
    try:
        return file.read_text("utf-8", "surrogateescape")
    except OSError:
        return ""


class Tail:
    """Files that grow, whose complete new lines are passed to ``show`` with the name of their gate."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._seen: dict[str, tuple[Path, int]] = {}

    def add(self, name: str, file: Path) -> None:
        self._seen[name] = (file, 0)

    def look(self) -> None:
        for name, (file, offset) in self._seen.items():
            try:
                with file.open("rb") as opened:
                    opened.seek(offset)
                    text = opened.read()
            except FileNotFoundError:
                continue
            complete = text[: text.rfind(b"\n") + 1]
            for line in complete.decode("utf-8", "replace").splitlines():
                self._show(f"{name}| {line}")
            self._seen[name] = (file, offset + len(complete))


ResultKind = Literal["passed", "failed", "timed out", "cannot tell", "changed files", "out of room"]
CANNOT_TELL = 125  # Exit status of a command that cannot judge a tree, as for `git bisect run`


class CommandResult(msgspec.Struct, frozen=True, kw_only=True):
    """Result of a command.

    Attributes:
        status: exit status. None if the command was stopped.
        output: end of the output; all of it if ``whole``.
        seconds: duration of all tries together.
        changed: files that were changed meanwhile, so that later commands saw other files.
        where: place where the command ran: ``bubblewrap``, ``off``, or ``none`` with the reason.
    """

    how: ResultKind
    status: int | None
    output: str
    seconds: float
    tries: int = 1
    whole: bool = True
    changed: tuple[str, ...] = ()
    where: str = ""

    def unless(self, changed: Sequence[str]) -> CommandResult:
        """Return the result, or one that decides nothing if files were changed meanwhile."""
        if not changed:
            return self
        return msgspec.structs.replace(self, how="changed files", changed=tuple(changed))


def meaning_of_status(status: int) -> ResultKind:
    if status == CANNOT_TELL:
        return "cannot tell"
    return "failed" if status else "passed"


_MAX_OUTPUT = 1_000_000
"""Characters at the end of an output that are kept, as locations of failures are parsed from it."""


_FIXED_VARIABLES = {"PYTHONDONTWRITEBYTECODE": "1"}
"""Python takes a compiled file for the source of the same second and size, which may be the old tree's."""


class CommandJob(msgspec.Struct, frozen=True, kw_only=True):
    """A command to run.

    Attributes:
        line: command line for the shell.
        outer: environment variables of the caller. A sandbox lets in only some of them.
        env: additional environment variables.
        timeout: timeout in seconds of each try.
        retries: number of further tries after a failure.
        output: file to which the command prints.
        box: factory of a sandbox for each try. None to run without a sandbox.
        network: True to use the machine's network in a sandbox. None to follow the rules.
    """

    line: str
    root: Path
    outer: Mapping[str, str]
    env: Mapping[str, str]
    timeout: float
    retries: int
    output: Path
    box: SandboxFactory | None = None
    network: bool | None = None
    where: str = ""


def run_job(job: CommandJob, lock: Lock, stop: processes.StopCondition | None = None) -> CommandResult:
    """Run a command with retries, while ``lock`` holds the worktree.

    Raises:
        InterruptedError: ``stop`` is set.
    """
    start_time = time.monotonic()
    tries = 0
    while True:
        tries += 1
        result = _run_try(job, lock, stop)
        if result.how != "failed" or tries > job.retries:
            duration = round(time.monotonic() - start_time, 4)
            return msgspec.structs.replace(result, tries=tries, seconds=duration, where=job.where)


def _run_try(job: CommandJob, lock: Lock, stop: processes.StopCondition | None) -> CommandResult:
    if job.box is None:
        return _run_process(job, lock, stop)
    with job.box.cell(job.line, {**job.env, **_FIXED_VARIABLES}, network=job.network) as cell:
        disk = Disk(job.box.notes.path, stop)
        try:
            result = _run_process(job, lock, disk, cell)
        except InterruptedError:
            if not disk.is_low:
                raise
            return _make_result(job, "out of room", None)
        cell.hand_over()
        return result.unless(cell.changed_files(job.box.tracked))


def _run_process(
    job: CommandJob, lock: Lock, stop: processes.StopCondition | None, cell: processes.Enclosure | None = None
) -> CommandResult:
    status, words, env = None, ["sh", "-c", job.line], {**job.outer, **job.env, **_FIXED_VARIABLES}
    options: dict[str, Any] = {"timeout": job.timeout, "stop": stop, "enclosure": cell}
    with job.output.open("w+b") as file, suppress(TimeoutError):
        status = processes.run_into(file, words, job.root, env, lock, **options)
    return _make_result(job, "timed out" if status is None else meaning_of_status(status), status)


def _make_result(job: CommandJob, how: ResultKind, status: int | None) -> CommandResult:
    # The next worktree has another path, so outputs must not contain it.
    output, whole = _read_end(job.output)
    for name in (f"{job.root}/", quote(f"{job.root}/")):  # a URI contains it percent-encoded
        output = output.replace(name, "")
    return CommandResult(how=how, status=status, output=output, whole=whole, seconds=0.0)


def _read_end(file: Path) -> tuple[str, bool]:
    """Return the last characters of a file, from the start of a line, and whether that is the whole file."""
    size = file.stat().st_size
    with file.open("rb") as opened:
        opened.seek(max(0, size - 4 * _MAX_OUTPUT))
        text = opened.read().decode("utf-8", "replace")
    if len(text) <= _MAX_OUTPUT:
        return text, size <= 4 * _MAX_OUTPUT
    return text[-_MAX_OUTPUT:].partition("\n")[2] or text[-_MAX_OUTPUT:], False


_NOTICE_DELAY = 0.3  # Seconds before the user is told which commands are running


def run_in_order(
    gates: Sequence[Command],
    passed: set[str],
    start: Callable[[Command], Future[CommandResult]],
    notify: Callable[[list[str]], None],
    look: Callable[[], None],
) -> Iterator[tuple[Command, CommandResult | None]]:
    """Start each gate once the gates that it comes after have passed, and yield it with its result.

    The result is None if a gate before it has not passed. ``gates`` are ordered so that each follows those
    that it comes after. ``notify`` receives the names of running gates once if they take a while, and
    ``look`` is called regularly while they run.
    """
    remaining, running = list(gates), dict[Future[CommandResult], Command]()
    passed, has_notified = set(passed), False
    while remaining or running:
        for gate in [gate for gate in remaining if passed.issuperset(gate.after)]:
            running[start(gate)] = gate
            remaining.remove(gate)
        if not running:
            break
        done, _ = wait(running, _NOTICE_DELAY, FIRST_COMPLETED)
        look()
        if not done and not has_notified:
            has_notified = True
            notify([gate.name for gate in running.values()])
        for future in done:
            gate, result = running.pop(future), future.result()
            passed |= {gate.name} if result.how == "passed" else set()
            yield gate, result
    yield from ((gate, None) for gate in remaining)
