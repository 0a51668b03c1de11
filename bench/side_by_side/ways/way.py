"""What a way to make an edit is, and what every way is given: the same definition, old and new."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from bench.repos import BODIES, EDITED, NAME, code, run, timed
from bench.side_by_side.pairs import Turn


class Edit(NamedTuple):
    """A definition of a file is to be another one."""

    path: str
    name: str
    old: str
    new: str

    def diff(self, root: Path) -> str:
        """As whoever wrote a patch would have sent it: with line feeds."""
        before = (root / self.path).read_text(encoding="utf-8")  # any endings become line feeds
        after = before.replace(self.old, self.new)
        old, new = (text.splitlines(keepends=True) for text in (before, after))
        return "".join(difflib.unified_diff(old, new, f"a/{self.path}", f"b/{self.path}"))


Doing = Callable[[Edit], Callable[[], object]]
"""Makes an edit ready (not timed), and gives what does it, commit and all (timed)."""


class Way(NamedTuple):
    """A way to make an edit.

    Attributes:
        opened: for a repository.
        syncs: what it writes.
        slow: it is done less often.
        alike: the name of the way that does the same, but for how it is started.
    """

    name: str
    opened: Callable[[Path], AbstractContextManager[Doing]]
    syncs: bool = False
    slow: bool = False
    alike: str = ""


def back_or_forth(root: Path, path: str = EDITED) -> Edit:
    """The edit that makes the other one of both bodies of what is there."""
    text = (root / path).read_text()
    old, new = BODIES if BODIES[0] in text else BODIES[::-1]
    return Edit(path, NAME, code(old), code(new))


def turn(root: Path, doing: Doing, path: str = EDITED) -> Turn:
    """The turns of one side; what is on the branch and on the disk is looked at after each."""

    def once(_: int) -> float:
        edit = back_or_forth(root, path)
        expected = (root / path).read_text().replace(edit.old, edit.new)
        took = timed(doing(edit))
        if not run(root, "git", "show", f"HEAD:{path}") == (root / path).read_text() == expected:
            raise SystemExit(f"{root} does not hold the edit of {path}")
        return took

    return once


def clean(root: Path) -> None:
    """Nothing is left to commit."""
    if status := run(root, "git", "status", "--porcelain"):
        raise SystemExit(f"{root} is not clean:\n{status}")
