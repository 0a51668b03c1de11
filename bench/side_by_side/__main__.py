"""``python -m bench.side_by_side`` measures, prints a table, and writes what it is asked to.

python -m bench.side_by_side                                       # 1,000 files; minutes
python -m bench.side_by_side --files 1000 20000 80000 --others     # all of it; a good hour
python -m bench.side_by_side --rows landing show --curves          # some rows, no curves
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from bench.repos import run, sealed
from bench.side_by_side import picture, table
from bench.side_by_side.bench import Bench
from bench.side_by_side.curves import CURVES
from bench.side_by_side.rows import ROWS
from bench.side_by_side.values import Curve, Report, Row
from bench.side_by_side.ways import others

_FAILED = "failed"


def measure(bench: Bench, rows: list[str], curves: list[str]) -> Report:
    """Everything that is asked for; each row is told as it comes."""
    found: list[Row] = []
    drawn: list[Curve] = []
    with suppress(KeyboardInterrupt):  # what was measured until then is not lost
        for row in (row for name in rows for row in _told(name, bench)):
            found.append(row)
            told = row.missing or row.does if not row.ratio else f"{row.ratio:.2f} x {row.against}"
            print(f"{row.what}, {row.way}, {row.files} files: {told}", file=sys.stderr, flush=True)
        for name in curves:
            drawn.append(CURVES[name](bench))
            print(f"curve: {name}", file=sys.stderr, flush=True)
    version = run(bench.folder, "git", "version").strip()
    machine = f"{platform.system()}, {os.cpu_count()} cores, {version}, Python {platform.python_version()}"
    return Report(machine, bench.rounds, tuple(found), tuple(drawn))


def _told(name: str, bench: Bench) -> Iterator[Row]:
    """Its rows; one that cannot be measured is told as such, and the others are measured all the same."""
    try:
        yield from ROWS[name](bench)
    except SystemExit as failed:
        yield Row(row=name, what=name, way="", against="", missing=f"{_FAILED}: {failed}")


def options(words: list[str] | None = None) -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(prog="python -m bench.side_by_side", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--files", type=int, nargs="+", default=[1_000], help="sizes of the repository")
    parser.add_argument("--rounds", type=int, default=9, help="pairs of each comparison")
    parser.add_argument("--rows", nargs="*", choices=ROWS, default=list(ROWS))
    parser.add_argument("--curves", nargs="*", choices=CURVES, default=list(CURVES))
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "gitscalpel-bench")
    explained = f"have pip install other tools, each in an environment of its own, and compare them ({cache})"
    parser.add_argument("--others", type=Path, nargs="?", const=cache, metavar="FOLDER", help=explained)
    for name in ("json", "markdown", "picture"):
        parser.add_argument(f"--{name}", type=Path, metavar="FILE")
    return parser.parse_args(words)


def main(words: list[str] | None = None) -> None:
    """Measure and write."""
    given = options(words)
    if not shutil.which("git-scalpel", path=str(Path(sys.executable).parent)):
        sys.exit("install gitscalpel for this Python first: pip install -e '.[test]'")
    tools = others.found(given.others.absolute() if given.others else None)
    with sealed() as folder:
        report = measure(Bench(folder, tuple(given.files), given.rounds, tools), given.rows, given.curves)
    text = table.markdown(report)
    print(text)
    if given.markdown:
        given.markdown.write_text(text)
    if given.json:
        given.json.write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n")
    if given.picture:
        given.picture.write_text(picture.svg(report))
    if any(row.missing.startswith(_FAILED) for row in report.rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
