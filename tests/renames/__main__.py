"""Real projects edited: ``python -m tests.renames [--operation O] [--renames N] [--language L] FOLDER…``.

Each folder is a work tree, a bare repository or a plain folder; a copy is renamed in. Of each, names are
drawn (functions, classes, parameters, locals, members, …) and renamed, each from the beginning; afterwards
the project has to compile and type-check as before, nothing but the name may have changed, and each place
that was left has to mean something else or be listed by the answer. A row for each project: ``done``;
``hinted``, a move that was done with what the hint of its refusal named;
``listed``, where a check fails and the answer said which places it left; ``refused``, with the reasons
below; ``FAILED``, each with its seed: ``--seed N --renames 1`` makes it again. The checks are Python's
compiler and ty, tsc, cargo, javac and go, those that are here; ``RENAMES_PYTHON`` names the environment
in which ty finds what a Python project needs. With ``--operation mv`` files and folders are drawn and
moved, with ``--operation move`` definitions; a Python or JavaScript program is also run: each module is
imported first in a process of its own, and the tests are collected.
``--modules FOLDER`` links a folder ``node_modules`` into the copy, and the packages of a workspace beside it.
A Go project whose dependencies are not here needs ``GOFLAGS=-modfile=FILE`` with a file that replaces them.
The exit status says whether any failed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.renames.checks import find_check
from tests.renames.operations import OPERATIONS
from tests.renames.project import SUFFIXES, Project

_COLUMNS = ("done", "hinted", "listed", "refused", "FAILED", "places")
_ROW = "{:<34}" + "{:>10}" * len(_COLUMNS) + "{:>10}"


def main() -> int:
    """Run the operation, and print a row for each project and one for all."""
    parser = argparse.ArgumentParser(prog="python -m tests.renames", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--operation", choices=sorted(OPERATIONS), default="rename")
    parser.add_argument("--renames", type=int, default=20, help="of each project (20)")
    parser.add_argument("--modules", type=Path, help="a folder node_modules for the copy")
    parser.add_argument("--language", choices=sorted(set(SUFFIXES.values())), default="python")
    parser.add_argument("--below", default="", help="only what lies there")
    parser.add_argument("--seed", type=int, default=1, help="of the first; the next one has the next")
    parser.add_argument("--minutes", type=float, default=60.0, help="for each project at most")
    options = parser.parse_args()
    print(_ROW.format("project", *_COLUMNS, "seconds"))
    total: Counter[str] = Counter()
    for folder in options.folders:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="renames-") as scratch:
            project = Project(folder, Path(scratch) / "project", options.below)
            if options.modules is not None:
                project.link_modules(options.modules.resolve())
            counts = _run_project(project, options, began + 60 * options.minutes)
        spent = f"{time.monotonic() - began:.0f}"
        print(_ROW.format(project.name, *(counts[column] for column in _COLUMNS), spent), flush=True)
        for why, often in sorted((why, n) for why, n in counts.items() if why not in _COLUMNS):
            print(f"    {often} refused: {why}")
        for why, often in sorted(project.left_out.items()):
            print(f"    {often} not drawn: {why}")
        total.update(counts)
    print(_ROW.format("all", *(total[column] for column in _COLUMNS), ""))
    return int(total["FAILED"] > 0)


def _run_project(project: Project, options: argparse.Namespace, until: float) -> Counter[str]:
    counts: Counter[str] = Counter()
    operation = OPERATIONS[options.operation]
    judge = find_check(options.language, runs=operation.runs)
    known = judge(project) if judge is not None else []
    for seed in range(options.seed, options.seed + options.renames):
        drawn = operation.draw(project, options.language, seed)
        if drawn is None or time.monotonic() > until:
            continue
        found = operation.judge(project, drawn, judge, known)
        counts.update({found.verdict: 1, "places": found.places})
        if found.verdict == "refused":
            counts[found.why.partition(":")[0]] += 1
        if found.verdict != "done":
            print(f"  {found.verdict} {project.name} seed {seed}: {drawn}: {found.why}", flush=True)
    return counts


if __name__ == "__main__":
    sys.exit(main())
