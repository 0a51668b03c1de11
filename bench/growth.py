"""What many transactions leave behind: refs, objects, bytes, and whether they get slower.

``python -m bench.growth --transactions 10000`` takes some minutes; the suite runs a sample.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import msgspec

import gitscalpel
from bench.repos import made, sealed, timed
from gitscalpel import Repository, Text

FILES = 40
_BY_COMMAND_LINE, _UNDONE, _DROPPED, _LOOKED_AT = 500, 97, 101, 25
"""Every so many transactions."""


class Grown(msgspec.Struct, frozen=True, kw_only=True):
    """What so many transactions have left.

    Attributes:
        transactions: how many landed.
        refs: under ``refs/scalpel/`` at the end, without what is kept for a while.
        kept: undone and dropped commits that are kept.
        journal: whether a landing is left unfinished.
        most_loose: loose objects, at the worst of the times that were looked at.
        packs: at the end, before gc.
        bytes_each: what the object folder grew by for each transaction, after gc.
        young, old: seconds for the second hundred transactions of a repository, and for the last one of
            this one (or tenths, if there are few), in turns, so that both meet the same machine.
        medians: of one transaction in each of them.
        worked: seconds of processor time in each of them.
        slowest: seconds for the slowest one: where it packed.
        gc: seconds that gc took at the end.
        undo: seconds for an undo at the end.
        sound: what ``git fsck --strict`` complains about.
    """

    transactions: int
    refs: int
    kept: int
    journal: bool
    most_loose: int
    packs: int
    bytes_each: float
    young: float
    old: float
    medians: tuple[float, float]
    worked: tuple[float, float]
    slowest: float
    gc: float
    undo: float
    sound: str


class _Took(NamedTuple):
    """Seconds by the clock, and of processor time."""

    clock: float
    worked: float


class Farm:
    """A repository in which transactions land, one after the other."""

    def __init__(self, root: Path, until: ExitStack) -> None:
        self.root = root
        made(root, _files())
        self.repo = until.enter_context(gitscalpel.open(root))
        self.took: list[_Took] = []
        self.most_loose = 0

    def land(self) -> None:
        """One more."""
        number = len(self.took)
        start, worked = time.perf_counter(), _worked()
        _land(self.root, self.repo, number)
        self.took.append(_Took(time.perf_counter() - start, _worked() - worked))
        _now_and_then(self.repo, number)
        if number % _LOOKED_AT == 0:
            self.most_loose = max(self.most_loose, _loose(self.root))


def measure(root: Path, transactions: int) -> Grown:
    """Make repositories in ``root`` and land so many transactions in the old one of them."""
    with ExitStack() as until:
        return _measured(Farm(root / "old", until), Farm(root / "young", until), transactions)


def _measured(old: Farm, young: Farm, transactions: int) -> Grown:
    before = old.repo.gc().after.bytes
    part = min(100, max(1, transactions // 10))
    for farm, count in ((old, transactions - part), (young, part)):
        for _ in range(count):
            farm.land()
    for _ in range(part):
        old.land()
        young.land()
    refs = _git(old.root, "for-each-ref", "--format=%(refname)", "refs/scalpel").split()
    packs = len([*(old.root / ".git/objects/pack").glob("*.pack")])
    undo = timed(old.repo.undo) / 1000
    collected = timed(old.repo.gc) / 1000
    after = old.repo.gc().after.bytes
    pair = young.took[-part:], old.took[-part:]
    clocks, works = ([[each[n] for each in took] for took in pair] for n in (0, 1))
    return Grown(
        transactions=transactions,
        refs=len([ref for ref in refs if not ref.startswith("refs/scalpel/keep/")]),
        kept=len([ref for ref in refs if ref.startswith("refs/scalpel/keep/")]),
        journal=(old.root / ".git/scalpel/journal").exists(),
        most_loose=old.most_loose,
        packs=packs,
        bytes_each=(after - before) / transactions,
        young=sum(clocks[0]),
        old=sum(clocks[1]),
        medians=(statistics.median(clocks[0]), statistics.median(clocks[1])),
        worked=(sum(works[0]), sum(works[1])),
        slowest=max(old.took).clock,
        gc=collected,
        undo=undo,
        sound=_git(old.root, "fsck", "--strict", "--no-dangling"),
    )


def _files() -> dict[str, str]:
    body = "\n\n".join(f"def f{n}(x):\n    return x + {n}\n" for n in range(20))
    return {f"src/part{n % 5}/module{n}.py": f"VALUE = 0\n\n\n{body}" for n in range(FILES)}


def _land(root: Path, repo: Repository, number: int) -> None:
    path = f"src/part{number % FILES % 5}/module{number % FILES}.py"
    if number % _BY_COMMAND_LINE == _BY_COMMAND_LINE - 1:
        words = ["text", path, "--old", r"^VALUE = \d+$", "--regex", "--new", f"VALUE = {number + 1}"]
        subprocess.run(
            [sys.executable, "-m", "gitscalpel", *words], cwd=root, check=True, stdout=subprocess.DEVNULL
        )
    else:
        repo.edit(Text(path=path, old=r"^VALUE = \d+$", regex=True, new=f"VALUE = {number + 1}"))


def _now_and_then(repo: Repository, number: int) -> None:
    if number % _UNDONE == _UNDONE - 1:
        repo.undo()
        repo.redo()
    if number % _DROPPED == _DROPPED - 1:
        tx = repo.begin()
        tx.edit(Text(path="src/part0/module0.py", old="return x + 1\n", new=f"return {number}\n"))
        tx.drop()


def _loose(root: Path) -> int:
    return sum(sum(1 for _ in folder.iterdir()) for folder in (root / ".git/objects").glob("??"))


def _worked() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, check=False)
    return (done.stdout + done.stderr).decode()


def main() -> None:
    """Measure, and say it against what is promised."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--transactions", type=int, default=10_000)
    given = parser.parse_args()
    with sealed() as folder:
        grown = measure(folder, given.transactions)
    for name in grown.__struct_fields__:
        print(f"{name:>14}  {getattr(grown, name)}")
    print(
        f"last / second hundred: {grown.old / grown.young:.2f} (1.2), "
        f"of medians {_ratio(grown.medians):.2f}, of processor time {_ratio(grown.worked):.2f}"
    )


def _ratio(pair: tuple[float, float]) -> float:
    return pair[1] / pair[0]


if __name__ == "__main__":
    main()
