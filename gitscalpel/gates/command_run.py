"""Command lines of gates, and how they run: in order, with retries, and with their output shown line by line.

Commands start at once, except those that have to come after others. Each shown line has the name of its
gate. A command line has the files of a change in place of ``{changed}``.

A project that is installed in editable mode is imported from where it was installed, so tests would run
the wrong code. Entries that lead into the user's checkout, on the paths of the environment or of the
active Python, are preceded by the same folder of the gate's own checkout.
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
from gitscalpel.changesets.globs import Globs
from gitscalpel.changesets.rules import Command
from gitscalpel.errors import Misconfigured
from gitscalpel.gates.readable_paths import site_packages
from gitscalpel.gates.sandbox import Box, Disk
from gitscalpel.system import processes
from gitscalpel.system.repo_lock import Lock

PLACEHOLDER = "{changed}"
_MAX_LINE = 100_000
"""Bytes of a command line: a shell takes 128 KiB in one argument."""


def concerned_paths(gate: Command, changes: Iterable[Change]) -> list[str]:
    """The paths of a change that a gate is about; a link or a submodule stands for what may be in it.

    Rather once too often: a gate that is asked in vain says yes.
    """
    globs = Globs(gate.paths) if gate.paths else None
    return [each.path for each in changes if globs is None or globs.concern(each, anywhere=True)]


def fill_command_line(gate: Command, changed: Sequence[str], there: Sequence[str]) -> str | None:
    """The command line, or None where the gate does not concern the change.

    Args:
        gate: the gate.
        changed: the paths that change and that it is about.
        there: those of them that are files afterwards.

    Raises:
        Misconfigured: ``unavailable``: the names of all files are too long for a command line;
            ``config_error``: the placeholder stands within quotes.
    """
    if not changed and gate.paths:
        return None
    if PLACEHOLDER not in gate.run:
        return gate.run
    if _is_placeholder_quoted(gate.run):
        raise Misconfigured(
            "config_error",
            f"gates.command {gate.name}: {PLACEHOLDER} stands within quotes, which those of a name would end",
            f"write {PLACEHOLDER} without quotes around it: each name comes quoted",
        )
    if not there:
        return None
    # A name that begins so would be taken for an option, or for a file of arguments.
    names = " ".join(shlex.quote(f"./{path}" if path.startswith(("-", "@")) else path) for path in there)
    line = gate.run.replace(PLACEHOLDER, names)
    if len(line.encode("utf-8", "surrogateescape")) > _MAX_LINE:
        raise Misconfigured(
            "unavailable",
            f"{gate.name}: the names of {len(there)} changed files do not fit into a command line",
            f"leave {PLACEHOLDER} out of gates.command {gate.name}, or land in smaller steps",
        )
    return line


def _is_placeholder_quoted(line: str) -> bool:
    """Whether a shell would read a placeholder within quotes, or behind a backslash."""
    open_: list[str] = [""]
    at = 0
    while at < len(line):
        if line.startswith(PLACEHOLDER, at) and open_[-1] in ("'", '"', "\\"):
            return True
        at += _scan_quote(line, at, open_)
    return False


def _scan_quote(line: str, at: int, open_: list[str]) -> int:
    """Take note of what opens or closes at a place; the length of that."""
    letter, inner = line[at], open_[-1]
    if inner == "\\" or (letter == inner != "(") or (letter, inner) == (")", "("):
        open_.pop()
    elif inner == "'":
        pass
    elif line.startswith("$(", at):
        open_.append("(")
        return 2
    elif letter in '\\"`' or (letter == "'" and inner != '"') or (letter == "(" and inner == "("):
        open_.append(letter)
    return 1


_PATH_VARIABLES = ("PYTHONPATH", "NODE_PATH", "CLASSPATH", "RUBYLIB", "PERL5LIB")
_QUOTED_PATH = re.compile(r"""['"]((?:/|[A-Za-z]:)[^'"\n]+)['"]""")


def command_environment(line: str, checkout: Path, root: Path, outer: Mapping[str, str]) -> dict[str, str]:
    """The variables that differ for a command in the worktree at ``root`` of the checkout at ``checkout``."""
    changed = {}
    for name in _PATH_VARIABLES:
        value = outer.get(name)
        moved = os.pathsep.join(
            _map_into_worktree(part, checkout, root) for part in (value or "").split(os.pathsep)
        )
        if value and moved != value:
            changed[name] = moved
    installed = [
        str(root / folder.relative_to(checkout)) for folder in _iter_editable_folders(line, checkout)
    ]
    if installed:
        before = changed.get("PYTHONPATH", outer.get("PYTHONPATH"))
        changed["PYTHONPATH"] = os.pathsep.join([*dict.fromkeys(installed), *([before] if before else [])])
    return changed


def _map_into_worktree(name: str, checkout: Path, root: Path) -> str:
    """A name that leads into the checkout, by the same way into the worktree; any other as it is."""
    path = Path(name)
    return str(root / path.relative_to(checkout)) if path.is_relative_to(checkout) else name


def _iter_editable_folders(line: str, checkout: Path) -> Iterator[Path]:
    """The folders of the checkout from which the Python that a command uses imports."""
    for packages in site_packages(line):
        for file in sorted(packages.glob("*.pth")):
            for row in _read_text(file).splitlines():
                yield from _iter_checkout_folder(row.strip(), checkout)
        for finder in sorted(packages.glob("__editable__*_finder.py")):
            for name in _QUOTED_PATH.findall(
                _read_text(finder)
            ):  # the packages; what is above them is searched
                yield from (folder.parent for folder in _iter_checkout_folder(name, checkout))


def _iter_checkout_folder(name: str, checkout: Path) -> Iterator[Path]:
    """A folder of the checkout, itself or further down."""
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
    """The ends of files that grow.

    Args:
        show: told each line.
    """

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._seen: dict[str, tuple[Path, int]] = {}

    def add(self, name: str, file: Path) -> None:
        """Show the lines of one more file."""
        self._seen[name] = (file, 0)

    def look(self) -> None:
        """Show the lines that are complete since the last look."""
        for name, (file, at) in self._seen.items():
            try:
                with file.open("rb") as opened:
                    opened.seek(at)
                    text = opened.read()
            except FileNotFoundError:
                continue
            whole = text[: text.rfind(b"\n") + 1]
            for line in whole.decode("utf-8", "replace").splitlines():
                self._show(f"{name}| {line}")
            self._seen[name] = (file, at + len(whole))


How = Literal["passed", "failed", "timed out", "cannot tell", "changed files", "out of room"]
CANNOT_TELL = 125
"""The exit status by which a command says that it cannot judge this tree, as for `git bisect run`."""


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """How a command ended.

    Attributes:
        how: what that means.
        status: its exit status; None where it was stopped.
        output: what it printed, at the end.
        seconds: how long it took, all tries together.
        tries: how often it was run.
        whole: ``output`` is all that it printed.
        changed: the files that were changed meanwhile: whoever came later saw something else.
        where: where it ran: ``bubblewrap``, ``off``, or ``none`` and why there is no sandbox.
    """

    how: How
    status: int | None
    output: str
    seconds: float
    tries: int = 1
    whole: bool = True
    changed: tuple[str, ...] = ()
    where: str = ""

    def unless(self, changed: Sequence[str]) -> Ran:
        """The same, unless files were changed meanwhile: then it says nothing."""
        if not changed:
            return self
        return msgspec.structs.replace(self, how="changed files", changed=tuple(changed))


def meaning_of_status(status: int) -> How:
    """What an exit status means."""
    if status == CANNOT_TELL:
        return "cannot tell"
    return "failed" if status else "passed"


_MAX_OUTPUT = 1_000_000
"""Characters of a command's output, from its end, that are kept: places of failures are read out of them."""


_FIXED_VARIABLES = {"PYTHONDONTWRITEBYTECODE": "1"}
"""Python takes a compiled file for the source of the same second and size, which may be the tree before."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A command to run.

    Attributes:
        line: for the shell.
        root: of the worktree in which it runs.
        outer: the caller's variables; a sandbox lets in what it will of them.
        env: variables on top.
        timeout: seconds for each try.
        retries: how many more times it may fail.
        output: the file that it prints into.
        box: makes a sandbox for each try, if it runs in one.
        network: whether it has the machine's there; None: as the rules say.
        where: where that is, in words.
    """

    line: str
    root: Path
    outer: Mapping[str, str]
    env: Mapping[str, str]
    timeout: float
    retries: int
    output: Path
    box: Box | None = None
    network: bool | None = None
    where: str = ""


def run(job: Job, lock: Lock, stop: processes.Stop | None = None) -> Ran:
    """Run it; ``lock`` is what holds the worktree. Raises ``InterruptedError`` once ``stop`` is set."""
    began = time.monotonic()
    tries = 0
    while True:
        tries += 1
        ran = _run_try(job, lock, stop)
        if ran.how != "failed" or tries > job.retries:
            took = round(time.monotonic() - began, 4)
            return msgspec.structs.replace(ran, tries=tries, seconds=took, where=job.where)


def _run_try(job: Job, lock: Lock, stop: processes.Stop | None) -> Ran:
    if job.box is None:
        return _run_process(job, lock, stop)
    with job.box.cell(job.line, {**job.env, **_FIXED_VARIABLES}, network=job.network) as cell:
        disk = Disk(job.box.notes.path, stop)
        try:
            ran = _run_process(job, lock, disk, cell)
        except InterruptedError:
            if not disk.low:
                raise
            return _make_result(job, "out of room", None)
        cell.hand_over()
        return ran.unless(cell.changed(job.box.tracked))


def _run_process(
    job: Job, lock: Lock, stop: processes.Stop | None, cell: processes.Enclosure | None = None
) -> Ran:
    status, words, env = None, ["sh", "-c", job.line], {**job.outer, **job.env, **_FIXED_VARIABLES}
    how: dict[str, Any] = {"timeout": job.timeout, "stop": stop, "enclosure": cell}
    with job.output.open("w+b") as file, suppress(TimeoutError):
        status = processes.into(file, words, job.root, env, lock, **how)
    return _make_result(job, "timed out" if status is None else meaning_of_status(status), status)


def _make_result(job: Job, how: How, status: int | None) -> Ran:
    # The next worktree has another name, and the same files.
    output, whole = _read_end(job.output)
    for name in (f"{job.root}/", quote(f"{job.root}/")):  # a URI spells it otherwise
        output = output.replace(name, "")
    return Ran(how=how, status=status, output=output, whole=whole, seconds=0.0)


def _read_end(file: Path) -> tuple[str, bool]:
    """The last characters of a file, from the beginning of a line; whether that is all."""
    size = file.stat().st_size
    with file.open("rb") as opened:
        opened.seek(max(0, size - 4 * _MAX_OUTPUT))
        text = opened.read().decode("utf-8", "replace")
    if len(text) <= _MAX_OUTPUT:
        return text, size <= 4 * _MAX_OUTPUT
    return text[-_MAX_OUTPUT:].partition("\n")[2] or text[-_MAX_OUTPUT:], False


_NOTICE_DELAY = 0.3
"""Seconds after which it is said what is being waited for."""


def run_in_order(
    gates: Sequence[Command],
    passed: set[str],
    start: Callable[[Command], Future[Ran]],
    waiting: Callable[[list[str]], None],
    look: Callable[[], None],
) -> Iterator[tuple[Command, Ran | None]]:
    """Start each gate once those before it have passed.

    Args:
        gates: in an order in which each stands behind those that it comes after.
        passed: the names of those that have passed already.
        start: runs one.
        waiting: told the names of those that are running, if that takes a while.
        look: called now and then while they are.

    Yields:
        each gate when it has ended, and how; None: one that it comes after has not passed.
    """
    left, running = list(gates), dict[Future[Ran], Command]()
    passed, told = set(passed), False
    while left or running:
        for gate in [gate for gate in left if passed.issuperset(gate.after)]:
            running[start(gate)] = gate
            left.remove(gate)
        if not running:
            break
        done, _ = wait(running, _NOTICE_DELAY, FIRST_COMPLETED)
        look()
        if not done and not told:
            told = True
            waiting([gate.name for gate in running.values()])
        for future in done:
            gate, ran = running.pop(future), future.result()
            passed |= {gate.name} if ran.how == "passed" else set()
            yield gate, ran
    yield from ((gate, None) for gate in left)
