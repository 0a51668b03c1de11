"""Compare answers with and without cache and filter: ``python -m tests.queries REPOSITORY...``.

Each query is asked three times: file by file without the cache, in its directory, and in its directory again.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import gitscalpel
from gitscalpel.syntax.languages import recognise
from tests.queries.seeded import WithoutCache, draw_queries, find_by_file, find_in_directory


def main(words: list[str]) -> int:
    """Return the number of queries whose answers differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repositories", nargs="+", type=Path, metavar="REPOSITORY")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=334, help="queries in each repository")
    asked = parser.parse_args(words)
    different = 0
    for folder in asked.repositories:
        with gitscalpel.open(folder) as repository:
            view = repository.view()
            paths = [path for path in view.matching("**") if recognise(path, b"") is not None]
            for query in draw_queries(view, paths, asked.seed, asked.count):
                with WithoutCache():
                    expected = find_by_file(view, query, paths)
                for kind in ("first", "again"):
                    if find_in_directory(view, query) != expected:
                        different += 1
                        print(f"{folder.name}: {kind}: {query}")
        print(f"{folder.name}: {asked.count} queries, {different} different so far")
    return different


if __name__ == "__main__":
    sys.exit(min(1, main(sys.argv[1:])))
