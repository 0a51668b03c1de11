"""Start a server after a call that found none, stop servers, and read the user's setting.

The setting is ``scalpel.server`` in git's configuration, ``auto`` (default) or ``off``. git is run only if a
configuration file that it would read mentions it. A marker file lets only one process start a server.
"""

from __future__ import annotations

import fcntl
import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from gitscalpel.git.process import LOCATION_VARIABLES, Git
from gitscalpel.server import caller_process, client
from gitscalpel.system import processes

_KEY = "scalpel.server"
_WORDS = (b"scalpel", b"include")
_OVERRIDING_VARIABLES = ("GIT_DIR", "GIT_CONFIG")
"""Prefixes of variables with which git reads other files or values."""


def allows_server(environment: Mapping[str, str]) -> bool:
    """Return True if the setting in the current directory allows a server."""
    is_overridden = any(name.startswith(_OVERRIDING_VARIABLES) for name in environment)
    if not is_overridden and not any(_may_contain_setting(file) for file in _config_files(environment)):
        return True
    result = Git(Path.cwd(), environment, kept=LOCATION_VARIABLES).run("config", "--get", _KEY)
    return result.out.strip() != b"off"


def _may_contain_setting(file: Path) -> bool:
    try:
        content = file.read_bytes().lower()
    except OSError:
        return False
    return any(word in content for word in _WORDS)


def _config_files(environment: Mapping[str, str]) -> Iterator[Path]:
    yield Path("/etc/gitconfig")
    home = environment.get("HOME", "")
    if home:
        yield Path(home, ".gitconfig")
    yield Path(environment.get("XDG_CONFIG_HOME") or Path(home, ".config"), "git/config")
    folder_of_call = Path(os.getcwd())  # noqa: PTH109 - as the caller spells it
    for folder in (folder_of_call, *folder_of_call.parents):
        place = folder / ".git"
        if place.exists():
            yield from _repository_files(place)
            return


def _repository_files(place: Path) -> Iterator[Path]:
    if place.is_file():
        place = place.parent / place.read_text(errors="replace").removeprefix("gitdir:").strip()
        yield place / "config.worktree"
        place = place / "../.."
    yield place / "config"
    yield place / "config.worktree"


MARKER_SUFFIX = ".starting"  # Suffix of the marker file, which begins as the socket
_STARTING = 10.0  # Seconds in which a started server listens, if ever


def marker_path(environment: Mapping[str, str]) -> str:
    return client.socket_path(client.server_key(environment), environment) + MARKER_SUFFIX


def make_marker(mark: str) -> bool:
    """Make the marker. Return False if a recent one exists.

    Raises:
        OSError: the directory cannot be made, or is not private.
    """
    folder = os.path.dirname(mark)  # noqa: PTH120 - pathlib is not loaded
    try:
        os.mkdir(folder, 0o700)  # noqa: PTH102 - likewise
    except FileExistsError:
        if not client.is_private(folder):
            raise
    if (mark_age(mark) or 0.0) > _STARTING:
        remove_marker(mark)
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        return False
    return True


def mark_age(mark: str) -> float | None:
    """Return the age of the marker in seconds. None if no server is starting."""
    try:
        return time.time() - os.stat(mark).st_mtime  # noqa: PTH116 - likewise
    except OSError:
        return None


def remove_marker(mark: str) -> None:
    try:  # noqa: SIM105 - contextlib is not loaded
        os.unlink(mark)  # noqa: PTH108 - likewise
    except OSError:
        pass


def start_in_background(environment: Mapping[str, str]) -> None:
    """Start a server for later calls, unless one is starting."""
    with suppress(OSError):  # without a directory there is no server
        if allows_server(environment) and make_marker(marker_path(environment)):
            _start()


def _start() -> None:
    """Start a server, unless its rights are too limited to serve others."""
    if not caller_process.is_confined() and caller_process.can_be_neutral():
        processes.start_detached([*client.own_command(), "serve"])


PATIENCE_S = 10.0  # Seconds to wait for servers that start or end
_STARTS = 3.0  # Seconds in which a started server takes its lock; see :mod:`gitscalpel.server.fork_server`
_ENDS = 1.0  # Seconds in which a server without calls ends
_PAUSE = 0.02


def stop_all(environment: Mapping[str, str]) -> list[int]:
    """End all servers until none listens or starts, and return their process IDs."""
    pids: list[int] = []
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        pid = client.find_server_pid(environment)
        if pid is None and not _is_starting(environment):
            break
        if pid is not None and pid not in pids:
            pids.append(pid)
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        time.sleep(_PAUSE)
    end = min(end, time.monotonic() + _ENDS)
    while any(map(is_running, pids)) and time.monotonic() < end:
        time.sleep(_PAUSE)
    return pids


def is_running(pid: int) -> bool:
    """Return True if a process runs and is no zombie. Servers, and so ``/proc``, exist only on Linux."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _is_starting(environment: Mapping[str, str]) -> bool:
    """Return True if a server is starting, or one was told to end and has not noticed."""
    if (age := mark_age(marker_path(environment))) is not None and age < _STARTS:
        return True
    place = client.socket_path(client.server_key(environment), environment)
    try:
        with Path(f"{place}.lock").open("r") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # there was never a server here
        return False
    return False
