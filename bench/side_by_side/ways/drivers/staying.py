"""Runs in the interpreter of another tool: loads the module that is named, and does edits it is told.

An edit is a line of JSON. It needs nothing but that tool; gitscalpel is not installed there.
"""

from __future__ import annotations

import importlib
import json
import os
import sys


def main() -> None:
    """Answer each line with ``done``, or with what went wrong."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # tools print as they like
    edit = importlib.import_module(sys.argv[1]).edit
    for line in sys.stdin:
        try:
            edit(**json.loads(line))
            said = "done"
        except Exception as error:  # noqa: BLE001, RUF100 - whatever a tool raises, it has refused
            said = repr(error)
        answers.write(said.replace("\n", " ") + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
