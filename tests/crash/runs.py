"""Strikes scenarios point by point, in processes of their own, and puts what came out into a table."""

from __future__ import annotations

import multiprocessing
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.crash import plain, strike
from tests.crash.points import Point, Struck
from tests.crash.scenarios import GIT, OURS

_KILLED = "recover killed"
EVERY_KIND = (*strike.KILLS, _KILLED, *strike.FAILURES)
_COLUMNS = {
    "healed by the next command": "next",
    "healed by recover": "recover",
    "healed by running again": "again",
    "refused": "refused",
    "landed": "landed",
    "partial, then healed": "healed",
}


def every(
    names: Iterable[str], kinds: Sequence[str], step: int, first: int = 1, jobs: int = 2
) -> Iterator[Point]:
    """Strike scenarios at their calls ``first``, ``first + step``, …, in each of the ``kinds``."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, spawn) as pool:
        for done in [pool.submit(_job, name, kinds, step, first) for name in names]:
            yield from done.result()


def sample(name: str, kinds: Sequence[str], places: int, turn: int) -> list[Point]:
    """Strike one of our scenarios at ``places`` calls, evenly spread, and at others every ``turn``."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_job, name, kinds, None, turn, places).result()


def _job(name: str, kinds: Sequence[str], step: int | None, first: int, places: int = 1) -> list[Point]:
    strike.adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="scalpel-crash-") as folder:
        return list(_points(name, Path(folder), kinds, step, first, places))


def _points(
    name: str, folder: Path, kinds: Sequence[str], step: int | None, first: int, places: int
) -> Iterator[Point]:
    library = strike.built(folder)
    scenario = next(each for each in (*OURS, *GIT) if each.name == name)
    if scenario in GIT:
        yield from plain.points(folder, library, scenario, step or 1, first)
        return
    struck = Struck(folder, library, scenario)
    if step is None:
        step = struck.calls // places + 1
        first = 1 + first % step
    for at in range(first, struck.calls + 1, step):
        for kind in kinds:
            if kind in strike.KILLS:
                yield from struck.kill(kind, at)
            elif kind == _KILLED:
                # Where it is killed again moves through recovery as the first kill moves through the command.
                yield struck.kill_recovery(at, 1 + at % 25)
            else:
                point = struck.fail(kind, at)
                yield from [point] if point else []


def table(found: Iterable[Point]) -> str:
    """Scenario and kind by what came out."""
    rows: dict[tuple[str, str], Counter[str]] = {}
    for point in found:
        row = rows.setdefault((point.scenario, point.kind), Counter())
        row["points"] += 1
        row["NOT" if point.wrong else point.how] += 1
    total = sum(rows.values(), Counter())
    rows["all", ""] = total
    heads = ["points", *_COLUMNS, "NOT"]
    lines = [" | ".join(["scenario", "struck by", *heads[:-1], "NOT healed"])]
    for (name, kind), row in rows.items():
        cells = [row["points"], *(row[how] for how in _COLUMNS.values()), row["NOT"]]
        lines.append(" | ".join([name, kind, *(str(cell or "") for cell in cells)]))
    return "\n".join(lines)
