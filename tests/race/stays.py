"""A writer that stays: edits through the Python API, one after the other; a line of JSON for each."""

from __future__ import annotations

import json
import sys
import time

import gitscalpel
from gitscalpel import Replace, ScalpelError
from tests.race.writing import code


def main(root: str, *numbers: str) -> None:
    """Replace one function for each number."""
    with gitscalpel.open(root) as repo:
        for n in map(int, numbers):
            began = time.perf_counter()
            refused = None
            try:
                repo.edit(Replace(path="a.py", symbol=f"f{n}", code=code(f"f{n}", n)))
            except ScalpelError as error:
                refused = error.code
            print(json.dumps([n, refused, time.perf_counter() - began]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
