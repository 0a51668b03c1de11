"""``python -m gitscalpel``: the command line, where the console script is not on PATH."""

from __future__ import annotations

from gitscalpel.cli import main

main()
