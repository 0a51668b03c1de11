"""Cache of command verdicts, by tree, command and environment.

Verdicts are files, so that no command runs twice under the same conditions. Only a verdict of the
command itself is kept: a command that was stopped, or that could not tell, runs again.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path

import msgspec

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.gates.commands.command_run import Ran
from gitscalpel.gates.sandbox.readable_paths import named, read, site_packages
from gitscalpel.git import scratch
from gitscalpel.git.pool.slots import GATE_VARIABLE
from gitscalpel.system import private_files, seal, serialization

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


FOLDER = "verdicts"
VARIABLE = "SCALPEL_FRESH"
"""A variable of whoever asks: set to 1, nothing counts as known."""


def recall(scalpel_dir: Path, key: str, longest: float) -> Ran | None:
    """What a command said under these conditions, if that is no older than ``longest`` seconds."""
    file = scalpel_dir / FOLDER / key
    try:
        if time.time() - file.stat().st_mtime > longest:
            return None
        # A verdict that came along with a repository says nothing.
        said = seal.kept(file, scalpel_dir, _about(key))
        return None if said is None else serialization.decode(said, Ran)
    except (OSError, msgspec.MsgspecError):
        return None


def remember(scalpel_dir: Path, key: str, ran: Ran) -> None:
    """Note what a command said."""
    if ran.how not in ("passed", "failed"):
        return
    folder = private_files.folder(scalpel_dir / FOLDER)
    with scratch.made(scalpel_dir) as notes:  # what a kill leaves there is cleared away
        seal.keep(folder / key, scalpel_dir, _about(key), msgspec.json.encode(ran), notes.path / key)


def _about(key: str) -> str:
    return f"verdict {key}"
