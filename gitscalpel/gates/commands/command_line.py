"""Command line and environment of a gate, with the files of a change in place of ``{changed}``.

A project that is installed in editable mode is imported from where it was installed, so tests would run
the wrong code. Entries that lead into the user's checkout, on the paths of the environment or of the
active Python, are preceded by the same folder of the gate's own checkout.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from gitscalpel.changesets.file_tree import Change
from gitscalpel.changesets.globs import Globs
from gitscalpel.changesets.rules import Command
from gitscalpel.errors import Misconfigured
from gitscalpel.gates.sandbox.readable_paths import site_packages

PLACEHOLDER = "{changed}"
_LONGEST = 100_000
"""Bytes of a command line: a shell takes 128 KiB in one argument."""


def concerned(gate: Command, changes: Iterable[Change]) -> list[str]:
    """The paths of a change that a gate is about; a link or a submodule stands for what may be in it.

    Rather once too often: a gate that is asked in vain says yes.
    """
    globs = Globs(gate.paths) if gate.paths else None
    return [each.path for each in changes if globs is None or globs.concern(each, anywhere=True)]


def of(gate: Command, changed: Sequence[str], there: Sequence[str]) -> str | None:
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
    if _within_quotes(gate.run):
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
    if len(line.encode("utf-8", "surrogateescape")) > _LONGEST:
        raise Misconfigured(
            "unavailable",
            f"{gate.name}: the names of {len(there)} changed files do not fit into a command line",
            f"leave {PLACEHOLDER} out of gates.command {gate.name}, or land in smaller steps",
        )
    return line


def _within_quotes(line: str) -> bool:
    """Whether a shell would read a placeholder within quotes, or behind a backslash."""
    open_: list[str] = [""]
    at = 0
    while at < len(line):
        if line.startswith(PLACEHOLDER, at) and open_[-1] in ("'", '"', "\\"):
            return True
        at += _step(line, at, open_)
    return False


def _step(line: str, at: int, open_: list[str]) -> int:
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


_SEARCHED = ("PYTHONPATH", "NODE_PATH", "CLASSPATH", "RUBYLIB", "PERL5LIB")
_QUOTED = re.compile(r"""['"]((?:/|[A-Za-z]:)[^'"\n]+)['"]""")


def environment(line: str, checkout: Path, root: Path, outer: Mapping[str, str]) -> dict[str, str]:
    """The variables that differ for a command in the worktree at ``root`` of the checkout at ``checkout``."""
    changed = {}
    for name in _SEARCHED:
        value = outer.get(name)
        moved = os.pathsep.join(_moved(part, checkout, root) for part in (value or "").split(os.pathsep))
        if value and moved != value:
            changed[name] = moved
    installed = [str(root / folder.relative_to(checkout)) for folder in _installed(line, checkout)]
    if installed:
        before = changed.get("PYTHONPATH", outer.get("PYTHONPATH"))
        changed["PYTHONPATH"] = os.pathsep.join([*dict.fromkeys(installed), *([before] if before else [])])
    return changed


def _moved(name: str, checkout: Path, root: Path) -> str:
    """A name that leads into the checkout, by the same way into the worktree; any other as it is."""
    path = Path(name)
    return str(root / path.relative_to(checkout)) if path.is_relative_to(checkout) else name


def _installed(line: str, checkout: Path) -> Iterator[Path]:
    """The folders of the checkout from which the Python that a command uses imports."""
    for packages in site_packages(line):
        for file in sorted(packages.glob("*.pth")):
            for row in _text(file).splitlines():
                yield from _inside(row.strip(), checkout)
        for finder in sorted(packages.glob("__editable__*_finder.py")):
            for name in _QUOTED.findall(_text(finder)):  # the packages; what is above them is searched
                yield from (folder.parent for folder in _inside(name, checkout))


def _inside(name: str, checkout: Path) -> Iterator[Path]:
    """A folder of the checkout, itself or further down."""
    with suppress(OSError, ValueError):
        path = Path(name)
        if path.is_absolute() and path.resolve().is_relative_to(checkout.resolve()):
            yield checkout / path.resolve().relative_to(checkout.resolve())


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", "surrogateescape")
    except OSError:
        return ""
