"""Merges that people made, made again: ``python -m tests.merges [--merges N] [--keep FOLDER] FOLDER…``.

Each folder is a repository, bare or not, or holds some. Of each, up to N merges in which git sees a
conflict in a file are taken from all over its history; nothing is written to it. The table counts
files: ``equal`` to what was committed, ``differing`` (people do more in a merge, or put two additions in
another order), ``refused``, ``refuted`` by what git merges without a conflict, ``failed`` with an error,
and ``slow``: more than a second of processor time for each megabyte. ``--keep`` writes what is not equal
there, all versions of it, to be looked at. The exit status says whether any was refuted, failed or slow.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.merges.history import History
from tests.merges.replay import Replayed, replay

_COLUMNS = ("files", "resolved", "equal", "differing", "refused", "refuted", "failed", "slow")
_ROW = "{:<34}" + "{:>10}" * len(_COLUMNS)


def main() -> int:
    """Replay, and print a row for each repository and one for all."""
    parser = argparse.ArgumentParser(prog="python -m tests.merges", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--merges", type=int, default=60, help="of each repository (60)")
    parser.add_argument("--keep", type=Path, help="write there what is not equal")
    options = parser.parse_args()
    print(_ROW.format("repository", *_COLUMNS))
    total: Counter[str] = Counter()
    for name, history, scratch in _histories(options.folders):
        with scratch:
            counts: Counter[str] = Counter()
            for number, one in enumerate(replay(history.conflicts(options.merges))):
                counts.update(["files", one.outcome, *["slow"] * one.is_slow])
                counts["resolved"] += one.merged is not None
                if one.outcome in {"refuted", "failed"} or one.is_slow:
                    print(f"  {one.words}")
                if options.keep and one.merged is not None and one.outcome != "equal":
                    _keep(options.keep / f"{name}-{number}", one)
        print(_ROW.format(name, *(counts[column] for column in _COLUMNS)), flush=True)
        total.update(counts)
    print(_ROW.format("all", *(total[column] for column in _COLUMNS)))
    return int(any(total[column] for column in ("refuted", "failed", "slow")))


def _histories(folders: list[Path]) -> Iterator[tuple[str, History, tempfile.TemporaryDirectory[str]]]:
    for folder in folders:
        for place in [folder, *sorted(path for path in folder.iterdir() if path.is_dir())]:
            scratch = tempfile.TemporaryDirectory()
            try:
                yield place.name, History(place, Path(scratch.name)), scratch
            except ValueError:
                scratch.cleanup()
                continue
            if place == folder:
                break


def _keep(folder: Path, one: Replayed) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    versions = ("base", "ours", "theirs", "committed")
    for name, content in zip(versions, one.case[2:], strict=True):
        (folder / name).write_bytes(content or b"")
    (folder / "merged").write_bytes(one.merged or b"")
    (folder / "what").write_text(f"{one.outcome} {one.case.commit} {one.case.path}\n{one.why}\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
