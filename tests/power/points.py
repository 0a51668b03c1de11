"""Power cuts at the points of one scenario: what may be there after each, and whether that heals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.crash import judge, plain, strike
from tests.crash.box import Box
from tests.crash.points import Point, Struck
from tests.crash.scenarios import Scenario, tool
from tests.power import cuts, recording
from tests.power.disk import Disk, State
from tests.power.layout import lay_out
from tests.power.recording import Recording

AGAIN = "recover cut"
"""The power fails once more, while the tool recovers."""
_Found = Iterator[tuple[int, State, bool]]


class Sample(NamedTuple):
    """Which of all states are tried.

    Attributes:
        every: only every so-manieth point.
        most: so many states at each point.
        seed: of those that are taken by chance.
        without: syncs of files that match this are taken for not made: whether they are needed.
    """

    every: int
    most: int
    seed: int
    without: str = ""


class Cut:
    """A scenario whose command loses its power."""

    def __init__(self, folder: Path, scenario: Scenario, sample: Sample) -> None:
        self.scenario, self._sample = scenario, sample
        self._library = recording.built(folder)
        self._struck = Struck(folder, strike.built(folder), scenario)
        self.box = self._struck.box
        self._place = self.box.root.parent
        self.box.restore()
        self._start = Disk(self._place).now()

    def points(self, model: str) -> Iterator[Point]:
        """Every state that is tried, healed in one way and the other."""
        lay_out(self._start, self._place)
        disk, done = self._recorded(self.box.words)
        assert done.status == 0, done.out
        for at, state, answered in self._states(model, disk, done):
            expected = ("new",) if answered else ()
            lay_out(state, self._place)
            yield self._point(model, at, "next", self._struck.by_next(*expected))
            lay_out(state, self._place)
            yield self._point(model, at, "recover", self._struck.by_recover(*expected))

    def points_of_recovery(self, model: str) -> Iterator[Point]:
        """The same where the power fails once more while the tool recovers from one of a few of them."""
        lay_out(self._start, self._place)
        disk, done = self._recorded(self.box.words)
        for turn, (_, state, answered) in enumerate(self._states(model, disk, done)):
            if turn % (7 * self._sample.every) == self._sample.seed % 7:
                lay_out(state, self._place)
                left, recovery = self._recorded(tool("recover"))
                for again, worse, _ in self._states(model, left, recovery):
                    lay_out(worse, self._place)
                    wrong = self._struck.by_next(*(("new",) if answered else ()))
                    yield self._point(f"{AGAIN}, {model}", again, "next", wrong)

    def _recorded(self, words: list[str]) -> tuple[Disk, Recording]:
        return Disk(self._place), recording.run(self._library, words, self.box.root, self.box.env)

    def _states(self, model: str, disk: Disk, done: Recording) -> _Found:
        return states(model, disk, done, self._sample)

    def _point(self, kind: str, at: int, how: str, wrong: list[str]) -> Point:
        return Point(self.scenario.name, kind, at, how, tuple(wrong))


def states(model: str, disk: Disk, done: Recording, sample: Sample) -> _Found:
    """Point, state, and whether the command had answered by then; no state twice."""
    known: set[tuple[int, bool]] = set()
    for at in range(len(done.records) + 1):
        if at:
            disk.apply(done.records[at - 1], sample.without)
        answered = at >= done.answered
        if (at + sample.seed) % sample.every and not answered:
            continue
        for state in cuts.of(model, disk, sample.seed + at, sample.most * (1 + 4 * answered)):
            what = hash(frozenset((path, seen.mode, seen.content) for path, seen in state.items()))
            if (what, answered) not in known:
                known.add((what, answered))
                yield at, state, answered


def of_git(folder: Path, scenario: Scenario, model: str, sample: Sample) -> Iterator[Point]:
    """Plain git, as ``tests.crash`` has it: it is run again."""
    box, library = Box(folder, scenario), strike.built(folder)
    box.restore()
    place = box.root.parent
    start = Disk(place)
    done = recording.run(recording.built(folder), box.words, box.root, box.env)
    new = judge.seen(box.root, box.env)
    for at, state, _ in states(model, start, done, sample):
        lay_out(state, place)
        yield Point(scenario.name, model, at, "again", tuple(plain.again(box, library, new)))
