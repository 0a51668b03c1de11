"""The command line of a gate for a change, and which files stand for ``{changed}``."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from gitscalpel.changesets.file_tree import Change
from gitscalpel.changesets.globs import Globs
from gitscalpel.changesets.rules import Command
from gitscalpel.errors import Misconfigured

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
