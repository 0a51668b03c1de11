"""Console script without a compiled client, and ``python -m gitscalpel``.

A server runs the call, or this process does. The import time of this module and of
:mod:`gitscalpel.server.client` is part of every call, so they import nothing else.
"""

from __future__ import annotations

import atexit
import os
import sys

from gitscalpel.server import client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

UNSERVED_COMMANDS = frozenset({"serve", "run", "demo", "mcp", "review"})
"""Commands that keep running, or that give the terminal to another program."""
DESCRIPTOR_PATHS = ("/dev/fd/", "/proc/self/")
"""Prefixes of paths to a file that only this process has open (``--code-file <(program)``)."""

_INTERRUPTED = """\
error: interrupted: interrupted
hint: run it again; nothing has landed
"""
"""Same message as in ``cli/command_line.py``, which is not loaded yet."""


def main() -> None:
    """Run the command line of this process, and exit with its status."""
    try:
        status = _run_command(sys.argv[1:], dict(os.environ))
    except KeyboardInterrupt:  # raised before the command line could handle it
        sys.stderr.write(_INTERRUPTED)
        status = 130
    _leave(status)


def _run_command(words: list[str], environment: dict[str, str]) -> int:
    """Run the command and return its exit status. If a server runs the command, this process ends here."""
    names_open_file = any(name in word for word in words for name in DESCRIPTOR_PATHS)
    if (
        not words
        or words[0] in UNSERVED_COMMANDS
        or names_open_file
        or not client.may_use_server(environment)
    ):
        return _do_it_here()
    if not client.is_left_by_compiled():
        client.try_server(words, environment)
    try:
        return _do_it_here()
    finally:
        if not client.find_server_pid(environment):
            from gitscalpel.server import start_stop

            start_stop.start_in_background(environment)


def _do_it_here() -> int:
    import gc

    gc.disable()  # imports create no garbage; `run` enables it
    _load_uninterrupted()
    from gitscalpel.cli import main

    try:
        main()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return 0


def _load_uninterrupted() -> None:
    """Import msgspec with SIGINT blocked.

    An interrupt during the import would be swallowed and leave the module incomplete.
    """
    import _signal  # type: ignore[import-not-found]  # `signal` builds enums at import

    if not hasattr(_signal, "pthread_sigmask"):
        return
    before = _signal.pthread_sigmask(_signal.SIG_BLOCK, (_signal.SIGINT,))
    try:
        import msgspec  # noqa: F401
    finally:
        _signal.pthread_sigmask(_signal.SIG_SETMASK, before)


def _leave(status: int) -> NoReturn:
    """Exit without freeing objects, which would take a tenth of a short call."""
    atexit.register(_end, status)  # the last registered function runs first
    sys.exit(status)  # a profiler that runs this still gets control


def _end(status: int) -> None:
    """Run the exit functions of the interpreter, and skip its cleanup."""
    from contextlib import suppress

    atexit.unregister(_end)
    atexit._run_exitfuncs()
    with suppress(AttributeError, OSError):  # closed, or a reported write error
        sys.stdout.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
