"""Cuts the power of scenarios, in processes of their own, and puts what came out into a table."""

from __future__ import annotations

import multiprocessing
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests.crash import strike
from tests.crash.points import Point
from tests.crash.scenarios import GIT, OURS
from tests.power import cuts, points

KINDS = (*cuts.MODELS, *(f"{points.AGAIN}, {model}" for model in cuts.MODELS))
_PASSING = re.compile(r"[0-9a-f]{7,}|\b[a-z2-7]{8}\b(?=[.:/ ]|$)|/\S*/box/")
"""What differs from run to run: ids, and where the box lies."""


class Asked(NamedTuple):
    """What is tried of one scenario."""

    name: str
    kinds: Sequence[str]
    sample: points.Sample


def every(asked: Iterable[Asked], jobs: int) -> Iterator[Point]:
    """What came out, scenario by scenario."""
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        for done in [pool.submit(_job, each) for each in asked]:
            yield from done.result()


def _job(asked: Asked) -> list[Point]:
    strike.adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="scalpel-power-") as folder:
        return list(_points(asked, Path(folder).resolve()))


def _points(asked: Asked, folder: Path) -> Iterator[Point]:
    scenario = next(each for each in (*OURS, *GIT) if each.name == asked.name)
    if scenario in GIT:
        for model in cuts.MODELS:
            if model in asked.kinds:
                yield from points.of_git(folder, scenario, model, asked.sample)
        return
    cut = points.Cut(folder, scenario, asked.sample)
    for kind in asked.kinds:
        again, _, model = kind.rpartition(", ")
        yield from (cut.points_of_recovery if again else cut.points)(model)


def table(found: Iterable[Point]) -> str:
    """Scenario and model by what came out."""
    rows: dict[tuple[str, str], Counter[str]] = {}
    places: dict[tuple[str, str], set[int]] = {}
    for point in found:
        key = (point.scenario, point.kind)
        rows.setdefault(key, Counter())["NOT" if point.wrong else "healed"] += 1
        rows[key]["recover"] += point.how == "recover"
        places.setdefault(key, set()).add(point.at)
    lines = ["scenario | model | points | states | healed | NOT healed"]
    for (name, kind), row in rows.items():
        states = row["healed"] + row["NOT"] - row["recover"]
        cells = [len(places[name, kind]), states, row["healed"], row["NOT"] or ""]
        lines.append(" | ".join([name, kind, *map(str, cells)]))
    return "\n".join(lines)


def reasons(found: Iterable[Point], most: int) -> str:
    """What is wrong, how often, and where first."""
    first: dict[tuple[str, str, str], Point] = {}
    counted: Counter[tuple[str, str, str]] = Counter()
    for point in found:
        for words in point.wrong:
            key = point.scenario, point.kind, _PASSING.sub("…", words)[:300].strip()
            counted[key] += 1
            first.setdefault(key, point)
    return "\n".join(
        f"{count} times {name}, {kind}: {words} (first at {first[name, kind, words].at}, "
        f"{first[name, kind, words].how})"
        for (name, kind, words), count in counted.most_common(most)
    )
