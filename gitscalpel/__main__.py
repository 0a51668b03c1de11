"""The console script, where no client is compiled, and ``python -m gitscalpel``: a server does it, or this.

What stands here and in :mod:`gitscalpel.server.client` is the price of every call, so nothing else is loaded.
"""

from __future__ import annotations

import atexit
import os
import sys

from gitscalpel.server import address, client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

UNSERVED_COMMANDS = frozenset({"serve", "run", "demo", "mcp", "review"})
"""Commands that stay, or hand the terminal to another program."""
DESCRIPTOR_PATHS = ("/dev/fd/", "/proc/self/")
"""By which a word names what only this process has open (``--code-file <(program)``)."""

_INTERRUPTED = """\
error: interrupted: interrupted
hint: run it again; what had not landed did not happen
"""
"""As ``cli/command_line.py`` tells it, which is not loaded yet."""


def main() -> None:
    """Run the command line of this process; ends with its exit status."""
    try:
        status = _done(sys.argv[1:], dict(os.environ))
    except KeyboardInterrupt:  # it came before the command line could tell
        sys.stderr.write(_INTERRUPTED)
        status = 130
    _leave(status)


def _done(words: list[str], environment: dict[str, str]) -> int:
    """The exit status of doing it in this process; where a server does it, this ends the process."""
    names_open_file = any(name in word for word in words for name in DESCRIPTOR_PATHS)
    if not words or words[0] in UNSERVED_COMMANDS or names_open_file or not address.wanted(environment):
        return _do_it_here()
    if not address.is_left_by_compiled():
        client.serve(words, environment)
    try:
        return _do_it_here()
    finally:
        if not client.listens(environment):
            from gitscalpel.server import start_stop

            start_stop.in_background(environment)


def _do_it_here() -> int:
    import gc

    gc.disable()  # importing makes nothing to collect; `run` enables it
    _load_uninterrupted()
    from gitscalpel.cli import main

    try:
        main()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return 0


def _load_uninterrupted() -> None:
    """Load what swallows an interrupt that comes meanwhile, and crashes later for what it then lacks."""
    import _signal  # type: ignore[import-not-found]  # `signal` makes an enumeration of all that it answers

    if not hasattr(_signal, "pthread_sigmask"):
        return
    before = _signal.pthread_sigmask(_signal.SIG_BLOCK, (_signal.SIGINT,))
    try:
        import msgspec  # noqa: F401
    finally:
        _signal.pthread_sigmask(_signal.SIG_SETMASK, before)


def _leave(status: int) -> NoReturn:
    """End, and take nothing apart that is going to be gone: else a tenth of a short call."""
    atexit.register(_end, status)  # what is registered last is done first
    sys.exit(status)  # who runs this, as a profiler does, has his say before


def _end(status: int) -> None:
    """Do all that an interpreter does at its end, but take itself apart."""
    from contextlib import suppress

    atexit.unregister(_end)
    atexit._run_exitfuncs()
    with suppress(AttributeError, OSError):  # taken away, or full, which has been told
        sys.stdout.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
