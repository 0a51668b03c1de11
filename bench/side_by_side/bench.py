"""What one run of the benchmark has: its folder, sizes, repositories and the tools of others."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from bench.repos import copied, make
from bench.side_by_side.ways.others import Other


class Sides(NamedTuple):
    """The same repository twice: for what is measured, and for what it is measured against."""

    subject: Path
    floor: Path


class Bench:
    """One run."""

    def __init__(self, folder: Path, files: tuple[int, ...], rounds: int, others: list[Other]) -> None:
        self.folder, self.files, self.rounds, self.others = folder, files, rounds, others
        self._made: dict[int, Sides] = {}
        self._places = 0

    def sides(self, files: int) -> Sides:
        """Repositories of so many files, made when they are first asked for."""
        if files not in self._made:
            subject = make(self.folder / f"{files}", files)
            self._made[files] = Sides(subject, copied(subject, self.folder / f"{files}-floor"))
        return self._made[files]

    def fresh(self) -> Path:
        """A place that nobody has used."""
        self._places += 1
        place = self.folder / f"fresh{self._places}"
        place.mkdir()
        return place

    @property
    def few(self) -> int:
        """Rounds of what takes long."""
        return max(1, self.rounds // 4)
