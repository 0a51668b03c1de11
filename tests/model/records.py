"""What the model remembers: steps that can be taken back, open transactions, snapshots."""

from __future__ import annotations

from dataclasses import dataclass

from tests.model.states import Sides, State, differing, sides


@dataclass
class Landing:
    """A landing, undo or redo of a branch: its files before and after, and what the disk held."""

    tx: str
    before: str
    after: str
    found: State
    left: State


@dataclass
class Edit:
    """An edit, undo or redo of the checkout's files: what it found there and left there, of these alone."""

    tx: str
    found: Sides
    left: Sides

    @classmethod
    def between(cls, tx: str, found: State, left: State) -> Edit:
        paths = differing(found, left)
        return cls(tx, sides(found, paths), sides(left, paths))


Step = Landing | Edit


@dataclass
class Open:
    """An open transaction: the commit that it starts from, and what it leaves."""

    base: str
    state: State


@dataclass
class Snapshot:
    """What the checkout held, and on which commit."""

    id: str
    tip: str
    state: State
