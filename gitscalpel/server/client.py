"""Client of the fork server, and the address where it listens.

Every call pays for its imports, so this module imports only C modules of the standard library and those that
the interpreter has loaded. ``client.c`` does the same in a tenth of the time, if it could be compiled.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False


if TYPE_CHECKING:
    from _socket import socket as Socket  # noqa: N812 - as the class that it is
    from collections.abc import Mapping


VARIABLE = "SCALPEL_SERVER"  # With the value ``off``, no server is used or started
UNSERVED = "-unserved"  # Suffix of the program to which the compiled client leaves calls without a server
PROOF = 250
"""Descriptor of a file of the server, whose name a caller reads from ``/proc`` and sends back.

The kernel shows it only to a process that may inspect the server (ptrace(2)). A process in a Landlock sandbox
may not, and that sandbox cannot be detected in another way.
"""
STARTUP_VARIABLES = ("PYTHON", "LC_", "MALLOC_", "LANG", "GLIBC_")
"""Prefixes of variables that an interpreter reads only at its start."""
LOADER_VARIABLES = ("LD_", "DYLD_", "GITSCALPEL_")
"""Prefixes of variables that change a process, so that no server can replace it."""


def may_use_server(environment: Mapping[str, str]) -> bool:
    """Return True if a caller with this environment may use a server: on Linux, and not in CI.

    Checking a caller needs Linux, and in CI no process should stay.
    """
    if sys.platform != "linux" or environment.get(VARIABLE, "") == "off" or environment.get("CI"):
        return False
    return not any(name.startswith(LOADER_VARIABLES) for name in environment)


def server_key(environment: Mapping[str, str]) -> str:
    """Return what a server and its callers share: the installation, and how the interpreter started."""
    started = sorted(
        f"{name}={value}" for name, value in environment.items() if name.startswith(STARTUP_VARIABLES)
    )
    return "\n".join([*_installation(), *started])


def _installation() -> list[str]:
    """Return the installation. The compiled client knows only its own path, so that identifies it then."""
    if is_left_by_compiled():
        return [sys.argv[0].removesuffix(UNSERVED)]
    return [sys.prefix, sys.version, __file__, repr(sys.flags)]


def own_command() -> list[str]:
    """Return the command line that starts this program for callers of the same kind."""
    return [sys.argv[0]] if is_left_by_compiled() else [sys.executable, "-m", "gitscalpel"]


def is_left_by_compiled() -> bool:
    """Return True if the compiled client has found no server for this call."""
    return sys.argv[0].endswith(UNSERVED)


def socket_path(kind: str, environment: Mapping[str, str]) -> str:
    import zlib

    return f"{socket_folder(environment)}/{zlib.crc32(os.fsencode(kind)):08x}"


def socket_folder(environment: Mapping[str, str]) -> str:
    """Return the directory of this user's servers: in the runtime directory made at login, or in ``/tmp``."""
    runtime_folder = environment.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(runtime_folder):  # noqa: PTH117 - pathlib costs more than the rest of a call
        return f"{runtime_folder}/git-scalpel"
    return f"/tmp/git-scalpel-{os.getuid()}"  # noqa: S108 - the owner is checked


def is_private(folder: str) -> bool:
    """Return True for a directory that only this user can enter."""
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    return status.st_mode & 0o170077 == 0o040000 and status.st_uid == os.getuid()


_PATIENCE = 15.0
"""Seconds until a server must accept a call.

It takes a few milliseconds, except with hundreds of calls at once. A client that ran its call itself then
would take more CPU time than all the calls ahead of it.
"""
_HEAD = 8
_CREDENTIALS = 12
_INTERRUPTED = 130
_LINE = 64


def try_server(words: list[str], environment: Mapping[str, str]) -> None:
    """Run this call in a server and exit with its status. Return if no server has begun with it."""
    try:
        status = _run_in_server(words, environment)
    except KeyboardInterrupt:  # before a server has begun
        os._exit(_INTERRUPTED)
    if status is not None:
        _exit_process(status)


def find_server_pid(environment: Mapping[str, str]) -> int | None:
    """Return the process ID of the server for this environment, if it is running in a private directory."""
    line = _connect(environment) if may_use_server(environment) else None
    if line is None:
        return None
    import _socket

    credentials = line.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, _CREDENTIALS)
    line.close()
    return int.from_bytes(credentials[:4], sys.byteorder)


def _connect(environment: Mapping[str, str]) -> Socket | None:
    if not is_private(socket_folder(environment)):
        return None
    import _socket

    line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
    try:
        line.connect(socket_path(server_key(environment), environment))
    except OSError:
        line.close()
        return None
    return line


def _run_in_server(words: list[str], environment: Mapping[str, str]) -> int | None:
    """Return the exit status of the call in a server, negative for a signal. None if it has not begun."""
    line = _connect(environment)
    if line is None:
        return None
    try:
        line.settimeout(_PATIENCE)
        send_call(line, server_key(environment), words, environment)
        child = int(line.recv(_LINE))
    except (OSError, ValueError):
        line.close()
        return None
    line.settimeout(None)
    _forward_signals(child)
    line.send(b"!")
    status = line.recv(_LINE)
    if not status:
        os.write(2, b"error: the server and the command were killed; git scalpel log shows what has landed\n")
        return 74
    try:  # noqa: SIM105 - contextlib is not loaded
        line.send(b".")
    except OSError:
        pass  # the server has noticed the end
    return int(status)


def send_call(line: Socket, kind: str, words: list[str], environment: Mapping[str, str]) -> None:
    import _socket

    mask = os.umask(0o077)
    os.umask(mask)
    credentials = line.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, _CREDENTIALS)
    try:
        proof = os.readlink(f"/proc/{int.from_bytes(credentials[:4], sys.byteorder)}/fd/{PROOF}")  # noqa: PTH115
    except OSError:
        proof = ""
    variables = [f"{name}={value}" for name, value in environment.items()]
    parts = [kind, proof, str(mask), str(len(words)), *words, *variables]
    text = os.fsencode("\0".join(parts))
    folder = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        files = b"".join(number.to_bytes(4, sys.byteorder) for number in (0, 1, 2, folder))
        head = b"%*d" % (_HEAD, len(text))
        line.sendmsg([head], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, files)])
        line.sendall(text)
    finally:
        os.close(folder)


def _forward_signals(child: int) -> None:
    """Forward signals to the child as if it were in the foreground of the terminal."""
    import _signal  # type: ignore[import-not-found]

    def group(number: int, _: object) -> None:
        _send_signal(child, number, whole=True)

    def alone(number: int, _: object) -> None:
        _send_signal(child, number, whole=False)

    def pause(_number: int, _: object) -> None:
        _send_signal(child, _signal.SIGSTOP, whole=True)
        os.kill(os.getpid(), _signal.SIGSTOP)
        _send_signal(child, _signal.SIGCONT, whole=True)

    for number in (_signal.SIGINT, _signal.SIGQUIT, _signal.SIGWINCH):
        _set_handler(number, group)
    for number in (_signal.SIGTERM, _signal.SIGHUP, _signal.SIGUSR1, _signal.SIGUSR2):
        _set_handler(number, alone)
    _set_handler(_signal.SIGTSTP, pause)


def _set_handler(number: int, handler: object) -> None:
    import _signal

    if _signal.getsignal(number) != _signal.SIG_IGN:  # ``nohup`` ignores it
        _signal.signal(number, handler)


def _send_signal(child: int, number: int, *, whole: bool) -> None:
    try:  # noqa: SIM105 - contextlib is not loaded
        (os.killpg if whole else os.kill)(child, number)
    except ProcessLookupError:
        pass  # it has ended, and its status will arrive


def _exit_process(status: int) -> None:
    """Exit with the status or signal of the command, without the interpreter's clean-up."""
    if status < 0:
        import _signal

        if -status != _signal.SIGKILL:
            _signal.signal(-status, _signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status & 0xFF)
