"""What a verdict holds for: the tree, the command, and the surroundings that may change what it says."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.gates.commands.programs import named, read, site_packages
from gitscalpel.git.pool.slots import GATE_VARIABLE

_PASSING = frozenset(
    {
        *("_", "PWD", "OLDPWD", "SHLVL", "COLUMNS", "LINES", "WINDOWID", "TERM_SESSION_ID", "SCALPEL_TX"),
        *("SSH_CLIENT", "SSH_CONNECTION", "SSH_TTY", "TMUX", "TMUX_PANE", "STY", "INVOCATION_ID"),
        *("DBUS_SESSION_BUS_ADDRESS", "XDG_SESSION_ID", "SSH_AUTH_SOCK", "GPG_TTY"),
        *("SCALPEL_TRUST", "SCALPEL_FRESH", "SCALPEL_AGENT", GATE_VARIABLE),
    }
)
"""Variables that differ from one terminal to the next and say nothing to a test."""
_STAMPS = (".", "pyvenv.cfg", "lib", ".package-lock.json", ".yarn-state.yml", ".modules.yaml")
"""What an installation writes last, in a folder that worktrees share."""


def of(
    *, tree: Oid, line: str, how: Iterable[object], shared: Mapping[str, Path], outer: Mapping[str, str]
) -> str:
    """The key of a verdict.

    Args:
        tree: what is judged.
        line: the command line.
        how: what else of the configuration matters.
        shared: the folders that the worktree shares, by name.
        outer: the variables of whoever asks.
    """
    words = [tree, line, *map(repr, how), *_platform(), *_environment(outer)]
    # An upgrade may judge otherwise.
    words += [
        f"{file}={_stamp(file)}"
        for file in (*(program.resolve() for program in named(line)), *read(line), *site_packages(line))
    ]
    for name, folder in sorted(shared.items()):
        words += [name, *(_stamp(folder / each) for each in _STAMPS), *_packages(folder)]
    return blake2b("\0".join(words).encode("utf-8", "surrogateescape"), digest_size=20).hexdigest()


def _platform() -> tuple[str, ...]:
    return platform.system(), platform.release(), platform.version(), platform.machine()


def _environment(outer: Mapping[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in sorted(outer.items()) if name not in _PASSING]


def _packages(folder: Path) -> list[str]:
    return [_stamp(each) for each in sorted(folder.glob("lib/python*/site-packages"))]


def _stamp(file: Path) -> str:
    try:
        status = file.stat()
    except OSError:
        return ""
    return f"{status.st_ino}:{status.st_size}:{status.st_mtime_ns}"
