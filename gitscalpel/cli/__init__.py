"""The command line: ``git scalpel VERB …``, one small file per verb and no logic."""

from __future__ import annotations

import sys

from gitscalpel.cli.boundary import run


def main() -> None:
    """The console script."""
    sys.exit(run(sys.argv[1:]))
