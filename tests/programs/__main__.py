"""Rename each name of hard programs: ``python -m tests.programs [--language L] [--program P] [--name N]``.

Each program in ``texts/`` uses every way to name a thing in its language and prints something. Each name that
it defines is renamed from the beginning; the result is compiled and run. A row for each program: ``done`` if
the output is the same, ``refused``, ``listed`` if the output differs and the answer names a place that was
left, and ``BROKEN`` if it differs and the answer says nothing. The exit status is 1 if any is ``BROKEN``.
A language whose compiler is not installed is skipped, and named. ``--all`` prints every rename.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.programs.judge import VERDICTS, Outcome, judge_program, new_name
from tests.programs.program import Program, load_programs
from tests.programs.toolchains import TOOLCHAINS

_ROW = "{:<34}" + "{:>9}" * (len(VERDICTS) + 3)


def main() -> int:
    """Judge the programs and print a row for each of them."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.programs", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--language", choices=sorted(TOOLCHAINS), default="")
    parser.add_argument("--program", default="", help="part of the title of a text")
    parser.add_argument("--name", default="", help="rename this word alone")
    parser.add_argument("--to", default="", help="new name (default: the old one with a suffix)")
    parser.add_argument("--uses", action="store_true", help="rename from each use as well")
    parser.add_argument("--sample", type=int, default=0, help="names of each program (default: all)")
    parser.add_argument("--seed", type=int, default=0, help="choice of the sample (default: 0)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--all", action="store_true", help="print every rename")
    options = parser.parse_args()
    os.environ["SCALPEL_SERVER"] = "off"
    print(_ROW.format("program", "names", *VERDICTS, "rows", "seconds"))
    total: Counter[str] = Counter()
    for program in load_programs(options.language, options.program):
        missing = TOOLCHAINS[program.language].missing()
        if missing:
            print(f"SKIPPED {program.title}: {', '.join(missing)} is not installed", flush=True)
            continue
        total.update(_judge(program, options))
    print(_row("all", total, ""))
    return int(total["BROKEN"] > 0)


def _judge(program: Program, options: argparse.Namespace) -> Counter[str]:
    begun = time.monotonic()
    names = [each for each in program.names(uses=options.uses) if options.name in ("", each.word)]
    if 0 < options.sample < len(names):
        names = random.Random(options.seed).sample(names, options.sample)  # noqa: S311 - not for secrets
    pairs = [(each, options.to or new_name(each.word)) for each in names]
    with tempfile.TemporaryDirectory(prefix="programs-") as scratch:
        toolchain = TOOLCHAINS[program.language]
        found = judge_program(program, pairs, toolchain, Path(scratch), options.jobs)
    counts = Counter(each.verdict for each in found)
    counts["rows"] = sum(len(each.left) for each in found if each.verdict == "done")
    print(_row(program.title, counts, f"{time.monotonic() - begun:.0f}"), flush=True)
    for each in found:
        if options.all or each.verdict != "done":
            _report(each)
    return counts


def _row(title: str, counts: Counter[str], seconds: str) -> str:
    names = sum(counts[each] for each in VERDICTS)
    return _ROW.format(title, names, *(counts[each] for each in VERDICTS), counts["rows"], seconds)


def _report(outcome: Outcome) -> None:
    print(f"  {outcome.verdict} {outcome.name} -> {outcome.to}: {outcome.reason}", flush=True)
    for row in outcome.left:
        print(f"      left: {row}")


if __name__ == "__main__":
    sys.exit(main())
