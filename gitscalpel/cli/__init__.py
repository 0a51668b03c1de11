"""The command line: ``git scalpel VERB …``, one small file per verb and no logic."""

from __future__ import annotations

import signal
import sys

from gitscalpel.cli.boundary import run


def main() -> None:
    """The console script: who is told to end, as by ``timeout``, is interrupted, and clears up first."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:  # ``nohup`` has it ignored
            signal.signal(number, signal.default_int_handler)
    sys.exit(run(sys.argv[1:]))
