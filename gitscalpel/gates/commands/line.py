"""The command line of a gate for a change, and which files stand for ``{changed}``."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from gitscalpel.errors import Misconfigured
from gitscalpel.globs import Globs
from gitscalpel.rules import Command

PLACEHOLDER = "{changed}"
_LONGEST = 100_000
"""Bytes of a command line: a shell takes 128 KiB in one argument."""


def of(gate: Command, changed: Sequence[str], there: Sequence[str]) -> str | None:
    """The command line, or None where the gate does not concern the change.

    Args:
        gate: the gate.
        changed: the paths that change.
        there: those of them that are files afterwards.

    Raises:
        Misconfigured: ``unavailable``: the names of all files are too long for a command line.
    """
    globs = Globs(gate.paths) if gate.paths else None
    if globs and not any(map(globs.match, changed)):
        return None
    if PLACEHOLDER not in gate.run:
        return gate.run
    files = [path for path in there if globs is None or globs.match(path)]
    if not files:
        return None
    # A name that begins with a hyphen would be taken for an option.
    names = " ".join(shlex.quote(f"./{path}" if path.startswith("-") else path) for path in files)
    line = gate.run.replace(PLACEHOLDER, names)
    if len(line.encode("utf-8", "surrogateescape")) > _LONGEST:
        raise Misconfigured(
            "unavailable",
            f"{gate.name}: the names of {len(files)} changed files do not fit into a command line",
            f"leave {PLACEHOLDER} out of gates.command {gate.name}, or land in smaller steps",
        )
    return line
