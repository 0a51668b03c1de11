"""The console script, where no client is compiled, and ``python -m gitscalpel``: a server does it, or this.

What stands here and in :mod:`gitscalpel.serve.client` is the price of every call, so nothing else is loaded.
"""

from __future__ import annotations

import atexit
import os
import sys

from gitscalpel.serve import address, client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_HERE = frozenset({"serve", "run", "demo", "mcp", "review"})
"""Commands that stay, or hand the terminal to another program."""
_OPEN_FILES = ("/dev/fd/", "/proc/self/")
"""By which a word names what only this process has open (``--code-file <(program)``)."""


def main() -> None:
    """Run the command line of this process; ends with its exit status."""
    words, environment = sys.argv[1:], dict(os.environ)
    names_open_file = any(name in word for word in words for name in _OPEN_FILES)
    if not words or words[0] in _HERE or names_open_file or not address.wanted(environment):
        _leave(_do_it_here())
    if not address.is_left_by_compiled():
        client.serve(words, environment)
    try:
        status = _do_it_here()
    finally:
        if not client.listens(environment):
            from gitscalpel.serve import start

            start.in_background(environment)
    _leave(status)


def _do_it_here() -> int:
    import gc
    from contextlib import suppress

    from gitscalpel.serve import bundle

    gc.disable()  # importing makes nothing to collect; `run` enables it
    bundled = bundle.use()
    from gitscalpel.cli import main

    try:
        main()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    finally:
        if _HERE.isdisjoint(sys.argv[1:2]):  # those load much that no short call does
            with suppress(KeyboardInterrupt):  # all that was asked for is done, and told
                bundled.renew()
    return 0


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
