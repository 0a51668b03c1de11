"""An editing tool of somebody else, as a library in an environment of its own, with ``git commit`` after it.

Its file in ``drivers/`` calls it; ``drivers/staying.py`` keeps it in a process, which is started for each
edit (cold) or once. What it took from its users, it gets from here: the edit, in the form it reads.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bench.repos import run
from bench.side_by_side.ways.way import Doing, Edit, Way

_DRIVERS = Path(__file__).parent / "drivers"


class Refused(Exception):
    """The tool would not do it, or could not."""


class Library(NamedTuple):
    """A tool: its name, the file that drives it, and what pip is asked for."""

    name: str
    driver: str
    wants: tuple[str, ...]


class Driver:
    """A process that has the tool loaded and does edits."""

    def __init__(self, python: Path, module: str, root: Path) -> None:
        words = [str(python), str(_DRIVERS / "staying.py"), module]
        self._process = subprocess.Popen(
            words, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def edit(self, edit: Edit) -> None:
        """Have the file of an edit written."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(edit._asdict()).encode() + b"\n")
        self._process.stdin.flush()
        said = self._process.stdout.readline()
        if said.strip() != b"done":
            raise Refused(said.decode().strip() or "it ended")

    def close(self) -> None:
        """End it and wait for it."""
        self._process.communicate()


def ways(library: Library, python: Path) -> tuple[Way, Way]:
    """Started once, and for each edit."""

    @contextmanager
    def cold(root: Path) -> Iterator[Doing]:
        def doing(edit: Edit) -> Callable[[], object]:
            def act() -> None:
                driver = Driver(python, library.driver, root)
                try:
                    driver.edit(edit)
                finally:
                    driver.close()
                committed(root, edit)

            return act

        yield doing

    @contextmanager
    def stays(root: Path) -> Iterator[Doing]:
        driver = Driver(python, library.driver, root)

        def doing(edit: Edit) -> Callable[[], object]:
            def act() -> None:
                driver.edit(edit)
                committed(root, edit)

            return act

        try:
            yield doing
        finally:
            driver.close()

    name = f"{library.name} + git commit"
    staying = Way(f"{name}, in a process that stays", stays)
    return staying, Way(f"{name}, cold", cold, alike=staying.name)


def committed(root: Path, edit: Edit) -> None:
    """Commit the file, as these tools' users do."""
    run(root, "git", "add", edit.path)
    run(root, "git", "commit", "-q", "-m", "edit")
