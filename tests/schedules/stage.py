"""Where one scenario is played: its box, and what comes of it one after the other or in an order."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from functools import cached_property
from itertools import count, permutations
from pathlib import Path

from tests.crash.box import sealed
from tests.crash.judge import house
from tests.sandbox import Sandbox
from tests.schedules import judge
from tests.schedules.judge import Seen
from tests.schedules.orders import Order, Passed
from tests.schedules.scenarios import Scenario, base
from tests.schedules.starting import Ended, Place, Words

_MADE = 2_000_000_000
"""When the files of a box were made, in seconds: some time before its order begins."""


class Stage:
    """A scenario, and a folder for it."""

    def __init__(self, folder: Path, scenario: Scenario) -> None:
        self.scenario, self._folder = scenario, folder
        box = folder / "box"
        (box / "home").mkdir(parents=True)
        self._env = {**sealed(box), **_preloaded()}
        os.environ.clear()
        os.environ.update(self._env)
        self.place = Place(folder, box, self._env)
        self._numbers = count(1)
        repo = Sandbox.init(box / "repo")
        base(repo)
        self.commands: Sequence[Words] = scenario.make(repo, self._tell)
        self._keep()
        self._outcomes: dict[tuple[int, ...], tuple[tuple[str, ...], Seen]] = {}
        self.one_by_one(tuple(range(len(self.commands))))
        self.known = house(self.place.root)

    @cached_property
    def codes(self) -> set[tuple[int, str]]:
        """What each command is told when they run one after the other, in any order of all."""
        every = permutations(range(len(self.commands)))
        return {(at, code) for each in every for at, code in enumerate(self.one_by_one(each)[0])}

    def play(self, order: Order) -> tuple[list[Ended], Passed]:
        """The commands in an order, from the beginning."""
        self._restore()
        return self.place.together(order, self.commands)

    def one_by_one(self, which: tuple[int, ...]) -> tuple[tuple[str, ...], Seen]:
        """What commands are told (in the order of all) that run one after the other, and what comes of it."""
        if which not in self._outcomes:
            self._restore()
            told = {at: self._tell(self.commands[at]).code for at in which}
            codes = tuple(told.get(at, "") for at in range(len(self.commands)))
            self._outcomes[which] = codes, judge.seen(self.place)
        return self._outcomes[which]

    def after(self, *words: str) -> Ended:
        """A command when all is over."""
        return self.place.alone(words, next(self._numbers))

    def _tell(self, words: Words) -> Ended:
        return self.place.alone(words, next(self._numbers))

    def _keep(self) -> None:
        """Keep the box; its files are old, and to git its index is younger than they."""
        original = self._folder / "original"
        shutil.copytree(self.place.box, original, symlinks=True)
        for here, folders, names in os.walk(original):
            for name in (*folders, *names):
                os.utime(Path(here) / name, (_MADE, _MADE), follow_symlinks=False)
        later = _MADE + 60
        os.utime(original / "repo/.git/index", (later, later))

    def _restore(self) -> None:
        shutil.rmtree(self.place.box)
        shutil.copytree(self._folder / "original", self.place.box, symlinks=True)
        Sandbox(self.place.root).git("update-index", "-q", "--refresh", check=False)
        os.utime(self.place.root / ".git/index", (_MADE + 60, _MADE + 60))


def _preloaded() -> dict[str, str]:
    return {name: os.environ[name] for name in ("LD_PRELOAD", "PYTHONHASHSEED")}
