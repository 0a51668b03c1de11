"""The console script, where no client is compiled, and ``python -m gitscalpel``: a server does it, or this.

What stands here and in :mod:`gitscalpel.serve.client` is the price of every call, so nothing else is loaded.
"""

from __future__ import annotations

import os
import sys

from gitscalpel.serve import address, client

_HERE = frozenset({"serve", "run", "demo", "mcp", "review"})
"""Commands that stay, or hand the terminal to another program."""
_OPEN_FILES = ("/dev/fd/", "/proc/self/")
"""By which a word names what only this process has open (``--code-file <(program)``)."""


def main() -> None:
    """Run the command line of this process; ends with its exit status."""
    words, environment = sys.argv[1:], dict(os.environ)
    names_open_file = any(name in word for word in words for name in _OPEN_FILES)
    if not words or words[0] in _HERE or names_open_file or not address.wanted(environment):
        _do_it_here()
    if not address.is_left_by_compiled():
        client.serve(words, environment)
    try:
        _do_it_here()
    finally:
        if not client.listens(environment):
            from gitscalpel.serve import start

            start.in_background(environment)


def _do_it_here() -> None:
    import gc

    gc.disable()  # importing makes nothing to collect; `run` enables it
    from gitscalpel.cli import main

    main()


if __name__ == "__main__":
    main()
